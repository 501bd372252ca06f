//! Dependencies between modules, checked by the paths in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of a package.
struct Package {
    /// Source folder.
    folder: &'static str,
    /// Prefixes of paths to its own modules.
    roots: &'static [&'static str],
    /// Modules from the bottom up, each with the lower modules or items that it may use.
    layers: &'static [(&'static str, &'static str)],
}

/// Cargo enforces the dependencies between packages.
const LIBRARY: Package = Package {
    folder: "src",
    roots: &["crate::", "lento::"],
    layers: &[
        ("sync", ""),
        ("chess", ""),
        ("score", ""),
        ("files", ""),
        ("processors", "sync"),
        ("named", ""),
        ("huge_pages", ""),
        ("tt", "chess score processors huge_pages sync"),
        ("tb", "chess files sync"),
        ("hash_file", "chess score files processors tt sync"),
        ("eval", "chess score named files huge_pages tb::Material"),
        ("version", "eval"),
        ("smp", "sync chess score processors eval tt"),
        ("search", "chess score named processors huge_pages eval tb tt smp sync"),
        ("engine", "chess score named processors hash_file eval tb tt search smp sync"),
        ("bench", "chess score eval tt search smp engine"),
        ("internals", "bench chess eval files huge_pages processors search smp tt version"),
    ],
};

const ANALYSE: Package = Package {
    folder: "tools/analyse/src",
    roots: &["crate::"],
    layers: &[
        ("cases", ""),
        // Storage.
        ("sql", ""),
        ("database", "cases sql"),
        // Analysis of files, and reports.
        ("lines", ""),
        ("pgn", "lines"),
        ("report", "cases database pgn"),
        ("queue", "sql database lines pgn report"),
        ("tree", "cases sql database pgn report"),
        ("serve", "database lines pgn queue::hash_file_threads queue::seed report tree"),
        ("connect", "serve"),
        ("main", ""),
    ],
};

/// Strips comments, keeping line numbers. Also cuts lines at `//` in a string, which contains no path.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The path at the start of a text, such as `a::b::C`.
fn leading_path(text: &str) -> String {
    let end = text.find(|c: char| !is_word(c) && c != ':').unwrap_or(text.len());
    text[..end].trim_end_matches(':').to_owned()
}

/// The paths in a group `{a::B, c::{D, E}}` at the start of a text, each up to a nested group.
fn group_paths(text: &str) -> Vec<String> {
    let (mut depth, mut paths, mut start) = (0, Vec::new(), 1);
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (c == ',' && depth == 1) || depth == 0 {
            paths.push(leading_path(text[start..at].trim()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// Paths such as `chess::Board`, with line numbers, that follow one of the roots or leave the module through `super`. The module is
/// `depth` levels below the crate root.
fn paths(text: &str, roots: &[&str], depth: usize) -> Vec<(usize, String)> {
    let text = without_comments(text);
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in text.match_indices(root).filter(|&(at, _)| !text[..at].ends_with(is_word)) {
            let rest = &text[at + root.len()..];
            let paths = if rest.starts_with('{') { group_paths(rest) } else { vec![leading_path(rest)] };
            found.extend(paths.into_iter().map(|path| (line_of(at), path)));
        }
    }
    for (at, _) in text.match_indices("super::").filter(|&(at, _)| !text[..at].ends_with([':', '_'])) {
        let levels = text[at..].split("super::").take_while(|between| between.is_empty()).count();
        // Unit tests add one module level, at the end of the file.
        let inner = usize::from(text[..at].contains("\nmod tests {"));
        if levels >= depth + inner {
            found.push((line_of(at), leading_path(&text[at + 7 * levels..])));
        }
    }
    found
}

/// Whether a path equals one of the space-separated prefixes or lies below it.
fn allows(allowed: &str, path: &str) -> bool {
    let is_in = |rest: &str| rest.is_empty() || rest.starts_with("::");
    allowed.split_whitespace().any(|prefix| path.strip_prefix(prefix).is_some_and(is_in))
}

/// All Rust files below a folder, sorted.
fn sources(folder: &str) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![Path::new(crate::data::ROOT).join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (inner, others): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        folders.extend(inner.into_iter().filter(|folder| !folder.join("Cargo.toml").exists()));
        files.extend(others.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")));
    }
    files.sort();
    files
}

/// Module path of a file: `eval`, `classical`, `trace`.
fn modules(file: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        file.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

#[test]
fn modules_only_use_lower_layers() {
    for Package { folder, roots, layers } in [LIBRARY, ANALYSE] {
        for (index, (module, allowed)) in layers.iter().enumerate() {
            let below = |path: &str| layers[..index].iter().any(|(other, _)| allows(other, path));
            assert!(allowed.split_whitespace().all(below), "{module} is allowed to use a higher layer");
        }
        let root = Path::new(crate::data::ROOT).join(folder);
        let (mut violations, mut count, mut seen) = (String::new(), 0, BTreeSet::new());
        for file in sources(folder) {
            let modules = modules(file.strip_prefix(&root).unwrap());
            let module = modules[0].as_str();
            let layer = layers.iter().find(|(name, _)| *name == module);
            assert!(module == "lib" || layer.is_some(), "{folder}: {module} has no layer in this test");
            for (line, path) in paths(&fs::read_to_string(&file).unwrap(), roots, modules.len()) {
                count += 1;
                if !layer.is_some_and(|(_, allowed)| allows(allowed, &path)) && !allows(module, &path) {
                    violations += &format!("\n{}:{line}: {module} must not use {path}", file.display());
                }
            }
            seen.insert(module.to_owned());
        }
        assert!(violations.is_empty(), "{violations}\n");
        assert!(count > 50, "only {count} paths found: have the sources moved?");
        let missing = layers.iter().find(|(module, _)| !seen.contains(*module));
        assert!(missing.is_none(), "{folder}: {missing:?} does not exist");
    }
}

/// Reserved for `sync`, so that loom sees every atomic and lock of the engine.
const ONLY_IN_SYNC: [&str; 8] = [
    "parking_lot",
    "crossbeam",
    "std::sync::atomic",
    "std::sync::mpsc",
    "std::sync::Mutex",
    "std::sync::RwLock",
    "std::sync::Condvar",
    "std::sync::Barrier",
];

/// Atomics, locks and channels used without `sync`, with line numbers.
fn direct_uses(text: &str) -> Vec<(usize, &'static str)> {
    let in_group = |line: &str, name: &str| {
        let (path, item) = name.rsplit_once("::").unwrap_or(("", name));
        let group = line.split(&format!("{path}::{{")).nth(1).unwrap_or("");
        group.split(|c: char| !is_word(c)).any(|word| word == item)
    };
    let uses = |line: &str, name: &str| line.contains(name) || in_group(line, name);
    let text = without_comments(text);
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            ONLY_IN_SYNC.iter().filter(move |name| uses(line, name)).map(move |&name| (index + 1, name))
        })
        .collect()
}

#[test]
fn atomics_locks_and_channels_come_from_sync() {
    let root = Path::new(crate::data::ROOT).join("src");
    for file in sources("src").into_iter().filter(|file| *file != root.join("sync.rs")) {
        let found = direct_uses(&fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{} must import this from crate::sync: {found:?}", file.display());
    }
    assert_eq!(direct_uses("use std::sync::Arc;\nuse std::sync::{Arc, Mutex};"), [(2, "std::sync::Mutex")]);
    assert_eq!(direct_uses("let m = parking_lot::Mutex::new(1);"), [(1, "parking_lot")]);
    assert_eq!(direct_uses("use std::sync::{Arc, atomic::AtomicU8};"), [(1, "std::sync::atomic")]);
    assert_eq!(direct_uses("// crossbeam\nuse crate::sync::channel;"), []);
}

#[test]
fn paths_are_found_in_every_syntax() {
    let found = |text: &str, depth| paths(text, LIBRARY.roots, depth);
    let at = |line: usize, path: &str| (line, path.to_owned());
    assert_eq!(found("use crate::tt::Tt;", 2), [at(1, "tt::Tt")]);
    assert_eq!(found("\nlet x = crate::score::DRAW;", 2), [at(2, "score::DRAW")]);
    assert_eq!(found("use crate::{chess::{Board, Move}, tt};", 2), [at(1, "chess"), at(1, "tt")]);
    assert_eq!(found("use crate::{\n    chess::Board,\n};", 2), [at(1, "chess::Board")]);
    assert_eq!(found("use lento::engine;", 1), [at(1, "engine")]);
    assert_eq!(found("use super::super::smp::Pool;", 2), [at(1, "smp::Pool")]);
    assert_eq!(found("use super::smp;\nmod tests {\n    use super::super::uci;\n}", 1), [at(1, "smp"), at(3, "uci")]);
    assert_eq!(found("use super::square::Square;\nmod tests {\n    use super::*;\n}", 2), []);
    assert_eq!(found("// crate::tt\n/// [`crate::tt`]\nuse my_crate::tt;", 2), []);
    assert!(allows("tt smp::pool", "smp::pool::Pool") && !allows("smp::pool", "smp::pooled"));
    assert!(!allows("chess", "chess960") && !allows("", "chess"));
}
