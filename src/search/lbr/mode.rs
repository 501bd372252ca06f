//! The variants of Last Best Reply, and their names.

/// Which earlier moves a stored reply belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Prior {
    /// The prior move: the one that led to the node.
    #[default]
    Last,
    /// The prior move and the one before it.
    Pair,
    /// The move two plies earlier instead of the prior move: the last one of the side to move.
    TwoPlies,
}

/// How many stores there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stores {
    /// One for each ply.
    #[default]
    PerPly,
    /// One for each color of the side to move, for all plies.
    PerColor,
}

/// A variant: how replies are stored and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LbrMode {
    /// Which earlier moves have to match.
    pub prior: Prior,
    /// Whether only moves that neither capture nor promote are replies.
    pub quiet_only: bool,
    /// How many stores there are.
    pub stores: Stores,
}

/// Whether to order by Last Best Reply, and by which variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lbr {
    /// Nothing is stored and nothing is found.
    Off,
    /// By this variant.
    On(LbrMode),
}

impl Default for Lbr {
    fn default() -> Self {
        Self::On(LbrMode::default())
    }
}

const fn on(prior: Prior, quiet_only: bool, stores: Stores) -> Lbr {
    Lbr::On(LbrMode { prior, quiet_only, stores })
}

impl Lbr {
    const COUNT: usize = 13;

    /// Every choice with its name: what differs from the default, joined by `+`.
    pub const NAMED: [(&'static str, Self); Self::COUNT] = [
        ("off", Self::Off),
        ("reply", on(Prior::Last, false, Stores::PerPly)),
        ("pair", on(Prior::Pair, false, Stores::PerPly)),
        ("two-plies", on(Prior::TwoPlies, false, Stores::PerPly)),
        ("quiet", on(Prior::Last, true, Stores::PerPly)),
        ("pair+quiet", on(Prior::Pair, true, Stores::PerPly)),
        ("two-plies+quiet", on(Prior::TwoPlies, true, Stores::PerPly)),
        ("colour", on(Prior::Last, false, Stores::PerColor)),
        ("pair+colour", on(Prior::Pair, false, Stores::PerColor)),
        ("two-plies+colour", on(Prior::TwoPlies, false, Stores::PerColor)),
        ("quiet+colour", on(Prior::Last, true, Stores::PerColor)),
        ("pair+quiet+colour", on(Prior::Pair, true, Stores::PerColor)),
        ("two-plies+quiet+colour", on(Prior::TwoPlies, true, Stores::PerColor)),
    ];

    /// The names that the UCI option offers, in the order of [`NAMED`](Self::NAMED).
    pub const NAMES: [&'static str; Self::COUNT] = crate::search::names_of(&Self::NAMED);

    /// The name of this choice.
    pub fn name(self) -> &'static str {
        let named = Self::NAMED.iter().find(|(_, lbr)| *lbr == self);
        named.expect("every choice is named").0
    }

    /// The choice of this name, without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, lbr)| lbr)
    }

    /// The variant, unless it is off.
    pub fn mode(self) -> Option<LbrMode> {
        match self {
            Self::Off => None,
            Self::On(mode) => Some(mode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_combination_has_a_name_that_says_it_and_leads_back() {
        let mut names = HashSet::from(["off".to_owned()]);
        for (prior, prior_name) in [(Prior::Last, ""), (Prior::Pair, "pair"), (Prior::TwoPlies, "two-plies")] {
            for (quiet_only, quiet_name) in [(false, ""), (true, "quiet")] {
                for (stores, stores_name) in [(Stores::PerPly, ""), (Stores::PerColor, "colour")] {
                    let mut parts = vec![prior_name, quiet_name, stores_name];
                    parts.retain(|part| !part.is_empty());
                    let name = if parts.is_empty() { "reply".to_owned() } else { parts.join("+") };
                    let lbr = Lbr::On(LbrMode { prior, quiet_only, stores });
                    assert_eq!(lbr.name(), name);
                    assert_eq!(Lbr::from_name(&name.to_uppercase()), Some(lbr), "{name}");
                    names.insert(name);
                }
            }
        }
        assert_eq!(Lbr::NAMES.into_iter().map(str::to_owned).collect::<HashSet<_>>(), names);
        assert_eq!(Lbr::NAMED.into_iter().map(|(_, lbr)| lbr).collect::<HashSet<_>>().len(), Lbr::COUNT);
    }

    #[test]
    fn off_and_the_default() {
        assert_eq!((Lbr::Off.name(), Lbr::Off.mode()), ("off", None));
        assert_eq!((Lbr::default().name(), Lbr::default().mode()), ("reply", Some(LbrMode::default())));
        for name in ["", "on", "pair+", "colour+pair", "reply+quiet"] {
            assert_eq!(Lbr::from_name(name), None, "{name}");
        }
    }
}
