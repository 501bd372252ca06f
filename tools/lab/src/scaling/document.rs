//! The JSON document of a run: `lento-scaling/1`, described in docs/scaling.md.

use super::bootstrap::{Bootstrap, CONFIDENCE, Interval};
use super::measure::Measured;
use super::model::{Model, Projection};
use super::runs::{Counted, Row, Run};
use super::visits::VisitCounts;
use lento::cli::machine::{self, Machine};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The value of `schema`.
pub const SCHEMA: &str = "lento-scaling/1";

/// The contents of a document.
pub struct Report<'a> {
    pub machine: &'a Machine,
    /// The positions.
    pub fens: &'a [String],
    /// The positions' file, unless built in.
    pub file: Option<String>,
    /// The thread counts.
    pub threads: &'a [usize],
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// The requested time.
    pub time: Duration,
    /// The actual time.
    pub elapsed: Duration,
    /// The requested depth.
    pub depth: Option<i32>,
    /// The requested repetitions.
    pub repetitions: usize,
    /// Parameters of the intervals; the seed is also used for orders.
    pub bootstrap: Bootstrap,
    /// The measurements.
    pub measured: &'a Measured,
    pub rows: &'a [Row],
    /// The fitted scaling laws, given several thread counts.
    pub model: Option<&'a Model>,
    /// Whether it was interrupted by Ctrl-C.
    pub interrupted: bool,
}

/// An interval as JSON.
pub fn interval(interval: Interval) -> Value {
    json!({ "estimate": interval.estimate, "low": interval.low, "high": interval.high })
}

fn run(run: &Run) -> Value {
    json!({
        "position": run.position,
        "repetition": run.repetition,
        "order": run.order,
        "threads": run.threads,
        "time_ms": run.seconds * 1e3,
        "nodes": run.nodes,
        "hashfull": run.hashfull,
    })
}

fn counted(counted: &Counted) -> Value {
    let VisitCounts { lookups, known, shared, shared_known } = counted.counts;
    json!({
        "position": counted.position,
        "threads": counted.threads,
        "lookups": lookups,
        "known": known,
        "shared": shared,
        "shared_known": shared_known,
    })
}

/// A ratio; `None` if the whole is zero.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn row(row: &Row) -> Value {
    let of = |part: fn(&VisitCounts) -> (u64, u64)| {
        row.counts.and_then(|counts| {
            let (part, whole) = part(&counts);
            share(part, whole)
        })
    };
    json!({
        "threads": row.threads,
        "searches": row.searches,
        "nodes": row.nodes,
        "time_ms": row.seconds * 1e3,
        "nps": interval(row.nps),
        "efficiency": interval(row.efficiency),
        "time_to_depth_ms": interval(Interval {
            estimate: row.time_to_depth.estimate * 1e3,
            low: row.time_to_depth.low * 1e3,
            high: row.time_to_depth.high * 1e3,
        }),
        "speedup": interval(row.speedup),
        "hash_hit_rate": of(|counts| (counts.known, counts.lookups)),
        "shared": of(|counts| (counts.shared, counts.lookups)),
        "shared_known": of(|counts| (counts.shared_known, counts.shared)),
    })
}

fn model(model: &Model) -> Value {
    let projection =
        |of: &Projection| json!({ "threads": of.threads, "nps": interval(of.nps), "speedup": interval(of.speedup) });
    json!({
        "nps_of_one": interval(model.rate),
        "contention": interval(model.contention),
        "coherence": interval(model.coherence),
        "speedup_exponent": interval(model.exponent),
        "projections": model.projections.iter().map(projection).collect::<Vec<_>>(),
    })
}

impl Report<'_> {
    /// Builds the document.
    pub fn document(&self) -> Value {
        let position = |(at, fen): (usize, &String)| json!({ "fen": fen, "depth": self.measured.depths.get(at) });
        json!({
            "schema": SCHEMA,
            "created": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            "interrupted": self.interrupted,
            "cut_short": self.measured.cut_short,
            "elapsed_ms": self.elapsed.as_secs_f64() * 1e3,
            "version": machine::version(),
            "machine": self.machine.json,
            "settings": {
                "threads": self.threads,
                "hash_mib": self.hash_mib,
                "time_ms": self.time.as_secs_f64() * 1e3,
                "depth": self.depth,
                "repetitions": self.repetitions,
                "positions_file": self.file,
                "seed": self.bootstrap.seed,
                "resamples": self.bootstrap.resamples,
                "confidence": CONFIDENCE,
            },
            "positions": self.fens.iter().enumerate().map(position).collect::<Vec<_>>(),
            "runs": self.measured.runs.iter().map(run).collect::<Vec<_>>(),
            "counts": self.measured.counted.iter().map(counted).collect::<Vec<_>>(),
            "results": self.rows.iter().map(row).collect::<Vec<_>>(),
            "model": self.model.map(model),
        })
    }
}
