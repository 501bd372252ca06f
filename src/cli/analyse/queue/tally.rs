//! What was done, in numbers.

use crate::cli::units;
use crate::search::report::nps;
use std::time::{Duration, Instant};

/// Counts what was done, and guesses how long the rest takes.
#[derive(Debug)]
pub struct Tally {
    start: Instant,
    /// When the first search began, and how much of the input lay before it.
    first: Option<(Instant, f64)>,
    /// Positions that were searched here.
    pub searched: u64,
    /// Positions that were known.
    pub known: u64,
    /// Positions that are not known, and were not to be searched.
    pub unknown: u64,
    nodes: u64,
    time: Duration,
}

impl Tally {
    /// Nothing so far.
    pub fn start() -> Self {
        let (searched, known, unknown, nodes, time) = (0, 0, 0, 0, Duration::ZERO);
        Self { start: Instant::now(), first: None, searched, known, unknown, nodes, time }
    }

    /// A search begins, with so much of the input behind it.
    pub fn search_begins(&mut self, done: f64) {
        self.first.get_or_insert_with(|| (Instant::now(), done));
    }

    /// A search has ended: so many nodes in so much time.
    pub fn add(&mut self, nodes: u64, time: Duration) {
        self.searched += 1;
        self.nodes += nodes;
        self.time += time;
    }

    /// How long the rest of the input takes, if it goes on like this.
    pub fn left(&self, done: f64) -> Option<Duration> {
        let (since, before) = self.first?;
        let (elapsed, share) = (since.elapsed().as_secs_f64(), done - before);
        let left = elapsed / share * (1.0 - done);
        (self.searched > 0 && share > 1e-9 && left < 1e9).then(|| Duration::from_secs_f64(left.max(0.0)))
    }

    /// How far it has come.
    pub fn counts(&self, done: f64) -> String {
        format!("{} searched, {} known, {:.0} % of the input", self.searched, self.known, done * 100.0)
    }

    /// How far it has come, and how long the rest takes.
    pub fn progress(&self, done: f64) -> String {
        let left = self.left(done).map_or_else(String::new, |left| format!(", about {} left", units::time(left)));
        self.counts(done) + &left
    }

    /// All of it.
    pub fn summary(&self, problems: u64) -> String {
        let all = self.searched + self.known + self.unknown;
        let plural = if all == 1 { "" } else { "s" };
        let mut text =
            format!("{} position{plural}: {} searched, {} known", units::grouped(all), self.searched, self.known);
        if self.unknown > 0 {
            text += &format!(", {} not analysed", self.unknown);
        }
        if problems > 0 {
            text += &format!("; {problems} games or lines with problems");
        }
        if self.searched > 0 {
            let speed = units::grouped(nps(self.nodes, self.time));
            text += &format!("\n{} nodes, {speed} nodes/s", units::grouped(self.nodes));
        }
        format!("{text}\n{}", units::time(self.start.elapsed()))
    }
}
