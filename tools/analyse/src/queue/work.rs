//! Processes the queue.

use super::input::{Input, Item};
use super::screen::Screen;
use super::{QueueArgs, record, resume};
use crate::database::{Analysis, Claim, Conditions, Database, EngineId, SearchLimits, Stored, retry};
use crate::sql;
use lento::engine::Engine;
use lento::internals::files::Draft;
use lento::search::limits::{Determinism, Limits};
use lento_console::Done;
use lento_console::interrupt::Stop;
use lento_console::search::{Found, search_with_score};
use lento_console::units::counted;
use lento_player::analyse;
use lento_uci::run::output_is_gone;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

pub struct Work {
    input: Input,
    database: Database,
    engine: Engine,
    id: EngineId,
    /// Conditions of all searches; `chess960` is overridden per position.
    conditions: Conditions,
    searches: bool,
    stop: Stop,
    screen: Screen,
    epd: Option<Draft>,
    /// Whether a game has started since the last search, so that histories should be cleared.
    new_game: bool,
    /// Positions claimed by other processes, at most one per process unless positions repeat.
    waiting: Vec<Item>,
}

impl Work {
    pub fn new(
        queue: &QueueArgs,
        position: &analyse::Args,
        input: Input,
        database: Database,
        stop: Stop,
    ) -> Result<Self, Box<dyn Error>> {
        let searches = !queue.no_search;
        let mut engine = if searches { position.engine()? } else { Engine::new() };
        let requested = SearchLimits::from(&position.limits());
        if requested.is_exact() && engine.threads() > 1 {
            engine.settings.search.deterministic = Determinism::Rounds;
        }
        let (multipv, threads, hash_mib) = (position.multipv, engine.threads(), engine.hash_mib());
        let conditions = Conditions { requested, multipv, threads, hash_mib, chess960: false };
        let epd = queue.epd_out.as_deref().map(Draft::create).transpose()?;
        let mut screen = Screen::new(queue.jsonl, position.multipv > 1);
        if searches && !queue.jsonl {
            screen.print(&format!("{}, {}", database.location(), position.conditions(&engine)))?;
        }
        let id = EngineId::new(&mut engine);
        let (new_game, waiting) = (true, Vec::new());
        Ok(Self { input, database, engine, id, conditions, searches, stop, screen, epd, new_game, waiting })
    }

    /// Runs to the end or to Ctrl-C.
    pub fn run(&mut self) -> Done {
        self.process_all()?;
        if let Some(draft) = self.epd.take() {
            draft.finish(&[])?;
        }
        let summary = self.screen.tally.summary(self.input.problems, self.screen.progress.elapsed());
        self.screen.print(&format!("\n{summary}"))?;
        if self.stop.is_requested() {
            self.screen.print("interrupted; run the same command to continue")?;
        }
        Ok(self.stop.exit_code())
    }

    fn process_all(&mut self) -> Result<(), Box<dyn Error>> {
        while !self.stop.is_requested() {
            let item = self.input.next_item();
            self.input.messages.drain(..).for_each(|message| self.screen.message(&message));
            let Some(item) = item? else { break };
            self.process(item)?;
            self.retry_waiting()?;
        }
        while !self.waiting.is_empty() && !self.stop.is_requested() {
            self.database.wait(&self.stop);
            self.retry_waiting()?;
            if output_is_gone() {
                return Err(io::Error::from(ErrorKind::BrokenPipe).into());
            }
        }
        Ok(())
    }

    fn retry_waiting(&mut self) -> Result<(), Box<dyn Error>> {
        std::mem::take(&mut self.waiting).into_iter().try_for_each(|item| self.process(item))
    }

    /// Searches a position unless it is stored or claimed, or a stop is requested.
    fn process(&mut self, item: Item) -> Result<(), Box<dyn Error>> {
        if self.stop.is_requested() {
            return Ok(());
        }
        let Conditions { requested, multipv, .. } = self.conditions;
        self.new_game |= item.begins;
        let claim = if self.searches {
            self.query(|database, id| database.claim(&item.key, item.game.board(), id, multipv, &requested))?
        } else {
            // `None` after Ctrl-C, `Some(None)` if nothing is stored.
            let stored = self.query(|database, _| database.best(&item.key, item.game.board()))?;
            if stored == Some(None) {
                self.screen.tally.unknown += 1;
            }
            stored.flatten().map(Claim::Known)
        };
        match claim {
            None => {}
            Some(Claim::Known(stored)) => {
                self.report(&item, &stored, "database")?;
                self.screen.tally.known += 1;
            }
            Some(Claim::Busy) => self.waiting.push(item),
            Some(Claim::Claimed { position, partial }) => self.search(&item, position, partial)?,
        }
        Ok(())
    }

    fn search(&mut self, item: &Item, position: i64, partial: Option<Stored>) -> Result<(), Box<dyn Error>> {
        let requested = self.conditions.requested;
        // Searches with a node limit are not resumed.
        let partial = partial.filter(|_| !requested.is_exact());
        if std::mem::take(&mut self.new_game) || requested.is_exact() || requested.depth.is_some() || partial.is_some()
        {
            self.engine.new_game();
        }
        self.engine.game = item.game.clone();
        if let Some(known) = &partial {
            resume::restore(&mut self.engine, &self.database, position, item, known)?;
        }
        let spent = partial.as_ref().map_or(Duration::ZERO, |known| known.analysis.time);
        let time = requested.time.map(|time| time.saturating_sub(spent).max(Duration::from_millis(1)));
        let movetime = time.map(|time| time.as_millis() as i64);
        let limits = Limits { depth: requested.depth, nodes: requested.nodes, movetime, ..Limits::default() };
        self.screen.tally.start_search(item.done);
        let mut show = self.screen.begin(item)?;
        let found = search_with_score(&mut self.engine, &limits, &[], &self.stop, |output| {
            self.screen.update(&mut show, output, item)
        })?;
        let finished = !self.stop.is_requested();
        found.as_ref().map_or(Ok(()), |found| self.screen.end(show, item, found))?;
        // No partial result with a node limit.
        let Some(found) = found.filter(|_| finished || !requested.is_exact()) else {
            self.query(|database, _| database.release(position))?;
            return Ok(());
        };
        let stored = self.stored(item, &found, partial.as_ref(), finished);
        self.screen.tally.add(found.nodes(), found.elapsed);
        if self.query(|database, id| database.store(position, item.game.board(), id, &stored))?.is_none() {
            let (depth, nodes) = (stored.analysis.depth, counted(stored.analysis.nodes, "node"));
            self.screen.message(&format!("not stored: {}, depth {depth}, {nodes}", item.place));
            return Ok(());
        }
        if finished {
            resume::remove_table(&self.database, position);
        } else {
            let depth = stored.analysis.depth;
            if let Err(error) = resume::save(&mut self.engine, &self.database, position, item, depth) {
                self.screen.message(&format!("cannot save the hash table: {error}"));
            }
        }
        self.report(item, &stored, "search")
    }

    /// Combines a search result with the partial one before it.
    fn stored(&self, item: &Item, found: &Found, partial: Option<&Stored>, finished: bool) -> Stored {
        let before = partial.map(|known| &known.analysis);
        let nodes = found.nodes() + before.map_or(0, |before| before.nodes);
        let time = found.elapsed + before.map_or(Duration::ZERO, |before| before.time);
        let mut analysis = Analysis::new(&found.outcome.lines, nodes, time);
        if let Some(before) = before.filter(|before| before.depth > analysis.depth) {
            // Interrupted before reaching the earlier depth.
            analysis = Analysis { nodes, time, ..before.clone() };
        }
        Stored { analysis, conditions: Conditions { chess960: item.chess960, ..self.conditions }, finished }
    }

    /// Runs a query, again after reconnecting if the connection is lost. Returns `None` after Ctrl-C meanwhile.
    pub fn query<T>(
        &mut self,
        mut run: impl FnMut(&mut Database, &EngineId) -> sql::Result<T>,
    ) -> Result<Option<T>, Box<dyn Error>> {
        let Self { database, id, stop, screen, .. } = self;
        Ok(retry(database, Database::reconnect, stop, &mut screen.progress, |database| run(database, id))?)
    }

    fn report(&mut self, item: &Item, stored: &Stored, from: &str) -> Result<(), Box<dyn Error>> {
        if let Some(draft) = &mut self.epd {
            draft.write(record::epd(item, stored).as_bytes())?;
            draft.write(b"\n")?;
        }
        Ok(self.screen.result(item, stored, from)?)
    }
}
