//! Attack information shared by the terms.

use super::material::Census;
use super::weights as w;
use crate::chess::{Bitboard, Board, Color, File, PieceType, Rank, Square, attacks};

/// Files c to f.
pub(super) const CENTER_FILES: Bitboard = Bitboard(0x3C3C_3C3C_3C3C_3C3C);

/// Attacks of a position. Arrays are by color.
pub(super) struct Survey<'a> {
    pub board: &'a Board,
    pub census: Census,
    pub occupied: Bitboard,
    pub pawns: [Bitboard; 2],
    pub king: [Square; 2],
    /// Pieces pinned to their own king.
    pub pinned: [Bitboard; 2],
    /// Mobility area.
    pub area: [Bitboard; 2],
    /// King zone: always nine squares, shifted inwards at the edge.
    pub zone: [Bitboard; 2],
    /// Squares attacked by each piece type.
    pub by: [[Bitboard; 6]; 2],
    /// Squares attacked.
    pub all: [Bitboard; 2],
    /// Squares attacked at least twice.
    pub twice: [Bitboard; 2],
    /// Number of attackers of the other king's zone.
    pub attackers: [i32; 2],
    /// Danger by these attackers and by their attacks on squares next to the king.
    pub danger: [i32; 2],
}

impl<'a> Survey<'a> {
    /// Adds kings and pawns; other pieces follow with [`Survey::enter`].
    pub(super) fn new(board: &'a Board, census: Census) -> Self {
        let king = Color::ALL.map(|color| board.king(color));
        let mut survey = Self {
            board,
            census,
            occupied: board.occupied(),
            pawns: Color::ALL.map(|color| board.pieces(color, PieceType::Pawn)),
            king,
            pinned: Color::ALL.map(|color| pinned(board, color)),
            area: [Bitboard::EMPTY; 2],
            zone: king.map(zone),
            by: [[Bitboard::EMPTY; 6]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            attackers: [0; 2],
            danger: [0; 2],
        };
        survey.enter_king_and_pawns(Color::White);
        survey.enter_king_and_pawns(Color::Black);
        survey
    }

    #[inline(always)]
    fn enter_king_and_pawns(&mut self, color: Color) {
        let ahead = self.pawns[color].forward(color);
        let (east, west) = (ahead.east(), ahead.west());
        let king = attacks::king(self.king[color]);
        self.by[color][PieceType::Pawn] = east | west;
        self.by[color][PieceType::King] = king;
        self.all[color] = east | west | king;
        self.twice[color] = (east & west) | ((east | west) & king);

        let low = match color {
            Color::White => Rank::Second.bitboard() | Rank::Third.bitboard(),
            Color::Black => Rank::Seventh.bitboard() | Rank::Sixth.bitboard(),
        };
        let stuck = self.pawns[color] & (low | self.occupied.forward(!color));
        let royals = self.board.pieces(color, PieceType::Queen) | self.king[color].bitboard();
        self.area[color] = !(stuck | royals | self.pawns[!color].pawn_attacks(!color));
    }

    /// Adds a piece's attacks and returns those it may use: a pinned piece stays on the pin ray.
    #[inline(always)]
    pub(super) fn enter(&mut self, color: Color, kind: PieceType, square: Square, attacked: Bitboard) -> Bitboard {
        let attacked =
            if self.pinned[color].has(square) { attacked & attacks::line(self.king[color], square) } else { attacked };
        self.twice[color] |= self.all[color] & attacked;
        self.all[color] |= attacked;
        self.by[color][kind] |= attacked;
        if (attacked & self.zone[!color]).any() {
            let hits = (attacked & self.by[!color][PieceType::King]).count() as i32;
            self.attackers[color] += 1;
            self.danger[color] += w::ATTACKER_DANGER[kind] + w::HIT_DANGER * hits;
        }
        attacked
    }
}

/// The king zone: always nine squares, shifted inwards at the edge.
fn zone(king: Square) -> Bitboard {
    let file = File::from_index(king.file().index().clamp(1, 6));
    let rank = Rank::from_index(king.rank().index().clamp(1, 6));
    let center = Square::new(file, rank);
    attacks::king(center) | center.bitboard()
}

/// Pieces of either color that are the only one between a square and one of the given sliders.
#[inline(always)]
pub(super) fn slider_blockers(board: &Board, square: Square, diagonal: Bitboard, straight: Bitboard) -> Bitboard {
    // Usually there are no sliders on the lines at all.
    let snipers =
        (attacks::bishop(square, Bitboard::EMPTY) & diagonal) | (attacks::rook(square, Bitboard::EMPTY) & straight);
    let mut slider_blockers = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(square, sniper) & board.occupied();
        if !between.more_than_one() {
            slider_blockers |= between;
        }
    }
    slider_blockers
}

fn pinned(board: &Board, color: Color) -> Bitboard {
    let queens = board.pieces(!color, PieceType::Queen);
    let diagonal = board.pieces(!color, PieceType::Bishop) | queens;
    let straight = board.pieces(!color, PieceType::Rook) | queens;
    slider_blockers(board, board.king(color), diagonal, straight) & board.color(color)
}
