//! How often Last Best Reply has something to say, and how often it is right.

/// Counts of nodes, each a part of the one before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LbrStats {
    /// The moves that have to match are there, so the store was asked.
    pub asked: u64,
    /// First match: the store knew a reply to them.
    pub first_matches: u64,
    /// Second match: that reply is a legal move of the node.
    pub second_matches: u64,
    /// The node's search ended with that reply as its best move.
    pub best: u64,
    /// It failed high by that reply.
    pub cutoffs: u64,
}

impl LbrStats {
    /// Adds the counts of another search.
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
        self.best += other.best;
        self.cutoffs += other.cutoffs;
    }

    /// The counts with their names, in order.
    pub fn rows(&self) -> [(&'static str, u64); 5] {
        [
            ("nodes that asked", self.asked),
            ("first matches", self.first_matches),
            ("second matches", self.second_matches),
            ("reply best", self.best),
            ("cutoffs by it", self.cutoffs),
        ]
    }
}
