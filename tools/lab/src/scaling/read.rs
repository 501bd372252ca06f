//! Reads documents back, reporting invalid fields.

use super::document::SCHEMA;
use super::runs::Run;
use lento::files;
use serde_json::Value;
use std::path::Path;

/// Maximum file size in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The fields needed for a comparison.
#[derive(Clone, Debug)]
pub struct Document {
    pub name: String,
    /// Version and commit.
    pub version: String,
    /// Processor name.
    pub processor: String,
    /// The thread counts.
    pub threads: Vec<usize>,
    /// The hash table in MiB.
    pub hash_mib: u64,
    /// The positions.
    pub fens: Vec<String>,
    pub depths: Vec<Option<i64>>,
    /// The timed searches.
    pub runs: Vec<Run>,
}

/// A field of a document.
struct Field<'a> {
    file: &'a str,
    field: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    fn invalid<T>(&self, expected: &str) -> Result<T, String> {
        let shown: String = self.value.to_string().chars().take(60).collect();
        Err(format!("{}: field {}: {shown}, expected {expected}", self.file, self.field))
    }

    /// A member by name.
    fn get(&self, name: &str) -> Result<Self, String> {
        let field = if self.field.is_empty() { name.to_owned() } else { format!("{}.{name}", self.field) };
        match self.value.get(name) {
            Some(value) => Ok(Self { file: self.file, field, value }),
            None => Err(format!("{}: no field {field}; expected a document of {SCHEMA}", self.file)),
        }
    }

    fn text(&self) -> Result<String, String> {
        self.value.as_str().map_or_else(|| self.invalid("a text"), |text| Ok(text.to_owned()))
    }

    fn count(&self) -> Result<u64, String> {
        self.value.as_u64().map_or_else(|| self.invalid("a non-negative integer"), Ok)
    }

    /// A positive number.
    fn positive(&self) -> Result<f64, String> {
        let number = self.value.as_f64().filter(|number| *number > 0.0);
        number.map_or_else(|| self.invalid("a number above 0"), Ok)
    }

    fn list(&self) -> Result<Vec<Self>, String> {
        let Some(list) = self.value.as_array() else { return self.invalid("a list") };
        let item = |(at, value)| Self { file: self.file, field: format!("{}[{at}]", self.field), value };
        Ok(list.iter().enumerate().map(item).collect())
    }
}

/// Reads a document.
pub fn read(path: &Path) -> Result<Document, String> {
    let name = path.display().to_string();
    let text = files::read_text(path, MAX_FILE).map_err(|error| format!("{name}: {error}"))?;
    let expected = || format!("expected what `lento scaling --json` writes, a document of {SCHEMA}");
    let value: Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}; {}", expected()))?;
    parse(&name, &value)
}

fn parse(name: &str, value: &Value) -> Result<Document, String> {
    let top = Field { file: name, field: String::new(), value };
    let schema = top.get("schema")?;
    if schema.text()? != SCHEMA {
        return schema.invalid(&format!("{SCHEMA:?}"));
    }
    let version = top.get("version")?;
    let settings = top.get("settings")?;
    let positions = top.get("positions")?.list()?;
    let threads = settings.get("threads")?.list()?.into_iter().map(|count| Ok(count.count()? as usize));
    let threads = threads.collect::<Result<Vec<usize>, String>>()?;
    if threads.is_empty() || threads.contains(&0) {
        return settings.get("threads")?.invalid("thread counts of at least 1");
    }
    let processor = top.get("machine")?.get("processor")?;
    let runs = top.get("runs")?;
    let document = Document {
        name: name.to_owned(),
        version: format!("{} ({})", version.get("number")?.text()?, version.get("commit")?.text()?),
        processor: if processor.value.is_null() { "not known".into() } else { processor.text()? },
        threads,
        hash_mib: settings.get("hash_mib")?.count()?,
        fens: positions.iter().map(|position| position.get("fen")?.text()).collect::<Result<_, _>>()?,
        depths: positions.iter().map(|of| Ok(of.get("depth")?.value.as_i64())).collect::<Result<_, String>>()?,
        runs: runs.list()?.iter().map(|field| run(field, positions.len())).collect::<Result<_, _>>()?,
    };
    if document.runs.is_empty() {
        return runs.invalid("at least one search");
    }
    Ok(document)
}

fn run(field: &Field, positions: usize) -> Result<Run, String> {
    let position = field.get("position")?;
    let at = position.count()? as usize;
    if at >= positions {
        return position.invalid(&format!("a position number below {positions}"));
    }
    let repetition = field.get("repetition")?;
    if repetition.count()? > 1_000_000 {
        return repetition.invalid("a repetition number of at most 1000000");
    }
    Ok(Run {
        position: at,
        repetition: repetition.count()? as usize,
        order: field.get("order")?.count()? as usize,
        threads: field.get("threads")?.count()? as usize,
        seconds: field.get("time_ms")?.positive()? / 1e3,
        nodes: field.get("nodes")?.count()?,
        hashfull: field.get("hashfull")?.count()? as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn good() -> Value {
        let run = json!({
            "position": 0, "repetition": 0, "order": 0, "threads": 1, "time_ms": 5.5, "nodes": 100, "hashfull": 1,
        });
        json!({
            "schema": SCHEMA,
            "version": { "number": "1.0", "commit": "abc" },
            "machine": { "processor": null },
            "settings": { "threads": [1, 2], "hash_mib": 16 },
            "positions": [{ "fen": "8/8", "depth": 3 }],
            "runs": [run],
        })
    }

    #[test]
    fn a_good_document_is_read() {
        let document = parse("a.json", &good()).unwrap();
        assert_eq!((document.version.as_str(), document.processor.as_str()), ("1.0 (abc)", "not known"));
        assert_eq!((document.threads, document.depths), (vec![1, 2], vec![Some(3)]));
        assert!((document.runs[0].seconds - 0.0055).abs() < 1e-12);
    }

    #[test]
    fn invalid_fields_are_reported_with_file_and_name() {
        let change = |pointer: &str, value: Value| {
            let mut document = good();
            *document.pointer_mut(pointer).unwrap() = value;
            parse("a.json", &document).unwrap_err()
        };
        for (pointer, value, parts) in [
            ("/schema", json!("other/1"), ["field schema", "\"other/1\"", SCHEMA]),
            ("/schema", json!(1), ["field schema", "1", "a text"]),
            ("/settings", json!({}), ["no field settings.threads", SCHEMA, ""]),
            ("/settings/threads", json!([0]), ["field settings.threads", "[0]", "at least 1"]),
            ("/settings/threads/1", json!("x"), ["field settings.threads[1]", "\"x\"", "integer"]),
            ("/runs", json!([]), ["field runs", "[]", "one search"]),
            ("/runs/0/time_ms", json!(-1), ["field runs[0].time_ms", "-1", "above 0"]),
            ("/runs/0/position", json!(7), ["field runs[0].position", "7", "below 1"]),
            ("/positions", json!("x"), ["field positions", "\"x\"", "a list"]),
        ] {
            let error = change(pointer, value);
            assert!(error.starts_with("a.json: ") && parts.iter().all(|part| error.contains(part)), "{error}");
        }
        assert!(parse("a.json", &json!([])).unwrap_err().contains("no field schema"));
    }
}
