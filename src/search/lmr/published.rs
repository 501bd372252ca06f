//! The recipes, one constructor each.

use super::{Class, Fact, Facts, History, HistoryRule, Polynomial, Recipe};
use crate::search::params::Params;

/// Gravity histories with linear, capped bonuses, as the engines of today keep them.
fn linear_rule(params: &Params) -> HistoryRule {
    let Params { bonus_base, bonus_slope, bonus_cap, malus_base, malus_slope, malus_cap, .. } = *params;
    HistoryRule {
        bonus: Polynomial { base: bonus_base, slope: bonus_slope, square: 0, cap: bonus_cap },
        malus: Polynomial { base: malus_base, slope: malus_slope, square: 0, cap: malus_cap },
        highest_ply: crate::search::MAX_PLY,
    }
}

/// The logarithmic recipe: `ln(depth) · ln(number)` scaled and shifted, with corrections for what is known of the node and
/// the move. The product of logarithms is the "tournament strength" formula of the Chess Programming Guide,
/// "Late Move Reductions"; history, PV, improving, check and killer terms are its context adjustments in
/// fractions of a ply.
pub(super) fn logarithmic(params: &Params) -> Recipe {
    let unit = |number: i32| f64::from(number) / 1024.0;
    Recipe {
        base: |constants, class, depth, number| {
            let product = f64::from(depth).ln() * (number as f64).ln();
            match class {
                Class::Quiet => constants[0] + product / constants[1],
                Class::Noisy => constants[2] + product / constants[3],
            }
        },
        constants: [
            unit(params.lmr_quiet_base),
            unit(params.lmr_quiet_divisor),
            unit(params.lmr_noisy_base),
            unit(params.lmr_noisy_divisor),
        ],
        min_depth: 2,
        first_move: 2,
        never: Facts::NONE,
        weights: vec![
            (Fact::Pv, params.lmr_pv),
            (Fact::TtPv, params.lmr_tt_pv),
            (Fact::Cut, params.lmr_cut),
            (Fact::Improving, params.lmr_improving),
            (Fact::GivesCheck, params.lmr_check),
            (Fact::Killer, params.lmr_killer),
            (Fact::LbrReply, params.lmr_reply),
            (Fact::TtCapture, params.lmr_tt_capture),
            (Fact::FailHighs, params.lmr_fail_highs),
        ],
        history: History { slope: params.lmr_history, steps: Vec::new() },
        rule: linear_rule(params),
    }
}

/// No reductions at all: what they are worth is the difference to this.
pub(super) fn off(params: &Params) -> Recipe {
    Recipe {
        base: |_, _, _, _| 0.0,
        constants: [0.0; 4],
        min_depth: i32::MAX,
        first_move: usize::MAX - 1,
        never: Facts::NONE,
        weights: Vec::new(),
        history: History::default(),
        rule: linear_rule(params),
    }
}
