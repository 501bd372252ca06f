//! Runs the commands on the pages as printed, with shorter times and smaller numbers; [`table`] lists the replacements.
//!
//! By default only those of the README run; `LENTO_DOCS=1`, as in `.ci/run`, runs all, and `--nocapture` shows each.

mod pages;
mod place;
mod shell;
mod table;

use crate::data;
use lento_testing::Folder;
use pages::{Item, Kind};
use shell::{Ended, Shell};
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

const README: &str = "README.md";

fn items_of(page: &str) -> Vec<Item> {
    let text = data::text(Path::new(crate::data::ROOT).join(page));
    pages::items(&text).unwrap_or_else(|why| panic!("{page}, {why}"))
}

/// Why a command is not run. Fails if its program is not in the table.
fn skip_reason(command: &str) -> Result<Option<&'static str>, String> {
    let command = without_variables(command);
    if let Some((_, why)) = table::NOT_RUN.iter().find(|(start, _)| command.starts_with(start)) {
        return Ok(Some(why));
    }
    if command.contains("mpirun ") && env::var_os("LENTO_CLUSTER").is_none() {
        return Ok(Some("LENTO_CLUSTER does not name the program lento-cluster"));
    }
    let first = command.split(' ').next().unwrap_or_default();
    let is_known = first.is_empty() || table::RUN.contains(&first);
    is_known.then_some(None).ok_or_else(|| format!("{first} is not in tests/docs/table.rs"))
}

/// Strips variable assignments before the program.
fn without_variables(command: &str) -> &str {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    match command.split_once('=') {
        Some((name, value)) if is_name(name) => {
            let end = match value.strip_prefix('"') {
                Some(quoted) => quoted.find('"').map(|end| end + 2),
                None => value.find(' '),
            };
            without_variables(end.map_or("", |end| value[end..].trim_start()))
        }
        _ => command,
    }
}

/// `PATH` with the built programs first.
fn search_path() -> OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_lento")).parent().expect("a folder");
    for name in ["lento-analyse", "lento-lab", "lento-manual", "lento-train"] {
        assert!(folder.join(name).exists(), "{name} is not built; `cargo test --workspace` builds all programs");
    }
    let mut folders = vec![folder.to_owned()];
    let cluster = env::var_os("LENTO_CLUSTER").map(PathBuf::from);
    folders.extend(cluster.as_deref().and_then(Path::parent).map(Path::to_owned));
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    env::join_paths(folders).expect("a path")
}

/// Runs an item; `None` if a requirement is missing, which is printed.
fn run(shell: &Shell, kind: Kind, command: &str) -> Option<Ended> {
    let python = |script: &str, text: &str| {
        let Some(python) = env::var_os("LENTO_PYTHON") else {
            eprintln!("skipped: LENTO_PYTHON does not name a Python with the package chess");
            return None;
        };
        Some(shell.feed(python.to_str().expect("UTF-8"), &["-c", script], text))
    };
    let is_server = ["--web", "--listen", "--uci", "--socket"].iter().any(|option| command.contains(option));
    match kind {
        Kind::Shell if command.starts_with("lento serve") && is_server => Some(shell.serve(command)),
        Kind::Shell => Some(fail_on_errors(shell.run(command))),
        Kind::Python => python(command, ""),
        Kind::Sql => {
            python("import sqlite3, sys; sqlite3.connect('games.lento.db').executescript(sys.stdin.read())", command)
        }
        Kind::Uci => Some(run_uci(shell, command)),
        Kind::NoCommand => None,
    }
}

/// The protocols report errors in the output, not by exit code.
fn fail_on_errors(mut ended: Ended) -> Ended {
    if ["info string ERROR", r#""status":"error""#].iter().any(|error| ended.output.contains(error)) {
        ended.error.get_or_insert("an error".to_owned());
    }
    ended
}

/// Runs a UCI session. If the block shows answers, all of them must appear; otherwise there must be no error.
fn run_uci(shell: &Shell, block: &str) -> Ended {
    let (answers, commands): (Vec<&str>, Vec<&str>) =
        block.lines().partition(|line| ["< ", "info ", "..."].iter().any(|start| line.starts_with(start)));
    let commands: Vec<&str> = commands.iter().map(|line| line.trim_start_matches("> ")).collect();
    let mut ended = shell.feed("lento", &[], &(commands.join("\n") + "\nisready\nstop\nquit\n"));
    let mut expected = answers.iter().filter_map(|line| line.strip_prefix("< ")).peekable();
    if expected.peek().is_none() {
        ended = fail_on_errors(ended);
    }
    if let Some(missing) = expected.find(|line| !ended.output.lines().any(|output_line| output_line == *line)) {
        ended.error.get_or_insert(format!("no {missing:?}"));
    }
    ended
}

/// Runs all items of a page and returns the failures.
fn run_page(page: &str) -> Vec<String> {
    let folder = Folder::new(&format!("docs-{}", page.replace('/', "-")));
    let shell = Shell::new(folder.path(), search_path());
    let mut failed = Vec::new();
    let mut check = |at: &str, printed: &str, command: &str, ended: Ended| {
        let is_allowed =
            table::ALLOWED.iter().any(|(of, output)| command.contains(of) && ended.output.contains(output));
        if let Some(error) = ended.error.filter(|_| !is_allowed) {
            failed.push(format!("{page}:{at}: {error}\nprinted: {printed}\nrun: {command}\n{}", ended.output));
        }
    };
    for command in place::prepare(folder.path(), page) {
        check("tests/docs/place.rs", command, command, shell.run(command));
    }
    for item in items_of(page) {
        let (command, _) = table::shorten(page, &item.text);
        let at = item.line.to_string();
        let skip_reason = match item.kind {
            Kind::Shell => skip_reason(&command).unwrap_or_default(),
            Kind::NoCommand => Some("no command"),
            _ => None,
        };
        if let Some(why) = skip_reason {
            eprintln!("{page}:{at}: not run ({why}): {}", command.lines().next().unwrap_or_default());
            continue;
        }
        let begin = Instant::now();
        if let Some(ended) = run(&shell, item.kind, &command) {
            eprintln!("{page}:{at}: {:.1} s: {command}", begin.elapsed().as_secs_f64());
            check(&at, &item.text, &command, ended);
        }
    }
    failed
}

#[test]
fn every_command_is_in_the_table() {
    let (mut unknown, mut used) = (Vec::new(), BTreeSet::new());
    for page in pages::pages() {
        for item in items_of(&page) {
            let (command, replaced) = table::shorten(&page, &item.text);
            used.extend(replaced);
            if item.kind == Kind::Shell
                && let Err(why) = skip_reason(&command)
            {
                unknown.push(format!("{page}:{}: {why}: {command}", item.line));
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    let unused: Vec<_> = (0..table::REPLACED.len()).filter(|index| !used.contains(index)).collect();
    assert!(
        unused.is_empty(),
        "not on any page: {:#?}",
        unused.iter().map(|index| table::REPLACED[*index]).collect::<Vec<_>>()
    );
}

#[test]
fn commands_of_the_readme_run() {
    let failed = run_page(README);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn commands_of_other_pages_run() {
    if env::var_os("LENTO_DOCS").is_none() {
        eprintln!("skipped: LENTO_DOCS=1 runs the commands of all pages");
        return;
    }
    let others = pages::pages().into_iter().filter(|page| page != README);
    let left = Mutex::new(others.collect::<Vec<_>>());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = { left.lock().expect("no panic").pop() } {
                    let errors = run_page(&page);
                    failed.lock().expect("no panic").extend(errors);
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no panic");
    assert!(failed.is_empty(), "{} commands:\n{}", failed.len(), failed.join("\n"));
}
