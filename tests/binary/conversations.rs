//! Malformed and hostile conversations.

use crate::data;
use crate::harness::{Session, count};
use lento::chess::Board;
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Plays each line of `conversations.jsonl`: steps, repetitions and expectations.
#[test]
fn hostile_conversations_are_survived() {
    let text = data::text(data::path("conversations.jsonl"));
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(cases.len() > 50);
    // In parallel, since most cases spend their time waiting.
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = play(case) {
                        failures.lock().unwrap().push(format!("{}: {failure}", case["name"]));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Plays one conversation.
fn play(case: &Value) -> Result<(), String> {
    let mut session = Session::ready();
    let before = session.received().len();
    let mut ended = false;
    for _ in 0..case["times"].as_u64().unwrap_or(1) {
        for step in case["steps"].as_array().expect("steps") {
            if let Some(line) = step.as_str() {
                ended |= line == "quit";
                session.send(line);
            } else if let Some(start) = step["start"].as_str() {
                let times = step["times"].as_u64().expect("a number");
                session.send(&(start.to_owned() + &step["repeat"].as_str().expect("text").repeat(times as usize)));
            } else if let Some(hex) = step["bytes"].as_str() {
                let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
                let bytes: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect();
                session.write(&bytes);
            } else if let Some(ms) = step["pause"].as_u64() {
                session.read_for(Duration::from_millis(ms));
            } else if step["await_bestmove"] == true {
                session.best_move();
            } else if step["eof"] == true {
                session.end_input();
                ended = true;
            } else if let Some(wanted) = step["assert_bestmoves"].as_u64() {
                let answers = count(&session.received()[before..], "bestmove");
                if answers as u64 != wanted {
                    return Err(format!("{answers} answers so far"));
                }
            } else {
                return Err(format!("unknown step {step}"));
            }
        }
    }
    let expect = &case["expect"];
    if !ended {
        let answers_due = expect["bestmoves"].as_u64().unwrap_or(0);
        while (count(&session.received()[before..], "bestmove") as u64) < answers_due {
            session.best_move();
        }
        // Stop any search; the engine must still respond.
        session.send("stop\nisready");
        session.read_until("readyok");
        session.send("quit");
    }
    let (_, status) = session.wait();
    if !status.success() {
        return Err(format!("ended with {status}"));
    }
    check(expect, &session.received()[before..], ended)
}

/// Checks the output against the expectations.
fn check(expect: &Value, received: &[String], ended: bool) -> Result<(), String> {
    let answers: Vec<&str> =
        received.iter().filter_map(|line| line.strip_prefix("bestmove ")?.split(' ').next()).collect();
    let answered = answers.len() as u64;
    if expect["bestmoves"].as_u64().is_some_and(|wanted| answered != wanted)
        || expect["max_bestmoves"].as_u64().is_some_and(|max| answered > max)
    {
        return Err(format!("answers: {answers:?}"));
    }
    // `play` itself asks once more.
    let ready = count(received, "readyok") - usize::from(!ended);
    if expect["readyok"].as_u64().is_some_and(|wanted| ready as u64 != wanted) {
        return Err(format!("{ready} times readyok"));
    }
    if let Some(fen) = expect["legal_fen"].as_str() {
        let board = Board::from_fen(fen).map_err(|error| error.to_string())?;
        if let Some(illegal) = answers.iter().find(|mv| board.parse_uci(mv, false).is_none()) {
            return Err(format!("illegal answer {illegal}"));
        }
    }
    if let Some(allowed) = expect["bestmove_in"].as_array()
        && let Some(other) = answers.iter().find(|mv| !allowed.iter().any(|allowed| allowed == **mv))
    {
        return Err(format!("answer {other}"));
    }
    Ok(())
}
