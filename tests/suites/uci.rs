//! Broken and hostile conversations from the shared test data: the program survives each and keeps its promises.

use crate::harness::{Session, count};
use lento::chess::Board;
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Milliseconds given in the data are wishes for an idle machine.
const LENIENCE: u64 = 5;

/// Conversations, one in each line.
pub fn conversations(text: &str) {
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(cases.len() > 50);
    // Most of them wait for something most of the time.
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = play(case) {
                        failures.lock().unwrap().push(failure);
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
    let name = format!("{} {}", case["id"], case["why"]);
    let fail = |what: String| Err(format!("{name}: {what}"));
    let mut session = Session::ready();
    let (begin, before) = (Instant::now(), session.heard().len());
    let mut ended = false;
    let mut answers = 0;
    for step in case["lines"].as_array().expect("steps") {
        if let Some(line) = step.as_str() {
            ended |= line == "quit";
            session.say(line);
        } else if let Some(raw) = step["raw"].as_str() {
            session.write(raw.as_bytes());
        } else if let Some(hex) = step["hex"].as_str() {
            let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
            let bytes: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect();
            session.write(&bytes);
        } else if let Some(ms) = step["sleep"].as_u64() {
            // The pauses are for the engine to run into trouble; shorter ones do.
            session.listen(Duration::from_millis(ms.min(300)));
        } else if let Some(wanted) = step["wait_bestmove"].as_u64() {
            while answers < wanted {
                session.best_move();
                answers += 1;
            }
        } else if step["eof"] == true {
            session.end_input();
            ended = true;
        } else if let Some(wanted) = step["assert_bestmoves"].as_u64() {
            let told = count(&session.heard()[before..], "bestmove");
            if told as u64 != wanted {
                return fail(format!("{told} answers so far"));
            }
        } else {
            return fail(format!("unknown step {step}"));
        }
    }
    let expect = &case["expect"];
    if !ended {
        let answers_due = expect["bestmoves"].as_u64().unwrap_or(0);
        while (count(&session.heard()[before..], "bestmove") as u64) < answers_due {
            session.best_move();
        }
        if let Some(ms) = expect["max_ms"].as_u64()
            && begin.elapsed() > Duration::from_millis(ms * LENIENCE)
        {
            return fail(format!("took {:?}", begin.elapsed()));
        }
        // Whatever still searches is ended, and then it answers as before.
        session.say("stop\nisready");
        session.until("readyok");
        session.say("quit");
    }
    let (_, status) = session.end();
    if !status.success() {
        return fail(format!("ended with {status}"));
    }
    judge(expect, &session.heard()[before..], ended).or_else(fail)
}

/// Compares what was said with what was expected.
fn judge(expect: &Value, heard: &[String], ended: bool) -> Result<(), String> {
    let answers: Vec<&str> =
        heard.iter().filter_map(|line| line.strip_prefix("bestmove ")?.split(' ').next()).collect();
    if let Some(wanted) = expect["bestmoves"].as_u64()
        && answers.len() as u64 != wanted
    {
        return Err(format!("answers: {answers:?}"));
    }
    if let Some(most) = expect["max_bestmoves"].as_u64()
        && answers.len() as u64 > most
    {
        return Err(format!("answers: {answers:?}"));
    }
    // One more than asked for, from the runner itself.
    let ready = count(heard, "readyok") - usize::from(!ended);
    if let Some(wanted) = expect["readyok"].as_u64()
        && ready as u64 != wanted
    {
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
