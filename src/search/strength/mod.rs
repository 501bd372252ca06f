//! A weaker player that errs as people do: it thinks less, overlooks moves, misjudges positions, and does not always play the move that
//! it likes best. What it sees and how it judges depends on a seed and on the position alone, so it does not change its mind by chance.

mod eyes;
mod level;

pub use eyes::Eyes;
pub use level::{DEFAULT_ELO, ELO, Level};

use super::clock::Bounds;
use super::limits::Limits;
use super::report::Info;
use crate::chess::zobrist::split_mix;
use crate::chess::{Board, Move};
use crate::score::MATE_IN_MAX;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// What makes a player of one game see and judge differently from that of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(u64);

impl Seed {
    /// Another one each time.
    pub fn random() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// The same one each time.
    pub fn fixed(number: u64) -> Self {
        Self(mix(number))
    }

    /// 64 random bits that belong to a matter (of what kind, and which).
    #[inline(always)]
    fn draw(self, kind: Matter, which: u64) -> u64 {
        mix(self.0 ^ which.wrapping_add((kind as u64) << 57))
    }

    /// A random number in 0..1 that belongs to a matter.
    fn chance(self, kind: Matter, which: u64) -> f64 {
        (self.draw(kind, which) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// What random numbers are drawn for.
#[derive(Clone, Copy, Debug)]
enum Matter {
    Structure,
    Material,
    Position,
    Move,
    Choice,
    Pause,
}

/// Words that differ in one bit become words that have nothing in common.
#[inline(always)]
fn mix(mut word: u64) -> u64 {
    split_mix(&mut word)
}

/// How one search is made weaker.
#[derive(Clone, Copy, Debug)]
pub struct Handicap {
    level: Level,
    seed: Seed,
    /// So many lines were asked for; others are looked at to choose among.
    shown: usize,
    /// Whether there is memory for a worker of its own.
    pub has_room: bool,
}

impl Handicap {
    /// A player of this strength who was asked for so many lines.
    pub fn new(level: Level, seed: Seed, shown: usize) -> Self {
        Self { level, seed, shown: shown.max(1), has_room: true }
    }

    /// How the player sees positions.
    pub fn eyes(&self) -> Eyes {
        Eyes::new(&self.level, self.seed)
    }

    /// How many lines to search.
    pub fn lines(&self) -> usize {
        self.shown.max(self.level.candidates)
    }

    /// Whether a line was asked for.
    pub fn shows(&self, info: &Info) -> bool {
        info.multipv <= self.shown
    }

    /// What was asked for, with no more nodes than the player thinks.
    pub fn limit(&self, limits: &Limits) -> Limits {
        let soft_nodes = limits.soft_nodes.map_or(self.level.nodes, |asked| asked.min(self.level.nodes));
        Limits { soft_nodes: Some(soft_nodes), ..*limits }
    }

    /// The moves that come to the player's mind: those that it was told to look at, or else what it sees.
    pub fn candidates(&self, board: &Board, mut moves: Vec<Move>) -> Vec<Move> {
        let eyes = self.eyes();
        if moves.iter().any(|&mv| eyes.sees(board, mv, 0)) {
            moves.retain(|&mv| eyes.sees(board, mv, 0));
        }
        moves
    }

    /// Puts the move that is played first, with its line, and leaves the lines that were asked for. Moves are drawn by a softmax of their
    /// scores; none that loses too much against the best one, and nothing but the shortest mate.
    pub fn choose(&self, root: &Board, lines: &mut Vec<Info>) {
        let Level { temperature, cap, .. } = self.level;
        let Some(best) = lines.first().map(|line| line.score).filter(|&best| best < MATE_IN_MAX) else {
            return self.show(lines);
        };
        // The largest of scores with Gumbel noise is a draw from their softmax.
        let drawn = |line: &Info| {
            let mv = line.pv.first().map_or(0, |mv| mv.word());
            let chance = self.seed.chance(Matter::Choice, root.key() ^ u64::from(mv) << 40);
            f64::from(line.score) - temperature * (-chance.max(1e-12).ln()).ln()
        };
        let allowed = |line: &Info| best - line.score <= cap && line.score > -MATE_IN_MAX;
        let chosen = (0..lines.len())
            .filter(|&at| allowed(&lines[at]))
            .max_by(|&a, &b| drawn(&lines[a]).total_cmp(&drawn(&lines[b])));
        lines[..=chosen.unwrap_or(0)].rotate_right(1);
        self.show(lines);
    }

    fn show(&self, lines: &mut Vec<Info>) {
        lines.truncate(self.shown);
        lines.iter_mut().zip(1..).for_each(|(line, rank)| line.multipv = rank);
    }

    /// How long the player takes for its move: never longer than the clock gives, less where the choice is easy, little in the opening.
    /// `lines` are what it chose from.
    pub fn pause(&self, root: &Board, lines: &[Info], bounds: Bounds) -> Duration {
        let chance = self.seed.chance(Matter::Pause, root.key());
        let usual = bounds.soft.unwrap_or(bounds.hard.mul_f64(0.5)).min(bounds.hard.mul_f64(0.5));
        let hard_to_choose = match lines {
            [first, second, ..] if first.score - second.score > 100 => 0.3,
            [_, _, ..] => 1.0,
            _ => 0.1,
        };
        let opening = if root.fullmove_number() < 8 { 0.4 } else { 1.0 };
        usual.mul_f64((0.15 + 0.85 * chance * chance) * hard_to_choose * opening)
    }
}

#[cfg(test)]
mod tests;
