//! Copy-make.

use super::{Bitboard, Board, CastlingSide, Color, Move, MoveDelta, Piece, PieceType, Square, attacks, zobrist};

impl Board {
    /// The position after a legal move. In hot code, [`play`](Self::play) on a clone saves a copy.
    #[inline]
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        let mut board = self.clone();
        board.play(mv);
        board
    }

    /// Makes a legal move in place; there is no unmake.
    ///
    /// Returning a board by value instead copies it twice, and the second copy stalls on store forwarding.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.apply(&MoveDelta::of(self, mv));
    }

    /// Makes a legal move that has been decoded on this board.
    #[inline]
    pub fn apply(&mut self, delta: &MoveDelta) {
        let us = self.side;
        let MoveDelta { mv, mover, .. } = *delta;
        let (from, to) = (mv.from(), mv.to());

        self.halfmove_clock += 1;
        self.reversible += 1;
        self.fullmove_number += us.index() as u32;
        self.set_en_passant(None);

        if mv.is_castle() {
            self.castle(us, mv);
        } else {
            self.move_piece(delta);
        }
        if !self.castling.is_empty() {
            self.update_castling(mover, from, to);
        }

        self.side = !us;
        self.keys.all ^= zobrist::SIDE;
        self.refresh();
        if mv.is_double_push() {
            self.allow_en_passant(Square::from_index((from.index() + to.index()) / 2));
        }
    }

    /// Makes a null move. The side to move must not be in check.
    #[inline]
    pub fn pass(&mut self) {
        self.set_en_passant(None);
        self.halfmove_clock += 1;
        self.reversible = 0;
        self.fullmove_number += self.side.index() as u32;
        self.side = !self.side;
        self.keys.all ^= zobrist::SIDE;
        self.refresh();
    }

    /// Key after a move for prefetching; ignores castling, promotion and en passant.
    pub fn key_after(&self, mv: Move) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let mut key = self.keys.all ^ zobrist::SIDE;
        if let Some(mover) = self.piece_on(from) {
            key ^= zobrist::piece(mover, from) ^ zobrist::piece(mover, to);
        }
        if let Some(captured) = self.piece_on(to) {
            key ^= zobrist::piece(captured, to);
        }
        key
    }

    /// Key after [`pass`](Self::pass).
    pub fn key_after_pass(&self) -> u64 {
        self.keys.all ^ zobrist::SIDE ^ zobrist::en_passant(self.en_passant)
    }

    #[inline(always)]
    fn move_piece(&mut self, &MoveDelta { mv, mover, captured }: &MoveDelta) {
        let (from, to) = (mv.from(), mv.to());
        if let Some(captured) = captured {
            self.remove(captured, mv.capture_square());
        }
        self.remove(mover, from);
        match mv.promoted() {
            Some(kind) => self.put(Piece::new(mover.color(), kind), to),
            None => self.put(mover, to),
        }
        if mv.is_capture() || mover.kind() == PieceType::Pawn {
            self.halfmove_clock = 0;
            self.reversible = 0;
        }
    }

    fn castle(&mut self, us: Color, mv: Move) {
        let side = mv.castling_side();
        let (king, rook) = (Piece::new(us, PieceType::King), Piece::new(us, PieceType::Rook));
        // Remove both first: in Chess960 either may land on the other's square.
        self.remove(king, mv.from());
        self.remove(rook, mv.to());
        self.put(king, side.king_target(us));
        self.put(rook, side.rook_target(us));
    }

    /// Removes the rights lost by a king move, a rook move or a capture on a rook's square.
    #[inline(always)]
    fn update_castling(&mut self, mover: Piece, from: Square, to: Square) {
        let mut rights = self.castling;
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let corner = self.castling_rook(color, side);
                if from == corner || to == corner || mover == Piece::new(color, PieceType::King) {
                    rights = rights.without(color, side);
                }
            }
        }
        self.set_castling(rights);
    }

    /// Sets the en-passant square if an en-passant capture is legal.
    pub(super) fn allow_en_passant(&mut self, target: Square) {
        let mut takers = attacks::pawn(!self.side, target) & self.pieces(self.side, PieceType::Pawn);
        if Iterator::any(&mut takers, |from| self.en_passant_is_safe(from, target)) {
            self.set_en_passant(Some(target));
        }
    }

    /// Whether an en-passant capture leaves the king safe. Pins do not suffice: two pieces leave the rank.
    pub(super) fn en_passant_is_safe(&self, from: Square, target: Square) -> bool {
        let victim = Square::new(target.file(), from.rank()).bitboard();
        let occupied: Bitboard = (self.occupied() ^ from.bitboard() ^ victim) | target.bitboard();
        let enemies = self.color(!self.side) & !victim;
        (self.attackers_to(self.king(self.side), occupied) & enemies).is_empty()
    }
}
