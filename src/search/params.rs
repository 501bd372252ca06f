//! The numbers of the search: one declaration each, with the range in which tuning may move them.

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
    ($($(#[$doc:meta])+ $name:ident: $min:literal..=$max:literal = $default:literal;)+) => {
        /// The numbers of the search. Margins are in centipawns, depths in plies, reductions in 1/1024 ply.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params { $($(#[$doc])+ pub $name: i32,)+ }

        /// All parameters, in the order of their declaration.
        pub const TUNABLES: &[Tunable] = &[
            $(Tunable { name: stringify!($name), min: $min, max: $max, default: $default },)+
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
    /// Changes a parameter.
    ///
    /// # Errors
    /// There is no such parameter, or the value lies outside its range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let known = TUNABLES.iter().find(|tunable| tunable.name == name);
        let &Tunable { name, min, max, .. } = known.ok_or_else(|| ParamError::Unknown(name.to_owned()))?;
        if !(min..=max).contains(&value) {
            return Err(ParamError::Range { name, value, min, max });
        }
        self.put(name, value);
        Ok(())
    }
}

tunables! {
    /// Half width of the first aspiration window.
    aspiration_delta: 5..=60 = 14;
    /// From this depth on iterations start with an aspiration window.
    aspiration_depth: 2..=8 = 4;

    /// Reverse futility: deepest node.
    rfp_depth: 4..=12 = 9;
    /// Reverse futility: margin per ply.
    rfp_margin: 30..=150 = 76;
    /// Razoring: deepest node.
    razor_depth: 1..=6 = 4;
    /// Razoring: margin.
    razor_base: 50..=500 = 200;
    /// Razoring: margin per ply.
    razor_margin: 80..=400 = 190;
    /// Null move: reduction in plies, before what depth and score add.
    null_base: 2..=6 = 4;
    /// Null move: plies of depth for each further ply of reduction.
    null_depth_divisor: 2..=8 = 4;
    /// Null move: evaluation above beta for each further ply of reduction.
    null_eval_divisor: 80..=400 = 190;
    /// Null move: from this depth on a fail high is verified by a search without null moves.
    null_verify_depth: 8..=20 = 13;
    /// ProbCut: shallowest node.
    probcut_depth: 3..=8 = 5;
    /// ProbCut: margin above beta.
    probcut_margin: 80..=400 = 190;
    /// Internal iterative reduction: shallowest node.
    iir_depth: 2..=8 = 4;

    /// Late-move pruning: moves searched at depth 0.
    lmp_base: 1..=8 = 3;
    /// Futility of a move: deepest reduced depth.
    futility_depth: 4..=12 = 8;
    /// Futility of a move: margin.
    futility_base: 20..=250 = 105;
    /// Futility of a move: margin per ply of reduced depth.
    futility_margin: 40..=200 = 88;
    /// SEE pruning: material a quiet move may lose per squared ply of reduced depth.
    see_quiet: 5..=60 = 24;
    /// SEE pruning: material a capture may lose per ply.
    see_noisy: 30..=200 = 96;
    /// History pruning: deepest reduced depth.
    history_depth: 2..=8 = 5;
    /// History pruning: history allowed below zero per ply.
    history_margin: 1000..=8000 = 3400;

    /// Singular extension: shallowest node.
    singular_depth: 4..=10 = 7;
    /// Singular extension: margin below the table's score per ply of depth, in 1/64 centipawns.
    singular_margin: 16..=200 = 72;
    /// Singular extension: how far below the margin all others must stay for a double extension.
    singular_double: 2..=60 = 18;

    /// Reduction: logarithmic base for quiet moves, constant part in 1/1024 ply.
    lmr_quiet_base: 0..=2048 = 800;
    /// Reduction: logarithmic base for quiet moves, divisor in 1/1024.
    lmr_quiet_divisor: 1200..=4096 = 2350;
    /// Reduction: logarithmic base for captures and promotions, constant part in 1/1024 ply.
    lmr_noisy_base: -1024..=2048 = 0;
    /// Reduction: logarithmic base for captures and promotions, divisor in 1/1024.
    lmr_noisy_divisor: 1200..=6144 = 3200;
    /// Reduction: change in a PV node.
    lmr_pv: -3072..=1024 = -1024;
    /// Reduction: change where the table remembers the node from a PV.
    lmr_tt_pv: -3072..=1024 = -900;
    /// Reduction: change in an expected cut node.
    lmr_cut: 0..=4096 = 1500;
    /// Reduction: change when the evaluation is improving.
    lmr_improving: -2048..=1024 = -700;
    /// Reduction: change when the move gives check.
    lmr_check: -3072..=1024 = -900;
    /// Reduction: change for the killer move.
    lmr_killer: -3072..=1024 = -900;
    /// Reduction: change for the last best reply.
    lmr_reply: -2048..=1024 = 0;
    /// Reduction: change when the table's move is a capture.
    lmr_tt_capture: 0..=2048 = 800;
    /// Reduction: change when the children of the next ply have often failed high.
    lmr_fail_highs: 0..=2048 = 800;
    /// Reduction: change per 1024 points of history.
    lmr_history: -400..=0 = -115;
    /// How much better than the best score a reduced search must be for a deeper verification.
    deeper_margin: 10..=150 = 45;

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
    /// Ordering bonus of the killer move.
    order_killer: 0..=60000 = 16000;
    /// Ordering bonus of the last best reply.
    order_reply: 0..=60000 = 8000;
    /// Weight of the pawn structure's correction, in 1/1024 centipawns per point.
    correct_pawns: 0..=256 = 60;
    /// Weight of each color's pieces' correction, in 1/1024 centipawns per point.
    correct_pieces: 0..=256 = 60;
    /// Weight of the last two moves' correction, in 1/1024 centipawns per point.
    correct_moves: 0..=256 = 50;

    /// Quiescence: margin above the evaluation that a capture must be able to bridge.
    quiesce_margin: 20..=300 = 120;
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
    fn every_tunable_can_be_read_and_written() {
        for tunable in TUNABLES {
            let mut params = Params::default();
            assert_eq!(params.get(tunable.name), Some(tunable.default));
            params.set(tunable.name, tunable.max).unwrap();
            assert_eq!(params.get(tunable.name), Some(tunable.max), "{}", tunable.name);
        }
    }
}
