//! How long an entry is searched.

use crate::serve::board::{Fields, Refusal};
use lento::search::MAX_DEPTH;
use serde_json::{Map, Value, json};

/// Longest time, 30 days.
const MAX_TIME: u64 = 30 * 24 * 3600 * 1000;
const MAX_NODES: u64 = 1 << 50;
/// Latest moment in milliseconds since 1970.
const MAX_UNTIL: u64 = 1 << 43;
const EXPECTED: &str = "one of depth, nodes, time_ms, time_ms_each and until, or null";

/// Of each position, but for `Time` and `Until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Until it is removed or paused.
    Endless,
    Depth(u64),
    Nodes(u64),
    /// Milliseconds in all, shared by the positions.
    Time(u64),
    TimeEach(u64),
    /// Milliseconds since 1970, up to which all such entries share the time.
    Until(u64),
}

impl Budget {
    /// The budget of a request.
    pub fn parse(fields: Fields) -> Result<Self, Refusal> {
        let Some(value) = fields.get("budget") else { return Ok(Self::Endless) };
        let expected = || Refusal::expected(fields.name("budget"), value, EXPECTED);
        let object: &Map<String, Value> = value.as_object().ok_or_else(expected)?;
        let mut given = object.iter().filter(|(_, value)| !value.is_null());
        let Some((name, value)) = given.next() else { return Ok(Self::Endless) };
        if given.next().is_some() {
            return Err(expected());
        }
        let (most, make): (u64, fn(u64) -> Self) = match name.as_str() {
            "depth" => (MAX_DEPTH as u64, Self::Depth),
            "nodes" => (MAX_NODES, Self::Nodes),
            "time_ms" => (MAX_TIME, Self::Time),
            "time_ms_each" => (MAX_TIME, Self::TimeEach),
            "until" => (MAX_UNTIL, Self::Until),
            _ => return Err(expected()),
        };
        let number = value.as_u64().filter(|number| (1..=most).contains(number));
        let expected = || {
            let name = format!("{}.{name}", fields.name("budget"));
            Refusal::expected(name, value, &format!("a whole number from 1 to {most}"))
        };
        number.map(make).ok_or_else(expected)
    }

    pub fn to_value(self) -> Value {
        match self {
            Self::Endless => Value::Null,
            Self::Depth(most) => json!({ "depth": most }),
            Self::Nodes(most) => json!({ "nodes": most }),
            Self::Time(most) => json!({ "time_ms": most }),
            Self::TimeEach(most) => json!({ "time_ms_each": most }),
            Self::Until(moment) => json!({ "until": moment }),
        }
    }
}
