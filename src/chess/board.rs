//! A position: where the pieces stand and what else the rules need to know.

use super::{Bitboard, CastlingRights, Color, Move, Piece, PieceType, Square, Wing, attacks, zobrist};

/// A position that can be searched.
///
/// Positions are made from FEN ([`from_fen`](Self::from_fen)) or from another position by a legal move
/// ([`after`](Self::after)), so every board in existence satisfies the one definition of validity in
/// [`fen`](super::fen). Keys, checkers, pins and threats are kept up to date by construction.
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
    /// Plies since the last capture, pawn move or null move, as far as positions are known.
    pub(super) reversible: u32,
    pub(super) fullmove_number: u32,
}

/// Hash keys of a position, all updated incrementally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    /// The whole position.
    pub(super) all: u64,
    /// Pawns of both colors.
    pub(super) pawns: u64,
    /// Everything but pawns, by color.
    pub(super) non_pawns: [u64; 2],
}

impl Board {
    /// The start position of chess.
    pub fn start() -> Self {
        Self::from_fen(super::fen::START).expect("the start position is valid")
    }

    /// An empty board, on which [`fen`](super::fen) sets up a position.
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

    /// Whose turn it is.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All pieces of a color.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of each color.
    #[inline(always)]
    pub(crate) fn colors(&self) -> &[Bitboard; 2] {
        &self.colors
    }

    /// The pieces of each kind, of both colors.
    #[inline(always)]
    pub(crate) fn kinds(&self) -> &[Bitboard; 6] {
        &self.kinds
    }

    /// All pieces of a kind, of both colors.
    #[inline(always)]
    pub fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of a color and kind.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Who stands on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// What a legal move captures; after castling, a quiet move or a promotion without capture, nothing.
    #[inline(always)]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        if mv.is_capture() { self.piece_on(mv.capture_square()) } else { None }
    }

    /// Where a color's king stands.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        // Every board has both kings; the corner is what an impossible board would answer.
        self.pieces(color, PieceType::King).first().unwrap_or(Square::A1)
    }

    /// The pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of the side to move that shield their king from a slider.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// The squares that the side not to move attacks. It sees through the king of the side to move, so a king
    /// may step exactly on the squares outside this set.
    #[inline(always)]
    pub fn threats(&self) -> Bitboard {
        self.threats
    }

    /// The castling rights that are left.
    #[inline(always)]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Where the rook of a castling right stands; meaningful only while the right exists.
    #[inline(always)]
    pub fn castling_rook(&self, color: Color, wing: Wing) -> Square {
        self.castling_rooks[color.index()][wing as usize]
    }

    /// The square behind a pawn that has just stepped two squares, only if it can legally be taken there.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move; at 100 the game is drawn.
    #[inline(always)]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock
    }

    /// How many plies back a repetition can lie: since the last capture, pawn move or null move.
    #[inline(always)]
    pub fn reversible_plies(&self) -> usize {
        self.reversible as usize
    }

    /// The number of the move in the game, from 1, counted up after Black's.
    #[inline(always)]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// Hash key of the position: pieces, side to move, castling rights, legal en passant.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.keys.all
    }

    /// Hash key of the pawns of both colors.
    #[inline(always)]
    pub fn pawn_key(&self) -> u64 {
        self.keys.pawns
    }

    /// Hash key of a color's pieces without its pawns.
    #[inline(always)]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawns[color.index()]
    }

    /// The squares a piece of this kind and color attacks from a square.
    #[inline(always)]
    pub fn attacks_from(&self, piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
        match piece.kind() {
            PieceType::Pawn => attacks::pawn(piece.color(), square),
            PieceType::Knight => attacks::knight(square),
            PieceType::Bishop => attacks::bishop(square, occupied),
            PieceType::Rook => attacks::rook(square, occupied),
            PieceType::Queen => attacks::queen(square, occupied),
            PieceType::King => attacks::king(square),
        }
    }

    /// All pieces of both colors that attack a square on a board occupied like this.
    #[inline(always)]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn))
            | (attacks::pawn(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn))
            | (attacks::knight(square) & self.kind(PieceType::Knight))
            | (attacks::king(square) & self.kind(PieceType::King))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.straight_sliders())
    }

    /// Bishops and queens of both colors.
    #[inline(always)]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.kind(PieceType::Bishop) | self.kind(PieceType::Queen)
    }

    /// Rooks and queens of both colors.
    #[inline(always)]
    pub fn straight_sliders(&self) -> Bitboard {
        self.kind(PieceType::Rook) | self.kind(PieceType::Queen)
    }

    /// Whether a color has any piece besides king and pawns: where it has not, zugzwang is common.
    #[inline(always)]
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.color(color) ^ self.pieces(color, PieceType::Pawn) ^ self.pieces(color, PieceType::King)).any()
    }

    #[inline(always)]
    pub(super) fn put(&mut self, piece: Piece, square: Square) {
        self.flip_bits(piece, square);
        self.mailbox[square.index()] = Some(piece);
    }

    #[inline(always)]
    pub(super) fn take(&mut self, piece: Piece, square: Square) {
        self.flip_bits(piece, square);
        self.mailbox[square.index()] = None;
    }

    #[inline(always)]
    fn flip_bits(&mut self, piece: Piece, square: Square) {
        self.colors[piece.color().index()] ^= square.bitboard();
        self.kinds[piece.kind().index()] ^= square.bitboard();
        let key = zobrist::piece(piece, square);
        self.keys.all ^= key;
        match piece.kind() {
            PieceType::Pawn => self.keys.pawns ^= key,
            _ => self.keys.non_pawns[piece.color().index()] ^= key,
        }
    }

    #[inline(always)]
    pub(super) fn set_castling(&mut self, rights: CastlingRights) {
        self.keys.all ^= zobrist::castling(self.castling) ^ zobrist::castling(rights);
        self.castling = rights;
    }

    #[inline(always)]
    pub(super) fn set_en_passant(&mut self, target: Option<Square>) {
        if let Some(old) = self.en_passant {
            self.keys.all ^= zobrist::en_passant(old.file());
        }
        if let Some(new) = target {
            self.keys.all ^= zobrist::en_passant(new.file());
        }
        self.en_passant = target;
    }

    /// Finds checkers, pins and threats anew, after the pieces or the side to move have changed.
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
                | (attacks::rook(king, theirs) & self.straight_sliders()));
        for sniper in snipers {
            let shield = attacks::between(king, sniper) & ours;
            if shield.is_empty() {
                self.checkers |= sniper.bitboard();
            } else if !shield.many() {
                self.pinned |= shield;
            }
        }
        self.threats = self.attacked_by(them, occupied ^ king.bitboard());
    }

    /// All squares that a color attacks on a board occupied like this.
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
        for square in pieces & self.straight_sliders() {
            attacked |= attacks::rook(square, occupied);
        }
        attacked
    }
}
