//! Runs `lento-lab match`.

use lento_testing::driver::{json, kill_once, lines};
use lento_testing::{Folder, polyglot};
use serde_json::Value;
use std::process::{Command, Output};

/// A short match between players of different strength.
const SHORT: &str = "--old LMR=off --limit nodes=300 --hash 1 --seed 3 --pairs 12";

fn command(arguments: &str) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.arg("match").args(arguments.split_whitespace());
    command
}

fn run(arguments: &str) -> Output {
    command(arguments).output().expect("the binary starts")
}

#[test]
fn killed_match_resumes_to_the_same_result() {
    let whole = json(&run(&format!("{SHORT} --concurrency 2 --json")));
    assert_eq!((whole["games"].as_u64(), whole["interrupted"].as_bool()), (Some(24), Some(false)));
    assert_eq!(whole["conditions"]["old"][0], "LMR=off");
    let sum = |name: &str| whole[name].as_array().map(|counts| counts.iter().filter_map(Value::as_u64).sum::<u64>());
    assert_eq!(sum("pentanomial"), Some(12));
    assert!(whole["elo"]["error95"].as_f64().is_some_and(|error| error > 0.0));

    let folder = Folder::new("match");
    let (journal, pgn) = (folder.at("journal"), folder.at("pgn"));
    let journaled = format!("{SHORT} --journal {} --pgn {} --json", journal.display(), pgn.display());
    // The header and two pairs.
    kill_once(&mut command(&journaled), "no pair is stored", || lines(&journal) >= 3);
    let before = std::fs::read(&journal).unwrap();

    let rest = json(&run(&journaled));
    for field in ["pentanomial", "wins", "losses", "elo", "endings", "plies_per_game", "nodes_per_game"] {
        assert_eq!(rest[field], whole[field], "{field}");
    }
    let whole_lines = before.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    assert!(std::fs::read(&journal).unwrap().starts_with(&before[..whole_lines]), "stored pairs are replayed");
    let games = std::fs::read_to_string(&pgn).unwrap();
    assert_eq!(games.matches("[Event ").count(), 24);
    assert!(games.contains("[White \"Lento old LMR=off\"]"));

    let other = run(&journaled.replace("--seed 3", "--seed 4"));
    let message = String::from_utf8_lossy(&other.stderr).into_owned();
    assert!(!other.status.success() && message.contains("its seed is 3, not 4"), "{message}");
}

#[test]
fn plays_openings_of_a_polyglot_book() {
    let folder = Folder::new("match-book");
    let (book, pgn) = (folder.at("book.bin"), folder.at("pgn"));
    let moves = [("", "e2e4", 2), ("e2e4", "e7e5", 1), ("e2e4 e7e5", "g1f3", 1), ("", "d2d4", 1), ("d2d4", "d7d5", 1)];
    std::fs::write(&book, polyglot::book(&moves)).unwrap();
    let play = |more: &str| {
        let _ = std::fs::remove_file(&pgn);
        let (book, pgn) = (book.display(), pgn.display());
        let output = run(&format!(
            "--limit nodes=50 --hash 1 --pairs 12 --max-plies 10 --json --book {book} --pgn {pgn} {more}"
        ));
        let document = json(&output);
        let text = std::fs::read_to_string(format!("{pgn}")).unwrap();
        let mut fens: Vec<_> = text.lines().filter(|line| line.starts_with("[FEN ")).map(str::to_owned).collect();
        fens.sort();
        (fens, document)
    };
    let (fens, whole) = play("");
    assert_eq!((fens.len(), &whole["conditions"]["book_plies"]), (24, &16.into()));
    assert!(fens[0].contains("PPP1PPPP/RNBQKBNR w KQkq") && fens[23].contains("PPPP1PPP/RNBQKB1R b KQkq"), "{fens:?}");
    assert_eq!(
        (&fens, whole["plies_per_game"].clone()),
        (&play("").0, play("--concurrency 1").1["plies_per_game"].clone())
    );
    assert_ne!(fens, play("--seed 2").0);
    let (fens, _) = play("--book-plies 1");
    assert!(fens.iter().all(|fen| fen.contains(" b KQkq - 0 1")), "{fens:?}");

    let check_error = |bytes: &[u8], more: &str, expected: &str| {
        std::fs::write(&book, bytes).unwrap();
        let output = run(&format!("--pairs 1 --book {} {more}", book.display()));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(&format!("{}: {expected}", book.display())), "{message}");
    };
    check_error(b"", "", "empty; expected a Polyglot book");
    check_error(&polyglot::book(&[("e2e4", "e7e5", 1)]), "", "no move with a weight for the start position");
    check_error(&polyglot::book(&[("", "e2e4", 0)]), "", "no move with a weight for the start position");
    check_error(&polyglot::book(&moves)[..40], "", "40 bytes, not a multiple of 16");
    let output = run("--pairs 1 --book no.epd --book-plies 3");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("no.epd: --book-plies expects a Polyglot book"),
        "{output:?}"
    );
}

#[test]
fn sequential_test_ends_with_a_verdict() {
    let output = run("--new Hash=1 --limit nodes=100 --sprt 0,200 --model logistic --alpha 0.2 --beta 0.2 --pairs 400");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{text}");
    let row = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned();
    assert_eq!(row("new"), "Hash=1");
    assert_eq!(row("old"), "as built");
    assert_eq!(row("SPRT"), "0 against 200 logistic Elo, alpha 0.2, beta 0.2");
    assert!(row("LLR").ends_with("to end at -1.39 or 1.39"), "{text}");
    assert_eq!(row("verdict"), "new is not better: H0 accepted");
}

#[test]
fn errors_quote_invalid_arguments() {
    for (arguments, quoted) in [
        ("--new nonsense=1", "nonsense"),
        ("--old rfp_margin=9", "rfp_margin=9"),
        ("--limit nodes", "\"nodes\""),
        ("--sprt 5,0", "5 against 0"),
        ("--sprt 0,5 --alpha 2", "rate 2"),
        ("--book /nowhere/book.epd", "/nowhere/book.epd"),
        ("--pairs 1 --pgn /nowhere/games.pgn", "/nowhere/games.pgn"),
        ("--pairs 1 --journal /nowhere/journal", "/nowhere/journal"),
    ] {
        let output = run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(quoted), "{arguments}: {message}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}
