//! Counting verdicts.

use super::examine::Examined;
use super::fact::{Breakdown, Bucket};
use crate::common::summary::share;
use crate::common::wilson;
use lento::search::doubt::{Doubted, Rule, Verdict};
use std::collections::BTreeMap;

/// What was found in all positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many there were.
    pub positions: u64,
    /// Nodes of the searches themselves.
    pub nodes: u64,
    /// The sum of the depths that they came to, in plies.
    pub depths: u64,
    /// How often each rule has cut, by its number.
    pub cuts: [u64; Rule::COUNT],
    /// What was searched again.
    pub doubted: Vec<Doubted>,
}

impl Found {
    /// Adds a position.
    pub fn add(&mut self, examined: Examined) {
        self.positions += 1;
        self.nodes += examined.nodes;
        self.depths += u64::try_from(examined.depth).unwrap_or(0);
        self.cuts.iter_mut().zip(examined.cuts).for_each(|(sum, cuts)| *sum += cuts);
        self.doubted.extend(examined.doubted);
    }

    /// The depth that searches came to, in plies; 0 without any.
    pub fn mean_depth(&self) -> f64 {
        self.depths as f64 / self.positions.max(1) as f64
    }

    /// Nodes that the doubts took.
    pub fn nodes_again(&self) -> u64 {
        self.doubted.iter().map(|doubted| doubted.nodes).sum()
    }

    /// The verdicts on a rule.
    pub fn of(&self, rule: Rule) -> Tally {
        let mut tally = Tally::default();
        self.doubted.iter().filter(|doubted| doubted.rule == rule).for_each(|doubted| tally.add(doubted));
        tally
    }

    /// The verdicts on a rule, broken down; what the breakdown says nothing about is left out.
    pub fn by(&self, rule: Rule, breakdown: &Breakdown) -> BTreeMap<Vec<Bucket>, Tally> {
        let mut tallies: BTreeMap<Vec<Bucket>, Tally> = BTreeMap::new();
        for doubted in self.doubted.iter().filter(|doubted| doubted.rule == rule) {
            if let Some(buckets) = breakdown.buckets(doubted) {
                tallies.entry(buckets).or_default().add(doubted);
            }
        }
        tallies
    }
}

/// Verdicts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// How many there are.
    pub known: u64,
    /// How many of them say that the rule was wrong.
    pub wrong: u64,
}

impl Verdicts {
    fn add(&mut self, verdict: Verdict) {
        self.known += u64::from(verdict != Verdict::Unfinished);
        self.wrong += u64::from(verdict == Verdict::Wrong);
    }

    /// The share that was wrong, and from where to where it may lie with 95 % confidence; `None` without verdicts.
    pub fn share(self) -> Option<[f64; 3]> {
        let [low, high] = wilson::interval(self.wrong, self.known);
        (self.known > 0).then(|| [share(self.wrong, self.known), low, high])
    }
}

/// What became of cuts that were doubted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many were doubted.
    pub sampled: u64,
    /// What the search said without the rule.
    pub rule: Verdicts,
    /// What it said without any rule that cuts whole nodes.
    pub by_moves: Verdicts,
    /// Nodes that it took.
    pub nodes: u64,
}

impl Tally {
    fn add(&mut self, doubted: &Doubted) {
        self.sampled += 1;
        self.rule.add(doubted.verdict);
        if let Some(verdict) = doubted.by_moves {
            self.by_moves.add(verdict);
        }
        self.nodes += doubted.nodes;
    }
}
