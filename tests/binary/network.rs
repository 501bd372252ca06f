//! Networks and the choice of the evaluation, with the real binary.

use crate::harness::{Session, count};
use std::path::PathBuf;
use std::process::Command;

/// The network inside the program, as a file.
fn embedded() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("nets/default.lnn")
}

fn evaluation(session: &mut Session) -> Vec<String> {
    session.say("eval");
    session.sync()
}

#[test]
fn files_that_are_no_network_leave_the_old_one_in_use() {
    let folder = std::env::temp_dir().join(format!("lento-network-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let good = std::fs::read(embedded()).unwrap();
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 4;
    let text = folder.join("text.lnn");
    std::fs::write(&text, "1. e4 e5\n").unwrap();
    std::fs::write(folder.join("damaged.lnn"), damaged).unwrap();
    std::fs::write(folder.join("short.lnn"), &good[..good.len() - 100]).unwrap();

    let mut session = Session::ready();
    session.say("position startpos moves e2e4");
    let before = evaluation(&mut session);
    assert_eq!(count(&before, "Network "), 1, "{before:#?}");
    for (name, reason) in [
        ("missing.lnn", "cannot be read"),
        ("text.lnn", "does not begin with LENTONET"),
        ("damaged.lnn", "checksum is"),
        ("short.lnn", "bytes, expected"),
    ] {
        session.say(&format!("setoption name EvalFile value {}", folder.join(name).display()));
        let said = session.sync();
        let quoted = said.iter().any(|line| {
            line.starts_with("info string error: option EvalFile cannot be set to ")
                && [name, reason, "the network stays as it was"].iter().all(|part| line.contains(part))
        });
        assert!(quoted, "{name}: {said:#?}");
        assert_eq!(evaluation(&mut session), before);
        session.say("go depth 3");
        session.best_move();
    }
    session.say(&format!("setoption name EvalFile value {}", embedded().display()));
    assert_eq!(evaluation(&mut session), before);
    session.say("setoption name EvalFile value <empty>");
    assert_eq!(evaluation(&mut session), before);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_evaluation_can_be_chosen_while_the_program_runs() {
    let mut session = Session::ready();
    session.say("position fen r4rk1/ppp2ppp/8/3q4/8/5N2/PP3PPP/R2Q1RK1 w - - 0 1");
    let network = evaluation(&mut session);
    session.say("setoption name Evaluation value classical");
    let classical = evaluation(&mut session);
    assert!(classical.iter().any(|line| line.starts_with("material ")) && classical != network, "{classical:#?}");
    let nodes = |session: &mut Session| {
        session.say("ucinewgame\ngo depth 7");
        let lines = session.until("bestmove");
        let last = lines.iter().rev().find(|line| line.contains(" pv ")).cloned();
        last.and_then(|line| crate::harness::field(&line, "nodes").map(str::to_owned)).expect("a line of play")
    };
    let by_classical = nodes(&mut session);
    session.say("setoption name Evaluation value nnue");
    assert_eq!(evaluation(&mut session), network);
    let by_network = nodes(&mut session);
    assert_ne!(by_classical, by_network);
    session.say("setoption name Evaluation value classical");
    assert_eq!(nodes(&mut session), by_classical);
}

/// The last line of a bench.
fn bench(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_lento")).args(["bench", "6"]).args(args).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let last = text.lines().last().map(str::to_owned);
    last.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_bench_takes_instruction_set_and_file() {
    let nodes = |args: &[&str]| bench(args).split(' ').next().map(str::to_owned);
    let usual = nodes(&[]);
    assert_eq!(nodes(&["--simd", "scalar"]), usual);
    assert_eq!(nodes(&["--eval-file", embedded().to_str().expect("UTF-8")]), usual);
    assert_ne!(nodes(&["--evaluation", "classical"]), usual);
    for (args, part) in [
        (["--simd", "mmx"], "expected one of "),
        (["--evaluation", "luck"], "expected one of nnue, classical"),
        (["--eval-file", "missing.lnn"], "missing.lnn: cannot be read"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_lento")).arg("bench").args(args).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(part), "{error}");
    }
}
