//! JSON documents of tasks.

use lento_common::inputs::{in_file, read_utf8};
use serde_json::Value;
use std::path::Path;

/// An object with the fields of another one appended.
pub fn merged(mut document: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut document, more) {
        fields.extend(more);
    }
    document
}

/// Reads a document of a `schema`, which [`Fields::of`] checks.
pub fn read(path: &Path, schema: &str) -> Result<Value, String> {
    let document = serde_json::from_str(&read_utf8(path)?);
    document.map_err(|error| in_file(path, format_args!("{error}, expected a document of {schema}")))
}

/// The fields of a document.
pub struct Fields<'a> {
    document: &'a Value,
    schema: &'a str,
}

impl<'a> Fields<'a> {
    /// The fields of a document. Checks its schema.
    pub fn of(document: &'a Value, schema: &'a str) -> Result<Self, String> {
        let fields = Self { document, schema };
        fields.get("/schema", &format!("{schema:?}"), |value| (value == schema).then_some(()))?;
        Ok(fields)
    }

    /// Reads the field at a JSON pointer. The error quotes it.
    pub fn get<T>(&self, pointer: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Result<T, String> {
        let value = self.document.pointer(pointer);
        value.and_then(read).ok_or_else(|| {
            let shown: String = value.map_or("missing".into(), Value::to_string).chars().take(60).collect();
            format!("field {pointer}: {shown}, expected {expected} in a document of {}", self.schema)
        })
    }

    /// Reads a number above 0.
    pub fn positive(&self, pointer: &str) -> Result<f64, String> {
        self.get(pointer, "a number above 0", |value| value.as_f64().filter(|number| *number > 0.0))
    }
}
