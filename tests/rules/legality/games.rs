//! Random games, the same in every run.

use lento::chess::{Board, Game, Move};

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ word >> 31
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() % limit as u64) as usize
    }

    /// One of a list that is not empty. Castling, promotion and en passant are rare, so they are preferred at times.
    pub fn choose(&mut self, moves: &[Move]) -> Move {
        let rare: Vec<Move> =
            moves.iter().copied().filter(|mv| mv.is_castle() || mv.is_promotion() || mv.is_en_passant()).collect();
        let pool = if !rare.is_empty() && self.below(4) == 0 { &rare } else { moves };
        pool[self.below(pool.len())]
    }
}

/// How the men are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    Chess,
    Chess960,
    DoubleFischer,
}

impl Variant {
    pub const ALL: [Self; 3] = [Self::Chess, Self::Chess960, Self::DoubleFischer];

    /// A start position, as the other library sets it up.
    pub fn start(self, random: &mut Random) -> cozy_chess::Board {
        match self {
            Self::Chess => cozy_chess::Board::startpos(),
            Self::Chess960 => cozy_chess::Board::chess960_startpos(random.below(960) as u32),
            Self::DoubleFischer => {
                let (white, black) = (random.below(960) as u32, random.below(960) as u32);
                cozy_chess::Board::double_chess960_startpos(white, black)
            }
        }
    }
}

/// Games longer than this many plies are broken off.
pub const LONGEST: usize = 250;

/// Plays random games of every variant and shows each position with its past.
pub fn play(games: usize, seed: u64, mut visit: impl FnMut(&Game, Variant, &mut Random)) {
    let mut random = Random::new(seed);
    for variant in Variant::ALL {
        for _ in 0..games {
            let mut game = Game::from_fen(&format!("{:#}", variant.start(&mut random))).unwrap();
            for _ in 0..LONGEST {
                visit(&game, variant, &mut random);
                let moves = game.board().legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.play(random.choose(&moves));
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
            if seen < count && random.below(share) == 0 {
                visit(board, variant);
                seen += 1;
            }
        });
        round += 1;
    }
}
