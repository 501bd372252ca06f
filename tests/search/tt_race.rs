//! Threads that compete for a few clusters never read entries that were not stored.

use lento::chess::Move;
use lento::score::Bound;
use lento::tt::{Tt, TtEntry};
use std::sync::Barrier;
use std::thread;

const THREADS: u64 = 4;
const ROUNDS: u64 = 300_000;
/// A table of 1 MiB has 2^14 clusters, selected by the upper 14 bits of the key.
const CLUSTER_SHIFT: u32 = 50;
const CLUSTERS: u64 = 2;
/// More keys than slots, so that entries are also replaced.
const KEYS_PER_CLUSTER: u64 = 7;
const DEPTHS: u64 = 60;

fn mix(number: u64) -> u64 {
    fastrand::Rng::with_seed(number).u64(..)
}

fn key(index: u64) -> u64 {
    let cluster = index % CLUSTERS;
    cluster << CLUSTER_SHIFT | mix(index + 1) >> (64 - CLUSTER_SHIFT)
}

/// The only entry stored for this key and depth. The move depends on the key alone, since an entry without a move inherits it from an
/// entry of another depth.
fn entry(key: u64, depth: u64) -> TtEntry {
    let word = mix(key ^ depth << 56);
    TtEntry {
        mv: if word & 1 == 0 { Move::from_word(mix(key) as u16) } else { None },
        score: (word >> 8) as i16 as i32 / 2,
        eval: (word & 6 != 0).then_some((word >> 24) as i16 as i32 / 2),
        depth: depth as i32,
        bound: [Bound::Upper, Bound::Lower, Bound::Exact][(word >> 40) as usize % 3],
        pv: word >> 50 & 1 != 0,
    }
}

/// Whether a hit was stored for this key.
fn is_consistent(key: u64, hit: TtEntry) -> bool {
    let stored = entry(key, hit.depth as u64);
    let inherited = stored.mv.is_none() && hit.mv == Move::from_word(mix(key) as u16);
    TtEntry { mv: stored.mv, ..hit } == stored && (hit.mv == stored.mv || inherited)
}

/// Stores and probes at random; returns the number of hits and of inconsistent hits.
fn store_and_probe(table: &Tt, thread: u64) -> (u64, u64) {
    let (mut hits, mut wrong) = (0, 0);
    for round in 0..ROUNDS {
        let random = mix(thread << 32 | round);
        let index = |bits: u64| key(bits % (CLUSTERS * KEYS_PER_CLUSTER));
        let target = index(random);
        table.store(target, entry(target, (random >> 16) % DEPTHS));
        let wanted = index(random >> 32);
        if let Some(hit) = table.probe(wanted) {
            hits += 1;
            wrong += u64::from(!is_consistent(wanted, hit));
        }
    }
    (hits, wrong)
}

#[test]
fn tt_returns_stored_entries_only() {
    let table = Tt::new(1, 1).unwrap();
    let start = Barrier::new(THREADS as usize);
    let results: Vec<(u64, u64)> = thread::scope(|scope| {
        let run = |thread| {
            let (table, start) = (&table, &start);
            scope.spawn(move || {
                start.wait();
                store_and_probe(table, thread)
            })
        };
        let workers: Vec<_> = (0..THREADS).map(run).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let hits: u64 = results.iter().map(|result| result.0).sum();
    let wrong: u64 = results.iter().map(|result| result.1).sum();
    assert!(hits > THREADS * ROUNDS / 10, "only {hits} hits: too few for the test");
    assert_eq!(wrong, 0, "of {hits} hits");
}

#[test]
fn tt_is_send_and_sync() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Tt>();
}
