//! Model checks of what threads do to each other, on the shipped code: every order in which two or three threads can run is
//! tried. Run by `RUSTFLAGS="--cfg loom" cargo test --lib model`.

use super::mailbox::Mailbox;
use super::sync::{Arc, Ordering};
use crate::chess::Color;
use crate::search::control::Control;
use crate::search::findings::{Finding, Findings};
use crate::search::job::SearchOptions;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::rounds::{Round, Rounds};
use crate::tt::Tt;
use loom::thread;
use std::time::Instant;

fn finding(thread: usize, depth: i32) -> Finding {
    Finding { thread, depth, lines: Vec::new() }
}

/// A worker takes a job from its mailbox, publishes what it finds, lets go of the job and says that it is done. When the engine
/// hears that, it owns the table alone, and sees the finding and its nodes.
#[test]
fn a_job_is_handed_over_and_given_back() {
    loom::model(|| {
        let mut table = Arc::new(());
        let orders: Arc<Mailbox<(Arc<()>, Arc<Findings>)>> = Arc::default();
        let events: Arc<Mailbox<usize>> = Arc::default();
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

/// Whoever reads the findings while they are written sees, of each thread, nothing or a whole one, and later ones later.
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

/// An iteration that ends on the opponent's time with enough found, and the hit at the same moment: either the search sees that
/// it no longer ponders and ends itself, or the hit stops it. It never goes on.
#[test]
fn a_hit_and_the_end_of_an_iteration_do_not_miss_each_other() {
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

/// `stop` from any side is seen by the others, in any order with a hit.
#[test]
fn a_stop_is_never_taken_back() {
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

/// Three threads together get every node of the limit, and not one more.
#[test]
fn nodes_are_handed_out_once() {
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

/// A search of two threads in rounds: what the helper and the main thread do, and what the helper has to say in the end.
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
        judge(other.join().expect("it ends"));
    });
}

/// Threads in rounds agree on the round that is the last, though only one says so, and nobody waits for ever.
#[test]
fn the_last_round_is_that_of_all() {
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

/// A thread that is stopped in the middle of a round ends the rounds of one that waits for it.
#[test]
fn rounds_are_broken_off_for_all() {
    let helper = |mut round: Round, findings: &Findings| {
        round.finish(&Tt::empty(), findings, 0, false);
        round.is_over()
    };
    in_rounds(helper, |mut round, _| round.break_off(), |is_over| assert!(is_over));
}
