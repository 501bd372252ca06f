//! Which part of a package may use which: read from the paths in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A package and the order of its parts.
struct Package {
    /// The folder of the sources.
    folder: &'static str,
    /// What its own paths begin with.
    roots: &'static [&'static str],
    /// For each part, from the bottom up, the others that it may use, and what of them if not everything.
    layers: &'static [(&'static str, &'static str)],
}

/// The packages above it are held by Cargo.
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
        // The store.
        ("sql", ""),
        ("database", "cases sql"),
        // Analyses of files, and reports.
        ("lines", ""),
        ("pgn", "lines"),
        ("report", "cases database pgn"),
        ("queue", "sql database lines pgn report"),
        ("tree", "cases sql database pgn report"),
        ("serve", "database lines pgn queue::seed report tree"),
        ("connect", "serve"),
        ("main", ""),
    ],
};

/// The text without comments; lines stay lines. A `//` in a string ends that line too, which hides no path.
fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("").to_owned() + "\n").collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `a::b::C` at the start of a text, as far as it goes.
fn leading_path(text: &str) -> String {
    let end = text.find(|c: char| !is_word(c) && c != ':').unwrap_or(text.len());
    text[..end].trim_end_matches(':').to_owned()
}

/// The paths in `{a::B, c::{D, E}}` at the start of a text, each as far as its first group.
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

/// The parts that a text names after one of the roots, and those it reaches by climbing out of its own module, which lies
/// `depth` levels below the crate: lines, and paths such as `chess::Board` or `chess` alone.
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
        let climbs = text[at..].split("super::").take_while(|between| between.is_empty()).count();
        // Unit tests are a module more, at the end of the file.
        let inner = usize::from(text[..at].contains("\nmod tests {"));
        if climbs >= depth + inner {
            found.push((line_of(at), leading_path(&text[at + 7 * climbs..])));
        }
    }
    found
}

/// Whether a path is one of those named, separated by spaces, or lies below it.
fn allows(allowed: &str, path: &str) -> bool {
    let is_in = |rest: &str| rest.is_empty() || rest.starts_with("::");
    allowed.split_whitespace().any(|prefix| path.strip_prefix(prefix).is_some_and(is_in))
}

/// All Rust files below a folder of the repository, in order.
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

/// The modules around a file, outermost first: `eval`, `classical`, `trace`.
fn modules(file: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        file.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    names
}

#[test]
fn no_part_uses_what_lies_above_it() {
    for Package { folder, roots, layers } in [LIBRARY, ANALYSE] {
        for (nth, (part, allowed)) in layers.iter().enumerate() {
            let below = |path: &str| layers[..nth].iter().any(|(other, _)| allows(other, path));
            assert!(allowed.split_whitespace().all(below), "{part} is to use what lies above it");
        }
        let root = Path::new(crate::data::ROOT).join(folder);
        let (mut offences, mut count, mut seen) = (String::new(), 0, BTreeSet::new());
        for file in sources(folder) {
            let modules = modules(file.strip_prefix(&root).unwrap());
            let part = modules[0].as_str();
            let layer = layers.iter().find(|(name, _)| *name == part);
            assert!(part == "lib" || layer.is_some(), "{folder}: {part} has no layer in this test");
            for (line, path) in paths(&fs::read_to_string(&file).unwrap(), roots, modules.len()) {
                count += 1;
                if !layer.is_some_and(|(_, allowed)| allows(allowed, &path)) && !allows(part, &path) {
                    offences += &format!("\n{}:{line}: {part} may not use {path}", file.display());
                }
            }
            seen.insert(part.to_owned());
        }
        assert!(offences.is_empty(), "{offences}\n");
        assert!(count > 50, "only {count} paths found: are the sources still where they were?");
        let gone = layers.iter().find(|(part, _)| !seen.contains(*part));
        assert!(gone.is_none(), "{folder}: {gone:?} is gone");
    }
}

/// What only `sync` may use, so that the model checker sees every atomic and lock of the engine.
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

/// The uses of atomics, locks and channels that do not come from `sync`, with their lines.
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
        .flat_map(|(nth, line)| {
            ONLY_IN_SYNC.iter().filter(move |name| uses(line, name)).map(move |&name| (nth + 1, name))
        })
        .collect()
}

#[test]
fn atomics_locks_and_channels_come_from_sync() {
    let root = Path::new(crate::data::ROOT).join("src");
    for file in sources("src").into_iter().filter(|file| *file != root.join("sync.rs")) {
        let found = direct_uses(&fs::read_to_string(&file).unwrap());
        assert!(found.is_empty(), "{} does not take this from crate::sync: {found:?}", file.display());
    }
    assert_eq!(direct_uses("use std::sync::Arc;\nuse std::sync::{Arc, Mutex};"), [(2, "std::sync::Mutex")]);
    assert_eq!(direct_uses("let m = parking_lot::Mutex::new(1);"), [(1, "parking_lot")]);
    assert_eq!(direct_uses("use std::sync::{Arc, atomic::AtomicU8};"), [(1, "std::sync::atomic")]);
    assert_eq!(direct_uses("// crossbeam\nuse crate::sync::channel;"), []);
}

/// The reader of the sources sees every way to name another part.
#[test]
fn paths_are_found_however_they_are_written() {
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
