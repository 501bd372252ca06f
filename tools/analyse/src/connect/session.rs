//! State to send to a new connection: options, position and the running search.

use lento::chess::{Color, Game};
use lento_uci::command::Command;
use lento_uci::go::Go;
use lento_uci::options::same_name;
use std::time::{Duration, Instant};

/// Time limit for the server's answer to `stop`.
const STOP: Duration = Duration::from_secs(2);
/// Allowed delay of the server's answer after `movetime`.
const GRACE: Duration = Duration::from_secs(1);
/// Maximum clock time reserved for a move sent without the server.
const RESERVE: Duration = Duration::from_millis(200);
/// Minimum time for the server's answer, whatever the clock.
const MIN_TIME: Duration = Duration::from_millis(100);

/// Options and position of the user interface.
pub struct Session {
    /// Names and the last line of each.
    options: Vec<(String, String)>,
    new_game: bool,
    position: Option<String>,
    game: Game,
    chess960: bool,
}

impl Session {
    pub fn new() -> Self {
        Self { options: Vec::new(), new_game: false, position: None, game: Game::start(), chess960: false }
    }

    /// Records a command; invalid positions are ignored.
    pub fn record(&mut self, line: &str, command: &Command) {
        match command {
            Command::NewGame => self.new_game = true,
            Command::SetOption(name, Some(value)) => {
                if same_name(name, "UCI_Chess960") {
                    self.chess960 = value.eq_ignore_ascii_case("true");
                }
                self.options.retain(|(other, _)| !same_name(other, name));
                self.options.push((name.clone(), line.to_owned()));
            }
            Command::Position(position) => {
                if let Ok(game) = position.set_up(self.chess960) {
                    (self.game, self.position) = (game, Some(line.to_owned()));
                }
            }
            _ => {}
        }
    }

    /// The lines that bring a new connection to the same state.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let options = self.options.iter().map(|(_, line)| line.as_str());
        options.chain(self.new_game.then_some("ucinewgame")).chain(self.position.as_deref())
    }
}

/// An unanswered search.
pub struct Search {
    line: String,
    go: Go,
    side: Color,
    /// When its clock started: at `go` or `ponderhit`.
    since: Instant,
    pub stopped: Option<Instant>,
    /// First move of the latest PV.
    best: Option<String>,
}

impl Search {
    pub fn new(line: &str, go: &Go, session: &Session) -> Self {
        let side = session.game.board().side_to_move();
        Self { line: line.to_owned(), go: go.clone(), side, since: Instant::now(), stopped: None, best: None }
    }

    pub fn stop(&mut self) {
        self.stopped.get_or_insert_with(Instant::now);
    }

    pub fn ponder_hit(&mut self) {
        if self.go.limits.ponder {
            self.go.limits.ponder = false;
            self.since = Instant::now();
        }
    }

    /// Records the best move of an `info` line.
    pub fn read(&mut self, info: &str) {
        let mut words = info.split_whitespace();
        let is_other = info.split_once(" multipv ").is_some_and(|(_, rest)| !rest.starts_with("1 "));
        if words.next() == Some("info") && words.next() != Some("string") && !is_other {
            let first = words.skip_while(|word| *word != "pv").nth(1);
            self.best = first.map(str::to_owned).or(self.best.take());
        }
    }

    /// When to answer without the server. Earlier if disconnected, to save time for later moves.
    pub fn deadline(&self, is_connected: bool) -> Option<Instant> {
        if let Some(stopped) = self.stopped {
            return Some(stopped + STOP);
        }
        let limits = &self.go.limits;
        if limits.infinite || limits.ponder {
            return None;
        }
        let time = |milliseconds: i64| Duration::from_millis(milliseconds.max(0) as u64);
        let fixed =
            limits.movetime.map(time).map(|limit| if is_connected { limit.saturating_add(GRACE) } else { limit });
        let clock = limits.clock[self.side as usize].map(time).map(|left| match is_connected {
            true => (left - RESERVE.min(left / 10)).max(MIN_TIME),
            false => left / 2,
        });
        fixed.into_iter().chain(clock).min().and_then(|allowed| self.since.checked_add(allowed))
    }

    /// The `go` command for a new connection, with the remaining time.
    pub fn line(&self) -> String {
        let limits = &self.go.limits;
        let used = if limits.ponder { 0 } else { self.since.elapsed().as_millis() as i64 };
        let clock = ["wtime", "btime"][self.side as usize];
        let mut words = self.line.split_whitespace().peekable();
        let mut line = Vec::new();
        while let Some(word) = words.next() {
            if word.eq_ignore_ascii_case("ponder") && !limits.ponder {
                continue;
            }
            line.push(word.to_owned());
            if [clock, "movetime"].iter().any(|timed| word.eq_ignore_ascii_case(timed))
                && let Some(time) = words.peek().and_then(|next| next.parse::<i64>().ok())
            {
                words.next();
                line.push(if used == 0 { time } else { time.saturating_sub(used).max(1) }.to_string());
            }
        }
        line.join(" ")
    }

    /// The answer without the server: the best move so far, or the first allowed one.
    pub fn answer(&self, session: &Session) -> String {
        let board = session.game.board();
        let best = self.best.as_deref().filter(|text| board.parse_uci(text, session.chess960).is_some());
        let first = || {
            let allowed = self.go.root_moves(board, session.chess960, &mut Vec::new());
            let first = allowed.first().or(board.legal_moves().first()).map(|&mv| board.uci(mv, session.chess960));
            first.unwrap_or_else(|| "0000".into())
        };
        format!("bestmove {}", best.map_or_else(first, str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_uci::command;

    fn session(lines: &[&str]) -> Session {
        let mut session = Session::new();
        for line in lines {
            session.record(line, &command::parse(line).command.expect("a command"));
        }
        session
    }

    fn search(line: &str, session: &Session) -> Search {
        match command::parse(line).command {
            Some(Command::Go(go)) => Search::new(line, &go, session),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn last_line_of_each_option_is_sent() {
        let session = session(&[
            "setoption name Hash value 1",
            "position startpos moves e2e4",
            "ucinewgame",
            "setoption name MultiPV value 2",
            "setoption name hash value 2",
            "setoption name Clear Hash",
            "position startpos moves d2d4",
            "position startpos moves d2d5",
        ]);
        let expected = [
            "setoption name MultiPV value 2",
            "setoption name hash value 2",
            "ucinewgame",
            "position startpos moves d2d4",
        ];
        assert_eq!(session.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn used_time_is_subtracted_for_the_side_to_move() {
        let black = session(&["position startpos moves e2e4"]);
        let mut search = search("go wtime 60000 btime 50000 winc 7 movetime 20000 searchmoves e7e5", &black);
        search.since = Instant::now().checked_sub(Duration::from_secs(5)).expect("a clock");
        let line = search.line();
        let number = |name: &str| line.split(' ').skip_while(|word| *word != name).nth(1).and_then(|n| n.parse().ok());
        assert_eq!((number("wtime"), number("winc")), (Some(60_000), Some(7)), "{line}");
        assert!(number("btime").is_some_and(|left| (40_000..=45_000).contains(&left)), "{line}");
        assert!(number("movetime").is_some_and(|left| (10_000..=15_000).contains(&left)), "{line}");
        assert!(line.ends_with("searchmoves e7e5"), "{line}");
        search.since -= Duration::from_secs(60);
        assert!(search.line().starts_with("go wtime 60000 btime 1 winc 7 movetime 1 "), "{}", search.line());
    }

    #[test]
    fn pondering_uses_no_time() {
        let white = session(&[]);
        let mut search = search("go ponder wtime 60000 btime 50000", &white);
        search.since = Instant::now().checked_sub(Duration::from_secs(5)).expect("a clock");
        assert_eq!((search.line().as_str(), search.deadline(false)), ("go ponder wtime 60000 btime 50000", None));
        search.ponder_hit();
        assert!(!search.line().contains("ponder"));
        assert!(search.deadline(false).is_some_and(|at| at > search.since + Duration::from_secs(20)));
        let infinite = self::search("go infinite wtime 5", &white);
        assert_eq!(infinite.deadline(false), None);
        let huge = self::search("go movetime 9223372036854775807", &white);
        assert_eq!((huge.line(), huge.deadline(true).is_none_or(|at| at > huge.since)), (huge.line.clone(), true));
    }

    #[test]
    fn answers_are_legal() {
        let black = session(&["position startpos moves e2e4"]);
        let mut search = search("go searchmoves a7a6", &black);
        assert_eq!(search.answer(&black), "bestmove a7a6");
        for info in [
            "info depth 1 multipv 1 score cp 5 pv e7e5 g1f3",
            "info depth 1 multipv 2 score cp 5 pv c7c5",
            "info string pv d7d5",
            "info depth 2 currmove d7d5",
        ] {
            search.read(info);
        }
        assert_eq!(search.answer(&black), "bestmove e7e5");
        search.read("info depth 2 pv e2e4");
        assert_eq!(search.answer(&black), "bestmove a7a6");
        let mated = session(&["position startpos moves f2f3 e7e5 g2g4 d8h4"]);
        assert_eq!(self::search("go depth 1", &mated).answer(&mated), "bestmove 0000");
        let castling =
            session(&["setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"]);
        let mut search = self::search("go", &castling);
        search.read("info depth 1 pv e1h1");
        assert_eq!(search.answer(&castling), "bestmove e1h1");
    }
}
