//! A game that has been played.

use lento::chess::{Board, Color, Game, Move, Verdict};
use lento::score::Score;
use serde_json::{Value, json};
use std::time::Duration;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// White has won.
    WhiteWins,
    /// Nobody has won.
    Draw,
    /// Black has won.
    BlackWins,
}

impl GameResult {
    /// As in PGN.
    pub fn text(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::Draw => "1/2-1/2",
            Self::BlackWins => "0-1",
        }
    }

    /// The result of a game that this side has lost.
    pub fn lost_by(side: Color) -> Self {
        match side {
            Color::White => Self::BlackWins,
            Color::Black => Self::WhiteWins,
        }
    }

    /// Its place where results are counted: White's wins, draws, Black's wins.
    pub fn index(self) -> usize {
        match self {
            Self::WhiteWins => 0,
            Self::Draw => 1,
            Self::BlackWins => 2,
        }
    }

    /// White's half points: 0 to 2.
    pub fn half_points(self) -> u32 {
        match self {
            Self::WhiteWins => 2,
            Self::Draw => 1,
            Self::BlackWins => 0,
        }
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Checkmate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Fifty moves without capture or pawn move.
    Fifty,
    /// Threefold repetition.
    Threefold,
    /// Neither side can mate.
    Insufficient,
    /// Called won: both sides agreed on the score.
    Resignation,
    /// Called drawn: both sides agreed on the score.
    Agreement,
    /// Decided by tablebases.
    Tablebases,
    /// Called drawn: the game was too long.
    Length,
    /// The clock of the side to move ran out.
    Time,
}

impl Ending {
    /// Every ending, in the order of the enumeration.
    pub const ALL: [Self; 10] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::Fifty,
        Self::Threefold,
        Self::Insufficient,
        Self::Resignation,
        Self::Agreement,
        Self::Tablebases,
        Self::Length,
        Self::Time,
    ];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Fifty => "fifty moves",
            Self::Threefold => "threefold repetition",
            Self::Insufficient => "insufficient material",
            Self::Resignation => "won by adjudication",
            Self::Agreement => "drawn by adjudication",
            Self::Tablebases => "decided by tablebases",
            Self::Length => "drawn by length",
            Self::Time => "loss on time",
        }
    }

    /// The ending with these words.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ending| ending.text() == text)
    }
}

/// A move that was played, and what its player thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// The score, from the view of the side that moves.
    pub score: Score,
    /// The depth of the search, in plies.
    pub depth: i32,
    /// The nodes of the search.
    pub nodes: u64,
    /// The time of the search.
    pub time: Duration,
}

impl Ply {
    /// A move without thought.
    pub fn new(mv: Move) -> Self {
        Self { mv, score: 0, depth: 0, nodes: 0, time: Duration::ZERO }
    }
}

/// A game from its first position that the players saw to its result.
#[derive(Clone, Debug)]
pub struct Record {
    /// The position where the players began.
    pub start: Board,
    /// Their moves.
    pub plies: Vec<Ply>,
    /// The result.
    pub result: GameResult,
    /// How it came about.
    pub ending: Ending,
}

/// The result that the rules of chess give, for the side to move.
pub fn by_rules(game: &Game, verdict: Verdict) -> (GameResult, Ending) {
    let lost = GameResult::lost_by(game.board().side_to_move());
    match verdict {
        Verdict::Checkmate => (lost, Ending::Checkmate),
        Verdict::Stalemate => (GameResult::Draw, Ending::Stalemate),
        Verdict::Fifty => (GameResult::Draw, Ending::Fifty),
        Verdict::Threefold => (GameResult::Draw, Ending::Threefold),
        Verdict::Insufficient => (GameResult::Draw, Ending::Insufficient),
    }
}

impl Record {
    /// The game as JSON: the position, the moves as in Chess960's UCI, and for each move score, depth, nodes and
    /// microseconds. Texts take much less room than lists when many games are read.
    pub fn to_json(&self) -> Value {
        let mut board = self.start.clone();
        let mut moves = Vec::new();
        for ply in &self.plies {
            moves.push(board.uci(ply.mv, true));
            board = board.after(ply.mv);
        }
        let thought = |ply: &Ply| format!("{}/{}/{}/{}", ply.score, ply.depth, ply.nodes, ply.time.as_micros());
        let thoughts: Vec<String> = self.plies.iter().map(thought).collect();
        json!({
            "fen": self.start.fen(true),
            "moves": moves.join(" "),
            "thoughts": thoughts.join(" "),
            "result": self.result.text(),
            "ending": self.ending.text(),
        })
    }

    /// The game that [`to_json`](Self::to_json) has written; `None` when it is not one.
    pub fn from_json(value: &Value) -> Option<Self> {
        let start = Board::from_fen(value["fen"].as_str()?).ok()?;
        let mut board = start.clone();
        let mut plies = Vec::new();
        let moves = value["moves"].as_str()?.split_whitespace();
        for (text, thought) in moves.zip(value["thoughts"].as_str()?.split_whitespace()) {
            let mv = board.parse_uci(text, true)?;
            board = board.after(mv);
            let mut numbers = thought.split('/');
            plies.push(Ply {
                mv,
                score: numbers.next()?.parse().ok()?,
                depth: numbers.next()?.parse().ok()?,
                nodes: numbers.next()?.parse().ok()?,
                time: Duration::from_micros(numbers.next()?.parse().ok()?),
            });
        }
        let results = [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins];
        let result = results.into_iter().find(|result| value["result"] == result.text())?;
        Some(Self { start, plies, result, ending: Ending::from_text(value["ending"].as_str()?)? })
    }
}
