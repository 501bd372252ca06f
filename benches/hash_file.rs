//! Time to save and load a full table: `cargo bench -p lento-benches --bench hash_file -- save FILE MIB`, then `load FILE MIB`. Drop the
//! page cache in between to read from disk.

use lento::chess::Move;
use lento::hash_file::{Identity, Origin, SaveOptions, load, save};
use lento::score::Bound;
use lento::tt::{Tt, TtEntry};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [task, file, mib, compression @ ..] = &arguments[..] else {
        println!("expected save FILE MIB [zstd], or load FILE MIB");
        return Ok(());
    };
    let threads = lento::internals::processors::count();
    let table = Tt::new(mib.parse()?, threads)?;
    let identity = Identity { engine: "bench".into(), evaluation: "none".into(), fingerprint: 0 };
    let progress = &mut |_| ControlFlow::Continue(());
    if task == "load" {
        let began = Instant::now();
        let loaded = load(Path::new(file), &identity, &table, threads, progress)?;
        println!("{} of {} entries loaded in {:.2} s", loaded.kept, loaded.read, began.elapsed().as_secs_f64());
        return Ok(());
    }
    fill(&table, threads);
    let compress = compression.first().is_some_and(|word| word == "zstd");
    let options = SaveOptions { path: file.into(), compress, threads, origin: Origin::default(), keeps_older: false };
    let began = Instant::now();
    let saved = save(&table, &identity, &options, progress)?;
    let seconds = began.elapsed().as_secs_f64();
    println!("{} entries saved in {} MiB in {seconds:.2} s", saved.entries, saved.bytes >> 20);
    Ok(())
}

/// Stores an entry in every slot, in the order of the keys.
fn fill(table: &Tt, threads: usize) {
    let slots = (table.len() * Tt::CLUSTER_ENTRIES) as u64;
    let (share, step) = (slots.div_ceil(threads as u64), u64::MAX / slots);
    std::thread::scope(|scope| {
        for first in (0..slots).step_by(share as usize) {
            scope.spawn(move || {
                let mut state = first + 1;
                for nth in first..slots.min(first + share) {
                    // SplitMix64 step.
                    state = (state ^ (state >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let (mv, score) = (Move::from_word(state as u16), (state >> 20) as i32 % 300);
                    let depth = nth as i32 % 12;
                    let hit = TtEntry { mv, score, eval: Some(score), depth, bound: Bound::Lower, pv: false };
                    table.store(nth * step + (state >> 8) % step, hit);
                }
            });
        }
    });
}
