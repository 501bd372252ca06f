//! The shared table against raw memory: two threads probe and store at random, or read and write random cache lines of memory of the
//! same size and page type.

mod entry;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use entry::entry;
use lento::tt::Tt;
use memmap2::MmapMut;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use zerocopy::FromBytes;

const THREADS: usize = 2;
/// Accesses per thread in one measurement.
const ACCESSES: u64 = 1 << 20;
/// Prefetch distance in accesses, about the number of misses a CPU keeps in flight.
const AHEAD: u64 = 32;
/// Words per cache line.
const LINE: usize = 8;

/// Size in MiB, larger than the caches; overridden by `LENTO_BENCH_MIB`.
fn size_mib() -> usize {
    std::env::var("LENTO_BENCH_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(2048)
}

/// Pseudo-random numbers (SplitMix64).
fn scramble(index: u64) -> u64 {
    let word = index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

/// Memory in huge pages if available, as for the table.
fn lines(mib: usize) -> MmapMut {
    let mut lines = MmapMut::map_anon(mib << 20).expect("memory for the lines");
    #[cfg(target_os = "linux")]
    let _ = lines.advise(memmap2::Advice::HugePage);
    // Fault in all pages before timing.
    lines.fill(1);
    lines
}

/// First word of the cache line for a key.
fn first(words: &[AtomicU64], key: u64) -> &AtomicU64 {
    let line = (u128::from(key) * (words.len() / LINE) as u128) >> 64;
    &words[line as usize * LINE]
}

/// Runs `times` rounds of accesses on all threads, each with its own state, and returns the elapsed time. `access` gets the current key
/// and the one `AHEAD` accesses later.
fn timed<P: Send>(times: u64, parts: [P; THREADS], access: impl Fn(&mut P, u64, u64) + Sync) -> Duration {
    let (access, begin) = (&access, Instant::now());
    std::thread::scope(|scope| {
        for (thread, mut part) in (0..).zip(parts) {
            scope.spawn(move || {
                let first = thread << 40;
                for index in first..first + times * ACCESSES {
                    access(&mut part, scramble(index), scramble(index + AHEAD));
                }
                black_box(part);
            });
        }
    });
    begin.elapsed()
}

fn memory(c: &mut Criterion) {
    let mib = size_mib();
    let mut group = c.benchmark_group(format!("{THREADS} threads, {mib} MiB"));
    group.throughput(Throughput::Elements(THREADS as u64 * ACCESSES)).sample_size(10);

    let mut map = lines(mib);
    let words: &[AtomicU64] = <[AtomicU64]>::mut_from_bytes(&mut map).expect("pages are aligned");
    group.bench_function("lines read", |b| {
        b.iter_custom(|times| timed(times, [0; THREADS], |sum, key, _| *sum ^= first(words, key).load(Relaxed)))
    });
    group.bench_function("lines modified", |b| {
        b.iter_custom(|times| {
            timed(times, [(); THREADS], |(), key, _| {
                let word = first(words, key);
                word.store(word.load(Relaxed) ^ key, Relaxed);
            })
        });
    });
    drop(map);

    let tt = Tt::new(mib, THREADS).expect("memory for the table");
    group.bench_function("stores", |b| {
        b.iter_custom(|times| {
            timed(times, [(); THREADS], |(), key, next| {
                tt.prefetch(next);
                tt.store(key, entry(key));
            })
        });
    });
    group.bench_function("probes", |b| {
        b.iter_custom(|times| {
            timed(times, [0_u64; THREADS], |hits, key, next| {
                tt.prefetch(next);
                *hits += u64::from(tt.probe(key).is_some());
            })
        });
    });
    group.finish();
}

criterion_group!(benches, memory);
criterion_main!(benches);
