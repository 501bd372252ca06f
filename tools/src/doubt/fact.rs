//! What verdicts are broken down by.

use lento::search::doubt::{Doubted, MoveClass, NodeKind, Rule, TtMove};
use std::fmt;
use std::str::FromStr;

/// Something known of each cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Depth of the node.
    Depth,
    /// Depth after reduction.
    Reduced,
    /// By how much more than the rule asks for.
    Margin,
    /// How far the evaluation lies beyond the bound.
    Gap,
    /// What is expected of the node.
    Node,
    /// Whether the side to move is in check.
    InCheck,
    /// Whether the node is remembered from a principal variation.
    TtPv,
    /// Whether the side to move evaluates better than before.
    Improving,
    /// The TT move of the node.
    TtMove,
    /// What kind of move it is.
    Move,
    /// Whether it gives check.
    GivesCheck,
    /// Its number in the node.
    Number,
    /// What histories know of it.
    History,
}

/// One of the parts that a fact divides cuts into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucket {
    order: usize,
    /// In words.
    pub label: String,
}

const DEPTHS: &[i32] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 17];
const CENTIPAWNS: &[i32] = &[0, 10, 25, 50, 75, 100, 150, 200, 300, 500, 1000];
const GAPS: &[i32] = &[-200, -100, -50, 0, 25, 50, 75, 100, 150, 200, 300, 500, 1000];
const MOVES: &[i32] = &[1, 2, 3, 5, 9, 17, 33];
const POINTS: &[i32] = &[0, 500, 1000, 2000, 4000, 8000, 16_000];
const HISTORIES: &[i32] = &[-16_000, -8000, -4000, -2000, 0, 2000, 4000, 8000, 12_000, 16_000];
const NUMBERS: &[i32] = &[1, 2, 3, 4, 5, 7, 10, 15, 20, 30];

impl Bucket {
    fn new(order: usize, label: &str) -> Self {
        Self { order, label: label.to_owned() }
    }

    fn yes(holds: bool) -> Self {
        Self::new(usize::from(holds), if holds { "yes" } else { "no" })
    }

    /// Between two of these numbers, the first included.
    fn between(value: i32, edges: &[i32]) -> Self {
        let order = edges.partition_point(|&edge| edge <= value);
        let label = match (order.checked_sub(1).map(|below| edges[below]), edges.get(order)) {
            (None, _) => format!("below {}", edges[0]),
            (Some(low), None) => format!("{low} and more"),
            (Some(low), Some(&high)) if high == low + 1 => low.to_string(),
            (Some(low), Some(&high)) => format!("{low} to {}", high - 1),
        };
        Self { order, label }
    }
}

impl Fact {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Depth,
        Self::Reduced,
        Self::Margin,
        Self::Gap,
        Self::Node,
        Self::InCheck,
        Self::TtPv,
        Self::Improving,
        Self::TtMove,
        Self::Move,
        Self::GivesCheck,
        Self::Number,
        Self::History,
    ];

    /// Its name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Depth => "depth",
            Self::Reduced => "reduced",
            Self::Margin => "margin",
            Self::Gap => "gap",
            Self::Node => "node",
            Self::InCheck => "in-check",
            Self::TtPv => "tt-pv",
            Self::Improving => "improving",
            Self::TtMove => "tt-move",
            Self::Move => "move",
            Self::GivesCheck => "gives-check",
            Self::Number => "number",
            Self::History => "history",
        }
    }

    /// Where a cut belongs; `None` where this is not known or means nothing.
    fn bucket(self, doubted: &Doubted) -> Option<Bucket> {
        let (rule, facts) = (doubted.rule, &doubted.facts);
        let in_quiescence = rule.is_of_quiescence();
        Some(match self {
            Self::Depth => Bucket::between(facts.depth, DEPTHS),
            Self::Reduced => Bucket::between(facts.mv.filter(|_| !in_quiescence)?.reduced, DEPTHS),
            Self::Margin => {
                let edges = match rule {
                    Rule::LateMove => MOVES,
                    Rule::History => POINTS,
                    _ => CENTIPAWNS,
                };
                Bucket::between(facts.beyond, edges)
            }
            Self::Gap => Bucket::between(facts.gap?, GAPS),
            Self::Node => match facts.node? {
                NodeKind::Pv => Bucket::new(0, "PV"),
                NodeKind::Cut => Bucket::new(1, "cut"),
                NodeKind::All => Bucket::new(2, "all"),
            },
            Self::InCheck => Bucket::yes(facts.in_check),
            Self::TtPv => Bucket::yes(facts.tt_pv),
            Self::Improving if in_quiescence => return None,
            Self::Improving => Bucket::yes(facts.improving),
            Self::TtMove if in_quiescence => return None,
            Self::TtMove => match facts.tt_move {
                TtMove::None => Bucket::new(0, "none"),
                TtMove::Quiet => Bucket::new(1, "quiet"),
                TtMove::Noisy => Bucket::new(2, "noisy"),
            },
            Self::Move => match facts.mv?.class {
                MoveClass::Noisy => Bucket::new(0, "noisy"),
                MoveClass::Killer => Bucket::new(1, "killer"),
                MoveClass::Reply => Bucket::new(2, "reply"),
                MoveClass::Quiet => Bucket::new(3, "quiet"),
            },
            Self::GivesCheck => Bucket::yes(facts.mv?.gives_check),
            Self::Number => Bucket::between(facts.mv.filter(|_| !in_quiescence)?.number as i32, NUMBERS),
            Self::History => Bucket::between(facts.mv?.history, HISTORIES),
        })
    }
}

/// One fact, or several at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown(Vec<Fact>);

impl Breakdown {
    /// By each fact alone.
    pub fn each() -> Vec<Self> {
        Fact::ALL.into_iter().map(|fact| Self(vec![fact])).collect()
    }

    /// The names of the facts.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|fact| fact.name())
    }

    /// Where a cut belongs, by each of the facts; `None` where one of them is not known.
    pub fn buckets(&self, doubted: &Doubted) -> Option<Vec<Bucket>> {
        self.0.iter().map(|fact| fact.bucket(doubted)).collect()
    }
}

impl FromStr for Breakdown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fact = |name: &str| {
            let known = Fact::ALL.into_iter().find(|fact| fact.name().eq_ignore_ascii_case(name.trim()));
            let names = Fact::ALL.map(Fact::name).join(", ");
            known.ok_or_else(|| format!("expected one of {names}, or several with + between, as in depth+margin"))
        };
        text.split('+').map(fact).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Breakdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.names().collect::<Vec<_>>().join("+"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_lie_in_the_order_of_their_numbers() {
        let labels: Vec<String> =
            [-300, -200, -1, 0, 24, 25, 5000].iter().map(|&value| Bucket::between(value, GAPS).label).collect();
        let expected = ["below -200", "-200 to -101", "-50 to -1", "0 to 24", "0 to 24", "25 to 49", "1000 and more"];
        assert_eq!(labels, expected);
        assert_eq!(Bucket::between(3, DEPTHS).label, "3");
        assert!(Bucket::between(9, DEPTHS) < Bucket::between(12, DEPTHS));
        for edges in [DEPTHS, CENTIPAWNS, GAPS, MOVES, POINTS, HISTORIES, NUMBERS] {
            assert!(edges.is_sorted_by(|one, other| one < other));
        }
    }

    #[test]
    fn breakdowns_are_read_as_they_are_written() {
        for text in ["depth", "depth+margin", "tt-pv+node+gap"] {
            assert_eq!(text.parse::<Breakdown>().unwrap().to_string(), text);
        }
        for text in ["", "depth+", "+", "nosuch", "depth margin"] {
            assert!(text.parse::<Breakdown>().unwrap_err().contains("tt-pv, improving"), "{text}");
        }
    }
}
