//! Saving and loading the hash table during a session, with `AutoSave`.

use super::{Queued, Session};
use crate::command::Command;
use crate::options::same_name;
use crate::task::{Console, Effect};
use lento::engine::LentTable;
use lento::hash_file::{self, HashFileError, Loaded, Origin, SaveOptions, Saved};
use lento::internals::processors;
use std::collections::HashSet;
use std::mem::replace;
use std::path::PathBuf;
use std::time::Instant;

impl Session {
    pub(super) fn record_search(&mut self, position: String) {
        if !self.engine.limits_strength() {
            self.hash_files.origin = Origin { position, depth: 0 };
            self.hash_files.unsaved.get_or_insert_with(Instant::now);
        }
        if !self.protocol.auto_save.is_zero() && !self.hash_files.warned {
            self.hash_files.warned = self.hash_file(None, "AutoSave").is_none();
        }
    }

    /// Whether a command replaces the table, its contents or the evaluation of later entries, and so waits for running saves.
    pub(super) fn replaces_table(&self, command: &Command) -> bool {
        match command {
            Command::NewGame => self.engine.new_game_clears(),
            Command::LoadHash(_) => true,
            Command::SetOption(name, _) => {
                ["Hash", "Clear Hash", "NumaPolicy", "SyzygyPath", "EvalFile", "Drawish Endings"]
                    .iter()
                    .any(|&option| same_name(option, name))
            }
            _ => false,
        }
    }

    /// The given file, or `HashFile`; reports an error if there is neither.
    fn hash_file(&mut self, file: Option<&String>, command: &str) -> Option<PathBuf> {
        let path = file.map(PathBuf::from).or_else(|| self.protocol.hash_file.clone());
        if path.is_none() {
            self.report(format!("`{command}` expects a file name, as the option HashFile is empty"));
        }
        path
    }

    pub(super) fn save_hash(&mut self, file: Option<&String>, zstd: bool) {
        if let Some(path) = self.hash_file(file, "savehash") {
            self.start_save("savehash", path, zstd, false, false);
        }
    }

    /// Starts a save; messages start with `name`.
    fn start_save(&mut self, name: &'static str, path: PathBuf, zstd: bool, background: bool, keeps_older: bool) {
        let compress = zstd || path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
        let to_hash_file = self.protocol.hash_file.as_ref() == Some(&path);
        if to_hash_file {
            // Later entries of a running search may be missing from the file.
            self.hash_files.unsaved = self.engine.is_searching().then(Instant::now);
        }
        let table = match self.engine.lend_table_to_save() {
            Ok(table) => table,
            Err(problem) => return self.report(problem),
        };
        let threads = if background { 1 } else { threads() };
        let origin = self.hash_files.origin.clone();
        let options = SaveOptions { path, compress, threads, origin, keeps_older };
        let save = move |console: &Console| {
            if background {
                processors::lower_priority(10);
            }
            save(console, name, table, options, to_hash_file);
        };
        match self.start_task(save) {
            Ok(task) => self.hash_files.saves.push(task),
            Err(problem) => self.report(problem),
        }
    }

    pub(super) fn load_hash(&mut self, mut queued: Queued) {
        let Command::LoadHash(file) = &queued.command else { return };
        let Some(path) = self.hash_file(file.as_ref(), "loadhash") else { return };
        // A `stop` received while this was queued was for the search before it.
        queued.stopped &= self.closing;
        match self.engine.lend_table_to_load() {
            Ok(table) => self.begin_task(queued, |console| load(console, table, path)),
            Err(problem) => self.report(problem),
        }
    }

    /// When `AutoSave` is due, if at all.
    pub fn auto_save_due(&self) -> Option<Instant> {
        let protocol = &self.protocol;
        let searches = self.work.as_ref().is_none_or(|work| work.task.is_none());
        let ready = self.hash_files.saves.is_empty() && searches && protocol.hash_file.is_some();
        let since = self.hash_files.unsaved.filter(|_| ready && !protocol.auto_save.is_zero())?;
        // Save a last time before exiting.
        let over = self.closing && self.work.is_none() && self.queue.is_empty();
        Some(if over { since } else { since + protocol.auto_save })
    }

    /// Runs `AutoSave` when due.
    pub fn auto_save(&mut self) {
        if self.auto_save_due().is_none_or(|due| due > Instant::now()) {
            return;
        }
        let Some(path) = self.protocol.hash_file.clone() else { return };
        let is_foreign = !self.own_files().contains(&path);
        self.start_save("AutoSave", path, false, !self.closing, is_foreign);
    }

    /// The files with contents of the table: those loaded or saved since it was last cleared.
    pub(super) fn own_files(&mut self) -> &mut HashSet<PathBuf> {
        let clears = self.engine.table_clears();
        if replace(&mut self.hash_files.clears, clears) != clears {
            self.hash_files.own_files.clear();
        }
        &mut self.hash_files.own_files
    }

    /// Refuses queued saves after a cancelled load: they would replace a file by a part of it.
    pub(super) fn refuse_queued_saves(&mut self) {
        let before = self.queue.len();
        self.queue.retain(|queued| !matches!(queued.command, Command::SaveHash(..)));
        for _ in self.queue.len()..before {
            self.report("savehash: loading was cancelled; nothing saved, any older file unchanged");
        }
    }

    /// Postpones a failed `AutoSave`. There is no second attempt before exiting.
    pub(super) fn retry_auto_save(&mut self) {
        self.hash_files.unsaved = (!self.closing).then(Instant::now);
    }
}

fn save(console: &Console, name: &'static str, table: LentTable, options: SaveOptions, to_hash_file: bool) {
    let (began, identity) = (Instant::now(), table.identity());
    let saved = hash_file::save(table, &identity, &options, &mut console.progress(name));
    let path = options.path;
    match saved {
        Ok(Saved { entries, bytes, older }) => {
            if let Some(older) = older {
                let text = format!("{name}: {path:?} has other results than the table; kept as {older:?}");
                let _ = console.message(text);
            }
            let mib = bytes.div_ceil(1 << 20);
            let _ = console.message(format!("{name}: {entries} entries, {mib} MiB, in {} to {path:?}", seconds(began)));
            console.send(Effect::Saved(Some(path)));
        }
        Err(HashFileError::Cancelled) => {}
        // No error, since the user did not request this save.
        Err(HashFileError::Empty) if name == "AutoSave" => {}
        Err(error) => {
            console.report(format!("{name}: {error}; nothing saved, any older file unchanged"));
            if to_hash_file {
                console.send(Effect::Saved(None));
            }
        }
    }
}

fn load(console: &Console, table: LentTable, path: PathBuf) {
    let began = Instant::now();
    let loaded = hash_file::load(&path, &table.identity(), &table, threads(), &mut console.progress("loadhash"));
    drop(table);
    match loaded {
        Ok(Loaded { origin, read, kept }) => {
            let about = if origin.position.is_empty() {
                String::new()
            } else {
                format!("; position {:?}, depth {}", origin.position, origin.depth)
            };
            let text = format!("loadhash: {kept} of {read} entries, in {} from {path:?}{about}", seconds(began));
            let _ = console.message(text);
            // Otherwise the table does not replace the file.
            let whole = (kept == read).then_some(path);
            console.send(Effect::Loaded(whole, origin));
        }
        Err(HashFileError::Cancelled) => {}
        Err(error) => {
            console.report(format!("loadhash: {path:?}: {error}; hash table unchanged"));
            console.send(Effect::NotLoaded);
        }
    }
}

/// Number of threads for saving and loading in the foreground. The disk limits the speed of more.
fn threads() -> usize {
    processors::count().min(16)
}

fn seconds(since: Instant) -> String {
    format!("{:.2} s", since.elapsed().as_secs_f64())
}
