//! Extracts copyable text from the pages: code blocks, and commands in tables.

use std::fs;
use std::path::{Path, PathBuf};

/// How an item is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Shell,
    Python,
    Sql,
    Uci,
    /// Output, diagrams and the like.
    NoCommand,
}

/// A command, script or UCI session, or a block that is none of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// First line on the page, from 1.
    pub line: usize,
    pub kind: Kind,
    pub text: String,
}

/// UCI commands used on the pages.
const UCI: [&str; 9] = ["uci", "isready", "setoption", "ucinewgame", "position", "go", "stop", "savehash", "loadhash"];

/// All pages, relative to the root of the repository.
pub fn pages() -> Vec<String> {
    let root = Path::new(crate::data::ROOT);
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for folder in ["docs", "docs/results"] {
        let entries = fs::read_dir(root.join(folder)).expect(folder).map(|entry| entry.expect(folder).path());
        let mut paths: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
        paths.sort();
        pages.extend(paths.iter().map(|path| path.strip_prefix(root).expect(folder).display().to_string()));
    }
    pages
}

/// The items of a page, in order. Fails on blocks in an unsupported language.
pub fn items(page: &str) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    let mut lines = page.lines().zip(1..);
    while let Some((text, line)) = lines.next() {
        if let Some(language) = text.trim_start().strip_prefix("```") {
            let block: Vec<&str> =
                lines.by_ref().map(|(text, _)| text).take_while(|text| text.trim_start() != "```").collect();
            items.extend(of_block(language, line + 1, &block).map_err(|why| format!("line {line}: {why}"))?);
        } else if text.starts_with('|') {
            items.extend(of_row(text).into_iter().map(|text| Item { line, kind: Kind::Shell, text }));
        }
    }
    Ok(items)
}

fn of_block(language: &str, line: usize, block: &[&str]) -> Result<Vec<Item>, String> {
    let kind = match language {
        "sh" => return Ok(commands(line, block)),
        // A systemd unit.
        "ini" => {
            let start = |text: &&str| Some(text.strip_prefix("ExecStart=")?.to_owned());
            return Ok(block.iter().filter_map(start).map(|text| Item { line, kind: Kind::Shell, text }).collect());
        }
        "python" => Kind::Python,
        "sql" => Kind::Sql,
        "" | "text" => {
            let programs = ["lento ", "cargo ", "$ ", "mpirun ", "target/", "tools/"];
            if let Some(text) = block.iter().find(|text| programs.iter().any(|start| text.starts_with(start))) {
                return Err(format!("the block of the command {text:?} needs the language sh"));
            }
            if is_conversation(block) { Kind::Uci } else { Kind::NoCommand }
        }
        _ => return Err(format!("unsupported block language {language:?}")),
    };
    Ok(vec![Item { line, kind, text: block.join("\n") }])
}

/// Whether a block consists of UCI commands and answers, with at least one command.
fn is_conversation(block: &[&str]) -> bool {
    let command = |text: &&str| text.starts_with("> ") || UCI.contains(&text.split(' ').next().unwrap_or_default());
    let answer = |text: &&str| ["< ", "info ", "..."].iter().any(|start| text.starts_with(start));
    block.iter().any(command) && block.iter().all(|text| command(text) || answer(text))
}

/// Shell commands of a block. Joins continued lines; a loop is one command.
fn commands(first: usize, block: &[&str]) -> Vec<Item> {
    let count =
        |text: &str, word: &str| text.split_whitespace().filter(|part| part.trim_end_matches(';') == word).count();
    let mut items = Vec::new();
    let mut lines = block.iter().zip(first..);
    while let Some((text, line)) = lines.next() {
        let mut text = (*text).to_owned();
        while text.ends_with('\\') || (text.starts_with("for ") && count(&text, "for") > count(&text, "done")) {
            let Some((next, _)) = lines.next() else { break };
            text = match text.strip_suffix('\\') {
                Some(start) => format!("{} {}", start.trim_end(), next.trim_start()),
                None => format!("{text}\n{next}"),
            };
        }
        if !text.is_empty() && !text.starts_with('#') {
            items.push(Item { line, kind: Kind::Shell, text });
        }
    }
    items
}

/// Commands in table cells that start with one.
fn of_row(row: &str) -> Vec<String> {
    let mut found = Vec::new();
    for cell in row.split(" | ").map(|cell| cell.trim_start_matches(['|', ' '])) {
        if cell.starts_with("`lento ") || cell.starts_with("`mpirun ") {
            let code = cell.split('`').skip(1).step_by(2);
            found.extend(code.filter(|code| code.contains(' ')).map(str::to_owned));
        }
    }
    found
}

#[test]
fn blocks_and_rows_are_parsed() {
    let page = "# Page\n```sh\na \\\n    b   # c\n\nfor x in 1 2; do\n    d $x\ndone\n```\n| `lento e` * | `f g` |\n| `h` | `lento i`, `lento j` |\n\
                ```text\nuci\ninfo string\n```\n```\nuci  the protocol\nsync  atomics\n```\n";
    let found: Vec<_> = items(page).unwrap().into_iter().map(|item| (item.line, item.kind, item.text)).collect();
    let expected = [
        (3, Kind::Shell, "a b   # c"),
        (6, Kind::Shell, "for x in 1 2; do\n    d $x\ndone"),
        (10, Kind::Shell, "lento e"),
        (11, Kind::Shell, "lento i"),
        (11, Kind::Shell, "lento j"),
        (13, Kind::Uci, "uci\ninfo string"),
        (17, Kind::NoCommand, "uci  the protocol\nsync  atomics"),
    ];
    assert_eq!(found, expected.map(|(line, kind, text)| (line, kind, text.to_owned())));
    assert!(items("```text\nlento bench\n```\n").unwrap_err().contains("language sh"));
    assert!(items("```rust\nfn main() {}\n```\n").is_err());
}
