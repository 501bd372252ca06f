//! The board: pieces, state and incrementally updated keys.

use super::{Bitboard, CastlingRights, CastlingSide, Color, File, Move, Piece, PieceType, Square, attacks, zobrist};

/// A valid position.
///
/// Made from FEN ([`from_fen`](Self::from_fen)) or by a legal move ([`after`](Self::after)), so every board satisfies the
/// validity rules of [`fen`](super::fen). Keys, checkers, pins and threats are always up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    pub(super) colors: [Bitboard; 2],
    pub(super) kinds: [Bitboard; 6],
    pub(super) mailbox: [Option<Piece>; 64],
    pub(super) keys: Keys,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) threats: Bitboard,
    pub(super) castling_rooks: [[Square; 2]; 2],
    pub(super) castling: CastlingRights,
    pub(super) en_passant: Option<Square>,
    pub(super) side: Color,
    /// Plies since the last capture or pawn move.
    pub(super) halfmove_clock: u32,
    /// Plies since the last capture, pawn move or null move, as far as the history is known.
    pub(super) reversible: u32,
    pub(super) fullmove_number: u32,
}

/// Zobrist keys, updated incrementally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// The whole position.
    pub(super) all: u64,
    /// Pawns of both colors.
    pub(super) pawns: u64,
    /// Everything but pawns, per color.
    pub(super) non_pawns: [u64; 2],
}

impl Board {
    /// The standard start position.
    pub fn start() -> Self {
        Self::from_fen(super::fen::START).expect("the start position is valid")
    }

    /// An empty board for [`fen`](super::fen) to fill.
    pub(super) fn empty() -> Self {
        Self {
            colors: [Bitboard::EMPTY; 2],
            kinds: [Bitboard::EMPTY; 6],
            mailbox: [None; 64],
            keys: Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            threats: Bitboard::EMPTY,
            castling_rooks: [[Square::H1, Square::A1], [Square::H8, Square::A8]],
            castling: CastlingRights::NONE,
            en_passant: None,
            side: Color::White,
            halfmove_clock: 0,
            reversible: 0,
            fullmove_number: 1,
        }
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All pieces of a color.
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    pub(crate) fn colors(&self) -> &[Bitboard; 2] {
        &self.colors
    }

    pub(crate) fn kinds(&self) -> &[Bitboard; 6] {
        &self.kinds
    }

    /// All pieces of a type, of both colors.
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind]
    }

    /// The pieces of a color and type.
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color] & self.kinds[kind]
    }

    /// All pieces.
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The piece on a square.
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// The piece captured by a legal move, en passant included.
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        if mv.is_capture() { self.piece_on(mv.capture_square()) } else { None }
    }

    /// The king square of a color.
    pub fn king(&self, color: Color) -> Square {
        // Every board has both kings; a1 is never returned.
        self.pieces(color, PieceType::King).first().unwrap_or(Square::A1)
    }

    /// Pieces giving check to the side to move.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move pinned to their king.
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Squares attacked by the opponent, with the king of the side to move removed from the occupancy: the king may step
    /// exactly on the squares outside this set.
    pub fn threats(&self) -> Bitboard {
        self.threats
    }

    /// Whether a right to castle is not that of standard chess.
    pub fn needs_chess960(&self) -> bool {
        let rights = Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
        rights.filter(|&(color, side)| self.castling().has(color, side)).any(|(color, side)| {
            let rook = if side == CastlingSide::King { File::H } else { File::A };
            [self.king(color).file(), self.castling_rook(color, side).file()] != [File::E, rook]
        })
    }

    /// The remaining castling rights.
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The rook square of a castling right; meaningful only while the right exists.
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Square {
        self.castling_rooks[color][side]
    }

    /// The en-passant target square, set only if an en-passant capture is legal.
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move; at 100 the game is drawn.
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// Plies since the last capture, pawn move or null move: how far back a repetition can be.
    pub fn reversible_plies(&self) -> usize {
        self.reversible as usize
    }

    /// Fullmove number as in FEN, from 1.
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Zobrist key: pieces, side to move, castling rights, legal en passant.
    pub fn key(&self) -> u64 {
        self.keys.all
    }

    /// Zobrist key of the pawns of both colors.
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawns
    }

    /// Zobrist key of a color's pieces without pawns.
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawns[color]
    }

    /// Pieces of both colors attacking a square, given the occupancy.
    #[inline(always)]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn))
            | (attacks::pawn(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn))
            | (attacks::knight(square) & self.kind(PieceType::Knight))
            | (attacks::king(square) & self.kind(PieceType::King))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.orthogonal_sliders())
    }

    /// Bishops and queens of both colors.
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.kind(PieceType::Bishop) | self.kind(PieceType::Queen)
    }

    /// Rooks and queens of both colors.
    pub fn orthogonal_sliders(&self) -> Bitboard {
        self.kind(PieceType::Rook) | self.kind(PieceType::Queen)
    }

    /// Whether a color has pieces besides king and pawns; without any, zugzwang is likely.
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.color(color) ^ self.pieces(color, PieceType::Pawn) ^ self.pieces(color, PieceType::King)).any()
    }

    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.flip_bits(piece, square);
        self.mailbox[square.index()] = Some(piece);
    }

    pub(super) fn remove(&mut self, piece: Piece, square: Square) {
        self.flip_bits(piece, square);
        self.mailbox[square.index()] = None;
    }

    #[inline(always)]
    fn flip_bits(&mut self, piece: Piece, square: Square) {
        self.colors[piece.color()] ^= square.bitboard();
        self.kinds[piece.kind()] ^= square.bitboard();
        let key = zobrist::piece(piece, square);
        self.keys.all ^= key;
        match piece.kind() {
            PieceType::Pawn => self.keys.pawns ^= key,
            _ => self.keys.non_pawns[piece.color()] ^= key,
        }
    }

    pub(super) fn set_castling(&mut self, rights: CastlingRights) {
        self.keys.all ^= zobrist::castling(self.castling) ^ zobrist::castling(rights);
        self.castling = rights;
    }

    #[inline(always)]
    pub(super) fn set_en_passant(&mut self, target: Option<Square>) {
        self.keys.all ^= zobrist::en_passant(self.en_passant) ^ zobrist::en_passant(target);
        self.en_passant = target;
    }

    /// Recomputes checkers, pins and threats after the pieces or the side to move changed.
    #[inline(always)]
    pub(super) fn refresh(&mut self) {
        let (us, them) = (self.side, !self.side);
        let (king, ours, theirs) = (self.king(us), self.color(us), self.color(them));
        let occupied = ours | theirs;
        self.checkers = (attacks::pawn(us, king) & self.pieces(them, PieceType::Pawn))
            | (attacks::knight(king) & self.pieces(them, PieceType::Knight));
        self.pinned = Bitboard::EMPTY;
        let snipers = theirs
            & ((attacks::bishop(king, theirs) & self.diagonal_sliders())
                | (attacks::rook(king, theirs) & self.orthogonal_sliders()));
        for sniper in snipers {
            let shield = attacks::between(king, sniper) & ours;
            if shield.is_empty() {
                self.checkers |= sniper.bitboard();
            } else if !shield.more_than_one() {
                self.pinned |= shield;
            }
        }
        self.threats = self.attacked_by(them, occupied ^ king.bitboard());
    }

    /// All squares attacked by a color, given the occupancy.
    #[inline(always)]
    pub fn attacked_by(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let pieces = self.color(color);
        let mut attacked = self.pieces(color, PieceType::Pawn).pawn_attacks(color) | attacks::king(self.king(color));
        for square in pieces & self.kind(PieceType::Knight) {
            attacked |= attacks::knight(square);
        }
        for square in pieces & self.diagonal_sliders() {
            attacked |= attacks::bishop(square, occupied);
        }
        for square in pieces & self.orthogonal_sliders() {
            attacked |= attacks::rook(square, occupied);
        }
        attacked
    }

    /// The position with colors swapped and ranks mirrored and the same counters. Its own inverse.
    #[must_use]
    pub fn flipped(&self) -> Self {
        let mirrored = |square: Square| square.relative_to(Color::Black);
        let mut board = Self::empty();
        for square in self.occupied() {
            if let Some(piece) = self.piece_on(square) {
                board.put(Piece::new(!piece.color(), piece.kind()), mirrored(square));
            }
        }
        board.side = !self.side;
        if board.side == Color::Black {
            board.keys.all ^= zobrist::SIDE;
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL.into_iter().filter(|&side| self.castling.has(color, side)) {
                board.castling_rooks[!color][side] = mirrored(self.castling_rook(color, side));
                board.set_castling(board.castling.with(!color, side));
            }
        }
        board.refresh();
        board.set_en_passant(self.en_passant.map(mirrored));
        board.halfmove_clock = self.halfmove_clock;
        // The history is not mirrored.
        board.reversible = self.halfmove_clock;
        board.fullmove_number = self.fullmove_number;
        board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::perft::perft;

    #[test]
    fn known_positions() {
        for (fen, flipped) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/4pPP1/8/PPPPP2P/RNBQKBNR b KQkq f3 0 3",
                "rnbqkbnr/ppppp2p/8/4Ppp1/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            ),
            ("4k3/8/8/8/8/8/p7/R3K2R b KQ - 5 9", "r3k2r/P7/8/8/8/8/8/4K3 w kq - 5 9"),
            ("1rkr4/8/8/8/8/8/8/2KRR3 w Ed - 98 70", "2krr3/8/8/8/8/8/8/1RKR4 b De - 98 70"),
        ] {
            // The board drops impossible en-passant squares, so the FENs may name more than it holds.
            let board = Board::from_fen(fen).unwrap();
            let expected = Board::from_fen(flipped).unwrap();
            assert_eq!(board.flipped(), expected, "{fen}: {}", board.flipped().fen(true));
        }
    }

    #[test]
    fn is_an_involution_and_preserves_perft() {
        for fen in [
            crate::chess::fen::START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
            "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let flipped = board.flipped();
            assert_eq!(flipped.flipped(), board, "{fen}");
            assert_eq!(Board::from_fen(&flipped.fen(true)).as_ref(), Ok(&flipped), "{fen}");
            assert_eq!(perft(&flipped, 3), perft(&board, 3), "{fen}");
        }
    }
}
