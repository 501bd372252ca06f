//! Move features: sparse inputs of the log-linear model in `moves`.

use super::logistic::{bucket, starts};
use lento::chess::{Bitboard, Board, CheckSquares, Color, Move, Piece, PieceType, Rank, Square, attacks};

/// Features of a move.
pub const COUNT: usize = 9;
/// Number of values per feature.
const SIZES: [usize; COUNT] =
    [10 * 600, 1536, 1536, 2 * 6 * 3 * 80, 6 * 2 * 225, 4 * 3 * 120, 7 * 6 * 2 * 30, 6 * 600, 2 * 5 * 72];
const STARTS: [usize; COUNT + 1] = starts(SIZES);
pub const WEIGHTS: usize = STARTS[COUNT];

/// Number of piece kinds. The number of the king also means an empty square, as kings are never captured.
const KINDS: usize = 6;
const NONE: usize = 5;

/// The legal moves of a position as target squares by origin. Castling is the king's move to its rook.
pub struct Targets([u64; 64]);

impl Targets {
    const NONE: Self = Self([0; 64]);

    pub fn of(board: &Board) -> Self {
        let mut targets = Self::NONE;
        for mv in &board.legal_moves() {
            targets.0[mv.from().index()] |= mv.to().bitboard().0;
        }
        targets
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, set| all | set) == 0
    }

    #[inline(always)]
    fn from(&self, from: Square) -> Bitboard {
        Bitboard(self.0[from.index()])
    }
}

/// Origin, target and promotion of a legal move.
pub type Choice = (Square, Square, Option<PieceType>);

#[derive(Clone, Copy, Default)]
struct Played {
    from: usize,
    to: usize,
    capture: bool,
}

/// Previous moves of a game.
pub struct Past {
    /// The last two moves, latest first.
    played: [Played; 2],
    /// The legal moves of the last six positions, by ply modulo 6.
    targets: [Targets; 6],
    plies: usize,
    /// The last score, from the point of view of the side that moved.
    score: i32,
}

impl Past {
    pub fn none() -> Self {
        Self { played: Default::default(), targets: [Targets::NONE; 6], plies: 0, score: 0 }
    }

    pub fn add(&mut self, board: &Board, mv: Move, score: i32, targets: Targets) {
        let capture = board.captured(mv).is_some();
        self.played = [Played { from: mv.from().index(), to: mv.to().index(), capture }, self.played[0]];
        self.targets[self.plies % 6] = targets;
        self.plies += 1;
        self.score = score;
    }
}

/// A legal move and the weight indices of its features.
pub type Listed = (Choice, [u16; COUNT]);

/// Squares by least valuable attacker: none, pawn, minor piece, rook, queen or king.
struct Attacked([u64; 4]);

impl Attacked {
    fn new([pawns, minors, rooks, others]: [u64; 4]) -> Self {
        let major = rooks | others;
        Self([
            pawns | minors | major,
            (minors | major) & !pawns,
            major & !pawns & !minors,
            others & !pawns & !minors & !rooks,
        ])
    }

    #[inline(always)]
    fn by(&self, square: usize) -> usize {
        let [any, no_pawn, no_minor, no_rook] = self.0.map(|set| set >> square & 1);
        (any + no_pawn + no_minor + no_rook) as usize
    }
}

/// Numbers squares in rows of 15, so that the difference of two squares plus 112 is a unique number below 225 for each vector.
#[inline(always)]
fn row15(square: usize) -> usize {
    square / 8 * 15 + square % 8
}

/// Squares from which a piece of a kind attacks a valuable or unprotected piece, or protects a hanging one.
#[derive(Clone, Copy, Default)]
struct Aims {
    /// By the value of the target: any, at least a minor piece, at least a rook, a queen.
    at_least: [u64; 4],
    /// With two or more targets.
    twice: u64,
    guards: u64,
}

/// Number of `at_least` sets that contain a target, by kind.
const VALUES: [usize; KINDS] = [1, 2, 2, 3, 4, 0];

impl Aims {
    /// Computes the sets by kind of attacker from unprotected enemy pieces and own hanging pieces.
    #[inline(always)]
    fn of(board: &Board, loose: Bitboard, hanging: Bitboard) -> [Self; KINDS] {
        let mut aims = [Self::default(); KINDS];
        let them = !board.side_to_move();
        let solid = |kind| board.pieces(them, kind) & !loose;
        // Protected targets count if they are more valuable than the attacker.
        let minors = (solid(PieceType::Knight) | solid(PieceType::Bishop)).forward(them);
        aims[0].add(minors.east().0, 2);
        aims[0].add(minors.west().0, 2);
        for square in solid(PieceType::Rook) {
            let bishop = attacks::bishop(square, board.occupied());
            let from = [attacks::pawn(them, square), attacks::knight(square), bishop];
            aims.iter_mut().zip(from).for_each(|(aims, from)| aims.add(from.0, 3));
        }
        for square in solid(PieceType::Queen) {
            aims.iter_mut().zip(sources(board, square)).take(4).for_each(|(aims, from)| aims.add(from, 4));
        }
        for square in loose {
            let value = board.piece_on(square).map_or(0, |piece| VALUES[piece.kind().index()]);
            aims.iter_mut().zip(sources(board, square)).for_each(|(aims, from)| aims.add(from, value));
        }
        for square in hanging {
            aims.iter_mut().zip(sources(board, square)).for_each(|(aims, from)| aims.guards |= from);
        }
        aims
    }

    #[inline(always)]
    fn add(&mut self, from: u64, value: usize) {
        self.twice |= self.at_least[0] & from;
        for (min, set) in self.at_least.iter_mut().enumerate() {
            *set |= if value > min { from } else { 0 };
        }
    }

    /// Class of the most valuable target from a square, and whether there are several; below 10.
    #[inline(always)]
    fn threat(&self, from: usize) -> usize {
        let best: u64 = self.at_least.iter().map(|set| set >> from & 1).sum();
        (best * 2 + (self.twice >> from & 1)) as usize
    }
}

/// Squares attacked by the pieces of a kind, and those attacked twice.
#[inline(always)]
fn cover(board: &Board, color: Color, kind: PieceType) -> (u64, u64) {
    let piece = Piece::new(color, kind);
    board.pieces(color, kind).fold((0, 0), |(once, twice), square| {
        let set = attacks::of(piece, square, board.occupied()).0;
        (once | set, twice | once & set)
    })
}

/// Squares from which the side to move attacks a square, by kind of piece.
#[inline(always)]
fn sources(board: &Board, square: Square) -> [u64; KINDS] {
    let (bishop, rook) = (attacks::bishop(square, board.occupied()).0, attacks::rook(square, board.occupied()).0);
    let pawn = attacks::pawn(!board.side_to_move(), square).0;
    [pawn, attacks::knight(square).0, bishop, rook, bishop | rook, attacks::king(square).0]
}

/// Properties of a position common to all its moves.
pub struct Scene<'a> {
    board: &'a Board,
    past: &'a Past,
    us: Color,
    /// XOR mask that mirrors squares for Black.
    flip: usize,
    attacked: Attacked,
    /// Squares attacked by the side to move, and those attacked twice.
    once: u64,
    twice: u64,
    /// By kind of piece.
    aims: [Aims; KINDS],
    checks: CheckSquares,
    their_king: Square,
    phase: usize,
    surprise: usize,
    sign: usize,
    in_check: usize,
}

impl<'a> Scene<'a> {
    /// Analyses a position, given its score in centipawns from the point of view of the side to move.
    pub fn new(board: &'a Board, past: &'a Past, score: i32) -> Self {
        let (us, them) = (board.side_to_move(), !board.side_to_move());
        let (occupied, own, enemy) = (board.occupied(), board.color(us), board.color(them));
        let flip = if us == Color::Black { 56 } else { 0 };
        let [_, knights, bishops, by_rook, queens, king] = PieceType::ALL.map(|kind| cover(board, them, kind).0);
        let by_pawn = board.pieces(them, PieceType::Pawn).pawn_attacks(them).0;
        let by_minor = knights | bishops;
        let attacked = Attacked::new([by_pawn, by_minor, by_rook, queens | king]);
        let threats = attacked.0[0];
        let pawns = board.pieces(us, PieceType::Pawn);
        let (east, west) = (pawns.forward(us).east().0, pawns.forward(us).west().0);
        let (mut once, mut twice) = (east | west, east & west);
        for kind in &PieceType::ALL[1..] {
            let (any, more) = cover(board, us, *kind);
            twice |= once & any | more;
            once |= any;
        }
        let hanging = own.0
            & (threats & !once
                | by_pawn & !pawns.0
                | by_minor & board.kind(PieceType::Rook).0
                | (by_minor | by_rook) & board.kind(PieceType::Queen).0);
        Self {
            board,
            past,
            us,
            flip,
            attacked,
            once,
            twice,
            aims: Aims::of(board, enemy & !Bitboard(threats), Bitboard(hanging)),
            checks: board.check_squares(),
            their_king: board.king(them),
            phase: bucket(-(occupied.count() as i32), [-25, -17, -10]),
            surprise: if past.plies > 0 { bucket(score + past.score, [-120, -40, -12, 12, 40, 120]) } else { 3 },
            sign: bucket(score, [-100, -20, 20, 100]),
            in_check: usize::from(board.in_check()),
        }
    }

    /// Lists the legal moves by kind of piece, origin and target, independently of the move generator.
    pub fn list(&self, targets: &Targets, list: &mut Vec<Listed>) {
        list.clear();
        self.list_of::<0>(targets, list);
        self.list_of::<1>(targets, list);
        self.list_of::<2>(targets, list);
        self.list_of::<3>(targets, list);
        self.list_of::<4>(targets, list);
        self.list_of::<5>(targets, list);
    }

    /// Lists the moves of a kind of piece; specialised by kind for speed.
    fn list_of<const KIND: usize>(&self, targets: &Targets, list: &mut Vec<Listed>) {
        for from in self.board.pieces(self.us, PieceType::ALL[KIND]) {
            let to = targets.from(from);
            if to.is_empty() {
                continue;
            }
            let mover = Mover::<KIND>::new(self, from);
            for to in to {
                if KIND == 0 && matches!(to.rank(), Rank::First | Rank::Eighth) {
                    for promoted in PieceType::PROMOTIONS {
                        list.push(((from, to, Some(promoted)), mover.features(to, Some(promoted))));
                    }
                } else {
                    list.push(((from, to, None), mover.features(to, None)));
                }
            }
        }
    }

    /// The captured kind, or [`NONE`].
    #[inline(always)]
    fn victim<const KIND: usize>(&self, from: Square, to: Square) -> usize {
        match self.board.piece_on(to) {
            Some(piece) if piece.color() != self.us => piece.kind().index(),
            None if KIND == 0 && from.file() != to.file() => 0,
            _ => NONE,
        }
    }

    /// Rank, passed and phalanx of pawns, distance to the enemy king of others; below 72.
    #[inline(always)]
    fn shape<const KIND: usize>(&self, to: Square) -> usize {
        let (board, us) = (self.board, self.us);
        if KIND > 0 {
            return 24 + KIND * 8 + to.distance(self.their_king) as usize;
        }
        let square = to.bitboard();
        let front = square.fill_forward(us);
        let stoppers = board.pieces(!us, PieceType::Pawn);
        let passed = usize::from(((front | front.east() | front.west()) & stoppers).is_empty());
        let beside = usize::from(((square.east() | square.west()) & board.pieces(us, PieceType::Pawn)).any());
        ((to.index() ^ self.flip) / 8 * 2 + passed) * 2 + beside
    }
}

/// Properties of a piece common to all its moves.
struct Mover<'a, const KIND: usize> {
    scene: &'a Scene<'a>,
    from: Square,
    /// The part of each feature index that does not depend on the target.
    base: [usize; COUNT],
    /// Targets that give check, including discovered checks.
    checks: u64,
    /// Legal moves of the piece two, four and six plies ago.
    before: [u64; 3],
    /// Previous square of the piece, if it made the previous move of its side.
    came_from: Option<usize>,
}

impl<'a, const KIND: usize> Mover<'a, KIND> {
    #[inline(always)]
    fn new(scene: &'a Scene<'a>, from: Square) -> Self {
        let past = scene.past;
        let [last, own] = past.played;
        let came_from = (past.plies > 1 && own.to == from.index()).then_some(own.from);
        let protected = (scene.once >> from.index() & 1) as usize;
        let danger = scene.attacked.by(from.index()) * 2 + protected;
        let on_square = (scene.phase * 6 + KIND) * 64;
        let again = usize::from(came_from.is_some());
        let base = [
            danger * 60 + KIND * 600,
            on_square,
            on_square + (from.index() ^ scene.flip),
            ((again * 6 + KIND) * 3 + scene.surprise / 3) * 80,
            (KIND * 2 + usize::from(last.capture)) * 225 + 112 - row15(last.to ^ scene.flip),
            (scene.phase * 3 + bucket(KIND as i32, [0, 2])) * 120,
            ((scene.surprise * 6 + KIND) * 2 + scene.in_check) * 30,
            KIND * 600,
            scene.sign * 72,
        ];
        Self {
            scene,
            from,
            base: std::array::from_fn(|feature| STARTS[feature] + base[feature]),
            checks: scene.checks.of_piece(PieceType::ALL[KIND], from).0,
            before: [2, 4, 6].map(|plies| past.targets[(past.plies + 6 - plies) % 6].from(from).0),
            came_from,
        }
    }

    /// Number of consecutive previous turns in which the move was legal, at most 3.
    #[inline(always)]
    fn age(&self, to: usize) -> usize {
        let [two, four, six] = self.before.map(|set| set >> to & 1);
        (two + (two & four) + (two & four & six)) as usize
    }

    #[inline(always)]
    fn features(&self, target: Square, promoted: Option<PieceType>) -> [u16; COUNT] {
        let scene = self.scene;
        let to = target.index();
        let victim = scene.victim::<KIND>(self.from, target);
        let attacked = scene.attacked.by(to);
        let quiet = usize::from(victim == NONE);
        let risk = victim * 5 + attacked;
        // Whether another piece protects the target square.
        let supports = if KIND == 0 && victim == NONE { scene.once } else { scene.twice };
        let exchange = risk * 2 + (supports >> to & 1) as usize;
        let promotion = match promoted {
            None => 0,
            Some(PieceType::Queen) => 3600,
            Some(_) => 4200,
        };
        let reverts = usize::from(self.came_from == Some(to));
        let check = (self.checks >> to & 1) as usize;
        let aims = &scene.aims[KIND];
        let guards = (aims.guards >> to & 1) as usize;
        let relative = to ^ scene.flip;
        let values = [
            exchange + promotion,
            relative,
            0,
            ((reverts * 4 + self.age(to)) * 2 + quiet) * 5 + attacked,
            row15(relative),
            check * 60 + exchange,
            risk,
            (aims.threat(to) * 2 + guards) * 30 + risk,
            scene.shape::<KIND>(target) + 360 * guards,
        ];
        std::array::from_fn(|feature| (self.base[feature] + values[feature]) as u16)
    }
}
