//! Random games, the same in every run.

use fastrand::Rng;
use lento::chess::{Board, Game, Move};

/// One of a list that is not empty. Castling, promotion and en passant are rare, so they are preferred at times.
pub fn choose(random: &mut Rng, moves: &[Move]) -> Move {
    let rare: Vec<Move> =
        moves.iter().copied().filter(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant()).collect();
    let pool = if !rare.is_empty() && random.u8(..4) == 0 { &rare } else { moves };
    pool[random.usize(..pool.len())]
}

/// How the pieces are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Chess,
    Chess960,
    DoubleFischer,
}

impl Variant {
    pub const ALL: [Self; 3] = [Self::Chess, Self::Chess960, Self::DoubleFischer];

    /// A start position, as the other library sets it up.
    pub fn start(self, random: &mut Rng) -> cozy_chess::Board {
        match self {
            Self::Chess => cozy_chess::Board::startpos(),
            Self::Chess960 => cozy_chess::Board::chess960_startpos(random.u32(..960)),
            Self::DoubleFischer => {
                let (white, black) = (random.u32(..960), random.u32(..960));
                cozy_chess::Board::double_chess960_startpos(white, black)
            }
        }
    }
}

/// Games longer than this many plies are broken off.
pub const LONGEST: usize = 250;

/// Plays random games of every variant and shows each position with its past.
pub fn play(games: usize, seed: u64, mut visit: impl FnMut(&Game, Variant, &mut Rng)) {
    let mut random = Rng::with_seed(seed);
    for variant in Variant::ALL {
        for _ in 0..games {
            let mut game = Game::from_fen(&format!("{:#}", variant.start(&mut random))).unwrap();
            for _ in 0..LONGEST {
                visit(&game, variant, &mut random);
                let moves = game.board().legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play(choose(&mut random, &moves));
            }
        }
    }
}

/// Shows about `count` positions of random games, those first of all in which something rare is possible.
pub fn sample(count: usize, seed: u64, mut visit: impl FnMut(&Board, Variant)) {
    const GAMES: usize = 20;
    // Every so manieth position of ordinary kind, so that two seeds never look at the same ones only.
    let every = (3 * GAMES * LONGEST).div_ceil(count);
    let (mut round, mut seen) = (0, 0);
    while seen < count {
        play(GAMES, seed + round, |game, variant, random| {
            let board = game.board();
            let special = board.in_check()
                || board.pinned().any()
                || board.legal_moves().iter().any(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant());
            let share = if special { every.div_ceil(3) } else { every };
            if seen < count && random.usize(..share) == 0 {
                visit(board, variant);
                seen += 1;
            }
        });
        round += 1;
    }
}
