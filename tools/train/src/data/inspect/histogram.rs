//! Counts by size.

use lento_common::summary::share;
use serde_json::{Value, json};
use std::fmt::Write;

/// The longest bar, in characters.
const BAR: f64 = 40.0;

/// Counts of numbers in steps of one width. What lies outside is counted with the first or last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    start: i32,
    width: i32,
    counts: Vec<u64>,
}

/// A step and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The smallest number that belongs to it.
    pub start: i32,
    /// The first that does not.
    pub end: i32,
    /// How many there were.
    pub count: u64,
}

impl Histogram {
    /// Steps from `start` to before `end`.
    pub fn new(start: i32, end: i32, width: i32) -> Self {
        let count = (end - start).max(1).unsigned_abs().div_ceil(width.unsigned_abs());
        Self { start, width, counts: vec![0; count as usize] }
    }

    /// Counts a number.
    pub fn add(&mut self, number: i32) {
        let step = (number - self.start).div_euclid(self.width).max(0) as usize;
        let last = self.counts.len() - 1;
        self.counts[step.min(last)] += 1;
    }

    /// Counts what another histogram of the same steps has counted.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!((self.start, self.width, self.counts.len()), (other.start, other.width, other.counts.len()));
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
    }

    /// How many numbers there were.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All steps, in order.
    pub fn bins(&self) -> impl Iterator<Item = Bin> {
        let start = move |index: usize| self.start + self.width * index as i32;
        self.counts.iter().enumerate().map(move |(index, &count)| Bin {
            start: start(index),
            end: start(index + 1),
            count,
        })
    }

    /// A line for each step: its beginning, count, share, and a bar.
    pub fn table(&self) -> String {
        let most = self.counts.iter().copied().max().unwrap_or(0).max(1);
        let mut text = String::new();
        for Bin { start, count, .. } in self.bins() {
            let percent = 100.0 * share(count, self.total());
            let bar = "#".repeat((BAR * count as f64 / most as f64).round() as usize);
            let line = format!("{start:>8}{count:>14}{percent:>8.2} %  {bar}");
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Pairs of the beginning of a step and its count.
    pub fn to_json(&self) -> Value {
        self.bins().map(|bin| json!([bin.start, bin.count])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_where_they_belong() {
        let mut histogram = Histogram::new(-200, 200, 100);
        for number in [-1000, -200, -101, -100, -1, 0, 99, 100, 199, 200, 5000] {
            histogram.add(number);
        }
        let counts: Vec<(i32, u64)> = histogram.bins().map(|bin| (bin.start, bin.count)).collect();
        assert_eq!(counts, [(-200, 3), (-100, 2), (0, 2), (100, 4)]);
        assert_eq!(histogram.total(), 11);
        assert_eq!(histogram.to_json(), json!([[-200, 3], [-100, 2], [0, 2], [100, 4]]));
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!(twice.bins().map(|bin| bin.count).collect::<Vec<_>>(), [6, 4, 4, 8]);
        let table = histogram.table();
        assert_eq!(table.lines().count(), 4);
        assert!(table.lines().last().unwrap().ends_with(&"#".repeat(40)), "{table}");
        assert!(table.contains(" 36.36 %"), "{table}");
    }
}
