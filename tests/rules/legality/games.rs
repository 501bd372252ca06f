//! Reproducible random games.

use fastrand::Rng;
use lento::chess::{Board, Game, Move};

/// A random move; sometimes prefers castling, promotion and en passant.
pub fn choose(random: &mut Rng, moves: &[Move]) -> Move {
    let special: Vec<Move> =
        moves.iter().copied().filter(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant()).collect();
    let pool = if !special.is_empty() && random.u8(..4) == 0 { &special } else { moves };
    pool[random.usize(..pool.len())]
}

/// Start positions of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Chess,
    Chess960,
    DoubleFischer,
}

impl Variant {
    pub const ALL: [Self; 3] = [Self::Chess, Self::Chess960, Self::DoubleFischer];

    /// A start position from cozy-chess.
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

/// Maximum length of a game, in plies.
pub const MAX_PLIES: usize = 250;

/// Plays random games of every variant; calls `visit` for each position.
pub fn play(games: usize, seed: u64, mut visit: impl FnMut(&Game, Variant, &mut Rng)) {
    let mut random = Rng::with_seed(seed);
    for variant in Variant::ALL {
        for _ in 0..games {
            let mut game = Game::from_fen(&format!("{:#}", variant.start(&mut random))).unwrap();
            for _ in 0..MAX_PLIES {
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

/// Calls `visit` for about `count` positions of random games, preferring those where special moves, checks or pins occur.
pub fn sample(count: usize, seed: u64, mut visit: impl FnMut(&Board, Variant)) {
    const GAMES: usize = 20;
    // Sampling interval, so that different seeds give different positions.
    let interval = (3 * GAMES * MAX_PLIES).div_ceil(count);
    let (mut round, mut seen) = (0, 0);
    while seen < count {
        play(GAMES, seed + round, |game, variant, random| {
            let board = game.board();
            let special = board.in_check()
                || board.pinned().any()
                || board.legal_moves().iter().any(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant());
            let share = if special { interval.div_ceil(3) } else { interval };
            if seen < count && random.usize(..share) == 0 {
                visit(board, variant);
                seen += 1;
            }
        });
        round += 1;
    }
}
