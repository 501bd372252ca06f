//! Legal move generation.

use super::{Bitboard, Board, CastlingSide, Color, Move, MoveKind, PieceType, Rank, Square, attacks};
use arrayvec::ArrayVec;

/// Upper bound on the number of legal moves in any valid position; the record in reachable positions is 218.
///
/// There are 420 king steps on the board. Every move except a knight's ends with a distinct one, and steps onto own pieces
/// are lost: at least 3 for the king, and for each knight at least its number of moves. Castling adds 2. Promotions to four
/// pieces add 9 per pawn, whose own square costs 8, for at most 8 pawns.
pub const MAX_MOVES: usize = 420 - 3 + 2 + 8;

/// Fits the moves of any valid position.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// Receives generated moves, as bitboards where possible.
pub trait Sink {
    /// Moves of one piece or king.
    fn piece(&mut self, from: Square, quiets: Bitboard, captures: Bitboard);
    /// Pawn moves without promotions; each origin is `target - offset`.
    fn pawns(&mut self, targets: Bitboard, offset: i32, kind: MoveKind);
    /// Promotions to all four piece types; each origin is `target - offset`.
    fn promotions(&mut self, targets: Bitboard, offset: i32, capture: bool);
    /// A castling or en-passant move.
    fn single(&mut self, mv: Move);
}

/// The square `target - offset`.
#[inline(always)]
pub const fn origin(target: Square, offset: i32) -> Square {
    Square::from_index((target.index() as i32 - offset) as usize)
}

impl<T: From<Move>, const N: usize> Sink for ArrayVec<T, N> {
    #[inline(always)]
    fn piece(&mut self, from: Square, quiets: Bitboard, captures: Bitboard) {
        for to in captures {
            self.push(Move::new(from, to, MoveKind::Capture).into());
        }
        for to in quiets {
            self.push(Move::new(from, to, MoveKind::Quiet).into());
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, offset: i32, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(origin(to, offset), to, kind).into());
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, offset: i32, capture: bool) {
        for to in targets {
            for piece in PieceType::PROMOTIONS {
                self.push(Move::promotion(origin(to, offset), to, piece, capture).into());
            }
        }
    }

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        self.push(mv.into());
    }
}

/// Counts moves without storing them.
struct Counter(u64);

impl Sink for Counter {
    #[inline(always)]
    fn piece(&mut self, _from: Square, quiets: Bitboard, captures: Bitboard) {
        self.0 += u64::from((quiets | captures).count());
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _offset: i32, _kind: MoveKind) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _offset: i32, _capture: bool) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline(always)]
    fn single(&mut self, _mv: Move) {
        self.0 += 1;
    }
}

impl Board {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<true, true>(&mut moves);
        moves
    }

    /// Number of legal moves.
    pub fn count_legal_moves(&self) -> u64 {
        let mut counter = Counter(0);
        self.generate::<true, true>(&mut counter);
        counter.0
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() > 0
    }

    /// Target squares for pieces other than the king: all if not in check, the checker and the squares before it in single
    /// check, none in double check.
    #[inline(always)]
    pub(super) fn evasion_mask(&self) -> Bitboard {
        match self.checkers.first() {
            None => Bitboard::FULL,
            Some(checker) if !self.checkers.more_than_one() => {
                attacks::between(self.king(self.side), checker) | self.checkers
            }
            Some(_) => Bitboard::EMPTY,
        }
    }

    /// Generates all legal noisy moves (captures, promotions) and/or quiet moves.
    #[inline(always)]
    pub fn generate<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink) {
        let us = self.side;
        let (ours, theirs) = (self.color(us), self.color(!us));
        let empty = !(ours | theirs);
        let king = self.king(us);
        let split = |targets: Bitboard| {
            let quiets = if QUIET { targets & empty } else { Bitboard::EMPTY };
            let captures = if NOISY { targets & theirs } else { Bitboard::EMPTY };
            (quiets, captures)
        };

        if !self.checkers.more_than_one() {
            let mask = self.evasion_mask();
            self.generate_pawns::<NOISY, QUIET>(sink, mask);
            self.generate_pieces(sink, mask & !ours, split);
        }
        let (quiets, captures) = split(attacks::king(king) & !self.threats);
        sink.piece(king, quiets, captures);
        if QUIET && self.castling.any(us) && self.checkers.is_empty() {
            for side in CastlingSide::ALL {
                if self.can_castle(side) {
                    sink.single(Move::new(king, self.castling_rook(us, side), MoveKind::Castle));
                }
            }
        }
    }

    #[inline(always)]
    fn generate_pieces(
        &self,
        sink: &mut impl Sink,
        mask: Bitboard,
        split: impl Fn(Bitboard) -> (Bitboard, Bitboard) + Copy,
    ) {
        let us = self.side;
        let ours = self.color(us);
        let occupied = self.occupied();
        let king = self.king(us);
        let mut add = |from: Square, attacked: Bitboard| {
            let (quiets, captures) = split(attacked & mask);
            sink.piece(from, quiets, captures);
        };
        // A pinned knight has no moves; a pinned slider stays on the pin ray.
        for from in ours & self.kind(PieceType::Knight) & !self.pinned {
            add(from, attacks::knight(from));
        }
        for from in ours & self.diagonal_sliders() & !self.pinned {
            add(from, attacks::bishop(from, occupied));
        }
        for from in ours & self.orthogonal_sliders() & !self.pinned {
            add(from, attacks::rook(from, occupied));
        }
        for from in ours & self.diagonal_sliders() & self.pinned {
            add(from, attacks::bishop(from, occupied) & attacks::line(king, from));
        }
        for from in ours & self.orthogonal_sliders() & self.pinned {
            add(from, attacks::rook(from, occupied) & attacks::line(king, from));
        }
    }

    #[inline(always)]
    fn generate_pawns<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink, mask: Bitboard) {
        let us = self.side;
        let pawns = self.pieces(us, PieceType::Pawn);
        self.pawn_set::<NOISY, QUIET>(sink, pawns & !self.pinned, mask);
        let king = self.king(us);
        for from in pawns & self.pinned {
            self.pawn_set::<NOISY, QUIET>(sink, from.bitboard(), mask & attacks::line(king, from));
        }
        if NOISY && let Some(target) = self.en_passant {
            for from in attacks::pawn(!us, target) & pawns {
                if self.en_passant_is_safe(from, target) {
                    sink.single(Move::new(from, target, MoveKind::EnPassant));
                }
            }
        }
    }

    /// Moves of a set of pawns to target squares in `mask`, except en passant.
    #[inline(always)]
    fn pawn_set<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink, pawns: Bitboard, mask: Bitboard) {
        let us = self.side;
        let last = Rank::Eighth.relative_to(us).bitboard();
        let up = us.sign() * 8;
        let theirs = self.color(!us) & mask;
        let ahead = pawns.forward(us) & !self.occupied();
        if NOISY {
            let (east, west) = (pawns.forward(us).east() & theirs, pawns.forward(us).west() & theirs);
            sink.pawns(east & !last, up + 1, MoveKind::Capture);
            sink.pawns(west & !last, up - 1, MoveKind::Capture);
            sink.promotions(east & last, up + 1, true);
            sink.promotions(west & last, up - 1, true);
            sink.promotions(ahead & last & mask, up, false);
        }
        if QUIET {
            let third = Rank::Third.relative_to(us).bitboard();
            let twice = (ahead & third).forward(us) & !self.occupied();
            sink.pawns(ahead & !last & mask, up, MoveKind::Quiet);
            sink.pawns(twice & mask, 2 * up, MoveKind::DoublePush);
        }
    }

    /// Whether castling is legal; the side to move must not be in check.
    #[inline(always)]
    pub(super) fn can_castle(&self, side: CastlingSide) -> bool {
        let us: Color = self.side;
        if !self.castling.has(us, side) {
            return false;
        }
        let (king, rook) = (self.king(us), self.castling_rook(us, side));
        let (king_target, rook_target) = (side.king_target(us), side.rook_target(us));
        let king_path = attacks::between(king, king_target) | king_target.bitboard();
        let rook_path = attacks::between(king, rook) | attacks::between(rook, rook_target) | rook_target.bitboard();
        let others = self.occupied() ^ king.bitboard() ^ rook.bitboard();
        // In Chess960 the rook may be pinned to the king on the first rank.
        ((king_path | rook_path) & others).is_empty() && (king_path & self.threats).is_empty() && !self.pinned.has(rook)
    }
}
