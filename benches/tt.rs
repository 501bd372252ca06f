//! Speed of the shared table: probe hits and misses, stores, with and without prefetching.

mod entry;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use entry::entry;
use lento::tt::Tt;
use std::hint::black_box;

/// Larger than the caches, with enough keys to touch a quarter of it.
const SIZE_MIB: usize = 256;
const KEYS: usize = 1 << 20;

/// Pseudo-random keys, reproducible by seed.
fn keys(seed: u64) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..KEYS).map(|_| random.u64(..)).collect()
}

fn table(c: &mut Criterion) {
    let tt = Tt::new(SIZE_MIB, 1).expect("memory for the table");
    let (stored, missing) = (keys(0), keys(1));
    for &key in &stored {
        tt.store(key, entry(key));
    }
    let mut group = c.benchmark_group("tt");
    group.throughput(Throughput::Elements(KEYS as u64));
    for (name, keys) in [("probe, hit", &stored), ("probe, miss", &missing)] {
        let probe = |&key: &u64| tt.probe(key).is_some();
        group.bench_function(name, |b| b.iter(|| keys.iter().filter(|key| probe(key)).count()));
    }
    group.bench_function("prefetch 8 ahead and probe, hit", |b| {
        b.iter(|| {
            let ahead = stored.iter().skip(8).chain(&stored);
            let hits = stored.iter().zip(ahead).filter(|&(&key, &next)| {
                tt.prefetch(next);
                tt.probe(key).is_some()
            });
            hits.count()
        });
    });
    group.bench_function("store", |b| {
        b.iter(|| {
            for &key in &stored {
                tt.store(black_box(key), entry(key));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, table);
criterion_main!(benches);
