//! The recipes, one constructor each, next to what their sources say.
//!
//! Where a source is silent the comment says what was chosen. A reduced search that fails high is verified at full depth
//! under every recipe, also where a listing forgets it. The TT move is searched first and never reduced.

use super::fact::{Class, Fact, Facts};
use super::rebel::Rebel;
use super::recipe::{Counting, Extends, Gates, History, HistoryRule, Lesson, OwnHistory, Polynomial, Recipe, Unit};
use crate::search::MAX_PLY;
use crate::search::params::Params;

/// Gravity histories with linear, capped bonuses, as the engines of today keep them.
fn linear_rule(params: &Params) -> HistoryRule {
    let Params { bonus_base, bonus_slope, bonus_cap, malus_base, malus_slope, malus_cap, .. } = *params;
    HistoryRule {
        bonus: Polynomial { base: bonus_base, slope: bonus_slope, square: 0, cap: bonus_cap },
        malus: Polynomial { base: malus_base, slope: malus_slope, square: 0, cap: malus_cap },
    }
}

/// From depth 3 and this move on, in any node; not where one of these facts holds.
const fn from_depth_three(first_move: usize, never: &[Fact]) -> Gates {
    Gates { min_depth: 3, first_move, first_move_pv: first_move, never: Facts::of(never) }
}

/// The depth, and its square, without a cap.
const DEPTH: Polynomial = Polynomial { base: 0, slope: 1, square: 0, cap: i32::MAX };
const DEPTH_SQUARED: Polynomial = Polynomial { base: 0, slope: 0, square: 1, cap: i32::MAX };

/// No reductions at all: what they are worth is the difference to this. The other recipes start from it.
pub(super) fn off(params: &Params) -> Recipe {
    Recipe {
        base: |_, _, _, _| 0.0,
        constants: [0.0; 4],
        unit: Unit::Fraction,
        gates: Gates { min_depth: i32::MAX, first_move: usize::MAX, first_move_pv: usize::MAX, never: Facts::NONE },
        counting: Counting::Moves,
        verdicts: Vec::new(),
        weights: Vec::new(),
        history: History::default(),
        correction: 0,
        terms: Vec::new(),
        root_cap: i32::MAX,
        extends: Extends::Never,
        rule: linear_rule(params),
        own: None,
    }
}

/// Lento's own: `ln(depth) · ln(number)` scaled and shifted, with corrections for what is known of the node and the move,
/// all tuned by self-play.
pub(super) fn tuned(params: &Params) -> Recipe {
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
        gates: Gates { min_depth: 2, first_move: 2, first_move_pv: 3, never: Facts::NONE },
        weights: vec![
            (Fact::Pv, params.lmr_pv),
            (Fact::TtPv, params.lmr_tt_pv),
            (Fact::Cut, params.lmr_cut),
            (Fact::Improving, params.lmr_improving),
            (Fact::GivesCheck, params.lmr_check),
            (Fact::Killer, params.lmr_killer),
            (Fact::TtAbove, params.lmr_tt_above),
            (Fact::Raised, params.lmr_raised),
        ],
        history: History { slope: params.lmr_history, steps: Vec::new() },
        correction: params.lmr_correction,
        extends: Extends::InPv,
        ..off(params)
    }
}

/// What the recipes of the Chess Programming Guide, "Late Move Reductions", share: from the third move and depth 3 on, no
/// captures, promotions, checks or killers; then its "adjustments based on context". What a check is worth there (two plies
/// less) never counts, because checks are not reduced at all.
///
/// The guide does not say how its history learns. NodeState a quiet move that fails high gains the square of the depth and those
/// before it lose as much, so that its thresholds of ±1000 are reached.
fn guide(params: &Params) -> Recipe {
    Recipe {
        gates: from_depth_three(3, &[Fact::Noisy, Fact::GivesCheck, Fact::Killer]),
        weights: vec![(Fact::Pv, -super::PLY), (Fact::Improving, -super::PLY), (Fact::GivesCheck, -2 * super::PLY)],
        history: History { slope: 0, steps: vec![(1001, -super::PLY), (-1001, super::PLY)] },
        own: Some(OwnHistory {
            lesson: Lesson::QuietCut,
            gain: DEPTH_SQUARED,
            loss: DEPTH_SQUARED,
            highest_ply: MAX_PLY,
            limit: 10_000,
            orders: false,
        }),
        ..off(params)
    }
}

/// The guide's "simple fixed reduction": one ply.
pub(super) fn guide_fixed(params: &Params) -> Recipe {
    Recipe { base: |_, _, _, _| 1.0, ..guide(params) }
}

/// The guide's "adaptive reduction": two plies from depth 6 and the sixth move on, else one.
pub(super) fn guide_adaptive(params: &Params) -> Recipe {
    Recipe { base: |_, _, depth, number| if depth >= 6 && number >= 6 { 2.0 } else { 1.0 }, ..guide(params) }
}

/// The guide's "logarithmic formula (tournament strength)": `ln(depth) · ln(number)` by a divisor, in whole plies, at least
/// one and at most what leaves two plies. Its divisors are 2 (`guide-log`), 3 (conservative) and 1.5 (aggressive).
pub(super) fn guide_logarithmic(params: &Params, divisor: f64) -> Recipe {
    Recipe {
        base: |constants, _, depth, number| {
            guide_range(f64::from(depth).ln() * (number as f64).ln() / constants[0], depth)
        },
        constants: [divisor, 0.0, 0.0, 0.0],
        ..guide(params)
    }
}

/// The guide's custom sum: `0.5 · ln(depth) + 0.4 · ln(number)`.
pub(super) fn guide_custom(params: &Params) -> Recipe {
    Recipe {
        base: |_, _, depth, number| guide_range(f64::from(depth).ln() * 0.5 + (number as f64).ln() * 0.4, depth),
        ..guide(params)
    }
}

/// The guide's `max 1 (min base (depth - 2))`, in whole plies.
fn guide_range(base: f64, depth: i32) -> f64 {
    base.trunc().min(f64::from(depth - 2)).max(1.0)
}

/// Jonatan Pettersson, "Late move reduction" (Mediocre v0.3): from the fourth move and depth 3 on one ply, but no captures,
/// and nothing in check.
pub(super) fn mediocre(params: &Params) -> Recipe {
    Recipe { base: |_, _, _, _| 1.0, gates: from_depth_three(4, &[Fact::Capture, Fact::InCheck]), ..off(params) }
}

/// Erik Madsen, "MadChess 3.0 Beta", history heuristics: when a quiet move fails high it gains, and the quiet moves searched
/// before it lose; values may be negative; quiet moves are ordered by it.
///
/// The document gives neither amounts nor the reduction. NodeState the gain is the square of the depth and the loss the depth; quiet
/// moves are reduced by one ply from the third of a node on, two from the seventh, three from the thirteenth, not in check
/// and not when they give check.
pub(super) fn madchess(params: &Params) -> Recipe {
    Recipe {
        base: |_, _, _, number| match number {
            0..=2 => 0.0,
            3..=6 => 1.0,
            7..=12 => 2.0,
            _ => 3.0,
        },
        gates: from_depth_three(3, &[Fact::Noisy, Fact::InCheck, Fact::GivesCheck]),
        counting: Counting::Quiets,
        own: Some(OwnHistory {
            lesson: Lesson::QuietCut,
            gain: DEPTH_SQUARED,
            loss: DEPTH,
            highest_ply: MAX_PLY,
            limit: 16_384,
            orders: true,
        }),
        ..off(params)
    }
}

/// The history of both Rebel listings, `H[piece][square]`: at ply 8 and above a quiet move that is better gains the square of
/// the depth, another loses the depth; halved at ±2000. Promotions are left out of it as captures are.
const REBEL_HISTORY: OwnHistory =
    OwnHistory { lesson: Lesson::Every, gain: DEPTH_SQUARED, loss: DEPTH, highest_ply: 8, limit: 2000, orders: false };

/// Ed Schröder (Rebel), "LMR advanced", the first listing: from depth 3 and the fourth move on one ply, at the root no more
/// than that; two where history is below -500, three below -1500. No captures, queen promotions, checks, evasions, nor pawns
/// that reach their sixth rank.
pub(super) fn rebel_simple(params: &Params) -> Recipe {
    let never = [Fact::Capture, Fact::QueenPromotion, Fact::InCheck, Fact::GivesCheck, Fact::FarPawn];
    Recipe {
        base: |_, _, _, _| 1.0,
        gates: from_depth_three(4, &never),
        history: History { slope: 0, steps: vec![(-501, super::PLY), (-1501, super::PLY)] },
        root_cap: 1,
        own: Some(REBEL_HISTORY),
        ..off(params)
    }
}

/// Ed Schröder (Rebel), "LMR advanced", the second listing. Its starred lines are [`Rebel`]'s.
///
/// The document links its table of reductions by depth and number (to 63) and does not print it: `ln(depth) · ln(number)` in
/// whole plies stands in, of which the usual 50 % make the guide's logarithmic formula.
pub(super) fn rebel(params: &Params, lines: &Rebel) -> Recipe {
    let never =
        [Fact::InCheck, Fact::QueenPromotion, Fact::FarPawn, Fact::GoodCapture, Fact::GoodCheck, Fact::RootBest];
    let start = Recipe {
        base: |_, _, depth, number| (f64::from(depth).ln() * (number as f64).ln()).trunc(),
        gates: from_depth_three(2, &never),
        own: Some(REBEL_HISTORY),
        ..off(params)
    };
    lines.added_to(start)
}
