//! Who doubts: which cuts are looked at again, and what was found.

use super::aside::Aside;
use super::cut::Doubted;
use super::rule::{Rule, RuleSet};
use crate::chess::zobrist::split_mix;
use crate::search::probe::SearchProbe;

/// Which cuts to doubt, and how much that may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Of each rule, by its number: one cut of so many is doubted, in the mean; 0: none, and none is counted.
    pub every: [u64; Rule::COUNT],
    /// Cuts in nodes of less depth than this are neither doubted nor counted.
    pub least_depth: i32,
    /// Most nodes for one search of what was cut.
    pub most_nodes: u64,
    /// Decides which cuts are doubted. The choice for one rule does not depend on the others.
    pub seed: u64,
}

/// The cuts of one rule.
#[derive(Clone, Copy, Debug)]
struct Stream {
    every: u64,
    /// State of the numbers by which they are drawn.
    state: u64,
    /// Cuts until one is doubted.
    left: u64,
    cuts: u64,
}

impl Stream {
    fn new(every: u64, seed: u64) -> Self {
        let mut stream = Self { every, state: seed, left: 0, cuts: 0 };
        stream.left = stream.gap();
        stream
    }

    /// From 1 to twice the mean.
    fn gap(&mut self) -> u64 {
        1 + split_mix(&mut self.state) % (2 * self.every.max(1) - 1)
    }

    /// Counts a cut, and says whether to doubt it.
    fn is_drawn(&mut self) -> bool {
        self.cuts += 1;
        self.left -= 1;
        let drawn = self.left == 0;
        if drawn {
            self.left = self.gap();
        }
        drawn
    }
}

/// Doubts the rules of one search. What it does leaves the search as it would be without it.
pub struct Doubts {
    streams: [Stream; Rule::COUNT],
    least_depth: i32,
    pub(super) most_nodes: u64,
    /// What is searched again now: the rules that may not cut, at which ply.
    under: Option<(RuleSet, usize)>,
    pub(super) aside: Aside,
    doubted: Vec<Doubted>,
}

impl Doubts {
    /// Nothing was doubted so far.
    pub fn new(sampling: &Sampling) -> Self {
        let stream = |rule: Rule| {
            let seed = split_mix(&mut sampling.seed.wrapping_add(rule as u64));
            Stream::new(sampling.every[rule as usize], seed)
        };
        Self {
            streams: Rule::ALL.map(stream),
            least_depth: sampling.least_depth,
            most_nodes: sampling.most_nodes,
            under: None,
            aside: Aside::default(),
            doubted: Vec::new(),
        }
    }

    /// How often a rule has cut.
    pub fn cuts(&self, rule: Rule) -> u64 {
        self.streams[rule as usize].cuts
    }

    /// What was searched again.
    pub fn into_doubted(self) -> Vec<Doubted> {
        self.doubted
    }

    /// Whether cuts of a rule at nodes of this depth count. What happens while something is doubted does not.
    pub(in crate::search) fn count(&self, rule: Rule, depth: i32) -> bool {
        self.under.is_none() && depth >= self.least_depth && self.streams[rule as usize].every > 0
    }

    /// Counts a cut, and says whether to doubt it.
    pub(in crate::search) fn draws(&mut self, rule: Rule, depth: i32) -> bool {
        self.count(rule, depth) && self.streams[rule as usize].is_drawn()
    }

    /// Whether something is being searched again.
    pub(in crate::search) fn are_busy(&self) -> bool {
        self.under.is_some()
    }

    /// Whether a rule may cut at this ply: not while it is doubted there.
    pub(in crate::search) fn allow(&self, rule: Rule, ply: usize) -> bool {
        self.under.is_none_or(|(rules, at)| at != ply || !rules.has(rule))
    }

    pub(super) fn begin(&mut self, rules: RuleSet, ply: usize) {
        self.under = Some((rules, ply));
    }

    pub(super) fn end(&mut self) {
        self.under = None;
    }

    pub(super) fn note(&mut self, doubted: Doubted) {
        self.doubted.push(doubted);
    }
}

impl SearchProbe for &mut Doubts {
    #[inline(always)]
    fn doubts(&self) -> Option<&Doubts> {
        Some(self)
    }

    #[inline(always)]
    fn doubts_mut(&mut self) -> Option<&mut Doubts> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(every: u64, seed: u64, cuts: u64) -> Vec<u64> {
        let mut stream = Stream::new(every, seed);
        (0..cuts).filter(|_| stream.is_drawn()).collect()
    }

    #[test]
    fn one_of_so_many_is_drawn_and_the_seed_says_which() {
        assert_eq!(drawn(1, 7, 5), [0, 1, 2, 3, 4]);
        let some = drawn(10, 7, 10_000);
        assert!((900..1100).contains(&some.len()), "{}", some.len());
        assert_eq!(some, drawn(10, 7, 10_000));
        assert_ne!(some, drawn(10, 8, 10_000));
    }

    #[test]
    fn a_rule_is_off_where_it_is_doubted_and_nothing_counts_meanwhile() {
        let mut every = [1; Rule::COUNT];
        every[Rule::Multicut as usize] = 0;
        let sampling = Sampling { every, least_depth: 3, most_nodes: 1, seed: 0 };
        let mut doubts = Doubts::new(&sampling);
        assert!(!doubts.draws(Rule::Futility, 2) && doubts.draws(Rule::Futility, 3));
        assert!(!doubts.draws(Rule::Multicut, 9) && doubts.cuts(Rule::Multicut) == 0);
        doubts.begin(RuleSet::NONE.with(Rule::NullMove), 5);
        assert!(!doubts.allow(Rule::NullMove, 5) && doubts.allow(Rule::NullMove, 6) && doubts.allow(Rule::ProbCut, 5));
        assert!(!doubts.draws(Rule::Futility, 3));
        doubts.end();
        assert!(doubts.allow(Rule::NullMove, 5) && !doubts.are_busy());
        assert_eq!((doubts.cuts(Rule::Futility), doubts.cuts(Rule::History)), (1, 0));
    }
}
