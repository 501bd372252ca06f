//! Legal moves as sets of target squares.

use lento::chess::movegen::{MOST_MOVES, Sink, origin};
use lento::chess::{Bitboard, Board, Move, MoveKind, PieceType, Rank, Square};

/// The most legal moves of a position.
pub const MOST: usize = MOST_MOVES;

/// The targets of each square's piece. Castling is the king's move to its rook.
pub struct Targets([u64; 64]);

impl Sink for Targets {
    #[inline(always)]
    fn piece(&mut self, from: Square, quiets: Bitboard, captures: Bitboard) {
        self.0[from.index()] |= (quiets | captures).0;
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, offset: i32, _: MoveKind) {
        for to in targets {
            self.0[origin(to, offset).index()] |= to.bitboard().0;
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, offset: i32, _: bool) {
        self.pawns(targets, offset, MoveKind::Quiet);
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        self.0[mv.from().index()] |= mv.to().bitboard().0;
    }
}

impl Targets {
    /// The legal moves of a position.
    #[inline]
    pub fn of(board: &Board) -> Self {
        let mut targets = Self([0; 64]);
        board.generate::<true, true>(&mut targets);
        targets
    }

    /// Whether there is no legal move.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, set| all | set) == 0
    }

    /// No targets.
    pub fn none() -> Self {
        Self([0; 64])
    }

    /// The targets from a square.
    #[inline(always)]
    pub fn from(&self, from: Square) -> Bitboard {
        Bitboard(self.0[from.index()])
    }
}

/// A legal move by its squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub from: Square,
    pub to: Square,
    pub promoted: Option<PieceType>,
}

impl Choice {
    /// The squares of a move.
    pub fn of(mv: Move) -> Self {
        Self { from: mv.from(), to: mv.to(), promoted: mv.promoted() }
    }

    /// The move on this board.
    pub fn to_move(self, board: &Board) -> Move {
        let Self { from, to, promoted } = self;
        let capture = board.piece_on(to);
        if let Some(kind) = promoted {
            return Move::promotion(from, to, kind, capture.is_some());
        }
        let kind = match (board.piece_on(from).map(|piece| piece.kind()), capture) {
            (_, Some(piece)) if piece.color() == board.side_to_move() => MoveKind::Castle,
            (_, Some(_)) => MoveKind::Capture,
            (Some(PieceType::Pawn), None) if from.file() != to.file() => MoveKind::EnPassant,
            (Some(PieceType::Pawn), None) if from.index().abs_diff(to.index()) == 16 => MoveKind::DoublePush,
            _ => MoveKind::Quiet,
        };
        Move::new(from, to, kind)
    }
}

/// Whether a pawn is promoted on this square.
#[inline(always)]
pub fn promotes(to: Square) -> bool {
    matches!(to.rank(), Rank::First | Rank::Eighth)
}
