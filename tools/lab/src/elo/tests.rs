//! Tests estimates against published values and for consistency.

use super::*;

fn close(found: f64, published: f64, tolerance: f64) -> bool {
    (found - published).abs() <= tolerance
}

/// Elo, its error, normalized Elo, its error and LOS in percent as printed by fastchess, whose error is half the width of the
/// interval converted to Elo, which is the same near even scores.
#[test]
fn estimates_match_fastchess() {
    let examples = [
        // fastchess, app/tests/elo_test.cpp, "EloPentanomial 1" and "2".
        ([34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 28.28, 100.00]),
        ([332, 433, 498, 333, 334], [-8.64, 10.33, -9.17, 10.96, 5.05]),
        // Published by users of fastchess: Thom, Copperfish.
        ([84, 124, 343, 125, 164], [33.40, 14.24, 39.23, 16.61, 100.00]),
        ([12, 6, 25, 8, 9], [-11.59, 56.66, -12.83, 62.16, 34.29]),
    ];
    for (counts, [elo, elo_error, normalized, normalized_error, los]) in examples {
        let all = Pentanomial { counts };
        assert!(close(all.elo().elo, elo, 0.005), "{all:?}: {}", all.elo());
        assert!(close(all.elo().error, elo_error, 0.01 * elo_error), "{all:?}: {}", all.elo());
        assert!(close(all.normalized_elo().elo, normalized, 0.0051), "{all:?}: {}", all.normalized_elo());
        assert!(close(all.normalized_elo().error, normalized_error, 0.0051), "{all:?}: {}", all.normalized_elo());
        assert!(close(100.0 * all.los(), los, 0.0051), "{all:?}: {}", all.los());
    }
    // "EloPentanomial 3" has no LOS.
    let third = Pentanomial { counts: [7895, 8757, 5685, 568, 9999] };
    assert!(close(third.elo().elo, -21.04, 0.005) && close(third.elo().error, 2.95, 0.005));
    assert!(close(third.normalized_elo().elo, -19.01, 0.005) && close(third.normalized_elo().error, 2.65, 0.005));
}

#[test]
fn normalized_llr_matches_published_values() {
    let examples = [
        // fastchess, app/tests/sprt_test.cpp, "normalized pentanomial 1" and "2".
        ([365, 16618, 36229, 16974, 390], (0.0, 2.0), 2.25),
        ([127, 4883, 10712, 5150, 104], (-1.75, 0.25), 3.01),
        // fastchess, pull request 783.
        ([379, 10170, 21828, 10640, 343], (0.0, 2.0), 2.946),
        // RubiChess, pull request 439 (OpenBench).
        ([155, 5201, 11386, 5412, 188], (0.0, 3.0), 2.95),
        // PlentyChess, pull request 334 (OpenBench).
        ([214, 8992, 19871, 9102, 235], (0.0, 2.5), 0.16),
        // chess-3, pull requests 95 and 119 (OpenBench).
        ([36, 66, 169, 116, 103], (0.0, 5.0), 2.94),
        ([30, 73, 195, 136, 84], (0.0, 5.0), 2.95),
    ];
    for (counts, (elo0, elo1), llr) in examples {
        let test = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Normalized).unwrap();
        let found = test.llr(&Pentanomial { counts });
        assert!(close(found, llr, 0.0051), "{counts:?}: {found}");
    }
    // "normalized pentanomial 3" of an older fastchess: with a single category, the count of empty ones matters.
    let found =
        Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).unwrap().llr(&Pentanomial { counts: [0, 0, 0, 0, 5550] });
    assert!(close(found, 111.82, 0.05), "{found}");
}

#[test]
fn logistic_llr_matches_published_values() {
    let examples = [
        // fastchess, app/tests/sprt_test.cpp, "logistic pentanomial 1" and "2".
        ([223, 9863, 21279, 10037, 246], (0.5, 2.5), -3.07),
        ([871, 26175, 55983, 26678, 821], (0.0, 2.0), -4.98),
        // Stockfish, pull requests 2493, 2950 and 3209 (Fishtest used logistic Elo in 2020).
        ([424, 2948, 5832, 3045, 460], (-1.0, 3.0), 2.94),
        ([1284, 17437, 55536, 18085, 1292], (0.0, 2.0), 2.94),
        ([133, 1751, 5094, 1849, 165], (-0.5, 1.5), 2.94),
        ([253, 4282, 17604, 4431, 286], (-0.25, 1.25), 2.94),
    ];
    for (counts, (elo0, elo1), llr) in examples {
        let test = Sprt::new(elo0, elo1, 0.05, 0.05, EloModel::Logistic).unwrap();
        let found = test.llr(&Pentanomial { counts });
        assert!(close(found, llr, 0.0051), "{counts:?}: {found}");
    }
}

#[test]
fn zero_has_no_minus_sign() {
    let shown = |elo: f64| format!("{:.1}", Estimate { elo, error: 3.0 });
    assert_eq!([-0.04, 0.0, -0.06, 0.06].map(shown), ["+0.0 ± 3.0", "+0.0 ± 3.0", "-0.1 ± 3.0", "+0.1 ± 3.0"]);
}

#[test]
fn counts_and_score() {
    let mut all = Pentanomial::default();
    assert_eq!((all.games(), all.score()), (0, 0.5));
    for half_points in [0, 2, 2, 3, 4] {
        all.add(half_points);
    }
    assert_eq!(all.counts, [1, 0, 2, 1, 1]);
    assert_eq!((all.pairs(), all.games()), (5, 10));
    assert!((all.score() - 11.0 / 20.0).abs() < 1e-12);
    assert_eq!(format!("{:.1}", Estimate { elo: 3.12, error: 10.26 }), "+3.1 ± 10.3");
}

#[test]
fn elo_and_score_are_inverse() {
    assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
    for elo in [-300.0, -1.0, 0.0, 0.5, 120.0] {
        assert!((elo_from_score(expected_score(elo)) - elo).abs() < 1e-9, "{elo}");
    }
}

#[test]
fn reversed_counts_negate_elo() {
    for counts in [[0, 0, 0, 0, 7], [0, 3, 0, 0, 0], [9, 0, 30, 11, 2], [1, 2, 3, 4, 5]] {
        let one = Pentanomial { counts };
        let mut other = one;
        other.counts.reverse();
        assert!((one.elo().elo + other.elo().elo).abs() < 1e-6, "{one:?}");
        assert!((one.elo().error - other.elo().error).abs() < 1e-6, "{one:?}");
        assert!((one.normalized_elo().elo + other.normalized_elo().elo).abs() < 1e-6, "{one:?}");
        assert!((one.los() + other.los() - 1.0).abs() < 1e-9, "{one:?}");
    }
}

#[test]
fn degenerate_counts_have_finite_elo() {
    for n in [0, 1, 2, 1000] {
        for category in 0..5 {
            let mut counts = [0; 5];
            counts[category] = n;
            let all = Pentanomial { counts };
            for value in [all.elo().elo, all.elo().error, all.normalized_elo().elo, all.normalized_elo().error] {
                assert!(value.is_finite(), "{all:?}: {value}");
            }
            assert!(all.elo().error > 0.0 && (0.0..=1.0).contains(&all.los()), "{all:?}");
        }
    }
    let [clean, nearly] = [[0, 0, 0, 0, 100], [0, 0, 0, 1, 99]].map(|counts| Pentanomial { counts }.elo());
    assert!(clean.elo > nearly.elo);
    let draws = Pentanomial { counts: [0, 0, 500, 0, 0] };
    assert!(draws.elo().elo.abs() < 1e-9 && draws.elo().error < 2.0 && (draws.los() - 0.5).abs() < 1e-6);
}

#[test]
fn error_halves_with_four_times_the_games() {
    let one = Pentanomial { counts: [10, 40, 80, 50, 12] };
    let four = Pentanomial { counts: one.counts.map(|count| 4 * count) };
    assert!((one.elo().elo - four.elo().elo).abs() < 1e-9);
    assert!((one.elo().error - 2.0 * four.elo().error).abs() < 1e-9);
    assert!((one.normalized_elo().error - 2.0 * four.normalized_elo().error).abs() < 1e-9);
    assert!(four.los() > one.los());
}

#[test]
fn normal_cdf_has_known_values() {
    for (x, probability) in [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-3.0, 0.001_349_898_031_630), (9.0, 1.0)] {
        assert!((normal_cdf(x) - probability).abs() < 1e-13, "{x}: {}", normal_cdf(x));
    }
    assert!((normal_cdf(TWO_SIDED_95) - 0.975).abs() < 1e-13);
}

#[test]
fn normal_cdf_is_monotonic() {
    let values: Vec<f64> = (-100..=100).map(|x| normal_cdf(f64::from(x) / 10.0)).collect();
    assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
    assert!(values[0] < 1e-15 && values[200] == 1.0);
}
