//! The recipes, with the wording of their sources.
//!
//! Comments state the choices made where a source is silent. Every recipe verifies reduced fail highs at full depth, even if a listing
//! omits it. The TT move is searched first and never reduced.

use super::PLY;
use super::recipe::{Fact, Facts, Gates, HistoryRule, Recipe};
use crate::search::MAX_PLY;
use crate::search::params::Params;

pub(super) fn logarithms(depth: i32, number: usize) -> f64 {
    f64::from(depth).ln() * (number as f64).ln()
}

/// Gates that allow reductions from depth 3 and a move number, in all nodes.
pub(super) const fn from_depth_three(first_move: usize, never: &[Fact]) -> Gates {
    Gates { min_depth: 3, first_move: [first_move; 2], never: Facts::of(never) }
}

/// No reductions. The base of the other recipes.
pub(super) fn off() -> Recipe {
    Recipe {
        base: Box::new(|_, _, _| 0.0),
        percent_of_tenths: None,
        gates: Gates { min_depth: i32::MAX, first_move: [usize::MAX; 2], never: Facts::NONE },
        counts_quiets: false,
        fixed: Vec::new(),
        weights: Vec::new(),
        history_slope: 0,
        history_steps: Vec::new(),
        correction: 0,
        terms: Vec::new(),
        root_cap: i32::MAX,
        extension: [0, 0],
        history_rule: None,
    }
}

/// Lento's own: `ln(depth) · ln(number)` scaled and shifted, with changes by node and move, tuned by self-play.
pub(super) fn tuned(params: &Params) -> Recipe {
    let units = |base: i32, divisor: i32| [base, divisor].map(|number| f64::from(number) / 1024.0);
    let quiets = units(params.lmr_quiet_base, params.lmr_quiet_divisor);
    let noisy = units(params.lmr_noisy_base, params.lmr_noisy_divisor);
    Recipe {
        base: Box::new(move |quiet, depth, number| {
            let [base, divisor] = if quiet { quiets } else { noisy };
            base + logarithms(depth, number) / divisor
        }),
        gates: Gates { min_depth: 2, first_move: [2, 3], never: Facts::NONE },
        weights: vec![
            (Fact::Pv, params.lmr_pv),
            (Fact::TtPv, params.lmr_tt_pv),
            (Fact::Cut, params.lmr_cut),
            (Fact::Improving, params.lmr_improving),
            (Fact::GivesCheck, params.lmr_check),
            (Fact::Killer, params.lmr_killer),
            (Fact::TtAbove, params.lmr_tt_above),
            (Fact::Raised, params.lmr_raised),
            (Fact::TtNoisy, params.lmr_tt_noisy),
            (Fact::Cuts, params.lmr_cuts),
            (Fact::Extended, params.lmr_extended),
            (Fact::NewCut, params.lmr_new_cut),
            (Fact::Root, params.lmr_root),
        ],
        history_slope: params.lmr_history,
        correction: params.lmr_correction,
        extension: [0, 1],
        ..off()
    }
}

/// The common part of the recipes of the Chess Programming Guide, "Late Move Reductions": from the third move and depth 3
/// on, no captures, promotions, checks or killers; then its "adjustments based on context". The adjustment for checks (two
/// plies less) never applies, since checks are not reduced.
///
/// The guide does not define its history. Here a quiet move that fails high gains the square of the depth and those before
/// it lose as much, so that its thresholds of ±1000 are reached.
pub(super) fn guide(base: impl Fn(i32, usize) -> f64 + Send + Sync + 'static) -> Recipe {
    Recipe {
        base: Box::new(move |_, depth, number| base(depth, number)),
        gates: from_depth_three(3, &[Fact::Noisy, Fact::GivesCheck, Fact::Killer]),
        weights: vec![(Fact::Pv, -PLY), (Fact::Improving, -PLY), (Fact::GivesCheck, -2 * PLY)],
        history_steps: vec![(1001, -PLY), (-1001, PLY)],
        history_rule: Some(HistoryRule {
            quiet_cuts_only: true,
            loss: |depth| depth * depth,
            max_ply: MAX_PLY,
            limit: 10_000,
            orders: false,
        }),
        ..off()
    }
}

/// The guide's `max 1 (min base (depth - 2))`, in whole plies.
pub(super) fn guide_range(base: f64, depth: i32) -> f64 {
    base.trunc().min(f64::from(depth - 2)).max(1.0)
}

/// Jonatan Pettersson, "Late move reduction" (Mediocre v0.3): one ply from the fourth move and depth 3 on; no captures,
/// nothing in check.
pub(super) fn mediocre() -> Recipe {
    Recipe { base: Box::new(|_, _, _| 1.0), gates: from_depth_three(4, &[Fact::Capture, Fact::InCheck]), ..off() }
}

/// Erik Madsen, "MadChess 3.0 Beta", history heuristics: a quiet move that fails high gains, and the quiet moves searched
/// before it lose; values may be negative; quiet moves are ordered by it.
///
/// The document gives neither amounts nor the reduction. Here the gain is the square of the depth and the loss the depth;
/// quiet moves are reduced by one ply from the third quiet move on, two from the seventh, three from the thirteenth, not in
/// check and not if they give check.
pub(super) fn madchess() -> Recipe {
    Recipe {
        base: Box::new(|_, _, number| match number {
            0..=2 => 0.0,
            3..=6 => 1.0,
            7..=12 => 2.0,
            _ => 3.0,
        }),
        gates: from_depth_three(3, &[Fact::Noisy, Fact::InCheck, Fact::GivesCheck]),
        counts_quiets: true,
        history_rule: Some(HistoryRule {
            quiet_cuts_only: true,
            loss: |depth| depth,
            max_ply: MAX_PLY,
            limit: 16_384,
            orders: true,
        }),
        ..off()
    }
}

/// The history of both Rebel listings, `H[piece][square]`: up to ply 8, a quiet move that raises alpha gains the square of
/// the depth and the others lose the depth; halved at ±2000. Promotions are excluded as captures are.
pub(super) const REBEL_HISTORY: HistoryRule =
    HistoryRule { quiet_cuts_only: false, loss: |depth| depth, max_ply: 8, limit: 2000, orders: false };

/// Ed Schröder (Rebel), "LMR advanced", first listing: one ply from depth 3 and the fourth move on, two for history below
/// -500, three below -1500; at most one at the root. No captures, queen promotions, checks, evasions, nor pawn moves to the
/// sixth rank or beyond.
pub(super) fn rebel_simple() -> Recipe {
    let never = [Fact::Capture, Fact::QueenPromotion, Fact::InCheck, Fact::GivesCheck, Fact::FarPawn];
    Recipe {
        base: Box::new(|_, _, _| 1.0),
        gates: from_depth_three(4, &never),
        history_steps: vec![(-501, PLY), (-1501, PLY)],
        root_cap: 1,
        history_rule: Some(REBEL_HISTORY),
        ..off()
    }
}
