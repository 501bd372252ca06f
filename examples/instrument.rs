//! Counts the entries that a search stores in the hash table at each depth, on all its threads.
//!
//! ```sh
//! cargo run --release --example instrument
//! ```

use lento::engine::Engine;
use lento::search::job::Job;
use lento::search::limits::Limits;
use lento::search::observer::Observer;
use lento::search::worker::{Instrument, Worker};
use lento::tt::{Tt, TtEntry};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts by the remaining depth in plies, below 0 of static evaluations. Each thread counts for itself, without locks.
#[derive(Default)]
struct Depths(BTreeMap<i32, u64>);

impl Observer for Depths {
    fn stored(&mut self, _table: &Tt, _key: u64, entry: &TtEntry) {
        *self.0.entry(entry.depth).or_default() += 1;
    }
}

/// The sum over all threads.
#[derive(Default)]
struct Sum(Mutex<Depths>);

impl Instrument for Sum {
    fn search(&self, worker: &mut Worker, job: &Job) {
        let mut depths = Depths::default();
        worker.search(job, Some(&mut depths));
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        depths.0.into_iter().for_each(|(depth, count)| *sum.0.entry(depth).or_default() += count);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let sum = Arc::new(Sum::default());
    let mut engine = Engine::new();
    engine.set_threads(2)?;
    engine.set_instrument(Some(Arc::clone(&sum) as Arc<dyn Instrument>));
    engine.search_blocking(&Limits { depth: Some(9), ..Limits::default() }, |_| ());
    // Waits for the threads that the result did not wait for.
    engine.set_instrument(None);
    for (depth, count) in &sum.0.lock().unwrap_or_else(PoisonError::into_inner).0 {
        println!("depth {depth:>2}: {count} entries");
    }
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
