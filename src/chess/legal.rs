//! Legality and checks of single moves.

use super::{Bitboard, Board, Move, MoveKind, PieceType, Rank, Square, attacks};

impl Board {
    /// Whether an arbitrary move word, e.g. from the hash table, is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        let Some(mover) = self.piece_on(from).filter(|piece| piece.color() == us) else { return false };
        if mover.kind() == PieceType::Pawn {
            return self.is_legal_pawn_move(mv);
        }
        if mv.is_castle() {
            let side = mv.castling_side();
            return mover.kind() == PieceType::King
                && self.checkers.is_empty()
                && self.castling_rook(us, side) == to
                && self.can_castle(side);
        }
        let kind = if self.color(!us).has(to) { MoveKind::Capture } else { MoveKind::Quiet };
        if mv.kind_bits() != kind as u16 || self.color(us).has(to) {
            return false;
        }
        if mover.kind() == PieceType::King {
            return attacks::king(from).has(to) && !self.threats.has(to);
        }
        attacks::of(mover, from, self.occupied()).has(to) && self.respects_pin_and_check(from, to)
    }

    /// Whether pins and checks allow a piece other than the king to move between two squares.
    #[inline(always)]
    fn respects_pin_and_check(&self, from: Square, to: Square) -> bool {
        self.evasion_mask().has(to) && (!self.pinned.has(from) || attacks::line(self.king(self.side), from).has(to))
    }

    fn is_legal_pawn_move(&self, mv: Move) -> bool {
        const QUIET: u16 = MoveKind::Quiet as u16;
        const DOUBLE_PUSH: u16 = MoveKind::DoublePush as u16;
        const CAPTURE: u16 = MoveKind::Capture as u16;
        let us = self.side;
        let (from, to) = (mv.from(), mv.to());
        if mv.is_en_passant() {
            return self.en_passant == Some(to) && attacks::pawn(us, from).has(to) && self.en_passant_is_safe(from, to);
        }
        let (ahead, occupied) = (from.forward(us), self.occupied());
        let reaches = match mv.kind_bits() {
            DOUBLE_PUSH => {
                from.rank() == Rank::Second.relative_to(us)
                    && to == ahead.forward(us)
                    && !occupied.has(ahead)
                    && !occupied.has(to)
            }
            QUIET | 8..12 => to == ahead && !occupied.has(to),
            CAPTURE | 12..16 => attacks::pawn(us, from).has(to) && self.color(!us).has(to),
            _ => false,
        };
        reaches
            && mv.is_promotion() == (to.rank() == Rank::Eighth.relative_to(us))
            && self.respects_pin_and_check(from, to)
    }

    /// Precomputes which moves give check.
    #[inline]
    pub fn check_squares(&self) -> CheckSquares {
        let (us, them) = (self.side, !self.side);
        let king = self.king(them);
        let occupied = self.occupied();
        let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        let mut discoverers = Bitboard::EMPTY;
        let ours = self.color(us);
        let snipers = ours
            & ((attacks::bishop(king, Bitboard::EMPTY) & self.diagonal_sliders())
                | (attacks::rook(king, Bitboard::EMPTY) & self.orthogonal_sliders()));
        for sniper in snipers {
            let shield = attacks::between(king, sniper) & occupied;
            if !shield.more_than_one() {
                discoverers |= shield & ours;
            }
        }
        CheckSquares {
            king,
            from: [
                attacks::pawn(them, king),
                attacks::knight(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
            ],
            discoverers,
        }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.check_squares().gives_check(self, mv)
    }
}

/// Squares from which each piece type gives check, and discovered-check candidates.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    from: [Bitboard; 6],
    discoverers: Bitboard,
}

impl CheckSquares {
    /// Whether a move gives check; it must be legal on the board the squares were computed for.
    #[inline]
    pub fn gives_check(&self, board: &Board, mv: Move) -> bool {
        if mv.is_castle() || mv.is_promotion() || mv.is_en_passant() {
            return special_gives_check(board, mv);
        }
        let Some(mover) = board.piece_on(mv.from()) else { return false };
        self.of_piece(mover.kind(), mv.from()).has(mv.to())
    }

    /// Squares from which a piece of this type gives check, directly or by discovery. Does not cover castling, promotion and
    /// en passant.
    pub fn of_piece(&self, kind: PieceType, from: Square) -> Bitboard {
        let uncovered = if self.discoverers.has(from) { !attacks::line(self.king, from) } else { Bitboard::EMPTY };
        self.from[kind.index()] | uncovered
    }
}

#[cold]
fn special_gives_check(board: &Board, mv: Move) -> bool {
    board.after(mv).in_check()
}
