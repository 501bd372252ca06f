//! The player in a child process.

use lento_player::programs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The player to measure: the given file, or `lento` beside this program or in `PATH`.
pub fn player(given: Option<&Path>) -> Result<PathBuf, &'static str> {
    let lento = || programs::locate("lento").ok_or("expected lento beside this program or in PATH, or --engine FILE");
    given.map_or_else(lento, |player| Ok(player.to_owned()))
}

/// A command whose output is captured. Ctrl-C reaches only this process, which then ends the child.
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
