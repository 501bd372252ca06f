//! The licences of all dependencies are allowed by `deny.toml`.

use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

/// Tokens of a licence expression in reverse: names, `AND`, `OR`, `WITH` and parentheses.
fn words(expression: &str) -> Vec<String> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().rev().map(String::from).collect()
}

/// Evaluates an expression. `OR` binds weaker than `AND`.
fn evaluate_or(words: &mut Vec<String>, allowed: &[String]) -> bool {
    let mut met = evaluate_and(words, allowed);
    while words.pop_if(|word| word == "OR").is_some() {
        met |= evaluate_and(words, allowed);
    }
    met
}

fn evaluate_and(words: &mut Vec<String>, allowed: &[String]) -> bool {
    let mut met = evaluate_term(words, allowed);
    while words.pop_if(|word| word == "AND").is_some() {
        met &= evaluate_term(words, allowed);
    }
    met
}

fn evaluate_term(words: &mut Vec<String>, allowed: &[String]) -> bool {
    let word = words.pop().expect("a licence");
    if word == "(" {
        let met = evaluate_or(words, allowed);
        assert_eq!(words.pop().as_deref(), Some(")"));
        return met;
    }
    let excepted = words.pop_if(|word| word == "WITH").map(|_| words.pop().expect("an exception"));
    let name = excepted.map_or(word.clone(), |exception| format!("{word} WITH {exception}"));
    allowed.contains(&name)
}

/// Whether an expression is satisfied by these licences.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let mut words = words(expression);
    let met = evaluate_or(&mut words, allowed);
    assert!(words.is_empty(), "{expression}: {words:?} left");
    met
}

/// The licences of `allow = [...]` in `deny.toml`.
fn allowed() -> Vec<String> {
    let text = include_str!("../../deny.toml");
    let line = text.lines().find_map(|line| line.strip_prefix("allow = [")).expect("a list of licences");
    line.trim_end_matches(']').split(',').map(|name| name.trim().trim_matches('"').to_owned()).collect()
}

#[test]
fn licence_expressions_are_evaluated() {
    let allowed = ["MIT".to_owned(), "Apache-2.0".to_owned()];
    for met in ["MIT", "MIT/GPL-3.0", "GPL-3.0 OR (MIT AND Apache-2.0)", "GPL-3.0 AND BSD-2-Clause OR MIT"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for refused in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND Zlib", "Apache-2.0 WITH LLVM-exception"] {
        assert!(!is_met(refused, &allowed), "{refused}");
    }
}

fn metadata() -> Value {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    let output = command
        .args(["metadata", "--format-version", "1", "--locked", "--all-features", "--manifest-path", manifest])
        .output();
    let output = output.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let document = metadata();
    let packages = document["packages"].as_array().expect("packages");
    assert!(packages.len() > 20);
    let allowed = allowed();
    let mut refused = BTreeMap::new();
    for package in packages {
        let licence = package["license"].as_str();
        if !licence.is_some_and(|licence| is_met(licence, &allowed)) {
            refused.insert(package["name"].as_str(), licence);
        }
    }
    assert!(refused.is_empty(), "not allowed by deny.toml: {refused:#?}");
}

#[test]
#[cfg(unix)]
fn releases_list_linked_packages_and_licences() {
    let list = |what| {
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/linked"));
        let output = command.args([what, "x86_64-unknown-linux-musl"]).output().expect("tools/linked runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let texts = list("licences");
    let texts = texts.split("\n==== ").skip(1).map(|part| part.split_once('\n').expect("a heading"));
    let texts: BTreeMap<_, _> =
        texts.map(|(heading, text)| (heading.split(": ").next().expect("a name"), text)).collect();
    let components: Value = serde_json::from_str(&list("sbom")).expect("JSON");
    let components = components["components"].as_array().expect("components");
    let (packages, others): (Vec<_>, Vec<_>) = components.iter().partition(|part| part["bom-ref"].is_string());
    assert_eq!(others.iter().map(|part| part["name"].as_str()).collect::<Vec<_>>(), [Some("sqlite")]);
    // The C library is not a package.
    assert_eq!(texts.len(), packages.len() + 1);
    for part in packages {
        let name = [&part["name"], &part["version"]].map(|word| word.as_str().expect("text")).join(" ");
        let text = texts.get(name.as_str()).unwrap_or_else(|| panic!("missing: {part}"));
        let is_licence =
            ["copies", "redistribution", "license agreement"].iter().any(|word| text.to_lowercase().contains(word));
        assert!(is_licence && text.len() > 500, "{text}");
        assert_eq!(part["hashes"][0]["content"].as_str().map(str::len), Some(64), "{part}");
    }
    // Releases include optional features.
    for name in ["reqwest", "rustls"] {
        assert!(components.iter().any(|part| part["name"] == name), "{name} is missing");
    }
    let document = metadata();
    let ours = ["lento-chess", "lento-console", "lento-player", "lento-uci"];
    let all = document["packages"].as_array().expect("packages");
    let linked = all.iter().filter(|package| ours.iter().any(|name| package["name"] == *name));
    let direct: Vec<_> = linked.flat_map(|package| package["dependencies"].as_array().expect("dependencies")).collect();
    assert!(direct.len() > 10);
    for package in direct.iter().filter(|package| package["kind"].is_null() && package["target"].is_null()) {
        let is_ours = ours.iter().any(|name| package["name"] == *name);
        assert!(
            is_ours || components.iter().any(|part| part["name"] == package["name"]),
            "{} is missing",
            package["name"]
        );
    }
}
