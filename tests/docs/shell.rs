//! Runs commands in a shell.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Timeout, generous for busy machines.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A working folder with the variables set by earlier commands.
pub struct Shell {
    folder: PathBuf,
    path: OsString,
}

/// Output of a command, and the error if it failed.
pub struct Ended {
    pub output: String,
    pub error: Option<String>,
}

impl Shell {
    pub fn new(folder: &Path, path: OsString) -> Self {
        fs::write(folder.join(".variables"), "").expect("a file");
        Self { folder: folder.to_owned(), path }
    }

    /// Runs a command, which must succeed.
    pub fn run(&self, command: &str) -> Ended {
        // Keep variables for later commands.
        let script = format!("set -eu -o pipefail -o allexport\n. ./.variables\n{command}\nexport -p >.variables");
        self.wait(self.start("bash", &["-c", &script], Stdio::null()), false)
    }

    /// Runs a server until it prints its address, then stops it.
    pub fn serve(&self, command: &str) -> Ended {
        self.wait(self.start("bash", &["-c", &format!("exec {command}")], Stdio::null()), true)
    }

    /// Runs a program with `text` as input.
    pub fn feed(&self, program: &str, args: &[&str], text: &str) -> Ended {
        fs::write(self.folder.join(".input"), text).expect("a file");
        let input = File::open(self.folder.join(".input")).expect("a file");
        self.wait(self.start(program, args, input.into()), false)
    }

    fn start(&self, program: &str, args: &[&str], input: Stdio) -> Child {
        let output = File::create(self.folder.join(".output")).expect("a file");
        let both = output.try_clone().expect("a file");
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder).env("PATH", &self.path);
        command.env("LENTO_DATA", self.folder.join("data")).env("TABLES", "syzygy");
        command.env("FEN", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        // All ranks run on one machine, possibly as root.
        for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"] {
            command.env(name, "1");
        }
        command.env("OMPI_MCA_plm_rsh_agent", "false");
        // In its own process group, so that all of it can be killed.
        command.stdin(input).stdout(output).stderr(both).process_group(0);
        command.spawn().unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    fn wait(&self, mut child: Child, is_server: bool) -> Ended {
        let output = || String::from_utf8_lossy(&fs::read(self.folder.join(".output")).expect("a file")).into_owned();
        let deadline = Instant::now() + TIMEOUT;
        let mut is_stopped = false;
        let error = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                let error = (!status.success()).then(|| describe(status));
                break error.or((is_server && !is_stopped).then(|| "the server exited".to_owned()));
            }
            if is_server && !is_stopped && output().contains(" on ") {
                signal("TERM", &child.id().to_string());
                is_stopped = true;
            }
            if Instant::now() > deadline {
                signal("KILL", &format!("-{}", child.id()));
                child.wait().expect("a child");
                break Some(format!("still running after {} s", TIMEOUT.as_secs()));
            }
            thread::sleep(Duration::from_millis(5));
        };
        Ended { output: output(), error }
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, signal) => format!("signal {signal:?}"),
    }
}

fn signal(name: &str, process: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), "--", process]).status().expect("kill runs");
    assert!(sent.success(), "kill -{name} {process}");
}
