//! Hash tables saved between runs of the server.

use crate::queue::hash_file_threads;
use lento::engine::Engine;
use lento::hash_file::{self, HashFileError, Loaded, Origin, SaveOptions, Saved};
use lento::internals::files::{Draft, set_aside};
use lento_console::notice::notice;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The hash file of an engine: `--hash-file` for the first one, with a number appended for others.
pub fn path(file: &Path, engine: usize) -> PathBuf {
    let mut name = OsString::from(file);
    if engine > 0 {
        name.push(format!(".{}", engine + 1));
    }
    name.into()
}

/// Loads the table of an engine, if saved. Sets an incompatible file aside. Fails if the file cannot be written later.
pub fn load(engine: &mut Engine, path: &Path) -> Result<(), String> {
    let named = |error: String| format!("{}: {error}", path.display());
    Draft::create_regular(path).map_err(|error| format!("--hash-file {error}"))?;
    if !path.try_exists().map_err(|error| named(error.to_string()))? {
        return Ok(());
    }
    let table = engine.lend_table_to_load().map_err(|error| error.to_string())?;
    match hash_file::load(path, &table.identity(), &table, hash_file_threads(), &mut |_| ControlFlow::Continue(())) {
        Ok(Loaded { read, kept, .. }) => notice(format_args!("{}: {kept} of {read} entries loaded", path.display())),
        Err(error) => {
            let older = set_aside(path).map_err(|problem| problem.to_string())?;
            notice(format_args!("{}; kept as {}", named(error.to_string()), older.display()));
        }
    }
    Ok(())
}

pub fn save(engine: &mut Engine, path: &Path) {
    let saved = engine.lend_table_to_save().map_err(str::to_owned).and_then(|table| {
        let (identity, origin) = (table.identity(), Origin { position: String::new(), depth: 0 });
        let compress = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zst"));
        let options =
            SaveOptions { path: path.into(), compress, threads: hash_file_threads(), origin, keeps_older: false };
        match hash_file::save(table, &identity, &options, &mut |_| ControlFlow::Continue(())) {
            Ok(Saved { entries, .. }) => Ok(entries),
            Err(HashFileError::Empty) => Ok(0),
            Err(error) => Err(error.to_string()),
        }
    });
    match saved {
        Ok(0) => {}
        Ok(entries) => notice(format_args!("{}: {entries} entries saved", path.display())),
        Err(error) => notice(format_args!("{error}; nothing saved, any older file unchanged")),
    }
}
