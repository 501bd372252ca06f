//! Positions as nodes, and the scale of their values.

use lento::chess::{Board, Color, Game, Move, PieceType, Verdict};
use lento::eval::wdl;
use lento::score::{Score, is_decisive};

/// Expected score of a side, in millionths.
pub type Value = i32;
/// A certain win.
pub const FULL: Value = 1_000_000;
/// A draw.
pub const HALF: Value = FULL / 2;

/// Halfmove clocks below this count as 0, so that paths of different lengths transpose.
const CLOCK: u32 = 20;
/// Material for which values are shown in centipawns.
const MATERIAL: i32 = 58;
/// Maximum of values in centipawns.
const MAX_CENTIPAWNS: i32 = 1500;

/// A position as stored and searched: without history, with a halfmove clock of 0 or at least [`CLOCK`].
#[derive(Clone, Debug)]
pub struct Position {
    /// The FEN without the move number, and without the clock if 0.
    pub key: String,
    pub board: Board,
}

impl Position {
    pub fn new(board: &Board) -> Self {
        let fen = board.fen(false);
        let mut fields: Vec<&str> = fen.split(' ').collect();
        fields.truncate(if board.halfmove_clock() < CLOCK { 4 } else { 5 });
        Self::from_key(fields.join(" ")).expect("the FEN of a board is valid")
    }

    pub fn from_key(key: String) -> Result<Self, String> {
        let board = Board::from_fen(&key).map_err(|error| error.to_string())?;
        Ok(Self { key, board })
    }

    pub fn after(&self, mv: Move) -> Self {
        Self::new(&self.board.after(mv))
    }

    pub fn white(&self) -> bool {
        self.board.side_to_move() == Color::White
    }

    /// The value for the side to move if the game is over.
    pub fn fixed(&self) -> Option<Value> {
        Some(if Game::from(self.board.clone()).verdict()? == Verdict::Checkmate { 0 } else { HALF })
    }

    /// Whether a move is irreversible, so that no cycle contains it.
    pub fn is_irreversible(&self, mv: Move) -> bool {
        let board = &self.board;
        let pawn = board.piece_on(mv.from()).is_some_and(|piece| piece.kind() == PieceType::Pawn);
        let after = board.after(mv);
        pawn || mv.is_capture()
            || mv.is_castle()
            || after.castling() != board.castling()
            || after.halfmove_clock() >= CLOCK
            || board.en_passant().is_some()
    }
}

pub fn value(board: &Board, score: Score) -> Value {
    if is_decisive(score) {
        return if score > 0 { FULL } else { 0 };
    }
    expected(score, wdl::material(board))
}

fn expected(score: Score, material: i32) -> Value {
    let [win, draw, _] = wdl::FITTED.chances(score, material);
    ((f64::from(FULL) * (win + draw / 2.0)).round() as Value).clamp(1, FULL - 1)
}

/// A value in centipawns shown in the middlegame, at most ±[`MAX_CENTIPAWNS`].
pub fn centipawns(value: Value) -> i32 {
    if value > HALF {
        return -centipawns(FULL - value);
    }
    let (mut low, mut high) = (wdl::in_middlegame(-MAX_CENTIPAWNS), wdl::in_middlegame(MAX_CENTIPAWNS));
    while low < high {
        let middle = (low + high).div_euclid(2);
        if expected(middle, MATERIAL) < value { low = middle + 1 } else { high = middle }
    }
    wdl::normalise(low, MATERIAL)
}
