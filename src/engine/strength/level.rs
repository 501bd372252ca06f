//! Parameters of limited strength by Elo.

use crate::score::Score;

/// Minimum and maximum Elo.
pub const ELO: (u64, u64) = (800, 2800);
/// The default Elo.
pub(super) const DEFAULT_ELO: u64 = 1500;

/// Calibration of Elo against weakness; 0 is the strongest limited player.
const SCALE: [(f64, f64); 11] = [
    (800.0, 1.389),
    (1000.0, 1.19),
    (1200.0, 0.993),
    (1400.0, 0.818),
    (1600.0, 0.711),
    (1800.0, 0.626),
    (2000.0, 0.526),
    (2200.0, 0.42),
    (2400.0, 0.31),
    (2600.0, 0.159),
    (2800.0, 0.03),
];

/// Parameters of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Soft node limit.
    pub nodes: u64,
    /// Number of candidate moves.
    pub candidates: usize,
    /// Temperature of the softmax over scores, in centipawns.
    pub temperature: f64,
    /// Maximum loss of a played move compared to the best one, in centipawns.
    pub cap: Score,
    /// Standard deviation of the evaluation error, in centipawns.
    pub noise: f64,
    /// Probability of overlooking a quiet move far from the root.
    pub overlooked: f64,
    /// Probability of overlooking a capture or promotion.
    pub overlooked_noisy: f64,
}

impl Level {
    /// The player of an Elo, clamped to [`ELO`].
    pub(super) fn of(elo: u64) -> Self {
        let weakness = weakness(elo as f64);
        let between = |strong: f64, weak: f64| strong * (weak / strong).powf(weakness);
        Self {
            nodes: between(60_000.0, 60.0) as u64,
            candidates: 1 + (4.0 * weakness.sqrt()).round() as usize,
            temperature: 30.0 * weakness.powf(1.5) + 1e-3,
            cap: (30.0 + 170.0 * weakness) as Score,
            noise: 70.0 * weakness.powf(1.5),
            overlooked: 0.5 * weakness.powf(1.3),
            overlooked_noisy: 0.2 * weakness.powi(4),
        }
    }
}

/// Interpolates the calibration linearly.
fn weakness(elo: f64) -> f64 {
    let above = SCALE.partition_point(|&(known, _)| known < elo).clamp(1, SCALE.len() - 1);
    let [(low, weak), (high, strong)] = [SCALE[above - 1], SCALE[above]];
    weak + (strong - weak) * ((elo - low) / (high - low)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_monotonic() {
        assert!(SCALE.is_sorted_by(|one, other| one.0 < other.0 && one.1 > other.1));
        assert_eq!([SCALE[0].0 as u64, SCALE[SCALE.len() - 1].0 as u64], [ELO.0, ELO.1]);
        assert_eq!((Level::of(0), Level::of(9999)), (Level::of(ELO.0), Level::of(ELO.1)));
        let levels: Vec<Level> = (ELO.0..=ELO.1).step_by(10).map(Level::of).collect();
        for pair in levels.windows(2) {
            let [weak, strong] = [&pair[0], &pair[1]];
            assert!(strong.nodes > weak.nodes || weak.nodes < 100, "{weak:?} {strong:?}");
            assert!(strong.noise < weak.noise && strong.temperature < weak.temperature && strong.cap <= weak.cap);
            assert!(strong.overlooked < weak.overlooked && strong.overlooked_noisy < weak.overlooked_noisy);
            assert!(strong.candidates <= weak.candidates);
        }
    }
}
