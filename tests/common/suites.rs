//! Tests over suites of positions that are not part of the repository. A test whose suite is missing counts as ignored,
//! and the last line says how many these were and why.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The tests, and where their suites are.
pub struct Suites {
    folder: PathBuf,
    missing: Vec<String>,
    tests: Vec<Trial>,
}

impl Suites {
    /// The suites are in the folder that `LENTO_DATA` names, else in `shared/data` next to the repository.
    /// Relative paths count from the package, as for all tests.
    pub fn of(repository: &str) -> Self {
        let folder = match std::env::var_os("LENTO_DATA") {
            Some(folder) => folder.into(),
            None => Path::new(repository).join("../shared/data"),
        };
        Self { folder, missing: Vec::new(), tests: Vec::new() }
    }

    /// Adds a test over a file, which it is named after.
    pub fn add(&mut self, file: &str, test: impl Fn(&Path) + Send + 'static) {
        self.add_named(file, file, test);
    }

    /// Adds a test of this name over a file.
    pub fn add_named(&mut self, name: &str, file: &str, test: impl Fn(&Path) + Send + 'static) {
        let path = self.folder.join(file);
        let found = path.is_file();
        if !found {
            self.missing.push(name.to_owned());
        }
        let run = move || {
            test(&path);
            Ok(())
        };
        self.tests.push(Trial::test(name, run).with_ignored_flag(!found));
    }

    /// Runs them as `cargo test` wishes.
    pub fn run(self) -> ExitCode {
        let Self { folder, missing, tests } = self;
        let conclusion = libtest_mimic::run(&Arguments::from_args(), tests);
        let reason = match folder.is_dir() {
            true => format!("the folder {} does not have {}", folder.display(), missing.join(", ")),
            false => format!("there is no folder {}", folder.display()),
        };
        if conclusion.num_ignored > 0 {
            println!("skipped: {} tests over suites: {reason} (LENTO_DATA names the folder)\n", conclusion.num_ignored);
        }
        conclusion.exit_code()
    }
}

/// The text of a suite.
#[allow(dead_code, reason = "each test program uses its part")]
pub fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
