//! What was said so far, and which answers it asks for.

use super::super::crowded::is_crowded;
use super::super::second::{Second, mirror_image};
use super::meaning::{self, Go, Meaning};
use super::step::Lines;
use lento::chess::{Board, Game};

/// A search that was asked for.
pub struct Search {
    /// The word that its answer starts with.
    pub answer: &'static str,
    pub root: Board,
    pub chess960: bool,
    /// The moves to choose from, by the second opinion where it has one.
    pub legal: Vec<String>,
    pub second: Option<Second>,
    /// The nodes that it may take.
    pub nodes: Option<u64>,
}

/// Something that takes time.
struct Pending {
    brief: bool,
    ponder: bool,
    infinite: bool,
    stopped: bool,
}

/// What was said so far.
pub struct Model {
    lines: Lines,
    board: Board,
    chess960: bool,
    pending: Vec<Pending>,
    waited: bool,
    /// Whether `quit` was said.
    pub closing: bool,
    /// Every `go` and `threat`, in order.
    pub searches: Vec<Search>,
    /// How many times `readyok` is to be said.
    pub readies: usize,
    /// How many times `uciok` is to be said.
    pub introductions: usize,
    /// The positions that `d` is to show, in order.
    pub displays: Vec<String>,
}

impl Model {
    pub fn new() -> Self {
        Self {
            lines: Lines::default(),
            board: Board::start(),
            chess960: false,
            pending: Vec::new(),
            waited: false,
            closing: false,
            searches: Vec::new(),
            readies: 0,
            introductions: 0,
            displays: Vec::new(),
        }
    }

    /// Takes bytes as they are written.
    pub fn write(&mut self, bytes: &[u8]) {
        self.lines.feed(bytes).iter().for_each(|line| self.line(line));
    }

    /// Takes the end of the input.
    pub fn end_input(&mut self) {
        self.lines.finish().iter().for_each(|line| self.line(line));
        self.closing = true;
    }

    /// Whether a line has been begun and not ended.
    pub fn is_mid_line(&self) -> bool {
        self.lines.is_mid_line()
    }

    /// Whether everything asked for ends soon without another word.
    pub fn ends_soon(&self) -> bool {
        self.pending.iter().all(|work| work.stopped || (work.brief && !work.ponder && !work.infinite))
    }

    /// Whether `quit` may be waiting for something that takes long.
    pub fn may_wait_long(&self) -> bool {
        self.waited && !self.ends_soon()
    }

    fn line(&mut self, line: &str) {
        let meaning = meaning::of(line, self.chess960);
        match meaning {
            Meaning::Stop => self.pending.iter_mut().for_each(|work| work.stopped = true),
            _ if self.closing => {}
            Meaning::Go(go) => self.go(&go, "bestmove", self.board.clone()),
            Meaning::Threat(go) => match Game::from(self.board.clone()).passed() {
                Ok(game) => self.go(&go, "threat", game.board().clone()),
                Err(_) => {
                    let (root, chess960) = (self.board.clone(), self.chess960);
                    self.searches.push(Search {
                        answer: "threat",
                        root,
                        chess960,
                        legal: Vec::new(),
                        second: None,
                        nodes: None,
                    });
                }
            },
            Meaning::Work(brief) => self.begin(brief, false, false),
            Meaning::Position(Some(board)) => self.board = *board,
            Meaning::Chess960(on) => self.chess960 = on,
            Meaning::Uci => self.introductions += 1,
            Meaning::IsReady => self.readies += 1,
            Meaning::Display => self.displays.push(self.board.fen(self.chess960)),
            Meaning::Flip => self.board = mirror_image(&self.board),
            Meaning::PonderHit => self.pending.iter_mut().for_each(|work| work.ponder = false),
            Meaning::Wait => self.waited = true,
            Meaning::Quit => self.closing = true,
            Meaning::Position(None) | Meaning::HashFile(_) | Meaning::Option(..) | Meaning::Other => {}
        }
    }

    fn begin(&mut self, brief: bool, ponder: bool, infinite: bool) {
        self.pending.push(Pending { brief, ponder, infinite, stopped: false });
    }

    fn go(&mut self, go: &Go, answer: &'static str, root: Board) {
        self.begin(go.brief || (go.shallow && !is_crowded(&root)), go.ponder, go.infinite);
        let chess960 = self.chess960;
        let second = Second::new(&root);
        let all = match &second {
            Some(second) => second.texts(chess960),
            None => root.legal_moves().iter().map(|&mv| root.uci(mv, chess960)).collect(),
        };
        // A castling move may be written in either way.
        let moves = |texts: &[String]| -> Vec<String> {
            texts.iter().filter_map(|text| root.parse_uci(text, chess960)).map(|mv| root.uci(mv, chess960)).collect()
        };
        let (wanted, avoided) = (moves(&go.wanted), moves(&go.avoided));
        let wanted = if wanted.is_empty() { all } else { wanted };
        let left: Vec<String> = wanted.iter().filter(|mv| !avoided.contains(mv)).cloned().collect();
        let legal = if left.is_empty() { wanted } else { left };
        let nodes = go.nodes.filter(|_| !go.ponder && !go.infinite);
        self.searches.push(Search { answer, root, chess960, legal, second, nodes });
    }
}
