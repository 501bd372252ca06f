//! The queue at work.

use super::input::Input;
use super::item::Item;
use super::resume;
use super::screen::Screen;
use super::tally::Tally;
use super::{Args, epd_line};
use crate::cli::Done;
use crate::cli::analyse::database::{Asked, Claim, Conditions, Database, EngineId, Stored};
use crate::cli::analyse::game::{Analysis, Line};
use crate::cli::analyse::search::{Found, search};
use crate::cli::interrupt::Interrupt;
use crate::engine::Engine;
use crate::files::draft::Draft;
use crate::search::limits::Limits;
use crate::uci::hangup::output_is_gone;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// How often to look whether another process is done with a position.
const PATIENCE: Duration = Duration::from_millis(200);

/// Everything that a queue needs.
pub struct Work {
    input: Input,
    database: Database,
    engine: Engine,
    id: EngineId,
    /// Of every search; `chess960` is the position's own.
    conditions: Conditions,
    /// Whether positions are searched at all.
    searches: bool,
    interrupt: Interrupt,
    screen: Screen,
    tally: Tally,
    epd: Option<Draft>,
    /// Whether a game has begun since the last search: what that has learned is of no use.
    new_game: bool,
    /// Positions that other processes search. There are no more than processes, unless positions come several times.
    waiting: Vec<Item>,
}

/// What became of a position.
enum Step {
    Done,
    Waiting(Box<Item>),
    Interrupted,
}

impl Work {
    /// All that is asked for, not begun.
    ///
    /// # Errors
    /// The engine cannot be set up, or a file for the results cannot be written.
    pub fn new(args: &Args, input: Input, database: Database, interrupt: Interrupt) -> Result<Self, Box<dyn Error>> {
        let searches = !args.queue.no_search;
        let mut engine = if searches { args.engine()? } else { Engine::new() };
        let asked = args.asked();
        engine.settings_mut().search.deterministic = asked.is_exact() && engine.threads() > 1;
        let conditions = Conditions {
            asked,
            multipv: args.multipv,
            threads: engine.threads(),
            hash_mib: engine.hash_mib(),
            chess960: false,
        };
        let epd = args.queue.epd_out.as_deref().map(Draft::create).transpose()?;
        let mut screen = Screen::new(args.queue.jsonl, args.multipv > 1);
        if searches && !args.queue.jsonl {
            screen.say(&format!("{}, {}", database.path().display(), args.conditions(&engine)))?;
        }
        let id = EngineId::new(&mut engine);
        let (tally, new_game, waiting) = (Tally::start(), true, Vec::new());
        Ok(Self { input, database, engine, id, conditions, searches, interrupt, screen, tally, epd, new_game, waiting })
    }

    /// Where the results are.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Goes through the queue, to its end or to Ctrl-C.
    ///
    /// # Errors
    /// A file cannot be read or written. What was done until then is stored.
    pub fn run(&mut self) -> Done {
        let all_done = self.go_through()?;
        if let Some(draft) = self.epd.take() {
            draft.finish(&[])?;
        }
        let summary = self.tally.summary(self.input.problems);
        self.screen.say(&format!("\n{summary}"))?;
        if !all_done {
            self.screen.say("interrupted; the same command goes on")?;
        }
        Ok(self.interrupt.exit_code())
    }

    /// Whether the end was reached.
    fn go_through(&mut self) -> Result<bool, Box<dyn Error>> {
        loop {
            if self.interrupt.came() {
                return Ok(false);
            }
            let screen = &mut self.screen;
            let Some(item) = self.input.next_item(&mut |message| screen.tell(message))? else { break };
            match self.attend(item)? {
                Step::Done => {}
                Step::Waiting(item) => self.waiting.push(*item),
                Step::Interrupted => return Ok(false),
            }
            if !self.attend_waiting()? {
                return Ok(false);
            }
        }
        while !self.waiting.is_empty() {
            if self.interrupt.waits(PATIENCE) || !self.attend_waiting()? {
                return Ok(false);
            }
            if output_is_gone() {
                return Err(Box::new(io::Error::from(ErrorKind::BrokenPipe)));
            }
        }
        Ok(true)
    }

    /// Looks again at what other processes have searched. Returns false after Ctrl-C.
    fn attend_waiting(&mut self) -> Result<bool, Box<dyn Error>> {
        for item in std::mem::take(&mut self.waiting) {
            match self.attend(item)? {
                Step::Done => {}
                Step::Waiting(item) => self.waiting.push(*item),
                Step::Interrupted => return Ok(false),
            }
        }
        Ok(true)
    }

    fn attend(&mut self, item: Item) -> Result<Step, Box<dyn Error>> {
        let (board, asked) = (item.game.board(), self.conditions.asked);
        let multipv = self.conditions.multipv;
        self.new_game |= item.begins;
        if !self.searches {
            match self.database.best(&item.key, board)? {
                Some(analysis) => {
                    let conditions = Conditions { multipv: u16::MAX, asked: Asked::default(), ..self.conditions };
                    self.report(&item, &Stored { analysis, conditions, finished: true }, "database")?;
                    self.tally.known += 1;
                }
                None => self.tally.unknown += 1,
            }
            return Ok(Step::Done);
        }
        match self.database.claim(&item.key, board, &self.id, multipv, &asked)? {
            Claim::Known(stored) => {
                self.report(&item, &stored, "database")?;
                self.tally.known += 1;
                Ok(Step::Done)
            }
            Claim::Others => Ok(Step::Waiting(Box::new(item))),
            Claim::Ours { position, partial } => self.search(item, position, partial),
        }
    }

    fn search(&mut self, item: Item, position: i64, partial: Option<Stored>) -> Result<Step, Box<dyn Error>> {
        let asked = self.conditions.asked;
        // Only what was asked for in the same way can be gone on with, and what counts nodes begins from nothing.
        let multipv = self.conditions.multipv;
        let partial = partial.filter(|known| !asked.is_exact() && known.conditions.multipv == multipv);
        if std::mem::take(&mut self.new_game) || asked.nodes.is_some() || asked.depth.is_some() || partial.is_some() {
            self.engine.new_game();
        }
        self.engine.settings_mut().chess960 = item.chess960;
        self.engine.set_game(item.game.clone());
        if let Some(known) = &partial {
            resume::take_up(&mut self.engine, &self.database, position, &item, known)?;
        }
        let spent = partial.as_ref().map_or(Duration::ZERO, |known| known.analysis.time);
        let time = asked.time.map(|time| time.saturating_sub(spent).max(Duration::from_millis(1)));
        let limits = Limits {
            depth: asked.depth,
            nodes: asked.nodes,
            movetime: time.map(|time| time.as_millis() as i64),
            ..Limits::default()
        };
        self.tally.search_begins(item.done);
        let mut show = self.screen.begin(&item, &self.tally)?;
        let (screen, tally) = (&mut self.screen, &self.tally);
        let found =
            search(&mut self.engine, &limits, &mut self.interrupt, |news| screen.news(&mut show, news, &item, tally))?;
        let finished = !self.interrupt.came();
        self.screen.end(show, &item, &found)?;
        let stored = self.stored(&item, &found, partial.as_ref(), finished);
        if !finished && asked.is_exact() {
            // It begins again: a part of it is no result.
            self.database.let_go(position)?;
            return Ok(Step::Interrupted);
        }
        self.tally.add(found.nodes(), found.elapsed);
        self.database.store(position, item.game.board(), &self.id, &stored)?;
        if finished {
            resume::forget(&self.database, position);
        } else {
            let depth = stored.analysis.depth;
            if let Err(error) = resume::save(&mut self.engine, &self.database, position, &item, depth) {
                self.screen.tell(&format!("the hash table is not kept: {error}"));
            }
        }
        self.report(&item, &stored, "search")?;
        Ok(if finished { Step::Done } else { Step::Interrupted })
    }

    /// What a search has found, on top of what was known.
    fn stored(&self, item: &Item, found: &Found, partial: Option<&Stored>, finished: bool) -> Stored {
        let told = &found.outcome.lines;
        let lines: Vec<Line> =
            told.iter().map(|line| Line { score: line.score, pv: line.pv.iter().copied().collect() }).collect();
        let first = told.first();
        let before = partial.map(|known| &known.analysis);
        let analysis = Analysis {
            depth: first.map_or(0, |line| line.depth),
            seldepth: told.iter().map(|line| line.seldepth).max().unwrap_or(0),
            nodes: found.nodes() + before.map_or(0, |before| before.nodes),
            time: found.elapsed + before.map_or(Duration::ZERO, |before| before.time),
            lines,
        };
        let kept = before.filter(|before| before.depth > analysis.depth);
        let analysis = match kept {
            // It was interrupted before it had come as far again.
            Some(before) => Analysis { nodes: analysis.nodes, time: analysis.time, ..before.clone() },
            None => analysis,
        };
        Stored { analysis, conditions: Conditions { chess960: item.chess960, ..self.conditions }, finished }
    }

    fn report(&mut self, item: &Item, stored: &Stored, from: &str) -> Result<(), Box<dyn Error>> {
        if let Some(draft) = &mut self.epd {
            draft.write(epd_line::line(item, stored).as_bytes())?;
            draft.write(b"\n")?;
        }
        Ok(self.screen.result(item, stored, from)?)
    }
}
