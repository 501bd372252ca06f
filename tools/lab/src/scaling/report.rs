//! Results as text and as JSON, described in docs/schema.md.

use super::measure::Measuring;
use super::statistics::{CONFIDENCE, RESAMPLES, Row};
use super::visits::VisitCounts;
use lento_common::table;
use lento_console::{machine, units};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub const SCHEMA: &str = "lento-scaling/2";

/// Times to depth below this are not representative of longer searches.
const SHORT: Duration = Duration::from_millis(100);

/// `1.23M`.
pub fn count(number: f64) -> String {
    units::count(number.round() as u64)
}

/// Appends a share, unknown if the whole is 0.
fn share(row: &mut table::Row, head: &str, key: &str, part: u64, whole: u64) {
    let share = (whole > 0).then(|| part as f64 / whole as f64);
    row.cell(head, key, share.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share)), share);
}

impl Measuring<'_> {
    fn row(&self, of: &Row) -> table::Row {
        let runs = || self.runs.iter().filter(|run| run.threads == of.threads);
        let mut counts = VisitCounts::default();
        for counted in self.counted.iter().filter(|counted| counted.threads == of.threads) {
            counts.add(&counted.counts);
        }
        let mut row = table::Row::default();
        row.cell("threads", "threads", of.threads.to_string(), of.threads);
        row.data("searches", runs().count());
        row.data("nodes", runs().map(|run| run.nodes).sum::<u64>());
        row.data("time_ms", runs().map(|run| run.time_ms).sum::<f64>());
        row.cell("nodes/s (95 %)", "nps", of.nps.text(count), json!(of.nps));
        let efficiency = format!("{:.1} %", 100.0 * of.efficiency.estimate);
        row.cell("efficiency", "efficiency", efficiency, json!(of.efficiency));
        let time = units::time(Duration::from_secs_f64(of.seconds.estimate));
        row.cell("to depth", "time_to_depth_ms", time, json!(of.seconds.scaled(1e3)));
        row.cell("speed-up (95 %)", "speedup", of.speedup.text(|number| format!("{number:.2}")), json!(of.speedup));
        share(&mut row, "hash hits", "hash_hit_rate", counts.known, counts.lookups);
        share(&mut row, "shared", "shared", counts.shared, counts.lookups);
        share(&mut row, "", "shared_known", counts.shared_known, counts.shared);
        row.data("placement", self.placements[&of.threads].clone());
        row
    }

    fn table(&self, rows: &[Row]) -> Vec<table::Row> {
        rows.iter().map(|row| self.row(row)).collect()
    }

    /// Numbers of completed and requested blocks.
    fn blocks(&self) -> (usize, usize) {
        (self.runs.len() / self.threads.len(), self.positions.len() * self.args.repeat)
    }

    /// The JSON document, with the elapsed time.
    pub fn json(&self, rows: &[Row], elapsed: Duration) -> Value {
        let (done, requested) = self.blocks();
        let Measuring { args, positions, threads, engine, stop, .. } = self;
        let fens = positions.iter().map(|game| game.board().fen(false));
        let position = |(at, fen)| json!({ "fen": fen, "depth": self.depths.get(at) });
        json!({
            "schema": SCHEMA,
            "created": SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            "interrupted": stop.is_requested(),
            "cut_short": !stop.is_requested() && done < requested,
            "elapsed_ms": elapsed.as_secs_f64() * 1e3,
            "version": machine::version(),
            "machine": self.machine,
            "settings": {
                "threads": threads,
                "hash_mib": engine.hash_mib(),
                "time_ms": args.time.as_secs_f64() * 1e3,
                "depth": args.depth,
                "repetitions": args.repeat,
                "positions_file": args.positions.as_ref().map(|path| path.display().to_string()),
                "seed": args.seed,
                "resamples": RESAMPLES,
                "confidence": CONFIDENCE,
            },
            "positions": fens.enumerate().map(position).collect::<Vec<_>>(),
            "runs": self.runs,
            "counts": self.counted,
            "results": table::json(&self.table(rows)),
        })
    }

    /// The machine and a table of the results.
    pub fn text(&self, rows: &[Row], elapsed: Duration) -> String {
        let Measuring { args, machine, positions, engine, stop, depths, .. } = self;
        let depth = match (depths.iter().min(), depths.iter().max()) {
            (Some(min), Some(max)) if min < max => format!(", depths {min} to {max}"),
            (Some(depth), _) => format!(", depth {depth}"),
            _ => String::new(),
        };
        let facts = [
            ("hash", format!("{} MiB", engine.hash_mib())),
            ("positions", format!("{}{depth}", positions.len())),
            ("time", format!("{} of {}", units::time(elapsed), units::time(args.time))),
        ];
        let mut text = machine::table(machine, &facts);
        let Some(first) = rows.first() else {
            return text
                + "\nNothing was measured: no position was searched with every thread count. Use more --time, less --depth or fewer --positions.\n";
        };
        let _ = write!(text, "\n{}", table::text(&self.table(rows)));
        let (done, requested) = self.blocks();
        if stop.is_requested() || done < requested {
            let reason = if stop.is_requested() { "interrupted" } else { "time ran out" };
            let _ = writeln!(text, "\n{reason} after {done} of {requested} searches with each thread count");
        }
        let typical = Duration::from_secs_f64(first.seconds.estimate);
        if typical < SHORT {
            let time = units::time(typical);
            let _ = writeln!(
                text,
                "\nsearches of {time} are not representative of longer ones; use more --time or fewer --positions"
            );
        }
        text
    }
}
