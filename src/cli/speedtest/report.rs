//! The report of a speedtest.

use crate::cli::machine::{Machine, version_json, version_rows};
use crate::cli::search::Found;
use crate::cli::spread::Spread;
use crate::cli::units;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// A pass over all positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repetition {
    /// Positions searched.
    pub positions: usize,
    /// Nodes over all threads.
    pub nodes: u64,
    /// Search time.
    pub time: Duration,
    /// Maximum hash use, per mille.
    pub hashfull: u32,
}

impl Repetition {
    /// Adds a search.
    pub fn add(&mut self, found: &Found) {
        self.positions += 1;
        self.nodes += found.nodes();
        self.time += found.elapsed;
        self.hashfull = self.hashfull.max(found.hashfull());
    }

    fn nps(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// The result of a speedtest.
pub struct Report {
    /// The machine.
    pub machine: Machine,
    /// Number of threads.
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// Positions per repetition.
    pub positions: usize,
    /// Games of these positions.
    pub games: usize,
    /// The results.
    pub repetitions: Vec<Repetition>,
    /// Whether it was interrupted by Ctrl-C.
    pub interrupted: bool,
}

impl Report {
    fn nps(&self) -> Spread {
        Spread::of(&self.repetitions.iter().map(Repetition::nps).collect::<Vec<_>>())
    }

    fn nodes(&self) -> u64 {
        self.repetitions.iter().map(|repetition| repetition.nodes).sum()
    }

    fn time(&self) -> Duration {
        self.repetitions.iter().map(|repetition| repetition.time).sum()
    }

    fn hashfull(&self) -> u32 {
        self.repetitions.iter().map(|repetition| repetition.hashfull).max().unwrap_or(0)
    }

    /// As a text table.
    pub fn text(&self) -> String {
        let mut rows = version_rows();
        rows.extend(self.machine.rows());
        rows.push(("threads", self.threads.to_string()));
        rows.push(("hash", format!("{} MiB", self.hash_mib)));
        rows.push(("positions", format!("{} of {} games", self.positions, self.games)));
        let mut text = String::new();
        let mut add_row = |(name, value): (&str, String)| {
            let _ = writeln!(text, "{name:<13} {value}");
        };
        rows.into_iter().for_each(&mut add_row);
        if self.repetitions.is_empty() {
            add_row(("interrupted", "before anything was measured".into()));
            return text;
        }
        let spread = self.nps();
        let number = |nps: f64| units::grouped(nps.round() as u64);
        add_row(("repetitions", self.repetitions.len().to_string()));
        add_row(("nodes", units::grouped(self.nodes())));
        add_row(("time", units::time(self.time())));
        add_row(("hashfull", format!("{:.1} % at most", f64::from(self.hashfull()) / 10.0)));
        if self.repetitions.len() > 1 {
            let percent = 100.0 * spread.mad / spread.median.max(1e-9);
            let (low, high) = (number(spread.min), number(spread.max));
            add_row(("spread", format!("{low} to {high} nodes/s, median absolute deviation {percent:.2} %")));
        }
        if self.interrupted {
            let begun = self.repetitions.iter().find(|repetition| repetition.positions < self.positions);
            let what = match begun {
                Some(begun) => format!("after {} of {} positions", begun.positions, self.positions),
                None => "after the repetitions above".into(),
            };
            add_row(("interrupted", what));
        }
        add_row(("nodes/s", number(spread.median)));
        text
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let repetition = |repetition: &Repetition| {
            json!({
                "positions": repetition.positions,
                "nodes": repetition.nodes,
                "time_ms": ms(repetition.time),
                "nps": repetition.nps(),
                "hashfull": repetition.hashfull,
            })
        };
        let Spread { median, min, max, mad } = self.nps();
        json!({
            "version": version_json(),
            "machine": self.machine.json(),
            "threads": self.threads,
            "hash_mib": self.hash_mib,
            "positions": self.positions,
            "repetitions": self.repetitions.iter().map(repetition).collect::<Vec<_>>(),
            "nodes": self.nodes(),
            "time_ms": ms(self.time()),
            "nps": { "median": median, "min": min, "max": max, "mad": mad },
            "hashfull": self.hashfull(),
            "interrupted": self.interrupted,
        })
    }
}
