//! Search features (`--ideas`).

use super::design::Factor;

/// Search features with the settings that disable them.
pub const IDEAS: &[(&str, &str)] = &[
    ("late move reductions", "LMR=off"),
    ("LMR: of captures and promotions", "lmr_noisy_base=-1024 lmr_noisy_divisor=6144"),
    ("LMR: less in PV nodes", "lmr_pv=0"),
    ("LMR: less where the TT entry is of a PV node", "lmr_tt_pv=0"),
    ("LMR: more in cut nodes", "lmr_cut=0"),
    ("LMR: less when improving", "lmr_improving=0"),
    ("LMR: less for checks", "lmr_check=0"),
    ("LMR: less for the killer", "lmr_killer=0"),
    ("LMR: less where a PV's score was above alpha", "lmr_tt_above=0"),
    ("LMR: more once alpha is raised", "lmr_raised=0"),
    ("LMR: more if the TT move is noisy", "lmr_tt_noisy=0"),
    ("LMR: more after fail highs of children", "lmr_cuts=0"),
    ("LMR: less if the TT move was extended", "lmr_extended=0"),
    ("LMR: more in cut nodes without a TT move", "lmr_new_cut=0"),
    ("LMR: less at the root", "lmr_root=0"),
    ("LMR: less where the evaluation was corrected", "lmr_correction=0"),
    ("LMR: by history", "lmr_history=0"),
    ("LMR: deeper verification", "deeper_margin=30000"),
    ("less depth once alpha is raised", "raised_reduction=0"),
    ("internal iterative reduction", "iir_depth=255"),
    ("hindsight extension", "hindsight_deeper=255"),
    ("null move", "null_min_depth=255"),
    ("null move: more with a better evaluation", "null_eval_cap=0"),
    ("null move: not after a move with good history", "null_history=1000000"),
    ("null move: verification at depth", "null_verify_depth=255"),
    ("null move: verification with few pieces", "null_verify_pieces=0"),
    ("reverse futility", "rfp_depth=0"),
    ("reverse futility: worsening and all nodes", "rfp_worsening=0 rfp_all=0"),
    ("reverse futility: by history of the last move", "rfp_history=0"),
    ("ProbCut", "probcut_depth=255"),
    ("ProbCut: shallower with a better evaluation", "probcut_deeper=30000"),
    ("ProbCut: by a TT score", "probcut_table=30000"),
    ("late move pruning", "lmp_base=255"),
    ("history in the depth of pruning", "prune_history=0"),
    ("futility pruning", "futility_depth=-1"),
    ("SEE pruning of quiet moves", "see_quiet_depth=-1"),
    ("SEE pruning of captures", "see_noisy_depth=0"),
    ("history pruning", "history_depth=-1"),
    ("delta pruning", "quiesce_margin=30000"),
    ("later captures in quiescence", "quiesce_moves=255"),
    ("softened fail highs", "soften_fail_highs=0"),
    ("improving above beta", "improving_above_beta=0"),
    ("multicut", "singular_multicut=0"),
    ("singular extension, all variants", "singular_depth=255"),
    ("double singular extension", "singular_double=30000"),
    ("triple singular extension", "singular_triple=30000"),
    ("negative singular extension", "singular_negative=0 singular_cut=0"),
    ("recapture extension", "extend_recaptures=0"),
    ("killer move", "order_killer=0 lmr_killer=0"),
    ("Last Best Reply", "LBR=off"),
    ("quiet checks", "order_check=0"),
    ("escapes from cheaper pieces", "order_threats=0"),
    ("captures by history before quiet moves", "order_noisy=0"),
    ("butterfly history", "history_butterfly=0"),
    ("butterfly history: gains of the evaluation", "gain_slope=0"),
    ("smaller malus of later moves", "malus_fade=0"),
    ("history of the move before a fail low", "learn_fail_low=0"),
    ("history of a first move that is refuted", "learn_refuted=0"),
    ("continuation history", "history_one=0 history_two=0 history_four=0 history_six=0"),
    ("continuation history: one ply back", "history_one=0"),
    ("continuation history: two plies back", "history_two=0"),
    ("continuation history: four plies back", "history_four=0"),
    ("continuation history: six plies back", "history_six=0"),
    ("capture history", "history_noisy=0"),
    ("correction history", "correct_pawns=0 correct_pieces=0 correct_moves=0 correct_four=0"),
    ("correction history: by pawns", "correct_pawns=0"),
    ("correction history: by pieces", "correct_pieces=0"),
    ("correction history: by moves", "correct_moves=0"),
    ("correction history: by moves three plies apart", "correct_four=0"),
    ("aspiration windows", "aspiration_depth=255"),
];

/// Factors that disable the features whose names contain one of the parts; the empty part selects all.
pub fn chosen(parts: &[String]) -> Result<Vec<Factor>, String> {
    let has = |name: &str, part: &String| name.to_lowercase().contains(&part.to_lowercase());
    if let Some(part) = parts.iter().find(|part| !IDEAS.iter().any(|(name, _)| has(name, part))) {
        return Err(format!("no feature has {part:?} in its name; lento factors --ideas --list shows them"));
    }
    let chosen = IDEAS.iter().filter(|(name, _)| parts.iter().any(|part| has(name, part)));
    let factor = |(name, off): &(&str, &str)| {
        let settings = off.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        Ok(Factor { name: (*name).to_owned(), settings })
    };
    chosen.map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::chess::Game;
    use lento::engine::Engine;
    use lento::search::limits::Limits;
    use lento_common::play::Setting;
    use std::cell::LazyCell;
    use std::collections::HashSet;

    const FENS: [&str; 4] = [
        "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7",
        "r2q1rk1/1b2bppp/p1n1pn2/1p6/3P4/1BN2N2/PP2QPPP/R1BR2K1 w - - 4 13",
        "8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1",
        "8/2k5/1p1p1p2/pPpPpPp1/P1P1P1P1/3B4/2K5/5n2 b - - 3 50",
    ];

    /// Nodes of searches to a depth.
    fn nodes(settings: &[Setting], depth: i32) -> u64 {
        let mut engine = Engine::new();
        settings.iter().for_each(|setting| setting.apply(&mut engine).unwrap());
        let search = |fen: &&str| {
            engine.game = Game::from_fen(fen).unwrap();
            let outcome = engine.search_blocking(&Limits { depth: Some(depth), ..Limits::default() }, |_| {});
            outcome.lines[0].nodes
        };
        FENS.iter().map(search).sum()
    }

    #[test]
    fn features_affect_the_search() {
        // Some features are rarely used.
        let baselines = [8, 13, 18].map(|depth| (depth, LazyCell::new(move || nodes(&[], depth))));
        for Factor { name, settings } in chosen(&[String::new()]).unwrap() {
            assert!(!settings.is_empty(), "{name}");
            let differs = baselines.iter().any(|(depth, baseline)| nodes(&settings, *depth) != **baseline);
            assert!(differs, "{name} makes no difference");
        }
    }

    #[test]
    fn names_are_unique() {
        let names: HashSet<&str> = IDEAS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), IDEAS.len());
    }
}
