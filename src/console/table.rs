//! The live text table of an analysis.

use super::notice::notice;
use super::progress::Progress as StatusLine;
use super::search::Found;
use super::units;
use lento::chess::{Board, Color, Move};
use lento::engine::Output;
use lento::eval::wdl;
use lento::score::{Bound, Score, mate_distance};
use lento::search::report::{Info, Outcome, Progress, nps};
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

#[derive(Clone, Copy)]
struct Table {
    /// Terminal width for wrapping lines of play; no wrapping if absent.
    width: Option<usize>,
    /// Whether several lines are shown, with ranks.
    ranked: bool,
}

/// Indent of wrapped lines in terminals narrower than their column.
const NARROW_INDENT: usize = 4;

impl Table {
    fn header(self) -> String {
        let rank = if self.ranked { "  #" } else { "" };
        let [depth, sel, score, nodes] = ["depth", "sel", "score", "nodes"];
        let [speed, hash, time] = ["nodes/s", "hash", "time"];
        // The widths of `row`.
        format!("{depth:>5} {sel:>4}{rank} {score:>8} {nodes:>7} {speed:>7} {hash:>6} {time:>7}  line")
    }

    /// One line of play, wrapped if necessary.
    fn row(self, root: &Board, info: &Info) -> String {
        let rank = if self.ranked { format!("{:>3}", info.multipv) } else { String::new() };
        let columns = format!(
            "{:>5} {:>4}{rank} {:>8} {:>7} {:>7} {:>5.1}% {:>7}  ",
            info.depth,
            info.seldepth,
            score(info.score, wdl::material(root), info.bound),
            units::count(info.nodes),
            units::count(nps(info.nodes, info.elapsed)),
            f64::from(info.hashfull) / 10.0,
            units::time(info.elapsed),
        );
        let width = self.width.unwrap_or(usize::MAX);
        let indent = if width >= columns.len() + 24 { columns.len() } else { NARROW_INDENT };
        wrap(columns, &numbered(root, &info.pv), width, indent)
    }

    /// The status line: the current move if known, else the last result.
    fn heartbeat(self, root: &Board, found: Option<&Info>, progress: Option<&Progress>, elapsed: Duration) -> String {
        let (state, nodes, since, hashfull) = match (progress, found) {
            (Some(progress), _) => {
                let Progress { depth, current, number, nodes, elapsed, hashfull } = *progress;
                (format!("depth {depth}, move {number} {}", root.san(current)), nodes, elapsed, hashfull)
            }
            (None, Some(found)) => {
                let best = found.pv.first().map_or_else(String::new, |&mv| root.san(mv) + " ");
                let score = score(found.score, wdl::material(root), found.bound);
                (format!("depth {}, {best}{score}", found.depth), found.nodes, found.elapsed, found.hashfull)
            }
            (None, None) => return format!("searching, {}", units::time(elapsed)),
        };
        let (speed, nodes) = (units::count(nps(nodes, since)), units::count(nodes));
        let (hash, time) = (f64::from(hashfull) / 10.0, units::time(elapsed));
        format!("{state}, {nodes} nodes, {speed} nodes/s, hash {hash:.1}%, {time}")
    }
}

/// The final summary: best move and totals, or why there is no move.
pub fn summary(root: &Board, found: &Found, chess960: bool) -> String {
    let Some(best) = found.outcome.best else {
        let why = if root.in_check() { "checkmate" } else { "stalemate" };
        return format!("no legal move: {why}");
    };
    let named = |board: &Board, mv: Move| format!("{} ({})", board.san(mv), board.uci(mv, chess960));
    let mut text = format!("best move {}", named(root, best));
    if let Some(ponder) = found.outcome.ponder {
        let _ = write!(text, ", then {}", named(&root.after(best), ponder));
    }
    let (nodes, time) = (units::counted(found.nodes(), "node"), units::time(found.elapsed));
    let speed = units::grouped(nps(found.nodes(), found.elapsed));
    format!("{text}\n{nodes} in {time}, {speed} nodes/s")
}

/// A score in pawns (1 is a 50 % chance of winning) or moves to mate (`#`), with `>=` or `<=` for a bound.
pub fn score(score: Score, material: i32, bound: Bound) -> String {
    let mark = match bound {
        Bound::Exact => "",
        Bound::Lower => ">=",
        Bound::Upper => "<=",
    };
    match mate_distance(score) {
        Some(moves) => format!("{mark}#{moves}"),
        None => format!("{mark}{:+.2}", f64::from(wdl::normalise(score, material)) / 100.0),
    }
}

/// The moves in SAN with numbers: `1.e4 e5 2.Nf3`.
pub fn numbered(root: &Board, line: &[Move]) -> Vec<String> {
    let mut board = root.clone();
    let mut words = Vec::new();
    for &mv in line {
        let number = board.fullmove_number();
        let prefix = match board.side_to_move() {
            Color::White => format!("{number}."),
            Color::Black if words.is_empty() => format!("{number}..."),
            Color::Black => String::new(),
        };
        words.push(prefix + &board.san(mv));
        board = board.after(mv);
    }
    words
}

/// Appends words, wrapping at `width` with an indent.
fn wrap(mut text: String, words: &[String], width: usize, indent: usize) -> String {
    let mut column = text.len();
    for word in words {
        if column + word.len() > width && column > indent {
            text.truncate(text.trim_end().len());
            text = text + "\n" + &" ".repeat(indent);
            column = indent;
        }
        text = text + word + " ";
        column += word.len() + 1;
    }
    text.truncate(text.trim_end().len());
    text
}

/// The table on standard output, with a status line on a terminal.
pub struct Show<'a> {
    root: &'a Board,
    table: Table,
    status: StatusLine,
    found: Option<Info>,
    /// Progress of the following iteration, if known.
    progress: Option<Progress>,
    /// The latest row per line of play.
    rows: Vec<Info>,
}

impl<'a> Show<'a> {
    /// Prints the header of a table for a position; `ranked` if several lines are shown.
    pub fn begin(root: &'a Board, ranked: bool) -> io::Result<Self> {
        let width = || terminal_size::terminal_size().map_or(80, |(width, _)| usize::from(width.0));
        let table = Table { width: io::stdout().is_terminal().then(width), ranked };
        writeln!(io::stdout(), "{}", table.header())?;
        Ok(Self { root, table, status: StatusLine::start(), found: None, progress: None, rows: Vec::new() })
    }

    /// Shows output of a search; `None` updates the status line.
    pub fn update(&mut self, output: Option<&Output>) -> io::Result<()> {
        match output {
            Some(Output::Info(info)) => {
                self.found = Some(info.clone());
                self.progress = None;
                return if info.bound == Bound::Exact { self.row_if_changed(info) } else { Ok(()) };
            }
            Some(Output::Progress(progress)) => self.progress = Some(*progress),
            Some(Output::Note(text)) => {
                self.status.clear();
                notice(text);
            }
            _ => {}
        }
        let Self { root, table, found, progress, .. } = self;
        self.status.line(|elapsed| table.heartbeat(root, found.as_ref(), progress.as_ref(), elapsed));
        Ok(())
    }

    /// Prints final lines not shown yet.
    pub fn end(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.status.clear();
        if outcome.best.is_some() {
            outcome.lines.iter().try_for_each(|line| self.row_if_changed(line))?;
        }
        Ok(())
    }

    /// Prints a line unless it equals its latest row.
    fn row_if_changed(&mut self, info: &Info) -> io::Result<()> {
        let old = self.rows.iter().position(|row| row.multipv == info.multipv).map(|at| self.rows.swap_remove(at));
        self.rows.push(info.clone());
        if old.is_some_and(|row| (row.depth, row.score, &row.pv) == (info.depth, info.score, &info.pv)) {
            return Ok(());
        }
        self.status.clear();
        let mut out = io::stdout();
        writeln!(out, "{}", self.table.row(self.root, info))?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use lento::score::mated_in;

    fn sample(root: &Board, moves: &str) -> Info {
        let pv = Setup::default().moves(root, moves).expect("legal moves").into_iter().collect();
        let line = Info { depth: 12, seldepth: 18, multipv: 1, score: 35, pv, ..Info::default() };
        Info { nodes: 1_234_567, elapsed: Duration::from_millis(500), hashfull: 34, ..line }
    }

    /// A formatted score of the start position.
    fn pawns(score: Score) -> String {
        format!("{:+.2}", f64::from(wdl::normalise(score, 78)) / 100.0)
    }

    #[test]
    fn columns_are_aligned() {
        let root = Board::start();
        let info = sample(&root, "e4 e5 Nf3");
        for ranked in [false, true] {
            let table = Table { width: None, ranked };
            let (header, row) = (table.header(), table.row(&root, &info));
            assert_eq!(header.find("line"), row.find("1.e4"), "{header}\n{row}");
            assert!(header.len() > 50 && row.ends_with("  1.e4 e5 2.Nf3"));
        }
        let row = Table { width: None, ranked: false }.row(&root, &info);
        let score = pawns(35);
        assert_eq!(row.trim_start(), format!("12   18    {score}   1.23M   2.47M   3.4%   500ms  1.e4 e5 2.Nf3"));
    }

    #[test]
    fn long_lines_wrap_below_their_column() {
        let root = Board::start();
        let info = sample(&root, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O");
        for width in [40, 60, 80, 100, 200] {
            let text = Table { width: Some(width), ranked: false }.row(&root, &info);
            let words: Vec<&str> = text.split_whitespace().skip(7).collect();
            assert_eq!(words.join(" "), numbered(&root, &info.pv).join(" "));
            // Only the line of play is wrapped.
            assert!(text.lines().skip(1).all(|line| line.len() <= width), "{width}:\n{text}");
            assert!(text.lines().all(|line| line == line.trim_end()));
            let indent = if width >= 80 { text.find("1.e4").expect("a line") } else { NARROW_INDENT };
            let indented = |line: &str| line.len() - line.trim_start().len() == indent;
            assert!(text.lines().skip(1).all(indented), "{width}:\n{text}");
        }
    }

    #[test]
    fn numbering_starts_with_the_side_to_move() {
        let root = Board::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 40").expect("a good FEN");
        assert_eq!(numbered(&root, &sample(&root, "Kd7 e4 Ke6").pv), ["40...Kd7", "41.e4", "Ke6"]);
    }

    #[test]
    fn scores_show_pawns_mates_and_bounds() {
        assert_eq!(score(-135, 78, Bound::Exact), pawns(-135));
        assert_eq!(score(0, 40, Bound::Lower), ">=+0.00");
        assert_eq!(score(mated_in(4), 40, Bound::Exact), "#-2");
    }

    #[test]
    fn heartbeats_show_the_move_or_the_last_result() {
        let root = Board::start();
        let current = root.parse_san("Nf3").expect("a legal move");
        let now = Progress { depth: 9, current, number: 4, nodes: 5000, elapsed: Duration::from_secs(2), hashfull: 7 };
        let table = Table { width: None, ranked: false };
        let time = Duration::from_secs(3);
        assert_eq!(table.heartbeat(&root, None, None, time), "searching, 3.0s");
        let counters = "5.00k nodes, 2.50k nodes/s, hash 0.7%, 3.0s";
        assert_eq!(table.heartbeat(&root, None, Some(&now), time), format!("depth 9, move 4 Nf3, {counters}"));
        let mut found = sample(&root, "e4 e5");
        (found.bound, found.elapsed) = (Bound::Upper, Duration::from_secs(1));
        let text = table.heartbeat(&root, Some(&found), None, time);
        let score = pawns(35);
        assert_eq!(text, format!("depth 12, e4 <={score}, 1.23M nodes, 1.23M nodes/s, hash 3.4%, 3.0s"));
        assert!(table.heartbeat(&root, Some(&found), Some(&now), time).starts_with("depth 9, "));
    }
}
