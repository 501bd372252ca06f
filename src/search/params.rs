//! Search parameters: one declaration each, with the range for tuning.

use crate::eval::Scaling;

/// A search parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The name.
    pub name: &'static str,
    /// Minimum.
    pub min: i32,
    /// Maximum.
    pub max: i32,
    /// Default.
    pub default: i32,
    /// A value outside of the range that disables the feature. Tuning never uses it.
    pub off: Option<i32>,
}

impl Tunable {
    /// Whether the value is in the range or disables the feature.
    pub fn allows(&self, value: i32) -> bool {
        (self.min..=self.max).contains(&value) || self.off == Some(value)
    }
}

/// Declares each parameter once: name, range and default become a field, an entry of the list, and a compile-time check that
/// the default is in the range.
macro_rules! tunables {
    ($($name:ident: $min:literal..=$max:literal = $default:literal $(, off $off:literal)?;)+) => {
        /// Values of the search parameters, described at their declarations. Margins are in centipawns, depths in plies.
        /// `docs/results/terms.md` lists the Elo of each feature.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each declaration has a comment")]
        pub struct Params { $(pub $name: i32,)+ }

        /// All parameters in order of declaration.
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
            fn field(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

impl Params {
    /// The scale of the network's evaluation.
    pub fn scaling(&self) -> Scaling {
        Scaling(self.net_base)
    }

    /// Sets a parameter by name.
    ///
    /// # Errors
    /// The name is unknown, or the value is out of range.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
        let known = TUNABLES.iter().find(|tunable| tunable.name == name);
        let (known, field) = known.zip(self.field(name)).ok_or_else(|| format!("unknown parameter {name:?}"))?;
        if !known.allows(value) {
            return Err(format!("{value} for {name}, expected {} to {}", known.min, known.max));
        }
        *field = value;
        Ok(())
    }
}

tunables! {
    // Time management; the soft bound is scaled by the stability of the search.
    time_share: 10..=80 = 34;                  // Share of the clock for a move, in 1/1000
    time_increment: 0..=200 = 100;             // Share of the increment for a move, in percent
    time_soft: 30..=200 = 120;                 // Soft bound, in percent of the time for a move
    time_hard: 200..=900 = 500;                // Hard bound, in percent of the time for a move
    time_changing: 50..=300 = 135;             // Soft bound if the best move has just changed, in percent
    time_stable: 0..=15 = 7;                   // Its decrease per iteration with the same best move, up to nine
    time_nodes_base: 100..=300 = 155;          // Soft bound if the best move has no nodes, in percent
    time_nodes_slope: 0..=200 = 110;           // Its decrease if the best move has all nodes
    time_falling: 0..=30 = 20;                 // Increase per centipawn of falling score, in 1/1000

    // Aspiration windows
    aspiration_delta: 5..=60 = 11;             // Initial half width at score 0
    aspiration_scale: 500..=20000 = 2000, off 1000000000; // Square of the score per further centipawn of half width
    aspiration_depth: 2..=8 = 4, off 255;      // Minimum depth

    // Reverse futility pruning
    rfp_depth: 4..=12 = 9, off 0;              // Maximum depth
    rfp_margin: 30..=150 = 54;                 // Margin per ply
    rfp_worsening: 0..=100 = 35;               // Decrease of the margin if the opponent is worsening
    rfp_all: 0..=150 = 8;                      // Increase of the margin in expected all nodes
    rfp_history: 0..=32 = 1;                   // Decrease of the margin per 1024 points of the last move's history

    // Null move pruning
    null_min_depth: 1..=6 = 3, off 255;        // Minimum depth
    null_base: 2..=6 = 5;                      // Base reduction, in plies
    null_depth_divisor: 2..=8 = 4;             // Depth per further ply of reduction
    null_eval_divisor: 80..=400 = 159;         // Evaluation above beta per further ply of reduction
    null_eval_cap: 0..=8 = 3;                  // Maximum reduction by evaluation, in plies
    null_history: 1000..=60000 = 9564, off 1000000; // Maximum history of the last move
    null_static_base: 0..=300 = 149;           // Margin of the static evaluation above beta at depth 0
    null_static_slope: 0..=60 = 21;            // Decrease of that margin per ply of depth
    null_verify_depth: 8..=20 = 13, off 255;   // Minimum depth to verify a fail high without null moves
    null_verify_pieces: 0..=2 = 1;             // Verify at any depth with up to this many pieces

    // ProbCut
    probcut_depth: 3..=8 = 5, off 255;         // Minimum depth
    probcut_margin: 80..=400 = 151;            // Margin above beta
    probcut_improving: 0..=120 = 39;           // Decrease of the margin when improving
    probcut_deeper: 40..=400 = 120, off 30000; // Evaluation above the margin per further ply of reduction
    probcut_table: 100..=400 = 190, off 30000; // Margin above beta of a TT score that cuts by itself

    // Internal iterative reduction
    iir_depth: 2..=8 = 3, off 255;             // Minimum depth
    iir_lag: 1..=12 = 4, off 255;              // Plies below the node's depth at which the TT entry counts as missing

    soften_fail_highs: 0..=1 = 1;              // Draw scores of fail highs towards beta, more at low depth
    improving_above_beta: 0..=1 = 1;           // Treat nodes at or above beta as improving

    // Pruning of moves; depths are reduced by LMR unless stated otherwise
    prune_history: -400..=0 = -106;            // Change of this reduction per 1024 points of history, in 1/1024 ply
    lmp_base: 1..=16 = 8, off 255;             // Late move pruning: number of moves at depth 0
    futility_depth: 4..=12 = 8, off -1;        // Futility pruning: maximum depth
    futility_base: 20..=250 = 38;              // Futility pruning: base margin
    futility_margin: 40..=200 = 59;            // Futility pruning: margin per ply
    see_quiet_depth: 4..=12 = 8, off -1;       // SEE pruning of quiet moves: maximum depth
    see_quiet: 5..=60 = 22;                    // SEE pruning of quiet moves: margin per squared ply
    see_noisy_depth: 4..=12 = 8, off 0;        // SEE pruning of captures: maximum depth of the node
    see_noisy: 30..=200 = 114;                 // SEE pruning of captures: margin per ply of the node's depth
    history_depth: 2..=8 = 5, off -1;          // History pruning: maximum depth
    history_margin: 1000..=8000 = 4300;        // History pruning: margin below zero per ply of the node's depth

    // Singular extension
    singular_depth: 4..=10 = 6, off 255;       // Minimum depth
    singular_margin: 16..=200 = 56;            // Margin below the TT score per ply of depth, in 1/64 centipawns
    singular_double: 2..=60 = 12, off 30000;   // Further margin for a double extension
    singular_triple: 10..=300 = 90, off 30000; // Further margin for a triple extension of a quiet move
    singular_multicut: 0..=1 = 1;              // Cut the node if a move other than the TT move also beats beta
    singular_negative: 0..=3 = 3;              // Reduction of other good TT moves in non-PV nodes, in plies
    singular_cut: 0..=3 = 2;                   // Reduction of other TT moves in expected cut nodes, in plies
    extend_recaptures: 0..=1 = 1;              // Extend noisy TT moves of PV nodes that recapture

    raised_reduction: 1..=3 = 1, off 0;        // Plies less for the moves after one that raises alpha

    hindsight_deeper: 1..=8 = 2, off 255;      // Hindsight extension: minimum reduction of the last move

    // LMR by the recipe `tuned`: logarithmic base of depth and move number, and changes to it, in 1/1024 ply
    lmr_quiet_base: 0..=2048 = 1164;           // Quiet moves: constant
    lmr_quiet_divisor: 1200..=4096 = 2219;     // Quiet moves: divisor, in 1/1024
    lmr_noisy_base: -1024..=2048 = 172;        // Captures and promotions: constant
    lmr_noisy_divisor: 1200..=6144 = 3338;     // Captures and promotions: divisor, in 1/1024
    lmr_pv: -3072..=1024 = -662;               // PV nodes
    lmr_tt_pv: -3072..=1024 = -120;            // TT entry from a PV node
    lmr_cut: 0..=4096 = 1863;                  // Expected cut nodes
    lmr_improving: -2048..=1024 = -201;        // Improving
    lmr_check: -3072..=1024 = -908;            // Moves that give check
    lmr_killer: -3072..=1024 = -609;           // Killer moves
    lmr_tt_above: -3072..=1024 = -945;         // TT entry from a PV node with a score above alpha
    lmr_raised: -1024..=3072 = 639;            // A move has raised alpha
    lmr_tt_noisy: -1024..=3072 = 340;          // The TT move captures or promotes
    lmr_cuts: -1024..=3072 = 641;              // More than three fail highs below the node
    lmr_extended: -3072..=1024 = -599;         // The TT move was extended
    lmr_new_cut: -1024..=3072 = 1103;          // Expected cut nodes without a TT move
    lmr_root: -3072..=1024 = -2048;            // The root
    lmr_correction: -40..=0 = -7;              // Per centipawn of the evaluation's correction
    lmr_history: -400..=0 = -128;              // Per 1024 points of history
    deeper_margin: 10..=150 = 48, off 30000;   // Margin of a reduced fail high to verify one ply deeper

    // Updates of histories
    bonus_slope: 50..=400 = 169;               // Bonus per ply of depth
    bonus_base: -400..=200 = -80;              // Bonus at depth 0
    bonus_cap: 600..=4000 = 1712;              // Maximum bonus
    malus_slope: 50..=600 = 238;               // Malus per ply of depth
    malus_base: -400..=200 = -110;             // Malus at depth 0
    malus_cap: 400..=4000 = 1361;              // Maximum malus
    malus_fade: 0..=256 = 60;                  // Decrease of the malus per quiet move searched before, in 1/1024
    learn_exact: 0..=64 = 20;                  // Weight of exact scores relative to fail highs, in 1/64
    learn_fail_low: 0..=64 = 31;               // Share of the bonus for the quiet move before a fail low, in 1/64
    learn_refuted: 0..=64 = 33;                // Share of the malus for a node's first move if it is quiet and refuted, in 1/64
    gain_slope: 0..=16 = 4;                    // Butterfly history per centipawn that a quiet move gains
    gain_bonus_cap: 100..=2000 = 600;          // Maximum bonus by gain
    gain_malus_cap: 100..=2000 = 550;          // Maximum malus by gain

    // Weights of histories, in 1/64
    history_butterfly: 0..=160 = 55;           // Butterfly history
    history_one: 0..=160 = 48;                 // Continuation history one ply back
    history_two: 0..=160 = 66;                 // Continuation history two plies back
    history_four: 0..=160 = 32;                // Continuation history four plies back
    history_six: 0..=160 = 33;                 // Continuation history six plies back
    history_noisy: 0..=160 = 72;               // Capture history

    // Move ordering
    order_killer: 0..=60000 = 9795;            // Bonus of the killer move
    order_reply: 0..=60000 = 5275;             // Bonus of the last best reply
    order_check: 0..=60000 = 9071;             // Bonus of quiet checks that lose no material
    order_threats: 0..=64 = 10;                // Bonus of escapes from cheaper pieces, malus of moves into their attacks, per centipawn of the piece
    order_noisy: 0..=64 = 5;                   // SEE margin of good captures by history, in 1/1024

    // Weights of correction history, in 1/1024 centipawn per point
    correct_pawns: 0..=256 = 32;               // Pawn structure
    correct_pieces: 0..=256 = 53;              // Pieces of each color
    correct_moves: 0..=256 = 110;              // Last two moves
    correct_four: 0..=256 = 67;                // The last move and that of four plies ago

    net_base: 512..=1536 = 1085;               // Factor of the network's value, in 1/1024
    vote: 0..=1 = 1;                           // Threads vote on the best move; 0 plays the main thread's

    // Quiescence search
    quiesce_moves: 1..=8 = 2, off 255;         // Further captures must recapture, check or promote
    quiesce_margin: 20..=300 = 120, off 30000; // Delta pruning: margin above the evaluation
    quiesce_nodes: 128..=16384 = 1024, off 1000000000; // Nodes below a leaf after which quiescence only stands pat
    quiesce_evasions: 0..=1 = 1;               // Skip quiet evasions once a move does not lose to a mate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_checks_name_and_range() {
        let mut params = Params::default();
        assert_eq!(params.set("rfp_margin", 100), Ok(()));
        assert_eq!(params.rfp_margin, 100);
        assert_eq!(params.set("nonsense", 1).unwrap_err(), "unknown parameter \"nonsense\"");
        assert_eq!(params.set("rfp_margin", 9).unwrap_err(), "9 for rfp_margin, expected 30 to 150");
        assert_eq!(params.rfp_margin, 100);
    }

    #[test]
    fn off_value_is_allowed() {
        let mut params = Params::default();
        assert_eq!(params.set("iir_depth", 255), Ok(()));
        assert_eq!(params.iir_depth, 255);
        assert!(params.set("iir_depth", 254).is_err());
    }

    #[test]
    fn every_tunable_can_be_read_and_written() {
        for tunable in TUNABLES {
            let mut params = Params::default();
            assert_eq!(params.field(tunable.name), Some(&mut tunable.default.clone()));
            params.set(tunable.name, tunable.max).unwrap();
            assert_eq!(params.field(tunable.name), Some(&mut tunable.max.clone()), "{}", tunable.name);
        }
    }
}
