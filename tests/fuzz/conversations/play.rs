//! Has a conversation, and finds what must not be.

use super::judge::Judge;
use super::model::Model;
use super::step::{Conversation, Step};
use std::ops::AddAssign;
use std::time::{Duration, Instant};

/// No answer may take longer, on a slow and busy machine with every check compiled in. `LENTO_FUZZ_PATIENCE` gives other seconds.
pub fn patience() -> Duration {
    Duration::from_secs(super::variable("LENTO_FUZZ_PATIENCE").unwrap_or(30))
}

/// What came from the engine.
pub enum Heard {
    Line(String),
    /// Nothing within the time given.
    Silence,
    /// Nothing more will come.
    End,
}

/// Somebody to talk to.
pub trait Engine {
    fn start() -> Self;
    /// Writes bytes. That nobody reads them any more is seen elsewhere.
    fn write(&mut self, bytes: &[u8]);
    fn end_input(&mut self);
    fn listen(&mut self, time: Duration) -> Heard;
    /// Waits until it is gone and says how it died, if it did not end in good order.
    fn end(self) -> Result<(), String>;
    /// Stops listening, and sees that it goes away for that reason alone.
    fn vanish(self) -> Result<(), String>;
}

/// How much was said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    pub searches: usize,
    pub readies: usize,
    pub infos: usize,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.searches += other.searches;
        self.readies += other.readies;
        self.infos += other.infos;
    }
}

struct Play<E> {
    engine: E,
    model: Model,
    judge: Judge,
    over: bool,
}

/// Has a conversation with a new engine.
pub fn play<E: Engine>(conversation: &Conversation) -> Result<Outcome, String> {
    let mut play = Play { engine: E::start(), model: Model::new(), judge: Judge::default(), over: false };
    for step in &conversation.0 {
        if play.model.closing {
            break;
        }
        match step {
            Step::Write(bytes) => play.write(bytes),
            Step::Pause(ms) => play.listen_for(Duration::from_millis(*ms))?,
            Step::Ready => {
                play.write(b"isready\n");
                play.until("readyok", |judge, model| judge.readies >= model.readies)?;
            }
            Step::Settle => {
                play.write(b"stop\n");
                play.answers()?;
            }
            Step::Answer => play.answers()?,
            Step::Eof => break,
            Step::Vanish => return play.engine.vanish().map(|()| Outcome::default()),
        }
    }
    play.finish(matches!(conversation.0.last(), Some(Step::Eof)))
}

impl<E: Engine> Play<E> {
    fn write(&mut self, bytes: &[u8]) {
        self.model.write(bytes);
        self.engine.write(bytes);
    }

    /// Waits for every answer, if all of them come without another word.
    fn answers(&mut self) -> Result<(), String> {
        if !self.model.ends_soon() {
            return Ok(());
        }
        self.until("bestmove", |judge, model| judge.best_moves >= model.searches.len())
    }

    fn until(&mut self, what: &str, done: impl Fn(&Judge, &Model) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + patience();
        while !done(&self.judge, &self.model) && !self.over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("no {what} within {:?}", patience()));
            }
            self.hear(left)?;
        }
        if self.over && !self.model.closing { Err("it ended unasked".into()) } else { Ok(()) }
    }

    fn listen_for(&mut self, time: Duration) -> Result<(), String> {
        let deadline = Instant::now() + time;
        while !self.over && Instant::now() < deadline {
            self.hear(deadline.saturating_duration_since(Instant::now()))?;
        }
        Ok(())
    }

    fn hear(&mut self, time: Duration) -> Result<(), String> {
        match self.engine.listen(time) {
            Heard::Line(line) => self.judge.hear(&line, &self.model)?,
            Heard::Silence => {}
            Heard::End => self.over = true,
        }
        Ok(())
    }

    /// Ends the conversation and hears the rest.
    fn finish(mut self, by_end_of_input: bool) -> Result<Outcome, String> {
        // What was to be waited for must end before the end of input is obeyed; the last line may say so, too.
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
        let deadline = Instant::now() + patience();
        while !self.over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let Judge { best_moves, .. } = self.judge;
                let searches = self.model.searches.len();
                let patience = patience();
                return Err(format!("no end within {patience:?} of it; {best_moves} of {searches} answers came"));
            }
            self.hear(left)?;
        }
        // How it ended says more than what is missing.
        self.engine.end()?;
        self.judge.conclude(&self.model)?;
        Ok(Outcome { searches: self.judge.best_moves, readies: self.judge.readies, infos: self.judge.infos })
    }
}
