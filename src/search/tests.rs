//! Tests of the search as a whole, and jobs for the tests of other modules.

mod steps;

use super::control::Control;
use super::history::Sharing;
use super::job::Job;
use super::limits::{Limits, SearchOptions};
use super::lmr::{Choice, LmrSet, RecipeName};
use super::params::{Params, TUNABLES};
use super::threads::Threads;
use super::worker::Worker;
use crate::chess::{Board, Game, MoveDelta, Piece};
use crate::eval::{Evaluation, Evaluator};
use crate::score::{DRAW, INFINITE, Score, mate_in, mated_in};
use crate::smp::slots::CpuSlots;
use crate::sync::channel::unbounded;
use crate::tt::Tt;
use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

/// A single-threaded job to depth 7, with a table of 1 MiB and the embedded network.
pub fn job(fen: &str, lmr: &Choice) -> Job {
    job_to(Game::from_fen(fen).unwrap(), 7, lmr, Params::default(), Tt::new(1, 1).unwrap())
}

fn job_to(game: Game, depth: i32, lmr: &Choice, params: Params, tt: Tt) -> Job {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let options = SearchOptions::default();
    Job {
        root_moves: game.board().legal_moves().to_vec(),
        limits,
        options,
        resumed: OnceLock::from(None),
        control: Control::new(&limits, game.board().side_to_move(), &options, &params),
        tt: Arc::new(tt),
        lmr: Arc::new(LmrSet::compile(lmr, &params)),
        params: Arc::new(params),
        evaluation: Evaluation::default(),
        histories: Arc::default(),
        probing: None,
        number: 1,
        threads: Arc::new(Threads::new(1)),
        lockstep: None,
        cpu_slots: CpuSlots::new(1, 1, false),
        is_silent: false,
        events: unbounded().0,
        game,
    }
}

/// Positions with explosive sequences of captures and promotions.
const EXPLOSIVE: [&str; 4] = [
    "8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1",
    "8/PPPPPPPP/8/k6K/8/8/pppppppp/8 b - - 0 1",
    "1n1n1n1n/P1P1P1P1/1r1r1r1r/K7/7k/R1R1R1R1/1p1p1p1p/N1N1N1N1 w - - 0 1",
    "qbqbqbqk/bqbqbqbq/8/8/8/8/QBQBQBQB/BQBQBQBK w - - 0 1",
];

#[test]
fn stopped_search_ends_in_the_first_iteration() {
    for fen in EXPLOSIVE {
        let job = job_to(Game::from_fen(fen).unwrap(), 60, &Choice::default(), Params::default(), Tt::empty());
        job.control.request_stop();
        Worker::new(0).search(&job, None);
        assert!(job.threads.nodes() <= 512, "{fen}: {} nodes", job.threads.nodes());
        let best = job.threads.results()[0].lines[0].pv[0];
        assert!(job.root_moves.contains(&best));
    }
}

#[test]
fn lines_of_an_unfinished_iteration_count() {
    let is_ahead = (4..40).any(|step| {
        let mut job = job("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", &Choice::default());
        job.options.multi_pv = 3;
        job.limits = Limits { nodes: Some(700 * step), ..Limits::default() };
        job.control = Control::new(&job.limits, job.game.board().side_to_move(), &job.options, &job.params);
        Worker::new(0).search(&job, None);
        let [result] = &job.threads.results()[..] else { panic!("one thread") };
        result.depth > 0 && result.lines.iter().all(|line| line.depth == result.depth + 1)
    });
    assert!(is_ahead);
}

#[test]
fn histories_are_shared_by_option_and_thread_count() {
    for (threads, sharing, shared) in [(2, Sharing::Cache, 1), (2, Sharing::Thread, 0), (1, Sharing::Cache, 0)] {
        let mut job = job("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &Choice::default());
        job.threads = Arc::new(Threads::new(threads));
        job.options.shared_history = sharing;
        Worker::new(0).search(&job, None);
        let mut found = 0;
        job.histories.for_each(|_| found += 1);
        assert_eq!(found, shared, "{threads} threads, {sharing:?}");
    }
}

#[test]
fn quiescence_is_bounded() {
    for fen in EXPLOSIVE {
        let job = job_to(Game::from_fen(fen).unwrap(), 1, &Choice::default(), Params::default(), Tt::empty());
        Worker::new(0).search(&job, None);
        // Each root move, searched at most three times.
        let max = 3 * job.root_moves.len() as u64 * 2000;
        assert!(job.threads.nodes() <= max, "{fen}: {} nodes, {} moves", job.threads.nodes(), job.root_moves.len());
    }
}

/// Parameters that disable pruning, extensions, depth reductions and corrections of the evaluation.
fn plain_params() -> Params {
    let mut params = Params::default();
    for tunable in TUNABLES {
        if let Some(off) = tunable.off {
            params.set(tunable.name, off).unwrap();
        }
    }
    for name in [
        "soften_fail_highs",
        "quiesce_evasions",
        "extend_recaptures",
        "correct_pawns",
        "correct_pieces",
        "correct_moves",
        "correct_four",
    ] {
        params.set(name, 0).unwrap();
    }
    params
}

/// The score of a search with all features disabled.
fn searched(game: &Game, depth: i32) -> Score {
    let off = Choice { main: RecipeName::Off, ..Choice::default() };
    let job = job_to(game.clone(), depth, &off, plain_params(), Tt::empty());
    Worker::new(0).search(&job, None);
    let [result] = &job.threads.results()[..] else { panic!("one thread") };
    assert_eq!(result.depth, depth);
    result.lines[0].score
}

/// Plain alpha-beta with quiescence.
struct Plain {
    evaluator: Evaluator,
    keys: Vec<u64>,
    /// Whether quiescence visited a position worse than an available repetition, whose score depends on the window.
    ambiguous: bool,
}

impl Plain {
    fn score(game: &Game, depth: i32) -> Option<Score> {
        let mut evaluator = Evaluator::new(100);
        evaluator.start(&Evaluation::default(), game.board());
        let mut plain = Self { evaluator, keys: game.earlier_keys().to_vec(), ambiguous: false };
        let score = plain.search(game.board(), 0, depth, -INFINITE, INFINITE);
        (!plain.ambiguous).then_some(score)
    }

    fn search(&mut self, board: &Board, ply: usize, depth: i32, mut alpha: Score, beta: Score) -> Score {
        let drawn = board.is_repetition(&self.keys, ply) || board.is_fifty_move_draw() || board.insufficient_material();
        if ply > 0 && drawn {
            return DRAW;
        }
        let quiescence = depth <= 0;
        let (in_check, mut best) = (board.in_check(), -INFINITE);
        let repeats = quiescence && board.has_upcoming_repetition(&self.keys, ply);
        if quiescence && !in_check {
            best = self.evaluator.evaluate(board, ply, Params::default().scaling());
            alpha = alpha.max(best);
        }
        let checks = quiescence && depth == 0 && ply <= 4;
        let wanted = |mv| {
            !quiescence
                || in_check
                || if board.is_legal(mv) && mv.is_quiet() {
                    checks && board.gives_check(mv)
                } else {
                    board.see_ge(mv, 0)
                }
        };
        let mut moves = board.legal_moves();
        if moves.is_empty() && (in_check || !quiescence) {
            return if in_check { mated_in(ply) } else { DRAW };
        }
        moves.retain(|mv| wanted(*mv));
        moves.sort_by_key(|mv| (mv.is_quiet(), Reverse(board.captured(*mv).map(Piece::kind))));
        self.keys.push(board.key());
        for mv in moves {
            if alpha >= beta {
                break;
            }
            self.evaluator.play(ply, &MoveDelta::of(board, mv));
            best = best.max(-self.search(&board.after(mv), ply + 1, depth - 1, -beta, -alpha));
            alpha = alpha.max(best);
        }
        self.keys.pop();
        self.ambiguous |= repeats && best < DRAW;
        best
    }
}

/// Games of random moves from this position.
fn random_games(fen: &str, plies: usize, seed: u64) -> impl Iterator<Item = Game> {
    let mut random = fastrand::Rng::with_seed(seed);
    let start = Game::from_fen(fen).unwrap();
    std::iter::from_fn(move || {
        let mut game = start.clone();
        for _ in 0..random.usize(..plies) {
            match random.choice(game.board().legal_moves()) {
                Some(mv) => game.play(mv),
                None => break,
            }
        }
        Some(game)
    })
    .filter(|game| game.verdict().is_none())
}

#[test]
fn without_pruning_scores_match_plain_alpha_beta() {
    for (fen, positions, depth) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 50, 3),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 30, 2),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 60, 3),
        ("4k3/4pppp/8/8/8/8/PPPP4/3K4 w - - 0 1", 25, 5),
    ] {
        let mut compared = 0;
        for game in random_games(fen, 30, 1).take(positions) {
            // Without earlier moves, fewer positions repeat.
            let game = Game::from(game.board().clone());
            if let Some(expected) = Plain::score(&game, depth) {
                assert_eq!(searched(&game, depth), expected, "{} to depth {depth}", game.board().fen(false));
                compared += 1;
            }
        }
        assert!(compared >= 20, "{fen}: {compared} of {positions}");
    }
}

#[test]
fn mates_are_found_with_and_without_a_table() {
    for (fen, plies) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", 3),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
    ] {
        for table in [Tt::empty(), Tt::new(1, 1).unwrap()] {
            let game = Game::from_fen(fen).unwrap();
            let job = job_to(game, 6, &Choice::default(), Params::default(), table);
            Worker::new(0).search(&job, None);
            assert_eq!(job.threads.results()[0].lines[0].score, mate_in(plies), "{fen}");
        }
    }
}
