//! Budgets of entries.

use crate::serve::board::{Fields, RequestError};
use lento::search::MAX_DEPTH;
use serde_json::{Map, Value, json};

/// Maximum time, 30 days.
const MAX_TIME: u64 = 30 * 24 * 3600 * 1000;
const MAX_NODES: u64 = 1 << 50;
/// Maximum of `until` in milliseconds since 1970.
const MAX_UNTIL: u64 = 1 << 43;
const EXPECTED: &str = "one of depth, nodes, time_ms, time_ms_each and until, or null";

/// How long an entry is searched; per position, except for `Time` and `Until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Until removed or paused.
    Endless,
    Depth(u64),
    Nodes(u64),
    /// Total milliseconds, shared by the positions.
    Time(u64),
    TimeEach(u64),
    /// Milliseconds since 1970; all such entries share the time until then.
    Until(u64),
}

impl Budget {
    pub fn parse(fields: Fields) -> Result<Self, RequestError> {
        let Some(value) = fields.get("budget") else { return Ok(Self::Endless) };
        let expected = || RequestError::expected(fields.name("budget"), value, EXPECTED);
        let object: &Map<String, Value> = value.as_object().ok_or_else(expected)?;
        let mut given = object.iter().filter(|(_, value)| !value.is_null());
        let Some((name, _)) = given.next() else { return Ok(Self::Endless) };
        if given.next().is_some() {
            return Err(expected());
        }
        let (max, make): (u64, fn(u64) -> Self) = match name.as_str() {
            "depth" => (MAX_DEPTH as u64, Self::Depth),
            "nodes" => (MAX_NODES, Self::Nodes),
            "time_ms" => (MAX_TIME, Self::Time),
            "time_ms_each" => (MAX_TIME, Self::TimeEach),
            "until" => (MAX_UNTIL, Self::Until),
            _ => return Err(expected()),
        };
        let number = Fields::new(object, &fields.name("budget.")).number(name, 1..=max)?;
        number.map(make).ok_or_else(expected)
    }

    /// Fails if its time has passed.
    pub fn check_time(self, now: u64) -> Result<(), RequestError> {
        match self {
            Self::Until(moment) if moment <= now => {
                Err(RequestError::expected("budget.until", &moment.into(), &format!("a time after {now}")))
            }
            _ => Ok(()),
        }
    }

    pub fn to_value(self) -> Value {
        match self {
            Self::Endless => Value::Null,
            Self::Depth(max) => json!({ "depth": max }),
            Self::Nodes(max) => json!({ "nodes": max }),
            Self::Time(max) => json!({ "time_ms": max }),
            Self::TimeEach(max) => json!({ "time_ms_each": max }),
            Self::Until(moment) => json!({ "until": moment }),
        }
    }
}
