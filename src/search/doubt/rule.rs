//! The rules of the search that leave something out.

/// A rule that cuts a node, leaves a move out, or searches a move less deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// A node far above beta is cut by its evaluation.
    ReverseFutility,
    /// A node is cut when even passing the turn beats beta.
    NullMove,
    /// A node is cut by a capture that beats beta by a margin in a shallow search.
    ProbCut,
    /// A node is cut when other moves than the TT move beat beta as well.
    Multicut,
    /// Quiet moves after so many are left out.
    LateMove,
    /// A quiet move that will not lift the evaluation over alpha is left out.
    Futility,
    /// A quiet move with a bad history is left out.
    History,
    /// A quiet move that loses material is left out.
    SeeQuiet,
    /// A capture that loses material is left out.
    SeeNoisy,
    /// In quiescence a capture that takes too little is left out.
    QuiesceFutility,
    /// In quiescence a capture after others that does not take back, check or promote is left out.
    QuiesceLate,
    /// A late move that fails low in a reduced search is not searched at full depth.
    Reduction,
    /// A late move that fails high in a reduced search is searched at full depth. It is wrong when that was in vain.
    Verification,
}

impl Rule {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All of them: those of whole nodes, those of moves, those of reductions.
    pub const ALL: [Self; 13] = [
        Self::ReverseFutility,
        Self::NullMove,
        Self::ProbCut,
        Self::Multicut,
        Self::LateMove,
        Self::Futility,
        Self::History,
        Self::SeeQuiet,
        Self::SeeNoisy,
        Self::QuiesceFutility,
        Self::QuiesceLate,
        Self::Reduction,
        Self::Verification,
    ];

    /// Its name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReverseFutility => "reverse-futility",
            Self::NullMove => "null-move",
            Self::ProbCut => "probcut",
            Self::Multicut => "multicut",
            Self::LateMove => "late-move",
            Self::Futility => "futility",
            Self::History => "history",
            Self::SeeQuiet => "see-quiet",
            Self::SeeNoisy => "see-noisy",
            Self::QuiesceFutility => "quiesce-futility",
            Self::QuiesceLate => "quiesce-late",
            Self::Reduction => "reduction",
            Self::Verification => "verification",
        }
    }

    /// Whether it cuts whole nodes.
    pub const fn cuts_nodes(self) -> bool {
        RuleSet::OF_NODES.has(self)
    }

    /// Whether it leaves moves of quiescence out.
    pub const fn is_of_quiescence(self) -> bool {
        matches!(self, Self::QuiesceFutility | Self::QuiesceLate)
    }
}

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleSet(u16);

impl RuleSet {
    /// No rule.
    pub const NONE: Self = Self(0);
    /// The rules that cut whole nodes.
    pub const OF_NODES: Self =
        Self::NONE.with(Rule::ReverseFutility).with(Rule::NullMove).with(Rule::ProbCut).with(Rule::Multicut);

    /// With one rule more.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u8)
    }

    /// Whether a rule is in the set.
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & 1 << rule as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_listed_in_their_order_and_their_names_differ() {
        for (index, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, index);
            assert_eq!(Rule::ALL.iter().filter(|other| other.name() == rule.name()).count(), 1);
            assert!(!RuleSet::NONE.has(rule) && RuleSet::NONE.with(rule).has(rule));
        }
        assert_eq!(Rule::ALL.iter().filter(|rule| rule.cuts_nodes()).count(), 4);
    }
}
