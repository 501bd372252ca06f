//! Plays a conversation and checks the answers.

use super::checker::Checker;
use super::model::Model;
use super::step::{Conversation, Step};
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// Timeout for every answer, generous for slow and busy machines with all checks enabled. `LENTO_FUZZ_TIMEOUT` overrides the seconds.
pub fn timeout() -> Duration {
    Duration::from_secs(super::variable("LENTO_FUZZ_TIMEOUT").unwrap_or(30))
}

/// Output of the engine.
pub enum Received {
    Line(String),
    /// Nothing within the given time.
    Nothing,
    /// The output has ended.
    End,
}

/// An engine under test.
pub trait Engine {
    fn start() -> Self;
    /// Writes bytes; ignores a closed input.
    fn write(&mut self, bytes: &[u8]);
    fn end_input(&mut self);
    fn receive(&mut self, time: Duration) -> Received;
    /// Waits for the engine to exit; fails unless it exits cleanly.
    fn end(self) -> Result<(), String>;
    /// Closes the output, which alone must make the engine exit.
    fn close_output(self) -> Result<(), String>;
}

/// Counts of answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub searches: usize,
    pub readyoks: usize,
    pub infos: usize,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.searches += other.searches;
        self.readyoks += other.readyoks;
        self.infos += other.infos;
    }
}

struct Play<E> {
    engine: E,
    model: Model,
    checker: Checker,
    ended: bool,
}

/// Plays a conversation with a new engine.
pub fn play<E: Engine>(conversation: &Conversation) -> Result<Outcome, String> {
    let mut play = Play { engine: E::start(), model: Model::new(), checker: Checker::default(), ended: false };
    for step in &conversation.0 {
        if play.model.closing {
            break;
        }
        match step {
            Step::Write(bytes) => play.write(bytes),
            Step::Pause(ms) => play.receive_for(Duration::from_millis(*ms))?,
            Step::Ready => {
                play.write(b"isready\n");
                play.until("readyok", |checker, model| checker.readyoks >= model.readyoks)?;
            }
            Step::Settle => {
                play.write(b"stop\n");
                play.answers()?;
            }
            Step::Answer => play.answers()?,
            Step::Eof => break,
            Step::Vanish => return play.engine.close_output().map(|()| Outcome::default()),
        }
    }
    play.finish(matches!(conversation.0.last(), Some(Step::Eof)))
}

impl<E: Engine> Play<E> {
    fn write(&mut self, bytes: &[u8]) {
        self.model.write(bytes);
        self.engine.write(bytes);
    }

    /// Waits for all answers, if they come without further commands.
    fn answers(&mut self) -> Result<(), String> {
        if !self.model.ends_soon() {
            return Ok(());
        }
        self.until("bestmove", |checker, model| checker.best_moves >= model.searches.len())
    }

    fn until(&mut self, what: &str, done: impl Fn(&Checker, &Model) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + timeout();
        while !done(&self.checker, &self.model) && !self.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("no {what} within {:?}", timeout()));
            }
            self.receive(left)?;
        }
        if self.ended && !self.model.closing { Err("the engine exited early".into()) } else { Ok(()) }
    }

    fn receive_for(&mut self, time: Duration) -> Result<(), String> {
        let deadline = Instant::now() + time;
        while !self.ended && Instant::now() < deadline {
            self.receive(deadline.saturating_duration_since(Instant::now()))?;
        }
        Ok(())
    }

    fn receive(&mut self, time: Duration) -> Result<(), String> {
        match self.engine.receive(time) {
            Received::Line(line) => self.checker.check(&line, &self.model)?,
            Received::Nothing => {}
            Received::End => self.ended = true,
        }
        Ok(())
    }

    /// Ends the conversation and checks the rest of the output.
    fn finish(mut self, by_end_of_input: bool) -> Result<Outcome, String> {
        // `wait` must finish before the end of input takes effect, and an incomplete last line may be a `wait`.
        if self.model.is_mid_line() && !self.model.ends_soon() {
            self.write(b"\n");
        }
        if self.model.may_wait_long() {
            self.write(b"stop\n");
        }
        if !by_end_of_input && !self.model.closing {
            self.write(if self.model.is_mid_line() { b"\nquit\n" } else { b"quit\n" });
        }
        self.model.end_input();
        self.engine.end_input();
        let deadline = Instant::now() + timeout();
        while !self.ended {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let Checker { best_moves, .. } = self.checker;
                let searches = self.model.searches.len();
                let timeout = timeout();
                return Err(format!("still running after {timeout:?}; {best_moves} of {searches} answers received"));
            }
            self.receive(left)?;
        }
        // The exit status is more informative than a missing answer.
        self.engine.end()?;
        self.checker.conclude(&self.model)?;
        Ok(Outcome { searches: self.checker.best_moves, readyoks: self.checker.readyoks, infos: self.checker.infos })
    }
}
