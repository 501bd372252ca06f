//! JSON documents of tasks.

use lento_common::inputs::{in_file, read_utf8};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Display;
use std::path::Path;

/// An object with the fields of another one appended.
pub fn merged(mut document: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut document, more) {
        fields.extend(more);
    }
    document
}

/// Reads a document of a `schema`.
pub fn read(path: &Path, schema: &str) -> Result<Value, String> {
    let expected = |found: &dyn Display| in_file(path, format_args!("{found}, expected a document of {schema}"));
    let document: Value = serde_json::from_str(&read_utf8(path)?).map_err(|error| expected(&error))?;
    let found = &document["schema"];
    if found == schema { Ok(document) } else { Err(expected(&format_args!("field /schema: {found}"))) }
}

/// Reads the field at a JSON pointer. The error names it and quotes its value.
pub fn field<'a, T: Deserialize<'a>>(document: &'a Value, pointer: &str) -> Result<T, String> {
    let value = document.pointer(pointer).unwrap_or(&Value::Null);
    T::deserialize(value).map_err(|error| format!("field {pointer}: {error}"))
}
