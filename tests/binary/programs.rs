//! Tasks delegated to other programs, with fake programs beside the real binary.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A temporary folder with a link to lento.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lento-programs-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let program = env!("CARGO_BIN_EXE_lento");
        if fs::hard_link(program, path.join("lento")).is_err() {
            fs::copy(program, path.join("lento")).unwrap();
        }
        Self(path)
    }

    /// Adds a program that prints its name, its arguments and a line of input, and exits with 7.
    fn fake(&self, folder: &str, name: &str) -> PathBuf {
        let folder = self.0.join(folder);
        fs::create_dir_all(&folder).unwrap();
        let script = "#!/bin/sh\nread -r line\necho \"${0##*/}\" \"$@\" \"<$line>\"\necho error >&2\nexit 7\n";
        fs::write(folder.join(name), script).unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    /// Runs lento with one line of input and `PATH` reduced to the shell's folders and `path`.
    fn run(&self, path: Option<&Path>, args: &[&str]) -> Output {
        let input = self.0.join("input");
        fs::write(&input, "words\n").unwrap();
        let paths = path.into_iter().chain([Path::new("/bin"), Path::new("/usr/bin")]);
        let mut command = Command::new(self.0.join("lento"));
        command.args(args).env("PATH", std::env::join_paths(paths).unwrap());
        command.stdin(Stdio::from(fs::File::open(&input).unwrap())).output().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn tasks_run_the_program_beside_lento() {
    let folder = Folder::new("beside");
    for name in ["lento-lab", "lento-train", "lento-analyse"] {
        folder.fake("", name);
    }
    for (args, expected) in [
        (&["match", "--old", "LMR=off", "--help"][..], "lento-lab match --old LMR=off --help"),
        (&["scaling", "compare", "a b"], "lento-lab scaling compare a b"),
        (&["train", "data.bf"], "lento-train train data.bf"),
        (&["analyse", "games.pgn", "--depth", "3"], "lento-analyse games.pgn --depth 3"),
        (&["analyze", "--depth", "3", "--db", "x"], "lento-analyse --depth 3 --db x"),
        (&["analyse", "merge", "x", "y"], "lento-analyse merge x y"),
        (&["analyse", "--help"], "lento-analyse --help"),
        (&["tree", "show", "x"], "lento-analyse tree show x"),
        (&["serve", "--engines", "2"], "lento-analyse serve --engines 2"),
        (&["help", "spsa"], "lento-lab spsa --help"),
        (&["help", "analyse"], "lento-analyse --help"),
    ] {
        let output = folder.run(None, args);
        assert_eq!(stdout(&output), format!("{expected} <words>\n"), "{args:?}: {}", stderr(&output));
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(7), "error\n"), "{args:?}");
    }
    let output = folder.run(None, &["analyse", "--depth", "2", "--threads", "1", "--hash", "1"]);
    assert!(
        output.status.success() && stdout(&output).contains("best move "),
        "a single position: {}",
        stderr(&output)
    );
    let output = folder.run(None, &["analyse", "--depth", "zero"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("'zero'"), "{}", stderr(&output));
}

#[test]
fn programs_are_found_in_path_or_reported_missing() {
    let folder = Folder::new("path");
    let elsewhere = folder.fake("elsewhere", "lento-lab");
    let output = folder.run(Some(&elsewhere), &["epd", "suite.epd"]);
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(7), "lento-lab epd suite.epd <words>\n"));
    for (args, parts) in [
        (&["match"][..], ["`lento match` needs lento-lab", "cargo build --release -p lento-lab"]),
        (&["wdl", "--help"], ["`lento wdl` needs lento-train", "cargo build --release -p lento-train"]),
    ] {
        let output = folder.run(None, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(parts.iter().all(|part| stderr(&output).contains(part)), "{args:?}: {}", stderr(&output));
    }
    // A file, or a misspelt argument.
    for (argument, part) in
        [("a.pgn", "unexpected argument 'a.pgn'"), ("--thread=3", "similar argument exists: '--threads'")]
    {
        let output = folder.run(None, &["analyse", "--depth", "3", argument]);
        let missing =
            "\nlento: with files or a database `lento analyse` needs lento-analyse, which is neither beside lento";
        assert!(stderr(&output).contains(part) && stderr(&output).contains(missing), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{argument}");
    }
    assert!(stdout(&folder.run(None, &["analyse", "--help"])).contains("--multipv"), "the player's help");
}

#[test]
fn help_lists_installed_tasks() {
    let folder = Folder::new("help");
    let listed = |name: &str| stdout(&folder.run(None, &["--help"])).lines().any(|line| line.trim().starts_with(name));
    assert!(listed("bench ") && !listed("match ") && !listed("datagen "));
    folder.fake("", "lento-lab");
    assert!(listed("match ") && listed("scaling ") && !listed("datagen "));
}
