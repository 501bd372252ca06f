//! Loom model checks of the shipped synchronization code, over every interleaving of two or three threads. Run by
//! `RUSTFLAGS="--cfg loom" cargo test --lib model`.

use crate::chess::Color;
use crate::search::control::Control;
use crate::search::findings::{Finding, Findings};
use crate::search::job::SearchOptions;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::rounds::{Round, Rounds};
use crate::smp::order_queue::OrderQueue;
use crate::sync::Ordering;
use crate::tt::Tt;
use loom::sync::Arc;
use loom::thread;
use std::time::Instant;

fn finding(thread: usize, depth: i32) -> Finding {
    Finding { thread, depth, lines: Vec::new() }
}

/// A worker takes a job, publishes its finding, drops the job and reports. The engine then owns the table alone, and
/// sees the finding and its nodes.
#[test]
fn a_job_is_handed_over_and_given_back() {
    loom::model(|| {
        let mut table = Arc::new(());
        let orders: Arc<OrderQueue<(Arc<()>, Arc<Findings>)>> = Arc::default();
        let events: Arc<OrderQueue<usize>> = Arc::default();
        let worker = {
            let (orders, events) = (Arc::clone(&orders), Arc::clone(&events));
            thread::spawn(move || {
                while let Some((table, findings)) = orders.receive() {
                    findings.counters(0).nodes.store(7, Ordering::Relaxed);
                    findings.publish(finding(0, 3));
                    drop((table, findings));
                    events.send(0);
                }
            })
        };
        let findings = Arc::new(Findings::new(1));
        orders.send((Arc::clone(&table), Arc::clone(&findings)));
        assert_eq!(events.receive(), Some(0));
        assert!(Arc::get_mut(&mut table).is_some(), "the worker still holds the table");
        assert_eq!((findings.collect()[0].depth, findings.nodes()), (3, 7));
        orders.close();
        worker.join().unwrap();
    });
}

/// A concurrent reader sees either none or a whole finding of each thread.
#[test]
fn findings_are_seen_whole() {
    loom::model(|| {
        let findings = Arc::new(Findings::new(2));
        let writers: Vec<_> = (0..2)
            .map(|id| {
                let findings = Arc::clone(&findings);
                thread::spawn(move || findings.publish(finding(id, 1 + id as i32)))
            })
            .collect();
        for seen in [findings.collect(), findings.collect()] {
            assert!(seen.iter().all(|finding| finding.depth == 1 + finding.thread as i32));
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        assert_eq!(findings.collect().len(), 2);
    });
}

/// A ponderhit concurrent with the end of an iteration that found enough: the search sees the hit or is stopped by it.
#[test]
fn ponderhit_at_the_end_of_an_iteration_is_not_lost() {
    loom::model(|| {
        let limits = Limits { ponder: true, clock: [Some(1000); 2], ..Limits::default() };
        let control = Arc::new(Control::new(
            &limits,
            Color::White,
            &SearchOptions::default(),
            &Params::default(),
            Instant::now(),
        ));
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

/// All threads see `stop`, in any order with a ponderhit.
#[test]
fn stop_is_final() {
    loom::model(|| {
        let limits = Limits { ponder: true, movetime: Some(1), ..Limits::default() };
        let control = Arc::new(Control::new(
            &limits,
            Color::Black,
            &SearchOptions::default(),
            &Params::default(),
            Instant::now(),
        ));
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
            Instant::now(),
        ));
        let helper = {
            let control = Arc::clone(&control);
            thread::spawn(move || control.take_nodes() + control.take_nodes())
        };
        let own = control.first_nodes(0) + control.take_nodes() + control.take_nodes();
        assert_eq!(own + helper.join().unwrap(), limit);
    });
}

/// Runs a search of two threads in lockstep, then checks the helper's result.
fn in_rounds<T: 'static>(helper: fn(Round, &Findings) -> T, main: fn(Round, &Findings), judge: fn(T)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let search = Arc::new((Rounds::new(2, None), Findings::new(2)));
        let other = {
            let search = Arc::clone(&search);
            thread::spawn(move || helper(search.0.join(1), &search.1))
        };
        main(search.0.join(0), &search.1);
        judge(other.join().expect("the helper ends"));
    });
}

/// All threads agree on the last round when one announces it.
#[test]
fn threads_agree_on_the_last_round() {
    let helper = |mut round: Round, findings: &Findings| {
        let mut count = 0;
        while !round.is_over() {
            round.finish(&Tt::empty(), findings, 0, false);
            count += 1;
        }
        count
    };
    let main = |mut round: Round, findings: &Findings| {
        round.finish(&Tt::empty(), findings, 0, false);
        assert!(!round.is_over());
        round.finish(&Tt::empty(), findings, 0, true);
        assert!(round.is_over());
    };
    in_rounds(helper, main, |count| assert_eq!(count, 2));
}

/// Stopping a thread within a round releases those waiting for it.
#[test]
fn breaking_off_a_round_releases_all() {
    let helper = |mut round: Round, findings: &Findings| {
        round.finish(&Tt::empty(), findings, 0, false);
        round.is_over()
    };
    in_rounds(helper, |mut round, _| round.break_off(), |is_over| assert!(is_over));
}
