//! Counts and time estimates.

use lento::cli::units;
use lento::search::report::nps;
use std::time::{Duration, Instant};

/// Counts positions and estimates the remaining time.
#[derive(Debug)]
pub struct Tally {
    start: Instant,
    /// Start of the first search, with the fraction of input before it.
    first: Option<(Instant, f64)>,
    /// Positions searched here.
    pub searched: u64,
    /// Positions from the database.
    pub known: u64,
    /// Positions neither stored nor searched.
    pub unknown: u64,
    nodes: u64,
    time: Duration,
}

impl Tally {
    pub fn start() -> Self {
        let (searched, known, unknown, nodes, time) = (0, 0, 0, 0, Duration::ZERO);
        Self { start: Instant::now(), first: None, searched, known, unknown, nodes, time }
    }

    /// Records the start of a search at a fraction of the input.
    pub fn start_search(&mut self, done: f64) {
        self.first.get_or_insert_with(|| (Instant::now(), done));
    }

    /// Records the end of a search.
    pub fn add(&mut self, nodes: u64, time: Duration) {
        self.searched += 1;
        self.nodes += nodes;
        self.time += time;
    }

    /// Estimates the remaining time.
    pub fn left(&self, done: f64) -> Option<Duration> {
        let (since, before) = self.first?;
        let (elapsed, share) = (since.elapsed().as_secs_f64(), done - before);
        let left = elapsed / share * (1.0 - done);
        (self.searched > 0 && share > 1e-9 && left < 1e9).then(|| Duration::from_secs_f64(left.max(0.0)))
    }

    /// The counts as text.
    pub fn counts(&self, done: f64) -> String {
        format!("{} searched, {} known, {:.0} % of the input", self.searched, self.known, done * 100.0)
    }

    /// The counts with the time per search and the remaining time.
    pub fn progress(&self, done: f64) -> String {
        let left = self.left(done).map_or_else(String::new, |left| format!(", about {} left", units::time(left)));
        self.counts(done) + &left
    }

    /// The final counts.
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
