//! Inputs that say what the men do to each other: which are attacked and how, which are pinned, and which checks there are.
//!
//! A network of pieces on squares has to learn lines and leaps from examples of every square; these inputs hand them over. They
//! have no squares, so there are few of them, and they are not carried along a line of play: each value works them out anew.

use super::reach::Reach;
use super::simd::{Eight, Simd};
use crate::chess::{Bitboard, Board, Color, Piece, PieceType, Square};

/// Kinds that can be threatened: all but the king.
const KINDS: usize = 5;
/// Ways to be attacked, of which a man has at most one: by a pawn, by a minor piece, by a rook, each time cheaper than itself; else
/// attacked and not protected; attacked by several and protected by one; attacked otherwise, which does not count for pawns.
const WAYS: usize = 6;
/// The first input of pinned men.
const PINNED: usize = WAYS * KINDS;
/// The first input of checks with a knight, bishop, rook or queen on a square that the king's side does not attack.
const SAFE_CHECKS: usize = PINNED + KINDS;
/// The first input of other such checks.
const CHECKS: usize = SAFE_CHECKS + 4;
/// Inputs of one color's men and king.
const OF_A_COLOR: usize = CHECKS + 4;

/// Inputs of both colors.
pub const THREAT_INPUTS: usize = 2 * OF_A_COLOR;
/// More than these are never on: a way for each man but the kings, eight pinned men and eight checks for each color.
pub const MAX_THREATS: usize = 64;

/// The threats of a position: for each an input, as White sees the board. Inputs of own and of enemy men alternate, so that for Black
/// the last bit is the other one.
#[derive(Clone, Debug)]
pub struct Threats {
    /// With room for three lists of 64.
    inputs: [u8; 192],
    count: usize,
}

/// Which men there are.
#[derive(Clone, Debug, Default)]
pub struct Men {
    kinds: [Bitboard; 6],
    colors: [Bitboard; 2],
}

impl Men {
    /// Those of a color and a kind.
    #[inline(always)]
    pub fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    /// Those of a color.
    #[inline(always)]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// All of them.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Sets whose numbers make up twice the number of a man's kind and one more for Black's.
    #[inline(always)]
    fn numbers(&self) -> [(u64, u8); 4] {
        let [_, knights, bishops, rooks, queens, _] = self.kinds;
        [((knights | rooks).0, 2), ((bishops | rooks).0, 4), (queens.0, 8), (self.colors[1].0, 1)]
    }
}

impl From<&Board> for Men {
    fn from(board: &Board) -> Self {
        // As whole arrays: what is written set by set is not there yet when a register of sets is read.
        Self { kinds: *board.kinds(), colors: *board.colors() }
    }
}

impl FromIterator<(Piece, Square)> for Men {
    fn from_iter<I: IntoIterator<Item = (Piece, Square)>>(men: I) -> Self {
        let mut all = Self::default();
        for (piece, square) in men {
            all.kinds[piece.kind().index()] |= square.bitboard();
            all.colors[piece.color().index()] |= square.bitboard();
        }
        all
    }
}

impl Default for Threats {
    /// No threats.
    fn default() -> Self {
        Self { inputs: [0; 192], count: 0 }
    }
}

impl Threats {
    /// The threats between these men.
    pub fn new(men: &Men) -> Self {
        let mut threats = Self::default();
        Simd::best().find_threats(men, &mut threats);
        threats
    }

    /// The threats between these men in the stead of those here, found with such registers.
    #[inline(always)]
    pub(super) fn find<V: Eight>(&mut self, men: &Men) {
        let reach = Reach::new::<V>(men);
        self.count = 0;
        self.add_attacked::<V>(men, &reach);
        // Seldom any.
        let pinned = reach.pinned[0] | reach.pinned[1];
        if pinned.any() {
            let [one, two, four, black] = men.numbers();
            self.add::<V, 5>(pinned.0, [(!0, 2 * PINNED as u8), one, two, four, black]);
        }
        // Eight safe checks, then eight others: by rooks, knights, bishops, queens, to White's king and to Black's.
        let checks = u64::from(reach.safe_checks) | u64::from(reach.checks) << 8;
        let others = (0xFF00, 2 * (CHECKS - SAFE_CHECKS) as u8);
        let [first, second, black] = [(0xCCCC, 2), (0x9999, 4), (0xF0F0, 1)];
        self.add::<V, 5>(checks, [(!0, 2 * SAFE_CHECKS as u8), first, second, black, others]);
    }

    /// Men that the other color attacks.
    #[inline(always)]
    fn add_attacked<V: Eight>(&mut self, men: &Men, reach: &Reach) {
        let [pawns, _, _, rooks, queens, kings] = men.kinds;
        // Men on squares that the other color, or their own, attacks.
        let enemies = |[white, black]: [Bitboard; 2]| men.colors[0] & black | men.colors[1] & white;
        let friends = |[white, black]: [Bitboard; 2]| men.colors[0] & white | men.colors[1] & black;
        let by = |kind: PieceType| enemies(reach.by.each_ref().map(|by| by[kind.index()]));
        let ways = [
            by(PieceType::Pawn) & !(pawns | kings),
            (by(PieceType::Knight) | by(PieceType::Bishop)) & (rooks | queens),
            by(PieceType::Rook) & queens,
            !friends(reach.all),
            enemies(reach.twice) & !friends(reach.twice),
            !pawns,
        ];
        // The number of the first way of each man, bit by bit.
        let (mut number, mut rest) = ([0; 3], enemies(reach.all) & !kings);
        let attacked = rest;
        for (way, squares) in ways.into_iter().enumerate() {
            for bit in (0..3).filter(|bit| way >> bit & 1 != 0) {
                number[bit] |= (rest & squares).0;
            }
            rest &= !squares;
        }
        let [a, b, c] = [0, 1, 2].map(|bit: usize| (number[bit], (2 * KINDS as u8) << bit));
        let [one, two, four, black] = men.numbers();
        self.add::<V, 7>((attacked & !rest).0, [a, b, c, one, two, four, black]);
    }

    /// Takes an input for each of these squares: the sum of the numbers of the sets that have it.
    #[inline(always)]
    fn add<V: Eight, const N: usize>(&mut self, squares: u64, sets: [(u64, u8); N]) {
        let list = self.inputs[self.count..].first_chunk_mut().expect("there is room for three lists");
        V::list(squares, sets, list);
        self.count += squares.count_ones() as usize;
    }

    /// The inputs that are on, as White sees the board.
    #[inline(always)]
    pub fn inputs(&self) -> &[u8] {
        &self.inputs[..self.count]
    }

    /// What an input is xored with for the board as this side sees it.
    #[inline(always)]
    pub fn turn(side: Color) -> u8 {
        side.index() as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::attacks;

    /// The men that a man on a square attacks, found by hand.
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

    /// The squares of a color's men that attack this square.
    fn attackers(board: &Board, color: Color, square: Square) -> Vec<Square> {
        board.color(color).filter(|&from| attacked_from(board, from).has(square)).collect()
    }

    fn worth(kind: PieceType) -> usize {
        [1, 3, 3, 5, 9, 0][kind.index()]
    }

    /// In words, from the rules, man by man.
    fn by_definition(board: &Board) -> Vec<String> {
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
                let way = if enemies.is_empty() {
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
                all.extend(way.map(|way| format!("{color:?} {kind:?} way {way}")));
                // Pinned: without it, a slider would attack the king that does not attack it now.
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

    /// The inputs of a position in the same words.
    fn in_words(simd: Simd, board: &Board) -> Vec<String> {
        let kinds = PieceType::ALL;
        let word = |&input: &u8| {
            let (color, input) = (Color::ALL[usize::from(input % 2)], usize::from(input / 2));
            match input {
                0..PINNED => format!("{color:?} {:?} way {}", kinds[input % KINDS], input / KINDS),
                PINNED..SAFE_CHECKS => format!("{color:?} {:?} pinned", kinds[input - PINNED]),
                SAFE_CHECKS..CHECKS => format!("{color:?} {:?} safe check", kinds[input - SAFE_CHECKS + 1]),
                _ => format!("{color:?} {:?} check", kinds[input - CHECKS + 1]),
            }
        };
        let mut threats = Threats::default();
        simd.find_threats(&Men::from(board), &mut threats);
        let mut words: Vec<String> = threats.inputs().iter().map(word).collect();
        words.sort();
        words
    }

    #[test]
    fn threats_are_those_of_the_definition() {
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
                    let words = by_definition(&board);
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
        // All but those that cannot be, such as a pawn that is attacked by something cheaper.
        assert_eq!(seen.len(), 68, "{seen:?}");
    }

    #[test]
    fn the_other_side_sees_the_same_with_colors_exchanged() {
        let white = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        let black = Board::from_fen("r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1").unwrap();
        let inputs = |board: &Board, side: Color| {
            let threats = Threats::new(&Men::from(board));
            let mut inputs: Vec<u8> = threats.inputs().iter().map(|input| input ^ Threats::turn(side)).collect();
            inputs.sort_unstable();
            inputs
        };
        assert!(inputs(&white, Color::White).len() > 3);
        assert_eq!(inputs(&white, Color::White), inputs(&black, Color::Black));
        assert_eq!(inputs(&white, Color::Black), inputs(&black, Color::White));
    }
}
