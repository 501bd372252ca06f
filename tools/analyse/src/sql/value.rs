//! Values and rows.

use super::{Cause, Result};
use rusqlite::ToSql;
use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// Numbers or strings, for the parameter of `= ANY($1)`.
    List(Vec<Self>),
}

/// An array of values.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// Integers and truth values, stored in 64 bits and saturated.
macro_rules! integers {
    ($($name:ty),*) => { $(
        impl From<$name> for Value {
            fn from(number: $name) -> Self {
                i64::try_from(number).map_or(Self::Int(i64::MAX), Self::Int)
            }
        }
    )* };
}
integers!(bool, i64, i32, u16, u32, u64, usize);

/// Types that correspond to a variant.
macro_rules! kinds {
    ($($kind:ident $name:ty),*) => { $(
        impl From<$name> for Value {
            fn from(value: $name) -> Self {
                Self::$kind(value.into())
            }
        }
    )* };
}
kinds!(Real f64, Text String, Text &String, Text &str, Blob Vec<u8>, List Vec<Value>);

impl From<&[i64]> for Value {
    fn from(numbers: &[i64]) -> Self {
        Self::List(numbers.iter().map(|&number| number.into()).collect())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// The value of a column, from 0.
    pub fn get<T: FromSql>(&self, column: usize) -> Result<T, Cause> {
        let value = self.0.get(column);
        let read = value.and_then(|value| T::column_result(value.as_ref()).ok());
        read.ok_or_else(|| format!("column {column}: unexpected value {value:?}").into())
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::List(_) => ToSqlOutput::Owned(self.json().into()),
            value => ToSqlOutput::Borrowed(value.as_ref()),
        })
    }
}

impl Value {
    /// For SQLite, which has no lists.
    fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Null | Self::List(_) => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }
    }

    /// JSON for SQLite's `json_each`.
    fn json(&self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Self::List(list) => format!("[{}]", list.iter().map(Self::json).collect::<Vec<_>>().join(",")),
            _ => "null".into(),
        }
    }
}

/// SQLite's form of `= ANY($1)`. Short lists of numbers are inlined, which is faster.
pub(super) fn among(list: &Value) -> String {
    match list {
        Value::List(all) if all.len() <= 100 && all.iter().all(|value| matches!(value, Value::Int(_))) => {
            let list = list.json();
            format!("IN ({})", &list[1..list.len() - 1])
        }
        _ => "IN (SELECT value FROM json_each(?1))".into(),
    }
}

/// The rows of an SQLite query.
pub(super) fn query(connection: &rusqlite::Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>, Cause> {
    let (mut statement, values) = super::prepare(connection, sql, values)?;
    let columns = statement.column_count();
    let rows = statement.query_map(rusqlite::params_from_iter(values), |row| {
        let value = |column| {
            Ok(match row.get_ref(column)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => Value::Int(number),
                ValueRef::Real(number) => Value::Real(number),
                ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Value::Blob(bytes.to_owned()),
            })
        };
        (0..columns).map(value).collect::<rusqlite::Result<_>>().map(Row)
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
