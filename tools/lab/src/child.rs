//! Runs the player as a child process.

use lento_player::programs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The player to measure: `engine`, or `lento` next to this program or in `PATH`.
pub fn player(engine: Option<&Path>) -> Result<PathBuf, &'static str> {
    let found = engine.map(Path::to_owned).or_else(|| programs::locate("lento"));
    found.ok_or("expected lento next to this program or in PATH, or --engine FILE")
}

/// A command with captured output. Ctrl-C reaches only this process, which then ends the child.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    // CREATE_NEW_PROCESS_GROUP.
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x200);
    command
}
