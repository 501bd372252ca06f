//! Time management.

use super::limits::Limits;
use super::params::Params;
use crate::chess::{Color, Move};
use crate::score::Score;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Start no new iteration after this time, scaled by [`Stability`]; `None` without a clock.
    pub soft: Option<Duration>,
    /// Stop the search after this time.
    pub hard: Duration,
}

/// Stability of a search after an iteration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stability {
    best: Option<Move>,
    /// Running average of the score.
    average: Option<Score>,
    /// Iterations since the best move last changed.
    pub unchanged: u32,
    /// Share of nodes spent on the best move, 0 to 1.
    pub node_share: f64,
    /// Decrease of the score since the last iterations, in centipawns.
    pub drop: Score,
}

impl Stability {
    /// Updates the stability after an iteration with this best move, its score and its share of nodes.
    pub(crate) fn update(&mut self, best: Move, score: Score, node_share: f64) {
        let unchanged = if self.best == Some(best) { self.unchanged + 1 } else { 0 };
        let average = self.average.unwrap_or(score);
        *self = Self {
            best: Some(best),
            average: Some((2 * average + score) / 3),
            unchanged,
            node_share,
            drop: average - score,
        };
    }
}

impl Bounds {
    /// Time kept in reserve on the clock, in multiples of the overhead.
    const RESERVE: f64 = 10.0;

    /// The bounds for the side to move; `None` without time limits. A missing clock defaults to the opponent's.
    ///
    /// `overhead` milliseconds are reserved for communication with the GUI, and ten times as much for a
    /// busy machine. The bounds are at least a millisecond; negative clocks count as empty.
    pub(crate) fn new(args: &Limits, side: Color, overhead: u64, params: &Params) -> Option<Self> {
        let by_movetime =
            args.movetime.map(|limit| millis(limit as f64 - overhead.min(limit.max(0) as u64 / 2) as f64));
        let by_clock = args.clock[side.index()].or(args.clock[(!side).index()]).map(|left| {
            let (left, overhead) = (left.max(0) as f64, overhead as f64);
            let reserve = Self::RESERVE * overhead;
            let free = (left - overhead - reserve).max(left / 8.0);
            // Below twice the reserve, part of the increment refills the clock.
            let mine = if left < 2.0 * reserve { left / (2.0 * reserve) } else { 1.0 };
            let increment = args.increment[side.index()].unwrap_or(0).max(0) as f64 * mine;
            Self::by_clock(free, increment, args.moves_to_go, params)
        });
        let bounds = by_clock.or(by_movetime.map(|hard| Self { soft: None, hard }))?;
        Some(Self { hard: by_movetime.map_or(bounds.hard, |limit| limit.min(bounds.hard)), ..bounds })
    }

    /// The bounds by the time left (without overhead and reserve) and the increment, in milliseconds.
    fn by_clock(left: f64, increment: f64, moves_to_go: Option<u32>, params: &Params) -> Self {
        let increment = percent(params.time_increment) * increment;
        let (soft, hard) = match moves_to_go.map(|moves| f64::from(moves.clamp(1, 50))) {
            // Only the last move before the time control may use nearly all time.
            Some(moves) => {
                let share = left / moves;
                let hard = if moves < 2.0 { 0.9 * left } else { (4.0 * share).min(0.6 * left) };
                (0.75 * share + increment, hard)
            }
            None => {
                let share = f64::from(params.time_share) / 1000.0 * left + increment;
                (percent(params.time_soft) * share, (percent(params.time_hard) * share).min(0.55 * left))
            }
        };
        // The increment is added only after the move.
        let hard = hard.min(0.9 * left);
        Self { soft: Some(millis(soft.min(hard))), hard: millis(hard) }
    }

    /// The soft bound scaled by stability, at most the hard one. A stable best move with most of the nodes and a stable score
    /// needs less time.
    pub(crate) fn soft_for(&self, stability: &Stability, params: &Params) -> Option<Duration> {
        let by_stability = percent(params.time_changing - params.time_stable * stability.unchanged.min(9) as i32);
        let by_nodes = percent(params.time_nodes_base) - percent(params.time_nodes_slope) * stability.node_share;
        let by_score = (1.0 + f64::from(params.time_falling * stability.drop) / 1e3).clamp(0.6, 1.6);
        self.soft.map(|soft| soft.mul_f64(by_stability.max(0.2) * by_nodes.max(0.2) * by_score).min(self.hard))
    }
}

fn percent(number: i32) -> f64 {
    f64::from(number) / 100.0
}

/// A duration of at least one millisecond.
fn millis(time: f64) -> Duration {
    Duration::from_secs_f64(time.clamp(1.0, 1e12) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(left: i64, increment: i64, moves_to_go: Option<u32>) -> Limits {
        Limits { clock: [Some(left), Some(1)], increment: [Some(increment), None], moves_to_go, ..Limits::default() }
    }

    const STABLE: Stability = Stability { best: None, average: None, unchanged: 20, node_share: 0.95, drop: -20 };
    const UNSTABLE: Stability = Stability { best: None, average: None, unchanged: 0, node_share: 0.2, drop: 60 };

    #[test]
    fn bounds_stay_below_the_clock() {
        for left in [-500, 0, 1, 5, 10, 11, 50, 200, 1000, 60_000, 10_000_000] {
            for increment in [0, 10, 100_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(1000)] {
                    let bounds =
                        Bounds::new(&clock(left, increment, moves), Color::White, 10, &Params::default()).unwrap();
                    let limit = Duration::from_millis(left.max(2) as u64);
                    assert!(bounds.hard < limit, "{left}+{increment}/{moves:?}: {bounds:?}");
                    assert!(bounds.soft_for(&UNSTABLE, &Params::default()).unwrap() <= bounds.hard);
                    assert!(
                        bounds.soft_for(&STABLE, &Params::default()).unwrap()
                            <= bounds.soft_for(&UNSTABLE, &Params::default()).unwrap()
                    );
                }
            }
        }
    }

    /// The clock of one side after each move, before the increment, if moves take `lag` milliseconds longer than planned.
    fn played(start: f64, increment: f64, overhead: u64, lag: f64, moves: usize) -> Vec<f64> {
        let mut left = start;
        let play = |number| {
            let limits = clock(left as i64, increment as i64, None);
            let bounds = Bounds::new(&limits, Color::White, overhead, &Params::default()).unwrap();
            let stability = if number % 3 == 0 { UNSTABLE } else { STABLE };
            let after = left - bounds.soft_for(&stability, &Params::default()).unwrap().as_secs_f64() * 1000.0 - lag;
            left = after + increment;
            after
        };
        (0..moves).map(play).collect()
    }

    #[test]
    fn simulated_game_never_flags_and_uses_its_time() {
        for (start, increment) in [(1000.0, 10.0), (60_000.0, 0.0), (10_000.0, 100.0)] {
            let left = played(start, increment, 5, 2.0, 150);
            assert!(left.iter().all(|&left| left > 0.0), "{start}+{increment}: {left:?}");
            let last = left[149] + increment;
            assert!(last < start / 2.0, "{start}+{increment}: {last} left");
        }
    }

    /// Games played on the increment.
    #[test]
    fn reserve_stays_on_the_clock() {
        for (start, increment) in [(200.0, 5.0), (1000.0, 10.0), (2000.0, 20.0)] {
            let left = played(start, increment, 10, 0.0, 200);
            assert!(left.iter().all(|&left| left > 100.0), "{start}+{increment}: {left:?}");
        }
    }

    #[test]
    fn movetime_is_respected_with_and_without_a_clock() {
        let args = Limits { movetime: Some(1000), ..Limits::default() };
        let bounds = Bounds::new(&args, Color::White, 10, &Params::default()).unwrap();
        assert_eq!(bounds, Bounds { soft: None, hard: Duration::from_millis(990) });
        let both = Limits { movetime: Some(5), ..clock(60_000, 0, None) };
        assert!(Bounds::new(&both, Color::White, 0, &Params::default()).unwrap().hard <= Duration::from_millis(5));
        assert_eq!(Bounds::new(&Limits::default(), Color::White, 10, &Params::default()), None);
        let other = Limits { clock: [None, Some(60_000)], ..Limits::default() };
        assert!(Bounds::new(&other, Color::White, 10, &Params::default()).unwrap().hard < Duration::from_secs(30));
    }
}
