//! What is kept in files of the hash table: saves beside a search, one after the other, and `AutoSave`.

use super::{Queued, Session};
use crate::hash_file::{Effort, Order, Origin, older};
use crate::uci::command::{Base, Command};
use crate::uci::format;
use crate::uci::hash_file::{self, Caller};
use crate::uci::inbox::TaskNews;
use crate::uci::options::same_name;
use crate::uci::problem::Problem;
use crate::uci::task::{Task, TaskOutput};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a conversation knows of its files.
#[derive(Default)]
pub struct Keeper {
    saving: Option<Saving>,
    /// Saves that were asked for and wait for the one that runs.
    waiting: VecDeque<Wanted>,
    /// The file that was to be loaded last.
    loading: Option<PathBuf>,
    /// Since when the table has something that is not in `HashFile`.
    unsaved: Option<Instant>,
    /// The file that this conversation has loaded or saved last: `AutoSave` may write it anew, and keeps any other.
    own: Option<PathBuf>,
    /// What was searched last.
    origin: Origin,
    /// Whether it was said that `AutoSave` has no file.
    told: bool,
}

/// A save that runs.
struct Saving {
    task: Task,
    caller: Caller,
    path: PathBuf,
    failed: bool,
}

/// What is to be saved.
struct Wanted {
    path: PathBuf,
    compress: bool,
}

impl Wanted {
    fn new(path: PathBuf, zstd: bool) -> Self {
        let compress = zstd || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
        Self { path, compress }
    }
}

/// A position as in the command.
pub fn position(base: &Base, moves: &[String]) -> String {
    let base = match base {
        Base::Start => "startpos".to_owned(),
        Base::Fen(fen) => format!("fen {fen}"),
    };
    if moves.is_empty() { base } else { format!("{base} moves {}", moves.join(" ")) }
}

impl Keeper {
    /// Whether nothing is being saved, or waits for it.
    pub fn is_idle(&self) -> bool {
        self.saving.is_none() && self.waiting.is_empty()
    }

    /// Whether something is being saved that was asked for.
    fn is_asked(&self) -> bool {
        let asked = self.saving.as_ref().is_some_and(|saving| saving.caller == Caller::Command);
        asked || !self.waiting.is_empty()
    }

    /// The search has finished a depth.
    pub fn depth_reached(&mut self, depth: i32) {
        self.origin.depth = self.origin.depth.max(depth.unsigned_abs());
    }

    /// Calls off what saves by itself.
    fn call_off_auto_save(&mut self) {
        if self.saving.take_if(|saving| saving.caller == Caller::AutoSave).is_some() {
            self.unsaved.get_or_insert_with(Instant::now);
        }
    }

    /// Calls off everything.
    pub fn call_off(&mut self) {
        self.saving = None;
        self.waiting.clear();
        self.unsaved = None;
    }
}

impl Session {
    /// A search of this position begins.
    pub(super) fn search_begins(&mut self, position: String) {
        self.keeper.origin = Origin { position, depth: 0 };
        self.keeper.unsaved.get_or_insert_with(Instant::now);
        let settings = self.engine.settings();
        if !settings.auto_save.is_zero() && settings.hash_file.is_none() && !self.keeper.told {
            self.keeper.told = true;
            self.complain(&Problem::NoHashFile("AutoSave"));
        }
    }

    /// Whether a command has to wait for what is being saved: it takes away what the table holds, or the table itself.
    pub(super) fn waits_for_save(&self, command: &Command) -> bool {
        self.takes_table(command) && self.keeper.is_asked()
    }

    fn takes_table(&self, command: &Command) -> bool {
        match command {
            Command::NewGame => !self.engine.settings().analyse_mode,
            Command::LoadHash { .. } => true,
            Command::SetOption { name, .. } => {
                ["Hash", "Clear Hash", "NumaPolicy"].iter().any(|&option| same_name(option, name))
            }
            _ => false,
        }
    }

    /// A command is about to be obeyed.
    pub(super) fn before(&mut self, command: &Command) {
        if self.takes_table(command) {
            self.keeper.call_off_auto_save();
            if !matches!(command, Command::LoadHash { .. }) {
                // The file now has what the table has lost.
                self.keeper.own = None;
            }
        }
    }

    /// The file that is named, or that of the option.
    fn hash_file(&mut self, file: Option<&str>, command: &'static str) -> Option<PathBuf> {
        let path = file.map(PathBuf::from).or_else(|| self.engine.settings().hash_file.clone());
        if path.is_none() {
            self.complain(&Problem::NoHashFile(command));
        }
        path
    }

    /// `savehash`.
    pub(super) fn save_hash(&mut self, file: Option<&str>, zstd: bool) {
        if let Some(path) = self.hash_file(file, "savehash") {
            self.keeper.call_off_auto_save();
            self.keeper.waiting.push_back(Wanted::new(path, zstd));
            self.save_next();
        }
    }

    /// Begins what waits to be saved, unless something is being saved.
    fn save_next(&mut self) {
        while self.keeper.saving.is_none()
            && let Some(wanted) = self.keeper.waiting.pop_front()
        {
            let effort = Effort::Threads(hash_file::threads());
            self.save(Caller::Command, wanted, effort, false);
        }
    }

    /// Begins to save.
    fn save(&mut self, caller: Caller, Wanted { path, compress }: Wanted, effort: Effort, keep_older: bool) {
        let order = Order { path: path.clone(), compress, effort, origin: self.keeper.origin.clone(), keep_older };
        if self.engine.settings().hash_file.as_ref() == Some(&path) {
            // What a search finds from now on may be missing.
            self.keeper.unsaved = self.engine.is_searching().then(Instant::now);
        }
        let lent = match self.engine.lend_table_to_save() {
            Ok(lent) => lent,
            Err(problem) => return self.complain(&problem),
        };
        let to = self.next_task();
        match hash_file::save(to, caller, lent, order) {
            Ok(task) => self.keeper.saving = Some(Saving { task, caller, path, failed: false }),
            Err(problem) => self.complain(&problem),
        }
    }

    /// `loadhash`.
    pub(super) fn load_hash(&mut self, mut asked: Queued, file: Option<&str>) {
        // While it waits `stop` means the search before it, as for an option that waits.
        asked.marks.stopped &= self.closing;
        let Some(path) = self.hash_file(file, "loadhash") else { return };
        let lent = match self.engine.lend_table_to_load() {
            Ok(lent) => lent,
            Err(problem) => return self.complain(&problem),
        };
        self.keeper.loading = Some(path.clone());
        self.begin_task(asked, |_, to| hash_file::load(to, lent, path));
    }

    /// Where the next task sends its lines.
    pub(super) fn next_task(&mut self) -> TaskOutput {
        self.last_task += 1;
        TaskOutput { id: self.last_task, inbox: self.inbox.clone() }
    }

    /// What a task has to tell.
    pub(super) fn hear_task(&mut self, id: u64, news: TaskNews) {
        if self.keeper.saving.as_ref().is_some_and(|saving| saving.task.id == id) {
            return self.hear_save(news);
        }
        let task = self.work.as_ref().and_then(|work| work.task.as_ref());
        // Any other task was called off.
        if task.is_none_or(|task| task.id != id) {
            return;
        }
        match news {
            TaskNews::Line(line) => self.say(&line),
            TaskNews::Problem(line) => {
                self.failed = true;
                self.say(&line);
            }
            TaskNews::Loaded(origin) => {
                self.keeper.own = self.keeper.loading.take();
                self.keeper.origin = origin;
            }
            TaskNews::Ended => self.work = None,
        }
    }

    fn hear_save(&mut self, news: TaskNews) {
        match news {
            TaskNews::Line(line) => self.say(&line),
            TaskNews::Problem(line) => {
                self.failed = true;
                self.say(&line);
                self.keeper.saving.iter_mut().for_each(|saving| saving.failed = true);
            }
            TaskNews::Loaded(_) => {}
            TaskNews::Ended => {
                let ended = self.keeper.saving.take();
                let failed = ended.as_ref().is_none_or(|saving| saving.failed);
                if !failed {
                    self.keeper.own = ended.map(|saving| saving.path);
                } else if !self.closing {
                    // It is tried again.
                    self.keeper.unsaved.get_or_insert_with(Instant::now);
                }
                self.save_next();
            }
        }
    }

    /// When the table is to be saved by itself.
    pub fn auto_save_due(&self) -> Option<Instant> {
        let settings = self.engine.settings();
        let searches = self.work.as_ref().is_none_or(|work| work.task.is_none());
        let ready = self.keeper.is_idle() && searches && settings.hash_file.is_some();
        let since = self.keeper.unsaved.filter(|_| ready && !settings.auto_save.is_zero())?;
        // The end of the conversation is the last time.
        let over = self.closing && self.work.is_none() && self.queue.is_empty();
        Some(if over { since } else { since + settings.auto_save })
    }

    /// Saves the table by itself when it is time.
    pub fn keep(&mut self) {
        if self.auto_save_due().is_none_or(|due| due > Instant::now()) {
            return;
        }
        let Some(path) = self.engine.settings().hash_file.clone() else { return };
        let foreign = self.keeper.own.as_deref() != Some(path.as_path()) && Path::exists(&path);
        let effort = if self.closing { Effort::Threads(hash_file::threads()) } else { Effort::Background };
        if foreign {
            let line =
                format!("AutoSave: {path:?} was neither loaded nor saved here; it is kept as {:?}", older(&path));
            self.say(&format::message(&line));
        }
        self.save(Caller::AutoSave, Wanted::new(path, false), effort, foreign);
    }
}
