//! The numbers of the search: one declaration each, with the range in which tuning may move them.

use crate::eval::Scaling;
use thiserror::Error;

/// A number that tuning may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Its name.
    pub name: &'static str,
    /// The smallest value allowed.
    pub min: i32,
    /// The largest value allowed.
    pub max: i32,
    /// The value in play.
    pub default: i32,
    /// The value that switches off what it belongs to, if it does not lie in the range anyway. Tuning never uses it.
    pub off: Option<i32>,
}

impl Tunable {
    /// Whether it may have this value.
    pub fn allows(&self, value: i32) -> bool {
        (self.min..=self.max).contains(&value) || self.off == Some(value)
    }
}

/// A parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParamError {
    /// There is no such parameter.
    #[error("no parameter is called '{0}'")]
    Unknown(String),
    /// The value lies outside the parameter's range.
    #[error("{value} for {name}, expected {min} to {max}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// The value refused.
        value: i32,
        /// The smallest value allowed.
        min: i32,
        /// The largest value allowed.
        max: i32,
    },
}

/// Declares each parameter once: documentation, name, range and default become a field, an entry of the list, and a
/// compile-time check that the default lies in the range.
macro_rules! tunables {
    ($($(#[$doc:meta])+ $name:ident: $min:literal..=$max:literal = $default:literal $(, off $off:literal)?;)+) => {
        /// The numbers of the search. Margins are in centipawns, depths in plies, reductions in 1/1024 ply. What each
        /// idea is worth is told in `docs/results/ablation.md`.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params { $($(#[$doc])+ pub $name: i32,)+ }

        /// All parameters, in the order of their declaration.
        pub const TUNABLES: &[Tunable] = &[
            $(Tunable {
                name: stringify!($name),
                min: $min,
                max: $max,
                default: $default,
                off: [$(Some($off),)? None][0],
            },)+
        ];

        const _: () = { $(assert!($min <= $default && $default <= $max);)+ };

        impl Default for Params {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Params {
            /// The value of a parameter.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)+
                    _ => None,
                }
            }

            fn put(&mut self, name: &str, value: i32) {
                match name {
                    $(stringify!($name) => self.$name = value,)+
                    _ => {}
                }
            }
        }
    };
}

impl Params {
    /// The scale of the network's value.
    pub fn scaling(&self) -> Scaling {
        Scaling(self.net_base)
    }

    /// History bonus of the best move at a depth in plies.
    #[inline(always)]
    pub fn history_bonus(&self, depth: i32) -> i32 {
        (self.bonus_base + depth * self.bonus_slope).clamp(0, self.bonus_cap)
    }

    /// History malus of the moves searched before it.
    #[inline(always)]
    pub fn history_malus(&self, depth: i32) -> i32 {
        (self.malus_base + depth * self.malus_slope).clamp(0, self.malus_cap)
    }

    /// Changes a parameter.
    ///
    /// # Errors
    /// There is no such parameter, or the value lies outside its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let known = TUNABLES.iter().find(|tunable| tunable.name == name);
        let known = known.ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        let Tunable { name, min, max, .. } = *known;
        if !known.allows(value) {
            return Err(ParamError::Range { name, value, min, max });
        }
        self.put(name, value);
        Ok(())
    }
}

tunables! {
    /// Time for a move: share of the clock, in 1/1000.
    time_share: 10..=80 = 34;
    /// Time for a move: share of the increment, in percent.
    time_increment: 0..=200 = 100;
    /// Soft bound, in percent of the time for a move. How settled the search is scales it.
    time_soft: 30..=200 = 135;
    /// Hard bound, in percent of the time for a move.
    time_hard: 200..=900 = 500;
    /// Soft bound while the best move changes, in percent.
    time_changing: 50..=300 = 135;
    /// Less of it for each iteration that kept the best move, up to nine, in percent.
    time_stable: 0..=15 = 7;
    /// Soft bound when the best move has none of the nodes, in percent.
    time_nodes_base: 100..=300 = 155;
    /// Less of it when it has all of them, in percent.
    time_nodes_slope: 0..=200 = 110;
    /// Soft bound for each centipawn that the score has fallen, in 1/1000.
    time_falling: 0..=30 = 9;

    /// Half width of the first aspiration window.
    aspiration_delta: 5..=60 = 11;
    /// From this depth on iterations start with an aspiration window.
    aspiration_depth: 2..=8 = 4, off 255;

    /// Reverse futility: deepest node.
    rfp_depth: 4..=12 = 9, off 0;
    /// Reverse futility: margin per ply.
    rfp_margin: 30..=150 = 56;
    /// Reverse futility: margin less when the opponent's last move has made things worse for them.
    rfp_worsening: 0..=100 = 32;
    /// Reverse futility: margin more where a fail low is expected.
    rfp_all: 0..=150 = 8;
    /// Null move: shallowest node.
    null_min_depth: 1..=6 = 3, off 255;
    /// Null move: reduction in plies, before what depth and score add.
    null_base: 2..=6 = 5;
    /// Null move: plies of depth for each further ply of reduction.
    null_depth_divisor: 2..=8 = 4;
    /// Null move: evaluation above beta for each further ply of reduction.
    null_eval_divisor: 80..=400 = 171;
    /// Null move: most plies that the evaluation adds to the reduction.
    null_eval_cap: 0..=8 = 3;
    /// Null move: how far below beta the static evaluation may lie at depth 0, as a margin above it.
    null_static_base: 0..=300 = 157;
    /// Null move: how much further below beta it may lie per ply of depth.
    null_static_slope: 0..=60 = 23;
    /// Null move: from this depth on a fail high is verified by a search without null moves.
    null_verify_depth: 8..=20 = 13, off 255;
    /// Null move: with at most this many pieces besides king and pawns, too.
    null_verify_pieces: 0..=2 = 1;
    /// ProbCut: shallowest node.
    probcut_depth: 3..=8 = 5, off 255;
    /// ProbCut: margin above beta.
    probcut_margin: 80..=400 = 181;
    /// ProbCut: margin less when improving.
    probcut_improving: 0..=120 = 46;
    /// Internal iterative reduction: shallowest node.
    iir_depth: 2..=8 = 3, off 255;
    /// Internal iterative reduction: how much less deep the table's entry may be.
    iir_lag: 1..=12 = 4, off 255;

    /// Whether the score of a node that fails high is drawn towards beta, the more so the shallower the node.
    soften_fail_highs: 0..=1 = 1;

    /// Whether a node whose evaluation is not below beta counts as improving when it comes to its moves.
    improving_above_beta: 0..=1 = 1;

    /// Late-move pruning: moves searched at depth 0.
    lmp_base: 1..=16 = 8, off 255;
    /// Futility of a move: deepest reduced depth.
    futility_depth: 4..=12 = 8, off -1;
    /// Futility of a move: margin.
    futility_base: 20..=250 = 85;
    /// Futility of a move: margin per ply of reduced depth.
    futility_margin: 40..=200 = 86;
    /// SEE pruning: deepest reduced depth for quiet moves.
    see_quiet_depth: 4..=12 = 8, off -1;
    /// SEE pruning: material a quiet move may lose per squared ply of reduced depth.
    see_quiet: 5..=60 = 23;
    /// SEE pruning: deepest node for captures.
    see_noisy_depth: 4..=12 = 8, off 0;
    /// SEE pruning: material a capture may lose per ply.
    see_noisy: 30..=200 = 123;
    /// History pruning: deepest reduced depth.
    history_depth: 2..=8 = 5, off -1;
    /// History pruning: history allowed below zero per ply.
    history_margin: 1000..=8000 = 4459;

    /// Singular extension: shallowest node.
    singular_depth: 4..=10 = 7, off 255;
    /// Singular extension: margin below the table's score per ply of depth, in 1/64 centipawns.
    singular_margin: 16..=200 = 46;
    /// Singular extension: how far below the margin all others must stay for a double extension.
    singular_double: 2..=60 = 12, off 30000;
    /// Singular extension: how far below it for a triple extension of a quiet move.
    singular_triple: 10..=300 = 90, off 30000;
    /// Singular extension: whether a node is cut when another move than the TT move beats beta, too.
    singular_multicut: 0..=1 = 1;
    /// Singular extension: plies less for a TT move that is good but not alone, in a node that is not on the PV.
    singular_negative: 0..=3 = 3;

    /// Hindsight: a move reduced by so many plies is searched one deeper if the opponent has not made things worse for themselves.
    hindsight_deeper: 1..=8 = 3, off 255;

    /// Reduction: logarithmic base for quiet moves, constant part in 1/1024 ply.
    lmr_quiet_base: 0..=2048 = 1275;
    /// Reduction: logarithmic base for quiet moves, divisor in 1/1024.
    lmr_quiet_divisor: 1200..=4096 = 2197;
    /// Reduction: logarithmic base for captures and promotions, constant part in 1/1024 ply.
    lmr_noisy_base: -1024..=2048 = 142;
    /// Reduction: logarithmic base for captures and promotions, divisor in 1/1024.
    lmr_noisy_divisor: 1200..=6144 = 3200;
    /// Reduction: change in a PV node.
    lmr_pv: -3072..=1024 = -573;
    /// Reduction: change where the table remembers the node from a PV.
    lmr_tt_pv: -3072..=1024 = -192;
    /// Reduction: change in an expected cut node.
    lmr_cut: 0..=4096 = 1749;
    /// Reduction: change when the evaluation is improving.
    lmr_improving: -2048..=1024 = -292;
    /// Reduction: change when the move gives check.
    lmr_check: -3072..=1024 = -942;
    /// Reduction: change for the killer move.
    lmr_killer: -3072..=1024 = -896;
    /// Reduction: change where a node remembered from a PV had a score above alpha.
    lmr_tt_above: -3072..=1024 = -800;
    /// Reduction: change once a move has raised alpha.
    lmr_raised: -1024..=3072 = 600;
    /// Reduction: change per centipawn by which the evaluation was corrected.
    lmr_correction: -40..=0 = -8;
    /// Reduction: change per 1024 points of history.
    lmr_history: -400..=0 = -143;
    /// How much better than the best score a reduced search must be for a deeper verification.
    deeper_margin: 10..=150 = 47, off 30000;

    /// History bonus per ply of depth.
    bonus_slope: 50..=400 = 175;
    /// History bonus at depth 0.
    bonus_base: -400..=200 = -80;
    /// Largest history bonus.
    bonus_cap: 600..=4000 = 1750;
    /// History malus per ply of depth.
    malus_slope: 50..=600 = 230;
    /// History malus at depth 0.
    malus_base: -400..=200 = -110;
    /// Largest history malus.
    malus_cap: 400..=4000 = 1350;
    /// What histories learn from an exact score of what they learn from a fail high, in 1/64.
    learn_exact: 0..=64 = 20;
    /// Butterfly history per centipawn that a quiet move adds to the evaluation.
    gain_slope: 0..=16 = 4;
    /// The most that it gets for that.
    gain_bonus_cap: 100..=2000 = 600;
    /// The most that it loses for that.
    gain_malus_cap: 100..=2000 = 550;
    /// Weight of butterfly history, in 1/64.
    history_butterfly: 0..=160 = 64;
    /// Weight of continuation history one ply back, in 1/64.
    history_one: 0..=160 = 64;
    /// Weight of continuation history two plies back, in 1/64.
    history_two: 0..=160 = 64;
    /// Weight of continuation history four plies back, in 1/64.
    history_four: 0..=160 = 32;
    /// Weight of continuation history six plies back, in 1/64.
    history_six: 0..=160 = 32;
    /// Weight of capture history, in 1/64.
    history_noisy: 0..=160 = 68;
    /// Ordering bonus of the killer move.
    order_killer: 0..=60000 = 10000;
    /// Ordering bonus of the last best reply.
    order_reply: 0..=60000 = 8000;
    /// Ordering bonus of a quiet check that loses no piece.
    order_check: 0..=60000 = 8000;
    /// Ordering: how much of its history a capture may lose in exchanges and still be tried early, in 1/1024.
    order_noisy: 0..=64 = 8;
    /// Weight of the pawn structure's correction, in 1/1024 centipawns per point.
    correct_pawns: 0..=256 = 42;
    /// Weight of each color's pieces' correction, in 1/1024 centipawns per point.
    correct_pieces: 0..=256 = 58;
    /// Weight of the last two moves' correction, in 1/1024 centipawns per point.
    correct_moves: 0..=256 = 108;

    /// Factor of the network's value, in 1/1024.
    net_base: 512..=1536 = 1042;

    /// Whether the threads vote on the move, or the main thread alone decides.
    vote: 0..=1 = 1;

    /// Quiescence: captures after so many count only if they take back, check or promote.
    quiesce_moves: 1..=8 = 2, off 255;
    /// Quiescence: margin above the evaluation that a capture must be able to bridge.
    quiesce_margin: 20..=300 = 127, off 30000;
    /// Quiescence in check: whether quiet evasions are skipped once a move does not lose to a mate.
    quiesce_evasions: 0..=1 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_checks_name_and_range() {
        let mut params = Params::default();
        assert_eq!(params.set("rfp_margin", 100), Ok(()));
        assert_eq!((params.rfp_margin, params.get("rfp_margin")), (100, Some(100)));
        assert_eq!(params.set("nonsense", 1).unwrap_err().to_string(), "no parameter is called 'nonsense'");
        assert_eq!(params.set("rfp_margin", 9).unwrap_err().to_string(), "9 for rfp_margin, expected 30 to 150");
        assert_eq!(params.rfp_margin, 100);
    }

    #[test]
    fn what_can_be_switched_off_takes_the_value_for_it() {
        let mut params = Params::default();
        assert_eq!(params.set("iir_depth", 255), Ok(()));
        assert_eq!(params.iir_depth, 255);
        assert!(params.set("iir_depth", 254).is_err());
    }

    #[test]
    fn every_tunable_can_be_read_and_written() {
        for tunable in TUNABLES {
            let mut params = Params::default();
            assert_eq!(params.get(tunable.name), Some(tunable.default));
            params.set(tunable.name, tunable.max).unwrap();
            assert_eq!(params.get(tunable.name), Some(tunable.max), "{}", tunable.name);
        }
    }
}
