//! `lento uci` and UCI commands as arguments.

use super::Done;
use super::notice::notice;
use crate::engine::Engine;
use crate::uci::{command, run};
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs UCI on standard input and output.
pub fn run() -> Done {
    run::stdio(Engine::new())?;
    Ok(ExitCode::SUCCESS)
}

/// Runs UCI commands in order, after checking that all are valid.
pub fn script(lines: &[OsString]) -> Done {
    let lines: Vec<String> = lines.iter().map(|line| line.to_string_lossy().into_owned()).collect();
    for line in &lines {
        if let Some(problem) = command::parse(line).problems.first() {
            notice(problem);
            notice("Each argument must be a UCI command in quotes; `lento --help` lists other tasks.");
            return Ok(ExitCode::from(2));
        }
    }
    let succeeded = run::script(Engine::new(), &lines)?;
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
