//! Generated conversations, with the program and in process.

mod checker;
mod child;
mod generate;
mod in_process;
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

/// First seed of an ordinary test run.
const FIRST_SEED: u64 = 1;

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} expects a whole number, not {text:?}")))
}

/// The conversations to run.
pub struct Plan {
    first: u64,
    count: Option<u64>,
    until: Option<Instant>,
}

impl Plan {
    /// Reads the environment; by default `count` conversations.
    pub fn new(default_count: u64) -> Self {
        let seed = variable("LENTO_FUZZ_SEED");
        match variable("LENTO_FUZZ_SECONDS").map(Duration::from_secs) {
            Some(time) => {
                let now = || std::time::UNIX_EPOCH.elapsed().map_or(FIRST_SEED, |time| time.as_nanos() as u64);
                Self { first: seed.unwrap_or_else(now), count: None, until: Some(Instant::now() + time) }
            }
            None => {
                let count = if seed.is_some() { 1 } else { default_count };
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

/// Runs generated conversations; shrinks and prints the first that fails.
fn run<E: Engine>(kind: &str, default_count: u64) {
    if let Ok(path) = env::var("LENTO_FUZZ_REPLAY") {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let conversation = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
        println!("{kind}: {:?}", check(play::<E>(&conversation), &conversation));
        return;
    }
    let keep_going = env::var("LENTO_FUZZ_KEEP_GOING").ok();
    let positions = Positions::new();
    let (mut total, mut runs, mut failures) = (Outcome::default(), 0, 0);
    for seed in Plan::new(default_count).seeds() {
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

/// Shrinks a failed conversation and panics.
fn fail<E: Engine>(kind: &str, seed: u64, conversation: &Conversation, failure: &str) -> ! {
    println!("{kind}, seed {seed}: {failure}\n{conversation}");
    // A hanging in-process session stays around and slows down later ones, so prefer the program, which can be killed.
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
    run::<in_process::InProcess>("in process", 60);
}

/// Conversations that have failed in the past.
#[test]
fn conversations_of_past_failures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/found");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of past failures") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let conversation: Conversation = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let check_file = |result: Result<Outcome, String>| {
            result.unwrap_or_else(|failure| panic!("{}: {failure}\n{conversation}", path.display()))
        };
        check_file(play::<child::Program>(&conversation));
        check_file(play::<in_process::InProcess>(&conversation));
        count += 1;
    }
    assert!(count > 0, "{folder} is empty");
}

/// Also tests that the text form is complete.
#[test]
fn conversations_are_determined_by_their_seed() {
    let positions = Positions::new();
    for seed in 0..300 {
        let conversation = Generator::new(seed, &positions).conversation();
        assert_eq!(conversation, Generator::new(seed, &positions).conversation());
        assert_eq!(conversation.to_string().parse(), Ok(conversation));
    }
}
