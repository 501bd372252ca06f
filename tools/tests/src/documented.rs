//! Compares JSON documents with `docs/schema.md`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Collects all fields of a document, such as `runs[].nodes`.
fn fields(value: &Value, name: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (field, value) in object {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                fields(value, &name, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, &format!("{name}[]"), found)),
        _ => {
            found.insert(name.to_owned());
        }
    }
}

/// Expands a pattern such as `a.{b,c}`.
fn expand(pattern: &str) -> Vec<String> {
    match pattern.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?))) {
        Some((start, (choices, end))) => {
            choices.split(',').flat_map(|choice| expand(&format!("{start}{choice}{end}"))).collect()
        }
        None => vec![pattern.to_owned()],
    }
}

/// The fields that a section lists.
fn described(page: &str, section: &str) -> BTreeSet<String> {
    let (_, rest) = page.split_once(&format!("\n## {section}\n")).unwrap_or_else(|| panic!("no section {section}"));
    let (rows, _) = rest.split_once("\n## ").unwrap_or((rest, ""));
    let pattern = |line: &str| Some(line.strip_prefix("- `")?.split_once('`')?.0.to_owned());
    rows.lines().filter_map(pattern).flat_map(|pattern| expand(&pattern)).collect()
}

/// Checks that a section and the common fields describe exactly the fields of a document. The document may lack fields with a
/// prefix in `optional`.
pub fn check(document: &Value, section: &str, optional: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema.md");
    let page = std::fs::read_to_string(path).expect("a page");
    let mut all = described(&page, section);
    all.extend(described(&page, "Common fields"));
    let mut found = BTreeSet::new();
    fields(document, "", &mut found);
    let missing: Vec<&String> = found.difference(&all).collect();
    assert!(missing.is_empty(), "{section} of docs/schema.md lacks {missing:?}");
    let extra = all.difference(&found).filter(|field| !optional.iter().any(|prefix| field.starts_with(prefix)));
    let extra: Vec<&String> = extra.collect();
    assert!(extra.is_empty(), "only in {section} of docs/schema.md: {extra:?}");
}
