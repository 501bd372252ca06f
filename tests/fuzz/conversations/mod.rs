//! Conversations of a generator that knows the commands, with the program and in process.

mod child;
mod generate;
mod inside;
mod judge;
mod meaning;
mod model;

mod options;
mod play;
mod positions;

mod shrink;
mod step;

use generate::Generator;
use play::{Engine, Outcome, play};
use positions::Positions;
use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};
use step::Conversation;

/// The seeds of an ordinary run of the tests.
const FIRST_SEED: u64 = 1;

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} expects a whole number, not {text:?}")))
}

/// Which conversations to run.
pub struct Plan {
    first: u64,
    count: Option<u64>,
    until: Option<Instant>,
}

impl Plan {
    /// As the environment says, else `usual` conversations.
    pub fn new(usual: u64) -> Self {
        let seed = variable("LENTO_FUZZ_SEED");
        match variable("LENTO_FUZZ_SECONDS").map(Duration::from_secs) {
            Some(time) => {
                let now = || std::time::UNIX_EPOCH.elapsed().map_or(FIRST_SEED, |time| time.as_nanos() as u64);
                Self { first: seed.unwrap_or_else(now), count: None, until: Some(Instant::now() + time) }
            }
            None => {
                let count = if seed.is_some() { 1 } else { usual };
                Self { first: seed.unwrap_or(FIRST_SEED), count: Some(count), until: None }
            }
        }
    }

    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        (0..self.count.unwrap_or(u64::MAX))
            .map(|nth| self.first.wrapping_add(nth))
            .take_while(|_| self.until.is_none_or(|until| Instant::now() < until))
    }
}

/// Runs conversations of many seeds; the shortest form of the first that fails is printed.
fn run<E: Engine>(kind: &str, usual: u64) {
    if let Ok(path) = env::var("LENTO_FUZZ_REPLAY") {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let conversation = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        println!("{kind}: {:?}", check(play::<E>(&conversation), &conversation));
        return;
    }
    let keep_going = env::var("LENTO_FUZZ_KEEP_GOING").ok();
    let positions = Positions::new();
    let (mut total, mut runs, mut failures) = (Outcome::default(), 0, 0);
    for seed in Plan::new(usual).seeds() {
        let conversation = Generator::new(seed, &positions).conversation();
        runs += 1;
        match (play::<E>(&conversation), &keep_going) {
            (Ok(outcome), _) => total += outcome,
            (Err(failure), None) => fail::<E>(kind, seed, &conversation, &failure),
            (Err(failure), Some(path)) => {
                failures += 1;
                let mut file = OpenOptions::new().create(true).append(true).open(path).expect("a file to write to");
                write!(file, "# {kind}, seed {seed}: {failure}\n{conversation}\n").expect("a file to write to");
            }
        }
        if runs % 1000 == 0 && keep_going.is_some() {
            println!("{kind}: {runs} conversations, {failures} failures, {total:?}");
        }
    }
    println!("{kind}: {runs} conversations, {failures} failures, {total:?}");
    assert_eq!(failures, 0, "{kind}: see {keep_going:?}");
}

/// Shortens a conversation that fails, and fails.
fn fail<E: Engine>(kind: &str, seed: u64, conversation: &Conversation, failure: &str) -> ! {
    println!("{kind}, seed {seed}: {failure}\n{conversation}");
    // A session that hangs in process stays there and slows down the next: a program that hangs can be ended.
    let fails = if play::<child::Program>(conversation).is_err() { play::<child::Program> } else { play::<E> };
    let short = shrink::shrink(conversation, |candidate| fails(candidate).is_err());
    let failure = fails(&short).err().unwrap_or_else(|| failure.into());
    panic!("{kind}, seed {seed}: {failure}\nshortest conversation:\n{short}");
}

fn check(result: Result<Outcome, String>, conversation: &Conversation) -> Outcome {
    result.unwrap_or_else(|failure| panic!("{failure}\n{conversation}"))
}

#[test]
fn conversations_with_the_program() {
    run::<child::Program>("program", 60);
}

#[test]
fn conversations_in_process() {
    run::<inside::Inside>("in process", 60);
}

/// Conversations that failed once.
#[test]
fn conversations_that_failed_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/found");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of what was found") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let conversation: Conversation = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let verdict = |result: Result<Outcome, String>| {
            result.unwrap_or_else(|failure| panic!("{}: {failure}\n{conversation}", path.display()))
        };
        verdict(play::<child::Program>(&conversation));
        verdict(play::<inside::Inside>(&conversation));
        count += 1;
    }
    assert!(count > 0, "nothing in {folder}");
}

/// A seed makes the same conversation each time, and its text says all of it.
#[test]
fn a_conversation_is_determined_by_its_seed() {
    let positions = Positions::new();
    for seed in 0..300 {
        let conversation = Generator::new(seed, &positions).conversation();
        assert_eq!(conversation, Generator::new(seed, &positions).conversation());
        assert_eq!(conversation.to_string().parse(), Ok(conversation));
    }
}
