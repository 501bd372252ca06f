//! Search limits in games.

use lento::chess::Color;
use lento::search::limits::Limits;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A limit per move, or a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Exact nodes per move.
    Nodes(u64),
    /// Starts no iteration after the soft limit.
    SoftNodes {
        /// Soft limit in nodes.
        soft: u64,
        /// Hard limit in nodes, which aborts an iteration.
        hard: u64,
    },
    /// Depth in plies.
    Depth(i32),
    /// Time per move.
    MoveTime(Duration),
    /// A clock.
    Clock {
        /// Initial time.
        base: Duration,
        /// Increment per move.
        increment: Duration,
    },
}

impl Limit {
    /// A soft limit with the default hard limit of eight times that.
    pub fn soft(nodes: u64) -> Self {
        Self::SoftNodes { soft: nodes, hard: nodes.saturating_mul(8) }
    }

    /// Whether searches take up to about a second.
    pub fn is_short(self) -> bool {
        match self {
            Self::Nodes(nodes) | Self::SoftNodes { hard: nodes, .. } => nodes <= 500_000,
            Self::Depth(depth) => depth <= 12,
            Self::MoveTime(time) => time <= Duration::from_secs(1),
            // A move takes up to about half of the clock.
            Self::Clock { base, increment } => base + increment <= Duration::from_secs(2),
        }
    }

    /// The search limits for the side to move, given its remaining time.
    pub fn args(self, side: Color, left: Duration) -> Limits {
        let mut args = Limits::default();
        match self {
            Self::Nodes(nodes) => args.nodes = Some(nodes),
            Self::SoftNodes { soft, hard } => (args.soft_nodes, args.nodes) = (Some(soft), Some(hard)),
            Self::Depth(depth) => args.depth = Some(depth),
            Self::MoveTime(time) => args.movetime = Some(millis(time)),
            Self::Clock { increment, .. } => {
                args.clock[side.index()] = Some(millis(left));
                args.increment[side.index()] = Some(millis(increment));
            }
        }
        args
    }

    /// Parses a limit that does not depend on time.
    pub fn repeatable(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected soft=1000, soft=1000,hard=1500, nodes=5000 or depth=8";
        match text.parse() {
            Ok(Self::MoveTime(_) | Self::Clock { .. }) => Err(format!("data must not depend on time; {EXPECTED}")),
            Ok(limit) => Ok(limit),
            Err(_) => Err(EXPECTED.into()),
        }
    }

    /// Initial time and increment, if there is a clock.
    pub fn clock(self) -> Option<(Duration, Duration)> {
        match self {
            Self::Clock { base, increment } => Some((base, increment)),
            _ => None,
        }
    }
}

fn millis(time: Duration) -> i64 {
    time.as_millis().try_into().unwrap_or(i64::MAX)
}

const EXPECTED: &str = "expected nodes=5000 (exactly), soft=5000 (nodes, to the end of the iteration, at most \
     40000), soft=5000,hard=8000 (at most 8000), depth=8, movetime=50ms, or a clock in seconds, tc=2+0.02";

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| format!("{text:?}; {EXPECTED}"))
    }
}

fn parse(text: &str) -> Option<Limit> {
    let (kind, value) = text.split_once('=')?;
    let positive = |text: &str| text.parse().ok().filter(|&number: &u64| number > 0);
    match kind {
        "nodes" => positive(value).map(Limit::Nodes),
        "soft" => match value.split_once(",hard=") {
            None => positive(value).map(Limit::soft),
            Some((soft, hard)) => {
                let (soft, hard) = (soft.parse().ok()?, hard.parse().ok()?);
                (0 < soft && soft <= hard).then_some(Limit::SoftNodes { soft, hard })
            }
        },
        "depth" => value.parse().ok().filter(|&depth| depth > 0).map(Limit::Depth),
        "movetime" => positive(value.strip_suffix("ms")?).map(|ms| Limit::MoveTime(Duration::from_millis(ms))),
        "tc" => {
            let (base, increment) = value.split_once('+').unwrap_or((value, "0"));
            let seconds = |text: &str| {
                let time = Duration::try_from_secs_f64(text.parse().ok()?).ok()?;
                (time <= Duration::from_secs(86_400)).then_some(time)
            };
            let (base, increment) = (seconds(base)?, seconds(increment)?);
            (!base.is_zero()).then_some(Limit::Clock { base, increment })
        }
        _ => None,
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            limit @ Self::SoftNodes { soft, .. } if *limit == Self::soft(*soft) => write!(f, "soft={soft}"),
            Self::SoftNodes { soft, hard } => write!(f, "soft={soft},hard={hard}"),
            Self::Depth(depth) => write!(f, "depth={depth}"),
            Self::MoveTime(time) => write!(f, "movetime={}ms", time.as_millis()),
            Self::Clock { base, increment } => write!(f, "tc={}+{}", base.as_secs_f64(), increment.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_round_trip_through_text() {
        for text in ["nodes=5000", "soft=1000", "soft=1000,hard=1500", "depth=8", "movetime=50ms", "tc=2+0.02"] {
            assert_eq!(text.parse::<Limit>().unwrap().to_string(), text);
        }
        assert_eq!("tc=5".parse::<Limit>().unwrap().to_string(), "tc=5+0");
        assert_eq!("soft=1000,hard=8000".parse(), Ok(Limit::soft(1000)));
        for text in [
            "soft=0",
            "soft=9,hard=8",
            "soft=9,hard=",
            "soft=9,",
            "soft=9,nodes=9",
            "soft=0,hard=9",
            "",
            "5000",
            "nodes=",
            "nodes=0",
            "depth=-1",
            "movetime=50",
            "tc=0+1",
            "tc=-1",
            "tc=x+1",
            "tc=1e9",
        ] {
            let error = text.parse::<Limit>().unwrap_err();
            assert!(error.contains(&format!("{text:?}")) && error.contains("tc=2+0.02"), "{error}");
        }
    }

    #[test]
    fn repeatable_limits_do_not_depend_on_time() {
        for text in ["nodes=5000", "soft=1000", "soft=1000,hard=1500", "depth=8"] {
            assert_eq!(Limit::repeatable(text).unwrap().to_string(), text);
        }
        for text in ["movetime=50ms", "tc=2+0.02", "5000", "soft=9,hard=8"] {
            assert!(Limit::repeatable(text).unwrap_err().contains("soft=1000,hard=1500"));
        }
    }

    #[test]
    fn converts_to_search_limits() {
        let left = Duration::from_millis(1500);
        let args = "tc=2+0.02".parse::<Limit>().unwrap().args(Color::Black, left);
        assert_eq!((args.clock, args.increment), ([None, Some(1500)], [None, Some(20)]));
        let args = Limit::soft(100).args(Color::White, left);
        assert_eq!((args.soft_nodes, args.nodes), (Some(100), Some(800)));
        let args = "soft=100,hard=150".parse::<Limit>().unwrap().args(Color::White, left);
        assert_eq!((args.soft_nodes, args.nodes), (Some(100), Some(150)));
        let longest = format!("movetime={}ms", u64::MAX).parse::<Limit>().unwrap();
        assert_eq!(longest.args(Color::White, left).movetime, Some(i64::MAX));
    }
}
