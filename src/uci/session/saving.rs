//! Saving and loading the hash table during a session, with `AutoSave`.

use super::{Queued, Session};
use crate::hash_file::{Effort, Origin, SaveOptions, backup_path};
use crate::uci::command::{Base, Command};
use crate::uci::format;
use crate::uci::hash_file::{self, Caller};
use crate::uci::inbox::TaskEvent;
use crate::uci::options::same_name;
use crate::uci::problem::Problem;
use crate::uci::task::{Task, TaskOutput};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// State of saves and loads.
#[derive(Default)]
pub struct SaveState {
    saving: Option<RunningSave>,
    /// Requested saves, queued behind the running one.
    waiting: VecDeque<SaveRequest>,
    /// The file being loaded.
    loading: Option<PathBuf>,
    /// Since when the table has entries that are not in `HashFile`.
    unsaved: Option<Instant>,
    /// The file loaded or saved last: `AutoSave` overwrites only this one, and backs up any other.
    own_file: Option<PathBuf>,
    /// The last searched position.
    origin: Origin,
    /// Whether the missing `HashFile` was reported.
    warned: bool,
}

/// A running save.
struct RunningSave {
    task: Task,
    caller: Caller,
    path: PathBuf,
    failed: bool,
}

struct SaveRequest {
    path: PathBuf,
    compress: bool,
}

impl SaveRequest {
    fn new(path: PathBuf, zstd: bool) -> Self {
        let compress = zstd || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
        Self { path, compress }
    }
}

/// Formats a position as the arguments of `position`.
pub fn position(base: &Base, moves: &[String]) -> String {
    let base = match base {
        Base::Start => "startpos".to_owned(),
        Base::Fen(fen) => format!("fen {fen}"),
    };
    if moves.is_empty() { base } else { format!("{base} moves {}", moves.join(" ")) }
}

impl SaveState {
    /// Whether no save is running or queued.
    pub fn is_idle(&self) -> bool {
        self.saving.is_none() && self.waiting.is_empty()
    }

    /// Whether a requested save is running or queued.
    fn has_requested(&self) -> bool {
        let requested = self.saving.as_ref().is_some_and(|saving| saving.caller == Caller::Command);
        requested || !self.waiting.is_empty()
    }

    /// Records a completed depth.
    pub fn depth_reached(&mut self, depth: i32) {
        self.origin.depth = self.origin.depth.max(depth.unsigned_abs());
    }

    /// Cancels a running `AutoSave`.
    fn cancel_auto_save(&mut self) {
        if self.saving.take_if(|saving| saving.caller == Caller::AutoSave).is_some() {
            self.unsaved.get_or_insert_with(Instant::now);
        }
    }

    /// Cancels everything.
    pub fn cancel(&mut self) {
        self.saving = None;
        self.waiting.clear();
        self.unsaved = None;
    }
}

impl Session {
    /// Records the start of a search.
    pub(super) fn record_search(&mut self, position: String) {
        self.saves.origin = Origin { position, depth: 0 };
        self.saves.unsaved.get_or_insert_with(Instant::now);
        let settings = self.engine.settings();
        if !settings.auto_save.is_zero() && settings.hash_file.is_none() && !self.saves.warned {
            self.saves.warned = true;
            self.report(&Problem::NoHashFile("AutoSave"));
        }
    }

    /// Whether a command must wait for a requested save, since it replaces the table or its contents.
    pub(super) fn must_wait_for_save(&self, command: &Command) -> bool {
        self.replaces_table(command) && self.saves.has_requested()
    }

    fn replaces_table(&self, command: &Command) -> bool {
        match command {
            Command::NewGame => !self.engine.settings().analyse_mode,
            Command::LoadHash { .. } => true,
            Command::SetOption { name, .. } => {
                ["Hash", "Clear Hash", "NumaPolicy"].iter().any(|&option| same_name(option, name))
            }
            _ => false,
        }
    }

    /// Cancels `AutoSave` before commands that replace the table.
    pub(super) fn prepare_for(&mut self, command: &Command) {
        if self.replaces_table(command) {
            self.saves.cancel_auto_save();
            if !matches!(command, Command::LoadHash { .. }) {
                // The file holds entries the table no longer has.
                self.saves.own_file = None;
            }
        }
    }

    /// The given file, or `HashFile`; reports an error if there is neither.
    fn hash_file(&mut self, file: Option<&str>, command: &'static str) -> Option<PathBuf> {
        let path = file.map(PathBuf::from).or_else(|| self.engine.settings().hash_file.clone());
        if path.is_none() {
            self.report(&Problem::NoHashFile(command));
        }
        path
    }

    pub(super) fn save_hash(&mut self, file: Option<&str>, zstd: bool) {
        if let Some(path) = self.hash_file(file, "savehash") {
            self.saves.cancel_auto_save();
            self.saves.waiting.push_back(SaveRequest::new(path, zstd));
            self.save_next();
        }
    }

    /// Starts the next queued save unless one is running.
    fn save_next(&mut self) {
        while self.saves.saving.is_none()
            && let Some(request) = self.saves.waiting.pop_front()
        {
            let effort = Effort::Threads(hash_file::threads());
            self.save(Caller::Command, request, effort, false);
        }
    }

    fn save(&mut self, caller: Caller, SaveRequest { path, compress }: SaveRequest, effort: Effort, keep_older: bool) {
        let options =
            SaveOptions { path: path.clone(), compress, effort, origin: self.saves.origin.clone(), keep_older };
        if self.engine.settings().hash_file.as_ref() == Some(&path) {
            // Later entries of a running search may be missing from the file.
            self.saves.unsaved = self.engine.is_searching().then(Instant::now);
        }
        let lent = match self.engine.lend_table_to_save() {
            Ok(lent) => lent,
            Err(problem) => return self.report(&problem),
        };
        let to = self.next_task();
        match hash_file::save(to, caller, lent, options) {
            Ok(task) => self.saves.saving = Some(RunningSave { task, caller, path, failed: false }),
            Err(problem) => self.report(&problem),
        }
    }

    pub(super) fn load_hash(&mut self, mut queued: Queued, file: Option<&str>) {
        // A `stop` received while this was queued was meant for the search before it.
        queued.marks.stopped &= self.closing;
        let Some(path) = self.hash_file(file, "loadhash") else { return };
        let lent = match self.engine.lend_table_to_load() {
            Ok(lent) => lent,
            Err(problem) => return self.report(&problem),
        };
        self.saves.loading = Some(path.clone());
        self.begin_task(queued, |_, to| hash_file::load(to, lent, path));
    }

    /// The output handle of the next task.
    pub(super) fn next_task(&mut self) -> TaskOutput {
        self.last_task += 1;
        TaskOutput { id: self.last_task, inbox: self.inbox.clone() }
    }

    /// Handles an event of a task.
    pub(super) fn handle_task(&mut self, id: u64, event: TaskEvent) {
        if self.saves.saving.as_ref().is_some_and(|saving| saving.task.id == id) {
            return self.handle_save(event);
        }
        let task = self.work.as_ref().and_then(|work| work.task.as_ref());
        // Other tasks were cancelled.
        if task.is_none_or(|task| task.id != id) {
            return;
        }
        match event {
            TaskEvent::Line(line) => self.print(&line),
            TaskEvent::Problem(line) => {
                self.failed = true;
                self.print(&line);
            }
            TaskEvent::Loaded(origin) => {
                self.saves.own_file = self.saves.loading.take();
                self.saves.origin = origin;
            }
            TaskEvent::Ended => self.work = None,
        }
    }

    fn handle_save(&mut self, event: TaskEvent) {
        match event {
            TaskEvent::Line(line) => self.print(&line),
            TaskEvent::Problem(line) => {
                self.failed = true;
                self.print(&line);
                self.saves.saving.iter_mut().for_each(|saving| saving.failed = true);
            }
            TaskEvent::Loaded(_) => {}
            TaskEvent::Ended => {
                let ended = self.saves.saving.take();
                let failed = ended.as_ref().is_none_or(|saving| saving.failed);
                if !failed {
                    self.saves.own_file = ended.map(|saving| saving.path);
                } else if !self.closing {
                    // Retry later.
                    self.saves.unsaved.get_or_insert_with(Instant::now);
                }
                self.save_next();
            }
        }
    }

    /// When `AutoSave` is due, if at all.
    pub fn auto_save_due(&self) -> Option<Instant> {
        let settings = self.engine.settings();
        let searches = self.work.as_ref().is_none_or(|work| work.task.is_none());
        let ready = self.saves.is_idle() && searches && settings.hash_file.is_some();
        let since = self.saves.unsaved.filter(|_| ready && !settings.auto_save.is_zero())?;
        // Save a last time before exiting.
        let over = self.closing && self.work.is_none() && self.queue.is_empty();
        Some(if over { since } else { since + settings.auto_save })
    }

    /// Runs `AutoSave` when due.
    pub fn auto_save(&mut self) {
        if self.auto_save_due().is_none_or(|due| due > Instant::now()) {
            return;
        }
        let Some(path) = self.engine.settings().hash_file.clone() else { return };
        let foreign = self.saves.own_file.as_deref() != Some(path.as_path()) && Path::exists(&path);
        let effort = if self.closing { Effort::Threads(hash_file::threads()) } else { Effort::Background };
        if foreign {
            let line = format!(
                "AutoSave: {path:?} was not loaded or saved in this session; keeping it as {:?}",
                backup_path(&path)
            );
            self.print(&format::message(&line));
        }
        self.save(Caller::AutoSave, SaveRequest::new(path, false), effort, foreign);
    }
}
