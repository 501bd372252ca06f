//! Records of played games.

use lento::chess::{Board, Color, Game, Move, Verdict};
use lento::score::Score;
use serde_json::{Value, json};
use std::time::Duration;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// 1-0.
    WhiteWins,
    /// 1/2-1/2.
    Draw,
    /// 0-1.
    BlackWins,
}

impl GameResult {
    const ALL: [Self; 3] = [Self::WhiteWins, Self::Draw, Self::BlackWins];

    /// As in PGN.
    pub fn text(self) -> &'static str {
        ["1-0", "1/2-1/2", "0-1"][self.index()]
    }

    /// The result of a game that `side` has lost.
    pub fn lost_by(side: Color) -> Self {
        match side {
            Color::White => Self::BlackWins,
            Color::Black => Self::WhiteWins,
        }
    }

    /// Index of the result: White wins, draw, Black wins.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Half points of White, 0 to 2.
    pub fn half_points(self) -> u32 {
        2 - self as u32
    }

    /// The result from White's half points; `None` above 2.
    pub fn of_half_points(points: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|result| result.half_points() == u32::from(points))
    }

    /// Index of the result from a side's point of view: win, draw, loss.
    pub fn index_for(self, side: Color) -> usize {
        if side == Color::White { self.index() } else { 2 - self.index() }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// By the rules of chess.
    Rules(Verdict),
    /// Adjudicated as won by the scores of both sides.
    Resignation,
    /// Adjudicated as drawn by the scores of both sides.
    Agreement,
    /// Adjudicated by tablebases.
    Tablebases,
    /// Adjudicated as drawn because of its length.
    Length,
    /// Loss on time.
    Time,
}

impl Ending {
    /// All endings in order with their texts.
    const TEXTS: [(Self, &'static str); 10] = [
        (Self::Rules(Verdict::Checkmate), "checkmate"),
        (Self::Rules(Verdict::Stalemate), "stalemate"),
        (Self::Rules(Verdict::Fifty), "fifty moves"),
        (Self::Rules(Verdict::Threefold), "threefold repetition"),
        (Self::Rules(Verdict::Insufficient), "insufficient material"),
        (Self::Resignation, "won by adjudication"),
        (Self::Agreement, "drawn by adjudication"),
        (Self::Tablebases, "decided by tablebases"),
        (Self::Length, "drawn by length"),
        (Self::Time, "loss on time"),
    ];

    /// A text for users and journals.
    pub fn text(self) -> &'static str {
        Self::TEXTS.iter().find(|(ending, _)| *ending == self).map_or("", |(_, text)| text)
    }
}

/// A played move with the result of its search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Score from the point of view of the side to move.
    pub score: Score,
    /// Search depth in plies.
    pub depth: i32,
    /// Searched nodes.
    pub nodes: u64,
    /// Search time.
    pub time: Duration,
}

impl Ply {
    /// A move without a search.
    pub fn new(mv: Move) -> Self {
        Self { mv, score: 0, depth: 0, nodes: 0, time: Duration::ZERO }
    }
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Record {
    /// The start position.
    pub start: Board,
    /// The moves.
    pub plies: Vec<Ply>,
    /// The result.
    pub result: GameResult,
    /// The reason for the result.
    pub ending: Ending,
}

/// The result by the rules of chess.
pub fn by_rules(game: &Game, verdict: Verdict) -> (GameResult, Ending) {
    let lost = verdict == Verdict::Checkmate;
    let result = if lost { GameResult::lost_by(game.board().side_to_move()) } else { GameResult::Draw };
    (result, Ending::Rules(verdict))
}

impl Record {
    /// The game as JSON: the start position, the moves in Chess960 UCI notation, and score, depth, nodes and microseconds of each
    /// move. Strings need much less memory than arrays.
    pub fn to_json(&self) -> Value {
        let mut board = self.start.clone();
        let mut moves = Vec::new();
        for ply in &self.plies {
            moves.push(board.uci(ply.mv, true));
            board = board.after(ply.mv);
        }
        let search = |ply: &Ply| format!("{}/{}/{}/{}", ply.score, ply.depth, ply.nodes, ply.time.as_micros());
        let searches: Vec<String> = self.plies.iter().map(search).collect();
        json!({
            "fen": self.start.fen(true),
            "moves": moves.join(" "),
            "thoughts": searches.join(" "),
            "result": self.result.text(),
            "ending": self.ending.text(),
        })
    }

    /// Reads a game from JSON; `None` if it is invalid.
    pub fn from_json(value: &Value) -> Option<Self> {
        let start = Board::from_fen(value["fen"].as_str()?).ok()?;
        let mut board = start.clone();
        let mut plies = Vec::new();
        let moves = value["moves"].as_str()?.split_whitespace();
        for (text, search) in moves.zip(value["thoughts"].as_str()?.split_whitespace()) {
            let mv = board.parse_uci(text, true)?;
            board = board.after(mv);
            let mut numbers = search.split('/');
            plies.push(Ply {
                mv,
                score: numbers.next()?.parse().ok()?,
                depth: numbers.next()?.parse().ok()?,
                nodes: numbers.next()?.parse().ok()?,
                time: Duration::from_micros(numbers.next()?.parse().ok()?),
            });
        }
        let result = GameResult::ALL.into_iter().find(|result| value["result"] == result.text())?;
        let ending = Ending::TEXTS.into_iter().find(|(_, text)| value["ending"] == *text)?.0;
        Some(Self { start, plies, result, ending })
    }
}
