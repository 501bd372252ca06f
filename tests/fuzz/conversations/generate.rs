//! Generates conversations.

use super::super::cozy::CozyBoard;
use super::options;
use super::positions::Positions;
use super::step::{Conversation, Step};
use cozy_chess::Board;
use lento_testing::{Random, mutate};

/// Generates conversations from a seed.
pub struct Generator<'a> {
    random: Random,
    positions: &'a Positions,
    /// Approximation of the current position, for the moves of `searchmoves` and `avoidmoves`.
    board: Board,
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "10",
    "100",
    "-1",
    "-100000",
    "+5",
    "007",
    "x",
    "",
    "1.5",
    "2147483648",
    "18446744073709551615",
    "99999999999999999999",
];

impl<'a> Generator<'a> {
    pub fn new(seed: u64, positions: &'a Positions) -> Self {
        Self { random: Random::new(seed), positions, board: Board::startpos() }
    }

    pub fn conversation(&mut self) -> Conversation {
        let mut steps = Vec::new();
        if self.random.once_in(2) {
            steps.push(Step::Write(b"uci\n".into()));
        }
        for _ in 0..=self.random.below(12) {
            let step = self.step();
            steps.push(step);
        }
        match self.random.below(10) {
            0..=5 => {}
            6 => steps.push(Step::Vanish),
            7 => {
                let mut line = self.line();
                line.truncate(self.random.below(line.len() + 1));
                if options::is_harmless(&line) {
                    steps.push(Step::Write(line));
                }
                steps.push(Step::Eof);
            }
            _ => steps.push(Step::Eof),
        }
        Conversation(steps)
    }

    fn step(&mut self) -> Step {
        match self.random.below(20) {
            0..=2 => Step::Pause(self.random.below(20) as u64),
            3 => Step::Pause(self.random.below(120) as u64),
            4 | 5 => Step::Ready,
            6 | 7 => Step::Settle,
            8 => Step::Answer,
            9 => Step::Write(self.part()),
            _ => Step::Write(self.lines()),
        }
    }

    /// Several lines in one write.
    fn lines(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..=self.random.below(6) {
            bytes.extend(self.line());
            bytes.extend(*self.random.pick(&[&b"\n"[..], b"\n", b"\n", b"\n", b"\r\n", b" \n", b"\n\n"]));
        }
        bytes
    }

    /// The start of a line.
    fn part(&mut self) -> Vec<u8> {
        let line = self.line();
        let whole = self.random.below(line.len() + 1);
        // The next step completes the line.
        if options::is_harmless(&line[..whole]) && !line.starts_with(b"setoption") {
            line[..whole].to_vec()
        } else {
            b"\n".into()
        }
    }

    /// A line without its newline.
    fn line(&mut self) -> Vec<u8> {
        let line = self.whole_line();
        if !self.random.once_in(14) {
            return line;
        }
        let broken = mutate(line, &mut self.random);
        if options::is_harmless(&broken) { broken } else { b"isready".into() }
    }

    fn whole_line(&mut self) -> Vec<u8> {
        match self.random.below(100) {
            0..=22 => self.go(),
            23 | 24 => self.go().replacen("go", "threat", 1),
            25..=41 => self.position(),
            42..=50 => "stop".into(),
            51..=56 => "ponderhit".into(),
            57..=70 => options::line(&mut self.random),
            71..=75 => "isready".into(),
            76..=80 => "d".into(),
            81 => "uci".into(),
            82 | 83 => "ucinewgame".into(),
            84 => self.random.pick(&["eval", "flip", "flip", "compiler"]).to_string(),
            85 | 86 => self.with_number("listmoves", "listmoves depth"),
            87 => self.random.pick(&["lmrstats", "lmrstats off", "lmrstats on"]).to_string(),
            88 | 89 => self
                .random
                .pick(&["perft 1", "perft 2", "perft 3", "go perft 3", "perft 4", "perft", "perft -3"])
                .to_string(),
            90 => self.random.pick(&["bench 1", "bench 2", "bench 0", "bench 3", "bench x"]).to_string(),
            91 | 92 => "wait".into(),
            93 if self.random.once_in(2) => self.random.pick(&["help", "register later", "register"]).to_string(),
            93 => self.random.pick(&["debug on", "debug off", "debug"]).to_string(),
            94 => options::hash_file(&mut self.random),
            95 => self.random.pick(&["quit", "isready", "isready", "isready"]).to_string(),
            96 => self.random.pick(&["", "   ", "# go infinite", "\t", "joho debug on", "joho"]).to_string(),
            _ => return self.junk(),
        }
        .into_bytes()
    }

    fn with_number(&mut self, plain: &str, numbered: &str) -> String {
        if self.random.once_in(2) { plain.into() } else { format!("{numbered} {}", self.random.pick(NUMBERS)) }
    }

    /// `go` with any combination of limits.
    fn go(&mut self) -> String {
        let mut text = String::from("go");
        for _ in 0..self.random.below(4) {
            text += &match self.random.below(14) {
                0..=2 => format!(" depth {}", 1 + self.random.below(4)),
                3 => format!(" nodes {}", self.random.pick(&[1, 2, 10, 100, 1000, 20_000, 1_000_000])),
                4 => format!(" movetime {}", self.random.pick(&[-1, 0, 1, 5, 20, 100, 100_000])),
                5 => format!(" wtime {0} btime {0}", self.random.pick(&[-500, 0, 1, 10, 100, 300, 60_000])),
                6 => format!(" winc {} movestogo {}", self.random.below(100), self.random.below(3)),
                7 => " infinite".into(),
                8 | 9 => " ponder".into(),
                10 => format!(" searchmoves{}", self.some_moves()),
                11 => format!(" avoidmoves{}", self.some_moves()),
                12 => format!(" mate {}", 1 + self.random.below(5)),
                _ => {
                    let word =
                        self.random.pick(&["depth", "nodes", "movetime", "wtime", "binc", "movestogo", "mate", "blub"]);
                    format!(" {word} {}", self.random.pick(NUMBERS))
                }
            };
        }
        text
    }

    /// Moves of the current position, and others.
    fn some_moves(&mut self) -> String {
        let mut moves = CozyBoard::from(self.board.clone()).texts(self.random.once_in(2));
        moves.extend(["e2e4", "a1a1", "h7h8q", "0000", "O-O"].map(String::from));
        (0..=self.random.below(3)).map(|_| format!(" {}", self.random.pick(&moves))).collect()
    }

    fn position(&mut self) -> String {
        if self.random.once_in(8) {
            return format!("position fen {}", self.positions.broken(&mut self.random));
        }
        let (start, board) = self.positions.start(&mut self.random);
        let mut text = format!("position {start}");
        if self.random.once_in(10) {
            let end = text.len() - self.random.below(text.len() - "position".len());
            return String::from_utf8_lossy(&mutate(text.split_off(end).into(), &mut self.random))
                .chars()
                .fold(text, |text, c| text + c.encode_utf8(&mut [0; 4]));
        }
        let Some(mut board) = board.map(CozyBoard::from) else { return text };
        let length = if self.random.once_in(20) { 400 } else { self.random.below(30) };
        let chess960 = self.random.once_in(3);
        let mut moves = String::new();
        for _ in 0..length {
            let texts = board.texts(chess960);
            if texts.is_empty() {
                break;
            }
            let mv = self.random.pick(&texts);
            if !board.play(mv, chess960) {
                break;
            }
            moves = moves + " " + mv;
        }
        if self.random.once_in(12) {
            moves += *self.random.pick(&[" e2e5", " 0000", " e1g1", " a7a8", " moves", " x", " e7e8k"]);
        }
        self.board = board.into_board();
        if moves.is_empty() { text } else { text + " moves" + &moves }
    }

    /// Garbage and overlong lines.
    fn junk(&mut self) -> Vec<u8> {
        match self.random.below(6) {
            0 => vec![b'a'; 100_000],
            1 => b"position startpos moves".iter().copied().chain(b" e2e4".repeat(20_000)).collect(),
            2 => b"position fen ".iter().copied().chain(b"8/".repeat(10_000)).collect(),
            3 => b"go searchmoves".iter().copied().chain(b" e2e4 d2d4".repeat(5_000)).collect(),
            _ => (0..self.random.below(60)).map(|_| self.random.word() as u8).filter(|&byte| byte != b'\n').collect(),
        }
    }
}
