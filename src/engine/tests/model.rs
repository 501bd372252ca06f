//! Loom model checks of the shipped synchronization code, over every interleaving of two or three threads. Run by
//! `RUSTFLAGS="--cfg loom" cargo test --lib model`.

use crate::chess::Color;
use crate::search::control::Control;
use crate::search::limits::{Limits, SearchOptions};
use crate::search::params::Params;
use crate::search::threads::{ThreadResult, Threads};
use crate::smp::lockstep::{Lockstep, LockstepThread};
use crate::smp::slots::CpuSlots;
use crate::sync::Mutex;
use crate::tt::Tt;
use loom::sync::Arc;
use loom::thread;

fn result(thread: usize, depth: i32) -> ThreadResult {
    ThreadResult { thread, depth, lines: Vec::new() }
}

/// A concurrent reader sees a complete result of each thread, or none.
#[test]
fn results_are_complete() {
    loom::model(|| {
        let threads = Arc::new(Threads::new(2));
        let writers: Vec<_> = (0..2)
            .map(|id| {
                let threads = Arc::clone(&threads);
                thread::spawn(move || threads.publish(result(id, 1 + id as i32)))
            })
            .collect();
        for results in [threads.results(), threads.results()] {
            assert!(results.iter().all(|result| result.depth == 1 + result.thread as i32));
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert_eq!(threads.results().len(), 2);
    });
}

/// `ponderhit` during the last iteration of a search: either its end sees the ponderhit, or the ponderhit stops it.
#[test]
fn ponderhit_at_the_end_of_an_iteration_is_not_lost() {
    loom::model(|| {
        let limits = Limits { ponder: true, clock: [Some(1000); 2], ..Limits::default() };
        let control = Arc::new(Control::new(&limits, Color::White, &SearchOptions::default(), &Params::default()));
        let gui = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.ponder_hit())
        };
        let ends = control.may_end(true);
        gui.join().unwrap();
        assert!(ends || control.is_stopped());
        assert!(!control.is_pondering());
    });
}

/// `stop` takes effect before and after a ponderhit.
#[test]
fn stop_is_final() {
    loom::model(|| {
        let limits = Limits { ponder: true, movetime: Some(1), ..Limits::default() };
        let control = Arc::new(Control::new(&limits, Color::Black, &SearchOptions::default(), &Params::default()));
        let other = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.request_stop())
        };
        control.ponder_hit();
        let ends = control.may_end(false);
        other.join().unwrap();
        assert!(control.is_stopped() && !ends);
    });
}

/// Three threads together get exactly the node limit.
#[test]
fn node_budgets_sum_to_the_limit() {
    loom::model(|| {
        let limit = 2 * Control::QUANTUM + 100;
        let control = Arc::new(Control::new(
            &Limits { nodes: Some(limit), ..Limits::default() },
            Color::White,
            &SearchOptions::default(),
            &Params::default(),
        ));
        let helper = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.take_nodes() + control.take_nodes())
        };
        let own = control.first_nodes(0) + control.take_nodes() + control.take_nodes();
        assert_eq!(own + helper.join().unwrap(), limit);
    });
}

/// Searches with two threads in lockstep, then checks the helper's result.
fn in_lockstep<T: 'static>(helper: fn(LockstepThread) -> T, main: fn(LockstepThread), check: fn(T)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let search = Arc::new(Lockstep::new(2, 2, None));
        let other = {
            let search = Arc::clone(&search);
            thread::spawn(move || helper(search.join(1)))
        };
        main(search.join(0));
        check(other.join().expect("the helper ends"));
    });
}

/// All threads agree on the last round when one announces it.
#[test]
fn threads_agree_on_the_last_round() {
    let helper = |mut thread: LockstepThread| {
        let mut count = 0;
        while !thread.finished {
            thread.end_round(&Tt::empty(), 0, false);
            count += 1;
        }
        count
    };
    let main = |mut thread: LockstepThread| {
        thread.end_round(&Tt::empty(), 0, false);
        assert!(!thread.finished);
        thread.end_round(&Tt::empty(), 0, true);
        assert!(thread.finished);
    };
    in_lockstep(helper, main, |count| assert_eq!(count, 2));
}

/// A thread stopped within a round releases those waiting for it.
#[test]
fn aborting_a_round_releases_all() {
    let helper = |mut thread: LockstepThread| {
        thread.end_round(&Tt::empty(), 0, false);
        thread.finished
    };
    in_lockstep(helper, |mut thread| thread.abort(), |finished| assert!(finished));
}

/// Threads take turns in order, and a thread that ends is skipped.
#[test]
fn turns_come_in_order() {
    loom::model(|| {
        let shared = Arc::new((CpuSlots::turns(2), Mutex::new(Vec::new())));
        let search = |shared: &(CpuSlots, Mutex<Vec<usize>>), thread: usize, turns: u64| {
            let mut slot = shared.0.acquire(thread);
            for turn in 0..turns {
                shared.1.lock().push(thread);
                if turn + 1 < turns {
                    slot.give_way(turn);
                }
            }
        };
        let helper = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || search(&shared, 1, 3))
        };
        search(&shared, 0, 2);
        helper.join().unwrap();
        assert_eq!(*shared.1.lock(), [0, 1, 0, 1, 1]);
    });
}
