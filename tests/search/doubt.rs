//! The rules of the search doubted: what they cut is searched again without them.

use lento::chess::Game;
use lento::engine::Engine;
use lento::search::doubt::{Doubted, Doubts, Rule, Sampling, Verdict};
use lento::search::limits::Limits;
use lento::search::probe::{NoProbe, SearchProbe};
use lento::search::report::Info;
use lento::search::worker::{Search, Worker};

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/ppp1bppp/2np1n2/4p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 7",
    "8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/3K2P1/3B4/4n3 w - - 0 1",
    "2r3k1/1q3pp1/p2bp2p/1p1p4/3P4/P1P1BN1P/1P3PP1/R2Q2K1 w - - 12 25",
];

fn engine(params: &[(&str, i32)]) -> Engine {
    let mut engine = Engine::new();
    engine.set_hash(1).unwrap();
    params.iter().for_each(|(name, value)| engine.set_param(name, *value).unwrap());
    engine
}

/// What a search ends with, as far as it does not depend on the clock.
type End = (u64, Vec<(i32, String, u64)>);

fn search<P: SearchProbe>(engine: &mut Engine, worker: &mut Worker, fen: &str, depth: i32, probe: P) -> End {
    engine.set_game(Game::from_fen(fen).unwrap());
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let job = engine.job_alone(&limits).expect("there are legal moves");
    let finding = Search::new(worker, &job, probe).deepen();
    let line = |info: &Info| (info.score, format!("{:?}", info.pv), info.nodes);
    (job.findings.of(0), finding.lines.iter().map(line).collect())
}

fn sampling(every: u64, seed: u64) -> Sampling {
    Sampling { every: [every; Rule::COUNT], least_depth: 0, most_nodes: 50_000, seed }
}

/// The cuts of each rule and what was doubted, in all positions, each searched as in a new game.
fn doubted(params: &[(&str, i32)], depth: i32, sampling: &Sampling) -> ([u64; Rule::COUNT], Vec<Doubted>) {
    let (mut engine, mut worker) = (engine(params), Worker::new(0));
    let (mut cuts, mut all) = ([0; Rule::COUNT], Vec::new());
    for fen in FENS {
        engine.new_game();
        worker.clear();
        let mut doubts = Doubts::new(sampling);
        search(&mut engine, &mut worker, fen, depth, &mut doubts);
        cuts.iter_mut().zip(Rule::ALL).for_each(|(sum, rule)| *sum += doubts.cuts(rule));
        all.extend(doubts.into_doubted());
    }
    (cuts, all)
}

/// One game for all positions: what one search has learned and stored counts in the next, so that nothing that a doubt leaves behind
/// stays unseen.
#[test]
fn doubts_change_nothing_in_the_search() {
    let mut plain = (engine(&[]), Worker::new(0));
    let mut examined = (engine(&[]), Worker::new(0));
    let (mut count, mut same) = (0, engine(&[]));
    for (number, fen) in FENS.into_iter().enumerate() {
        let expected = search(&mut plain.0, &mut plain.1, fen, 9, NoProbe);
        let mut doubts = Doubts::new(&sampling(40, number as u64));
        let found = search(&mut examined.0, &mut examined.1, fen, 9, &mut doubts);
        assert_eq!(found, expected, "{fen}");
        count += doubts.into_doubted().len();
        // It is the search that the engine's own threads do.
        same.set_game(Game::from_fen(fen).unwrap());
        let own = same.search_blocking(&Limits { depth: Some(9), ..Limits::default() }, |_| ());
        assert_eq!(own.lines[0].nodes, expected.1[0].2, "{fen}");
    }
    assert!(count > 500, "{count}");
}

#[test]
fn the_same_seed_doubts_the_same() {
    let first = doubted(&[], 8, &sampling(200, 1));
    assert_eq!(doubted(&[], 8, &sampling(200, 1)), first);
    let (cuts, other) = doubted(&[], 8, &sampling(200, 2));
    assert_eq!(cuts, first.0);
    assert_ne!(other, first.1);
}

#[test]
fn rules_that_are_off_never_cut() {
    let off = [
        (Rule::ReverseFutility, ("rfp_depth", 0)),
        (Rule::NullMove, ("null_min_depth", 255)),
        (Rule::ProbCut, ("probcut_depth", 255)),
        (Rule::Multicut, ("singular_multicut", 0)),
        (Rule::LateMove, ("lmp_base", 255)),
        (Rule::Futility, ("futility_depth", -1)),
        (Rule::History, ("history_depth", -1)),
        (Rule::SeeQuiet, ("see_quiet_depth", -1)),
        (Rule::SeeNoisy, ("see_noisy_depth", 0)),
        (Rule::QuiesceFutility, ("quiesce_margin", 30_000)),
        (Rule::QuiesceLate, ("quiesce_moves", 255)),
    ];
    // None of the doubts is carried out, so this is quick.
    let none = sampling(1 << 40, 0);
    let (cuts, _) = doubted(&[], 11, &none);
    assert!(cuts.iter().all(|&cuts| cuts > 0), "{cuts:?}");
    for (rule, param) in off {
        let (cuts, _) = doubted(&[param], 8, &none);
        assert_eq!(cuts[rule as usize], 0, "{}", rule.name());
        assert!(cuts[Rule::Reduction as usize] > 0);
    }
}

#[test]
fn loose_rules_are_wrong_more_often() {
    let share = |rule: Rule, least_depth: i32, param: (&str, i32)| {
        let mut only = Sampling { least_depth, ..sampling(0, 1) };
        only.every[rule as usize] = 1;
        let (_, doubted) = doubted(&[param], 10, &only);
        assert!(doubted.len() > 100 && doubted.iter().all(|doubted| doubted.rule == rule), "{}", doubted.len());
        let wrong = doubted.iter().filter(|doubted| doubted.verdict == Verdict::Wrong).count();
        wrong as f64 / doubted.len() as f64
    };
    for (rule, least_depth, name, [loose, tight]) in [
        // Whose side to move improves has no margin at depth 1, whatever the number.
        (Rule::ReverseFutility, 2, "rfp_margin", [30, 150]),
        (Rule::QuiesceFutility, 0, "quiesce_margin", [20, 300]),
    ] {
        let [loose, tight] = [loose, tight].map(|value| share(rule, least_depth, (name, value)));
        assert!(loose > tight, "{name}: {loose} with a loose one, {tight} with a tight one");
    }
}

#[test]
fn verdicts_of_all_kinds_are_given() {
    let (_, all) = doubted(&[], 9, &sampling(100, 5));
    assert!(all.iter().all(|doubted| doubted.rule.cuts_nodes() == doubted.by_moves.is_some()));
    assert!(all.iter().all(|doubted| doubted.rule.cuts_nodes() != doubted.facts.mv.is_some()));
    let far = |doubted: &Doubted| doubted.facts.beyond > 0 || doubted.rule.is_of_quiescence();
    let at_bound =
        [Rule::ReverseFutility, Rule::NullMove, Rule::ProbCut, Rule::Multicut, Rule::Futility, Rule::Reduction];
    assert!(all.iter().all(|doubted| far(doubted) || at_bound.contains(&doubted.rule) && doubted.facts.beyond == 0));
    for verdict in [Verdict::Held, Verdict::Wrong] {
        assert!(all.iter().any(|doubted| doubted.verdict == verdict), "{verdict:?}");
    }
    let few = Sampling { most_nodes: 5, ..sampling(100, 5) };
    let (_, all) = doubted(&[], 9, &few);
    assert!(all.iter().any(|doubted| doubted.verdict == Verdict::Unfinished));
    assert!(all.iter().all(|doubted| doubted.nodes <= 10), "five for each of two searches");
}
