//! Documents against the tables that describe them in `docs`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// All fields of a document: `runs[].nodes`.
fn fields(value: &Value, name: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields_of) => {
            for (field, value) in fields_of {
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

/// The page describes exactly the fields of the document, together with what others say of `version` and `machine`. Fields with
/// the prefixes in `optional` may be missing in the document.
pub fn check(document: &Value, pages: &[&str], optional: &[&str]) {
    let described = |page: &str| -> BTreeSet<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
        let text = std::fs::read_to_string(path).expect("a page");
        let (_, list) = text.split_once("## The document").expect("a section for the document");
        let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
        list.lines().filter_map(row).collect()
    };
    let mut all = described(pages[0]);
    let shared = |field: &String| field.starts_with("version.") || field.starts_with("machine.");
    all.extend(pages[1..].iter().flat_map(|page| described(page)).filter(shared));
    let mut found = BTreeSet::new();
    fields(document, "", &mut found);
    let missing: Vec<&String> = found.difference(&all).collect();
    assert!(missing.is_empty(), "not in docs/{}: {missing:?}", pages[0]);
    let gone = all.difference(&found).filter(|field| !optional.iter().any(|prefix| field.starts_with(prefix)));
    let gone: Vec<&String> = gone.collect();
    assert!(gone.is_empty(), "in docs/{} only: {gone:?}", pages[0]);
}
