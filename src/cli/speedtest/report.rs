//! What a speedtest says at the end.

use crate::cli::machine::Machine;
use crate::cli::spread::Spread;
use crate::cli::timed::Timed;
use crate::cli::{units, version};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// All positions once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repetition {
    /// How many positions were thought about.
    pub positions: usize,
    /// Nodes of all threads.
    pub nodes: u64,
    /// The time of the searches.
    pub time: Duration,
    /// The most that the hash table was used, per mille.
    pub hashfull: u32,
}

impl Repetition {
    /// Adds a search.
    pub fn add(&mut self, timed: &Timed) {
        self.positions += 1;
        self.nodes += timed.nodes;
        self.time += timed.elapsed;
        self.hashfull = self.hashfull.max(timed.hashfull);
    }

    /// Nodes per second.
    fn nps(&self) -> f64 {
        self.nodes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// The test as a whole.
pub struct Report {
    /// What it ran on.
    pub machine: Machine,
    /// Threads.
    pub threads: usize,
    /// Hash table in MiB.
    pub hash_mib: usize,
    /// Positions of a repetition.
    pub positions: usize,
    /// Games they are from.
    pub games: usize,
    /// What was measured.
    pub repetitions: Vec<Repetition>,
    /// Whether Ctrl-C ended it.
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

    /// For people.
    pub fn text(&self) -> String {
        let mut rows = version::rows();
        rows.extend(self.machine.rows());
        rows.push(("threads", self.threads.to_string()));
        rows.push(("hash", format!("{} MiB", self.hash_mib)));
        rows.push(("positions", format!("{} of {} games", self.positions, self.games)));
        let mut text = String::new();
        let mut tell = |(name, value): (&str, String)| {
            let _ = writeln!(text, "{name:<13} {value}");
        };
        rows.into_iter().for_each(&mut tell);
        if self.repetitions.is_empty() {
            tell(("interrupted", "before anything was measured".into()));
            return text;
        }
        let spread = self.nps();
        let number = |nps: f64| units::grouped(nps.round() as u64);
        tell(("repetitions", self.repetitions.len().to_string()));
        tell(("nodes", units::grouped(self.nodes())));
        tell(("time", units::time(self.time())));
        tell(("hashfull", format!("{:.1} % at the most", f64::from(self.hashfull()) / 10.0)));
        if self.repetitions.len() > 1 {
            let percent = 100.0 * spread.mad / spread.median.max(1e-9);
            let (low, high) = (number(spread.min), number(spread.max));
            tell(("spread", format!("{low} to {high} nodes/s, median absolute deviation {percent:.2} %")));
        }
        if self.interrupted {
            let begun = self.repetitions.iter().find(|repetition| repetition.positions < self.positions);
            let what = match begun {
                Some(begun) => format!("after {} of {} positions", begun.positions, self.positions),
                None => "what is above are the repetitions that were whole".into(),
            };
            tell(("interrupted", what));
        }
        tell(("nodes/s", number(spread.median)));
        text
    }

    /// For programs.
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
            "version": version::json(),
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
