//! Threat inputs: attacked and pinned pieces, and available checks.
//!
//! They spare the network from learning slider and knight attacks square by square. They do not depend on squares, so they are few and
//! recomputed for each evaluation instead of updated.

pub use super::pieces::Pieces;

use super::super::simd::{Isa, Kernel, Simd, U64x8};
use super::attacks::Attacks;
use crate::chess::{Bitboard, Color, PieceType};

/// Piece types that can be threatened: all but the king.
const KINDS: usize = 5;
/// Classes of threats; a piece is in the first that applies: attacked by a cheaper pawn, minor piece or rook; attacked and undefended;
/// attacked more than once and defended once; attacked otherwise (not for pawns).
const CLASSES: usize = 6;
/// First input of pinned pieces.
const PINNED: usize = CLASSES * KINDS;
/// First input of safe checks by knights, bishops, rooks and queens.
const SAFE_CHECKS: usize = PINNED + KINDS;
/// First input of other checks.
const CHECKS: usize = SAFE_CHECKS + 4;
/// Inputs per color.
const PER_COLOR: usize = CHECKS + 4;

/// The active threat inputs, from White's view. Inputs of both colors alternate, so flipping the last bit gives Black's view.
#[derive(Clone, Debug)]
pub struct Threats {
    /// Room for three lists of 64.
    inputs: [u8; 192],
    count: usize,
}

impl Kernel for &Pieces {
    type Output = Threats;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Threats {
        let mut threats = Threats::default();
        threats.find(isa, self);
        threats
    }
}

impl Default for Threats {
    /// No threats.
    fn default() -> Self {
        Self { inputs: [0; 192], count: 0 }
    }
}

impl Threats {
    /// Inputs of both colors.
    pub const COUNT: usize = 2 * PER_COLOR;
    /// Upper bound of active inputs: one class per piece; eight pins and eight checks per color.
    pub const MAX_ACTIVE: usize = 64;

    /// Computes the threats among these pieces.
    pub fn new(pieces: &Pieces) -> Self {
        Simd::best().run(pieces)
    }

    /// Recomputes the active inputs.
    #[inline(always)]
    pub(in super::super) fn find<I: Isa>(&mut self, isa: I, pieces: &Pieces) {
        let isa = isa.lanes();
        let attacks = Attacks::new::<I::Lanes>(isa, pieces);
        self.count = 0;
        self.add_attacked::<I::Lanes>(isa, pieces, &attacks);
        // Usually empty.
        let pinned = attacks.pinned[0] | attacks.pinned[1];
        if pinned.any() {
            let [one, two, four, black] = pieces.weights();
            self.add::<I::Lanes, 5>(isa, pinned.0, [(!0, 2 * PINNED as u8), one, two, four, black]);
        }
        // Eight safe checks, then eight others: by rook, knight, bishop and queen, to White's king and to Black's.
        let checks = u64::from(attacks.safe_checks) | u64::from(attacks.checks) << 8;
        let others = (0xFF00, 2 * (CHECKS - SAFE_CHECKS) as u8);
        let [first, second, black] = [(0xCCCC, 2), (0x9999, 4), (0xF0F0, 1)];
        self.add::<I::Lanes, 5>(isa, checks, [(!0, 2 * SAFE_CHECKS as u8), first, second, black, others]);
    }

    /// Adds the classes of attacked pieces.
    #[inline(always)]
    fn add_attacked<V: U64x8>(&mut self, isa: V::Isa, pieces: &Pieces, attacks: &Attacks) {
        let [pawns, _, _, rooks, queens, kings] = pieces.kinds;
        // Pieces attacked by the opponent, or defended.
        let enemies = |[white, black]: [Bitboard; 2]| pieces.colors[0] & black | pieces.colors[1] & white;
        let friends = |[white, black]: [Bitboard; 2]| pieces.colors[0] & white | pieces.colors[1] & black;
        let by = |kind: PieceType| enemies(attacks.by.each_ref().map(|by| by[kind.index()]));
        let classes = [
            by(PieceType::Pawn) & !(pawns | kings),
            (by(PieceType::Knight) | by(PieceType::Bishop)) & (rooks | queens),
            by(PieceType::Rook) & queens,
            !friends(attacks.all),
            enemies(attacks.twice) & !friends(attacks.twice),
            !pawns,
        ];
        // Bits of the class of each piece.
        let (mut class_bits, mut rest) = ([0; 3], enemies(attacks.all) & !kings);
        let attacked = rest;
        for (class, squares) in classes.into_iter().enumerate() {
            for bit in (0..3).filter(|bit| class >> bit & 1 != 0) {
                class_bits[bit] |= (rest & squares).0;
            }
            rest &= !squares;
        }
        let [a, b, c] = [0, 1, 2].map(|bit: usize| (class_bits[bit], (2 * KINDS as u8) << bit));
        let [one, two, four, black] = pieces.weights();
        self.add::<V, 7>(isa, (attacked & !rest).0, [a, b, c, one, two, four, black]);
    }

    /// Appends an input for each square: the sum of the weights of the sets that contain it.
    #[inline(always)]
    fn add<V: U64x8, const N: usize>(&mut self, isa: V::Isa, squares: u64, sets: [(u64, u8); N]) {
        let list = self.inputs[self.count..].first_chunk_mut().expect("there is room for three lists");
        V::compress(isa, squares, sets, list);
        self.count += squares.count_ones() as usize;
    }

    /// Active inputs from White's view.
    #[inline(always)]
    pub fn inputs(&self) -> &[u8] {
        &self.inputs[..self.count]
    }

    /// XOR mask of inputs for this side's view.
    #[inline(always)]
    pub fn flip(side: Color) -> u8 {
        side.index() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Board, Square, attacks};

    /// Attacks of the piece on a square.
    fn attacked_from(board: &Board, from: Square) -> Bitboard {
        let piece = board.piece_on(from).unwrap();
        match piece.kind() {
            PieceType::Pawn => attacks::pawn(piece.color(), from),
            PieceType::Knight => attacks::knight(from),
            PieceType::Bishop => attacks::bishop(from, board.occupied()),
            PieceType::Rook => attacks::rook(from, board.occupied()),
            PieceType::Queen => attacks::queen(from, board.occupied()),
            PieceType::King => attacks::king(from),
        }
    }

    /// A color's pieces attacking a square.
    fn attackers(board: &Board, color: Color, square: Square) -> Vec<Square> {
        board.color(color).filter(|&from| attacked_from(board, from).has(square)).collect()
    }

    fn worth(kind: PieceType) -> usize {
        [1, 3, 3, 5, 9, 0][kind.index()]
    }

    /// Reference implementation, piece by piece, in words.
    fn reference(board: &Board) -> Vec<String> {
        let mut all = Vec::new();
        for color in Color::ALL {
            let king = board.king(color);
            for square in board.color(color) & !board.kind(PieceType::King) {
                let kind = board.piece_on(square).unwrap().kind();
                let enemies = attackers(board, !color, square);
                let friends = attackers(board, color, square);
                let by = |cheap: &[PieceType]| {
                    enemies.iter().any(|&from| {
                        let kind = board.piece_on(from).unwrap().kind();
                        cheap.contains(&kind)
                    })
                };
                let cheaper = |cheap: &[PieceType]| worth(cheap[0]) < worth(kind) && by(cheap);
                let class = if enemies.is_empty() {
                    None
                } else if cheaper(&[PieceType::Pawn]) {
                    Some(0)
                } else if cheaper(&[PieceType::Knight, PieceType::Bishop]) {
                    Some(1)
                } else if cheaper(&[PieceType::Rook]) {
                    Some(2)
                } else if friends.is_empty() {
                    Some(3)
                } else if enemies.len() > 1 && friends.len() == 1 {
                    Some(4)
                } else {
                    (kind != PieceType::Pawn).then_some(5)
                };
                all.extend(class.map(|class| format!("{color:?} {kind:?} class {class}")));
                // Pinned if its removal exposes the king to another slider.
                let mut without = board.occupied();
                without &= !square.bitboard();
                let lines = |occupied| {
                    let straight = attacks::rook(king, occupied)
                        & (board.pieces(!color, PieceType::Rook) | board.pieces(!color, PieceType::Queen));
                    let diagonal = attacks::bishop(king, occupied)
                        & (board.pieces(!color, PieceType::Bishop) | board.pieces(!color, PieceType::Queen));
                    (straight | diagonal).count()
                };
                if lines(without) > lines(board.occupied()) {
                    all.push(format!("{color:?} {kind:?} pinned"));
                }
            }
            for kind in [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
                let mut safe = [false; 2];
                for from in board.pieces(!color, kind) {
                    for to in attacked_from(board, from) & !board.color(!color) {
                        let gives = match kind {
                            PieceType::Knight => attacks::knight(to),
                            PieceType::Bishop => attacks::bishop(to, board.occupied()),
                            PieceType::Rook => attacks::rook(to, board.occupied()),
                            _ => attacks::queen(to, board.occupied()),
                        };
                        if gives.has(king) {
                            safe[usize::from(attackers(board, color, to).is_empty())] = true;
                        }
                    }
                }
                let words = [(safe[1], "safe check"), (safe[0], "check")];
                all.extend(words.iter().filter(|word| word.0).map(|word| format!("{color:?} {kind:?} {}", word.1)));
            }
        }
        all.sort();
        all
    }

    /// The active inputs in the same words.
    fn in_words(simd: Simd, board: &Board) -> Vec<String> {
        let kinds = PieceType::ALL;
        let word = |&input: &u8| {
            let (color, input) = (Color::ALL[usize::from(input % 2)], usize::from(input / 2));
            match input {
                0..PINNED => format!("{color:?} {:?} class {}", kinds[input % KINDS], input / KINDS),
                PINNED..SAFE_CHECKS => format!("{color:?} {:?} pinned", kinds[input - PINNED]),
                SAFE_CHECKS..CHECKS => format!("{color:?} {:?} safe check", kinds[input - SAFE_CHECKS + 1]),
                _ => format!("{color:?} {:?} check", kinds[input - CHECKS + 1]),
            }
        };
        let threats = simd.run(&Pieces::from(board));
        let mut words: Vec<String> = threats.inputs().iter().map(word).collect();
        words.sort();
        words
    }

    #[test]
    fn threats_match_the_reference() {
        let mut state = 3_u64;
        let mut draw = |count: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % count
        };
        let mut seen = std::collections::BTreeSet::new();
        for start in [
            crate::chess::fen::START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "q2k2q1/2nqn2b/1n1P1n1b/2rnr2Q/1NQ1QN1Q/3Q3B/2RQR2B/Q2K2Q1 w - - 0 1",
        ] {
            for _ in 0..60 {
                let mut board = Board::from_fen(start).unwrap();
                for _ in 0..60 {
                    let words = reference(&board);
                    for simd in Simd::available() {
                        assert_eq!(in_words(simd, &board), words, "{} {}", simd.name(), board.fen(true));
                    }
                    seen.extend(words);
                    let moves = board.legal_moves();
                    let Some(&mv) = moves.get(draw(moves.len().max(1))) else { break };
                    board = board.after(mv);
                }
            }
        }
        // All that can occur; a pawn is never attacked by a cheaper piece.
        assert_eq!(seen.len(), 68, "{seen:?}");
    }

    #[test]
    fn views_of_both_sides_are_symmetric() {
        let white = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        let black = Board::from_fen("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1").unwrap();
        let inputs = |board: &Board, side: Color| {
            let threats = Threats::new(&Pieces::from(board));
            let mut inputs: Vec<u8> = threats.inputs().iter().map(|input| input ^ Threats::flip(side)).collect();
            inputs.sort_unstable();
            inputs
        };
        assert!(inputs(&white, Color::White).len() > 3);
        assert_eq!(inputs(&white, Color::White), inputs(&black, Color::Black));
        assert_eq!(inputs(&white, Color::Black), inputs(&black, Color::White));
    }
}
