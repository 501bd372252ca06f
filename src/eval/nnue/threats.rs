//! Inputs that say what the men do to each other: which are attacked and how, which are pinned, and which checks there are.
//!
//! A network of pieces on squares has to learn lines and leaps from examples of every square; these inputs hand them over. They
//! have no squares, so there are few of them, and they are not carried along a line of play: each value works them out anew.

use crate::chess::{Bitboard, Board, Color, Piece, PieceType, Square, attacks};

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
    inputs: [u8; MAX_THREATS],
    count: usize,
}

/// Which men there are.
#[derive(Clone, Debug, Default)]
pub struct Men {
    kinds: [Bitboard; 6],
    colors: [Bitboard; 2],
}

impl Men {
    fn of(&self, color: Color, kind: PieceType) -> Bitboard {
        self.colors[color.index()] & self.kinds[kind.index()]
    }

    fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The kind of the man on a square, as a number.
    #[inline(always)]
    fn kind(&self, square: Square) -> usize {
        let on = |kind: usize| (self.kinds[kind].0 >> square.index() & 1) as usize;
        on(1) + 2 * on(2) + 3 * on(3) + 4 * on(4)
    }
}

impl From<&Board> for Men {
    fn from(board: &Board) -> Self {
        Self { kinds: PieceType::ALL.map(|kind| board.kind(kind)), colors: Color::ALL.map(|color| board.color(color)) }
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

/// What a color attacks.
#[derive(Default)]
struct Reach {
    kinds: [Bitboard; 6],
    all: Bitboard,
    twice: Bitboard,
}

impl Reach {
    fn new(men: &Men, color: Color, occupied: Bitboard) -> Self {
        let mut reach = Self::default();
        let pawns = men.of(color, PieceType::Pawn).forward(color);
        reach.add(PieceType::Pawn, pawns.west());
        reach.add(PieceType::Pawn, pawns.east());
        for square in men.of(color, PieceType::Knight) {
            reach.add(PieceType::Knight, attacks::knight(square));
        }
        for square in men.of(color, PieceType::Bishop) {
            reach.add(PieceType::Bishop, attacks::bishop(square, occupied));
        }
        for square in men.of(color, PieceType::Rook) {
            reach.add(PieceType::Rook, attacks::rook(square, occupied));
        }
        for square in men.of(color, PieceType::Queen) {
            reach.add(PieceType::Queen, attacks::queen(square, occupied));
        }
        for square in men.of(color, PieceType::King) {
            reach.add(PieceType::King, attacks::king(square));
        }
        reach
    }

    #[inline(always)]
    fn add(&mut self, kind: PieceType, squares: Bitboard) {
        self.kinds[kind.index()] |= squares;
        self.twice |= self.all & squares;
        self.all |= squares;
    }

    fn of(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }
}

impl Threats {
    /// The threats between these men.
    pub fn new(men: &Men) -> Self {
        let mut threats = Self { inputs: [0; MAX_THREATS], count: 0 };
        let occupied = men.occupied();
        let reach = Color::ALL.map(|color| Reach::new(men, color, occupied));
        for color in Color::ALL {
            let (own, enemy) = (&reach[color.index()], &reach[(!color).index()]);
            threats.attacked(men, color, own, enemy);
            if let Some(king) = men.of(color, PieceType::King).first() {
                threats.pinned(men, color, king);
                threats.checks(men, color, king, own, enemy);
            }
        }
        threats
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

    /// Takes an input that is on. Without a branch, as what threats there are is hard to foresee.
    #[inline(always)]
    fn add(&mut self, color: Color, input: usize, is_on: bool) {
        self.inputs[self.count % MAX_THREATS] = (2 * input + color.index()) as u8;
        self.count += usize::from(is_on);
    }

    #[inline(always)]
    fn attacked(&mut self, men: &Men, color: Color, own: &Reach, enemy: &Reach) {
        let [pawns, knights, bishops, rooks, queens, kings] = men.kinds;
        let by_pawns = enemy.kinds[0];
        let by_minors = enemy.kinds[1] | enemy.kinds[2];
        let by_rooks = enemy.kinds[3];
        let ways = [
            by_pawns & (knights | bishops | rooks | queens),
            by_minors & (rooks | queens),
            by_rooks & queens,
            !own.all,
            enemy.twice & !own.twice,
            !pawns,
        ];
        let any_way = ways.iter().fold(Bitboard::EMPTY, |any, &way| any | way);
        for square in men.colors[color.index()] & enemy.all & any_way & !kings {
            // The first way that it has.
            let has = |way: usize| (ways[way].0 >> square.index() & 1) << way;
            let way = (0..WAYS).fold(0, |all, way| all | has(way)).trailing_zeros() as usize;
            self.add(color, way * KINDS + men.kind(square), true);
        }
    }

    /// Men between their king and an enemy slider.
    #[inline(always)]
    fn pinned(&mut self, men: &Men, color: Color, king: Square) {
        let (own, enemy) = (men.colors[color.index()], men.colors[(!color).index()]);
        let [_, _, bishops, rooks, queens, _] = men.kinds;
        let none = Bitboard::EMPTY;
        let aligned = attacks::bishop(king, none) & (bishops | queens) | attacks::rook(king, none) & (rooks | queens);
        for sniper in aligned & enemy {
            let between = attacks::between(king, sniper) & (own | enemy);
            if let Some(square) = between.first().filter(|&square| !between.many() && own.has(square)) {
                self.add(color, PINNED + men.kind(square), true);
            }
        }
    }

    /// Checks that the enemy could give.
    #[inline(always)]
    fn checks(&mut self, men: &Men, color: Color, king: Square, own: &Reach, enemy: &Reach) {
        use PieceType::{Bishop, Knight, Queen, Rook};
        let occupied = men.occupied();
        let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        let free = !men.colors[(!color).index()];
        let from =
            [(Knight, attacks::knight(king)), (Bishop, diagonal), (Rook, straight), (Queen, diagonal | straight)];
        for (index, (kind, squares)) in from.into_iter().enumerate() {
            let checks = squares & enemy.of(kind) & free;
            self.add(color, SAFE_CHECKS + index, (checks & !own.all).any());
            self.add(color, CHECKS + index, (checks & own.all).any());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn in_words(board: &Board) -> Vec<String> {
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
        let mut words: Vec<String> = Threats::new(&Men::from(board)).inputs().iter().map(word).collect();
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
                    assert_eq!(in_words(&board), by_definition(&board), "{}", board.fen(true));
                    seen.extend(in_words(&board));
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
