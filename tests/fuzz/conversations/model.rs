//! Model of a session: the input so far and the answers it requires.

use super::super::cozy::{CozyBoard, mirror_image};
use super::super::crowded::is_crowded;
use super::meaning::{self, Go, Meaning};
use super::step::Lines;
use lento::chess::{Board, Game};

/// A requested search.
pub struct Search {
    /// First word of the answer.
    pub answer: &'static str,
    pub root: Board,
    pub chess960: bool,
    /// Allowed moves, by cozy-chess if it accepts the position.
    pub legal: Vec<String>,
    pub cozy: Option<CozyBoard>,
    /// Node limit.
    pub nodes: Option<u64>,
}

/// Running or queued work.
struct Pending {
    brief: bool,
    ponder: bool,
    infinite: bool,
    stopped: bool,
}

/// State of the session.
pub struct Model {
    lines: Lines,
    board: Board,
    chess960: bool,
    pending: Vec<Pending>,
    waited: bool,
    /// Whether `quit` was sent.
    pub closing: bool,
    /// Every `go` and `threat`, in order.
    pub searches: Vec<Search>,
    /// Expected number of `readyok`.
    pub readyoks: usize,
    /// Expected number of `uciok`.
    pub uciok: usize,
    /// Positions expected from `d`, in order.
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
            readyoks: 0,
            uciok: 0,
            displays: Vec::new(),
        }
    }

    /// Processes written bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.lines.feed(bytes).iter().for_each(|line| self.line(line));
    }

    /// Processes the end of input.
    pub fn end_input(&mut self) {
        self.lines.finish().iter().for_each(|line| self.line(line));
        self.closing = true;
    }

    /// Whether a line is incomplete.
    pub fn is_mid_line(&self) -> bool {
        self.lines.is_mid_line()
    }

    /// Whether all pending work ends soon without further commands.
    pub fn ends_soon(&self) -> bool {
        self.pending.iter().all(|work| work.stopped || (work.brief && !work.ponder && !work.infinite))
    }

    /// Whether `quit` may have to wait for long work.
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
                        cozy: None,
                        nodes: None,
                    });
                }
            },
            Meaning::Work(brief) => self.begin(brief, false, false),
            Meaning::Position(Some(board)) => self.board = *board,
            Meaning::Chess960(on) => self.chess960 = on,
            Meaning::Uci => self.uciok += 1,
            Meaning::IsReady => self.readyoks += 1,
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
        let cozy = CozyBoard::new(&root);
        let all = match &cozy {
            Some(cozy) => cozy.texts(chess960),
            None => root.legal_moves().iter().map(|&mv| root.uci(mv, chess960)).collect(),
        };
        // Castling moves have two notations.
        let moves = |texts: &[String]| -> Vec<String> {
            texts.iter().filter_map(|text| root.parse_uci(text, chess960)).map(|mv| root.uci(mv, chess960)).collect()
        };
        let (wanted, avoided) = (moves(&go.wanted), moves(&go.avoided));
        let wanted = if wanted.is_empty() { all } else { wanted };
        let remaining: Vec<String> = wanted.iter().filter(|mv| !avoided.contains(mv)).cloned().collect();
        let legal = if remaining.is_empty() { wanted } else { remaining };
        let nodes = go.nodes.filter(|_| !go.ponder && !go.infinite);
        self.searches.push(Search { answer, root, chess960, legal, cozy, nodes });
    }
}
