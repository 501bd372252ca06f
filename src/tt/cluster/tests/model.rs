//! Loom model checks of a cluster, over every interleaving and every value that the memory model allows to be read:
//! `RUSTFLAGS="--cfg loom" cargo test --target-dir target/loom --lib model`.

use super::super::{Cluster, Epoch, Slot, Tag};
use crate::chess::Move;
use crate::score::Bound;
use crate::tt::entry::{Era, Packed, TtEntry};
use loom::model::Builder;
use loom::sync::Arc;
use loom::thread;

const ONE: Tag = Tag(1 << Tag::KEY_BITS | 0x0123_4567_89ab);
const TWO: Tag = Tag(1 << Tag::KEY_BITS | 0x3210_fedc_ba98);

fn tag(key: u64) -> Tag {
    Tag::new(key, Epoch::FIRST)
}

fn entry(depth: i32) -> TtEntry {
    TtEntry { mv: Move::from_word(0x1234), score: 7 * depth, eval: Some(-3), depth, bound: Bound::Lower, pv: false }
}

/// Runs a model with every schedule of at most this many preemptions.
fn check(preemptions: Option<usize>, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(model);
}

/// Two writers and a reader of one slot: an entry read under a key was written under it.
#[test]
fn slots_never_mix_entries() {
    for (first, second) in [(ONE, TWO), (ONE, ONE)] {
        check(None, move || {
            let written = [(first, Packed::new(entry(3), Era::FIRST)), (second, Packed::new(entry(9), Era::FIRST))];
            let slot = Arc::new(Slot::default());
            let writers = written.map(|(key, data)| {
                let slot = Arc::clone(&slot);
                thread::spawn(move || slot.store(key, data))
            });
            let (key, data) = slot.load();
            let known = [ONE, TWO].contains(&key);
            assert!(!known || written.contains(&(key, data)), "{key:?} with {data:?}");
            writers.into_iter().for_each(|writer| writer.join().expect("it ends"));
            let (key, data) = slot.load();
            let known = [ONE, TWO].contains(&key);
            assert!(!known || written.contains(&(key, data)), "{key:?} with {data:?} in the end");
        });
    }
}

/// Probes return only entries stored under their key, while two threads replace each other's entries in a full cluster, or store
/// the same position.
#[test]
fn probes_return_only_stored_entries() {
    for (first, second) in [(ONE, TWO), (ONE, ONE)] {
        check(Some(2), move || {
            let cluster = Arc::new(Cluster::default());
            // The last slot is replaced, so that every slot is read.
            (1..4).for_each(|key| cluster.store(tag(key), entry(20), Era::FIRST));
            let writers = [(first, 3), (second, 5)].map(|(key, depth)| {
                let cluster = Arc::clone(&cluster);
                thread::spawn(move || cluster.store(key, entry(depth), Era::FIRST))
            });
            let allowed: Vec<TtEntry> = [(first, entry(3)), (second, entry(5))]
                .into_iter()
                .filter(|&(key, _)| key == ONE)
                .map(|(_, entry)| entry)
                .collect();
            let is_allowed = |entry: Option<TtEntry>| entry.is_none_or(|entry| allowed.contains(&entry));
            assert!(is_allowed(cluster.probe(ONE)));
            writers.into_iter().for_each(|writer| writer.join().expect("it ends"));
            assert!(is_allowed(cluster.probe(ONE)));
            (1..4).for_each(|key| assert_eq!(cluster.probe(tag(key)), Some(entry(20)), "changed"));
        });
    }
}

/// An entry without a move inherits one only from the same position.
#[test]
fn moves_are_inherited_within_a_position() {
    check(Some(2), || {
        let bare = TtEntry { mv: None, ..entry(9) };
        let cluster = Arc::new(Cluster::default());
        cluster.store(ONE, entry(3), Era::FIRST);
        let writer = Arc::clone(&cluster);
        let writer = thread::spawn(move || writer.store(ONE, bare, Era::FIRST));
        cluster.store(TWO, TtEntry { mv: Move::from_word(0x777), ..entry(5) }, Era::FIRST);
        writer.join().expect("it ends");
        // In either order, the position keeps its move.
        if let Some(found) = cluster.probe(ONE) {
            assert!(found == TtEntry { mv: entry(3).mv, ..bare } || found == entry(3), "{found:?}");
        }
    });
}
