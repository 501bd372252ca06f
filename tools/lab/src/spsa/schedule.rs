//! How far SPSA looks and steps in each iteration.

/// The gain sequences of Spall (1992), told by where they end, as chess engines tune: with `N` iterations and
/// `A = a_ratio · N`, iteration `k` looks `c_k = c_end · (N / k)^gamma` to both sides and steps by
/// `a_k / c_k`, where `a_k = r_end · c_end² · ((A + N) / (A + k))^alpha`, for each game won net.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSchedule {
    /// `N`: the iterations over which the gains fall; after them they stay as they are.
    pub horizon: u64,
    /// The learning rate at the end: `a_N / c_N²`.
    pub r_end: f64,
    /// How fast the steps shrink; 0.602 is Spall's practical choice.
    pub alpha: f64,
    /// How fast the distance shrinks; 0.101 is Spall's practical choice.
    pub gamma: f64,
    /// `A / N`: damps the first steps.
    pub a_ratio: f64,
}

/// The gains of one parameter in one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// How far to look to both sides, in units of the parameter.
    pub distance: f64,
    /// How far to step for each game won net, in units of the parameter.
    pub step: f64,
}

impl GainSchedule {
    /// The gains in an iteration, counted from 0, of a parameter whose distance is to end at `c_end`.
    pub fn gains(&self, iteration: u64, c_end: f64) -> Gains {
        let end = self.horizon.max(1);
        let (k, n) = ((iteration + 1).min(end) as f64, end as f64);
        let damping = self.a_ratio * n;
        let distance = c_end * (n / k).powf(self.gamma);
        let a = self.r_end * c_end * c_end * ((damping + n) / (damping + k)).powf(self.alpha);
        Gains { distance, step: a / distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: GainSchedule = GainSchedule { horizon: 1000, r_end: 0.002, alpha: 0.602, gamma: 0.101, a_ratio: 0.1 };

    #[test]
    fn gains_end_where_they_are_told_to() {
        let end = USUAL.gains(999, 8.0);
        assert!((end.distance - 8.0).abs() < 1e-12);
        assert!((end.step - 0.002 * 8.0).abs() < 1e-12);
        assert_eq!(USUAL.gains(5000, 8.0), end, "held after the horizon");
    }

    #[test]
    fn gains_start_as_computed_by_hand() {
        let start = USUAL.gains(0, 8.0);
        // 1000^0.101 = 2.00909; (1100 / 101)^0.602 = 4.21034.
        assert!((start.distance - 8.0 * 2.009_09).abs() < 1e-4, "{start:?}");
        assert!((start.step - 0.002 * 64.0 * 4.210_34 / (8.0 * 2.009_09)).abs() < 1e-6, "{start:?}");
    }

    #[test]
    fn distances_and_rates_fall() {
        for k in 1..1000 {
            let [before, after] = [k - 1, k].map(|k| USUAL.gains(k, 3.0));
            assert!(after.distance < before.distance, "iteration {k}");
            assert!(after.step * after.distance < before.step * before.distance, "iteration {k}");
        }
    }
}
