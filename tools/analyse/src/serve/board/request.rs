//! Errors and fields of requests.

use lento_uci::words::quoted;
use serde_json::{Map, Value, json};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Maximum length of an error text in characters.
const MAX_TEXT: usize = 500;

/// Code of errors of the database.
pub const UNSAVED: &str = "unsaved";

pub type Answer = Result<Value, RequestError>;

#[derive(Debug)]
pub struct RequestError {
    code: &'static str,
    /// The invalid field; empty if none.
    field: String,
    text: String,
    /// Further fields.
    more: Map<String, Value>,
}

impl RequestError {
    pub fn new(code: &'static str, field: impl Into<String>, text: impl Display) -> Self {
        // Some errors quote long words.
        let text = text.to_string().chars().take(MAX_TEXT).collect();
        Self { code, field: field.into(), text, more: Map::new() }
    }

    /// The error for a field of the wrong type or range.
    pub fn expected(field: impl Into<String>, value: &Value, expected: &str) -> Self {
        let field = field.into();
        let text = format!("{field:?} expects {expected}, not {}", quoted(&value.to_string()));
        Self::new("bad-field", field, text)
    }

    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.more.insert(name.into(), value);
        self
    }

    /// Whether the database is not available.
    pub fn is_unsaved(&self) -> bool {
        self.code == UNSAVED
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn to_value(&self) -> Value {
        let mut error = self.more.clone();
        error.insert("code".into(), self.code.into());
        error.insert("field".into(), self.field.clone().into());
        error.insert("text".into(), self.text.clone().into());
        error.into()
    }
}

/// An answer as a message, without its id.
pub fn message(answer: Answer) -> Value {
    match answer {
        Ok(answer) => json!({ "answer": answer }),
        Err(error) => json!({ "error": error.to_value() }),
    }
}

pub fn at_most(
    code: &'static str,
    field: impl Into<String>,
    count: usize,
    max: usize,
    what: &str,
) -> Result<(), RequestError> {
    match count <= max {
        true => Ok(()),
        false => Err(RequestError::new(code, field, format!("{count} {what}; expected up to {max}"))),
    }
}

/// A whole number, also written as `5.0` or `1e3`.
pub fn whole(value: &Value) -> Option<i64> {
    // Larger floats are not exact.
    let exact = |float: &f64| float.fract() == 0.0 && float.abs() <= (1_u64 << 53) as f64;
    value.as_i64().or_else(|| value.as_f64().filter(exact).map(|float| float as i64))
}

#[derive(Clone, Copy)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// Prefix of field names in errors, such as `nodes[3].`.
    prefix: &'a str,
    /// Whether null is an invalid value instead of a missing field.
    is_strict: bool,
}

impl<'a> Fields<'a> {
    pub fn new(object: &'a Map<String, Value>, prefix: &'a str) -> Self {
        Self { object, prefix, is_strict: false }
    }

    pub fn strict(object: &'a Map<String, Value>) -> Self {
        Self { object, prefix: "", is_strict: true }
    }

    pub fn name(&self, field: &str) -> String {
        format!("{}{field}", self.prefix)
    }

    pub fn get(&self, field: &str) -> Option<&'a Value> {
        self.object.get(field).filter(|value| self.is_strict || !value.is_null())
    }

    /// A required field.
    pub fn need<T>(&self, field: &str, expected: &str, value: Option<T>) -> Result<T, RequestError> {
        let missing = || format!("no {:?}; expected {expected}", self.name(field));
        value.ok_or_else(|| RequestError::new("bad-field", self.name(field), missing()))
    }

    /// An optional field.
    pub fn read<T>(
        &self,
        field: &str,
        expected: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, RequestError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| RequestError::expected(self.name(field), value, expected))
    }

    pub fn text(&self, field: &str) -> Result<Option<&'a str>, RequestError> {
        self.read(field, "a text", Value::as_str)
    }

    pub fn flag(&self, field: &str) -> Result<bool, RequestError> {
        Ok(self.read(field, "true or false", Value::as_bool)?.unwrap_or(false))
    }

    pub fn number(&self, field: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, RequestError> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        let number = |value: &Value| whole(value).and_then(|number| number.try_into().ok());
        self.read(field, &expected, |value| number(value).filter(|number| range.contains(number)))
    }

    pub fn list(&self, field: &str) -> Result<&'a [Value], RequestError> {
        Ok(self.read(field, "a list", |value| value.as_array().map(Vec::as_slice))?.unwrap_or_default())
    }

    pub fn texts(&self, field: &str) -> Result<Vec<&'a str>, RequestError> {
        let text = |value: &'a Value| {
            value.as_str().ok_or_else(|| RequestError::expected(self.name(field), value, "a list of texts"))
        };
        self.list(field)?.iter().map(text).collect()
    }
}
