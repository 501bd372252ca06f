//! The ideas of the search, and how each is switched off.

use lento_common::play::setting::Setting;

/// A step of the search that can be switched off.
#[derive(Clone, Copy, Debug)]
pub struct Idea {
    /// Its name, in the words of the field.
    pub name: &'static str,
    /// The settings that switch it off, with spaces between.
    pub off: &'static str,
}

impl Idea {
    /// The settings that switch it off.
    ///
    /// # Errors
    /// The engine does not know one of them.
    pub fn settings(&self) -> Result<Vec<Setting>, String> {
        self.off.split_whitespace().map(str::parse).collect()
    }
}

const fn idea(name: &'static str, off: &'static str) -> Idea {
    Idea { name, off }
}

/// Every idea that can be switched off.
pub const IDEAS: &[Idea] = &[
    idea("late move reductions", "LMR=off"),
    idea("LMR: of captures and promotions", "lmr_noisy_base=-1024 lmr_noisy_divisor=6144"),
    idea("LMR: less in PV nodes", "lmr_pv=0"),
    idea("LMR: less where the TT entry is of a PV node", "lmr_tt_pv=0"),
    idea("LMR: more in cut nodes", "lmr_cut=0"),
    idea("LMR: less when improving", "lmr_improving=0"),
    idea("LMR: less for checks", "lmr_check=0"),
    idea("LMR: less for the killer", "lmr_killer=0"),
    idea("LMR: less where a PV's score was above alpha", "lmr_tt_above=0"),
    idea("LMR: more once alpha is raised", "lmr_raised=0"),
    idea("LMR: less where the evaluation was corrected", "lmr_correction=0"),
    idea("LMR: by history", "lmr_history=0"),
    idea("LMR: deeper verification", "deeper_margin=30000"),
    idea("internal iterative reduction", "iir_depth=255"),
    idea("deeper in hindsight", "hindsight_deeper=255"),
    idea("null move", "null_min_depth=255"),
    idea("null move: more with a better evaluation", "null_eval_cap=0"),
    idea("null move: verification at depth", "null_verify_depth=255"),
    idea("null move: verification with few pieces", "null_verify_pieces=0"),
    idea("reverse futility", "rfp_depth=0"),
    idea("reverse futility: by what is expected", "rfp_worsening=0 rfp_all=0"),
    idea("ProbCut", "probcut_depth=255"),
    idea("late-move pruning", "lmp_base=255"),
    idea("futility of moves", "futility_depth=-1"),
    idea("SEE pruning of quiet moves", "see_quiet_depth=-1"),
    idea("SEE pruning of captures", "see_noisy_depth=0"),
    idea("history pruning", "history_depth=-1"),
    idea("futility in quiescence", "quiesce_margin=30000"),
    idea("later captures in quiescence", "quiesce_moves=255"),
    idea("softened fail highs", "soften_fail_highs=0"),
    idea("improving above beta", "improving_above_beta=0"),
    idea("multicut", "singular_multicut=0"),
    idea("singular extension, with all that hangs on it", "singular_depth=255"),
    idea("double singular extension", "singular_double=30000"),
    idea("triple singular extension", "singular_triple=30000"),
    idea("negative singular extension", "singular_negative=0"),
    idea("killer move", "order_killer=0 lmr_killer=0"),
    idea("Last Best Reply", "LBR=off"),
    idea("quiet checks", "order_check=0"),
    idea("captures by history before quiet moves", "order_noisy=0"),
    idea("butterfly history", "history_butterfly=0"),
    idea("butterfly history: gains of the evaluation", "gain_slope=0"),
    idea("continuation history", "history_one=0 history_two=0 history_four=0 history_six=0"),
    idea("continuation history: one ply back", "history_one=0"),
    idea("continuation history: two plies back", "history_two=0"),
    idea("continuation history: four plies back", "history_four=0"),
    idea("continuation history: six plies back", "history_six=0"),
    idea("capture history", "history_noisy=0"),
    idea("correction history", "correct_pawns=0 correct_pieces=0 correct_moves=0"),
    idea("correction history: by pawns", "correct_pawns=0"),
    idea("correction history: by pieces", "correct_pieces=0"),
    idea("correction history: by moves", "correct_moves=0"),
    idea("aspiration windows", "aspiration_depth=255"),
];

/// The ideas whose names have one of these parts; without any, every idea.
///
/// # Errors
/// No idea has a part in its name.
pub fn chosen(parts: &[String]) -> Result<Vec<&'static Idea>, String> {
    let has = |idea: &Idea, part: &String| idea.name.to_lowercase().contains(&part.to_lowercase());
    if let Some(part) = parts.iter().find(|part| !IDEAS.iter().any(|idea| has(idea, part))) {
        return Err(format!("no idea has {part:?} in its name; lento factors --ideas --list shows them"));
    }
    let wanted = |idea: &&Idea| parts.is_empty() || parts.iter().any(|part| has(idea, part));
    Ok(IDEAS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::chess::Game;
    use lento::engine::Engine;
    use lento::search::limits::Limits;
    use std::cell::LazyCell;
    use std::collections::HashSet;

    const FENS: [&str; 4] = [
        "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7",
        "r2q1rk1/1b2bppp/p1n1pn2/1p6/3P4/1BN2N2/PP2QPPP/R1BR2K1 w - - 4 13",
        "8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1",
        "8/2k5/1p1p1p2/pPpPpPp1/P1P1P1P1/3B4/2K5/5n2 b - - 3 50",
    ];

    /// The nodes that searches to this depth take.
    fn nodes(settings: &[Setting], depth: i32) -> u64 {
        let mut engine = Engine::new();
        settings.iter().for_each(|setting| setting.apply(&mut engine).unwrap());
        let search = |fen: &&str| {
            engine.set_game(Game::from_fen(fen).unwrap());
            let outcome = engine.search_blocking(&Limits { depth: Some(depth), ..Limits::default() }, |_| {});
            outcome.lines[0].nodes
        };
        FENS.iter().map(search).sum()
    }

    #[test]
    fn every_switch_changes_the_search() {
        let shallow = nodes(&[], 8);
        let deep = LazyCell::new(|| nodes(&[], 18));
        for idea in IDEAS {
            let settings = idea.settings().unwrap();
            assert!(!settings.is_empty(), "{}", idea.name);
            // What is seldom needed shows later.
            let differs = nodes(&settings, 8) != shallow || nodes(&settings, 18) != *deep;
            assert!(differs, "{} is the same without it", idea.name);
        }
    }

    #[test]
    fn names_are_unique() {
        let names: HashSet<&str> = IDEAS.iter().map(|idea| idea.name).collect();
        assert_eq!(names.len(), IDEAS.len());
    }
}
