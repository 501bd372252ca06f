//! Runs the program of a package in tests.

use crate::Folder;
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Exceeds every wait on a slow and busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(120);

/// A running program that is killed on drop.
pub struct Running(pub Child);

impl Running {
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for the end of a program, and kills it after [`TIMEOUT`].
pub fn end(mut child: Child) -> Result<Output, String> {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > TIMEOUT {
            child.kill().unwrap();
            return Err(format!("no end within {TIMEOUT:?}"));
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(child.wait_with_output().unwrap())
}

/// Waits for the end of a program, which must come in time.
pub fn finish(child: Child) -> Output {
    end(child).unwrap()
}

pub fn wait_for(what: &str, mut seen: impl FnMut() -> bool) {
    let start = Instant::now();
    while !seen() {
        assert!(start.elapsed() < TIMEOUT, "{what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Runs a program until a condition holds, or to its end, and kills it.
pub fn kill_once(command: &mut Command, what: &str, mut seen: impl FnMut() -> bool) {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = Running(child.expect("the program starts"));
    wait_for(what, || seen() || child.0.try_wait().unwrap().is_some());
    child.kill();
}

/// The JSON document printed by a successful run.
pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

pub fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |metadata| metadata.len())
}

pub fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// The program of a package, by its path.
#[derive(Clone, Copy)]
pub struct Tool(pub &'static str);

impl Tool {
    /// The command with arguments in which `@` stands for the folder.
    pub fn command(self, folder: &Folder, words: &str) -> Command {
        let mut command = Command::new(self.0);
        command.args(words.replace('@', folder.path().to_str().unwrap()).split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn start(self, folder: &Folder, words: &str) -> Running {
        Running(self.command(folder, words).spawn().unwrap())
    }

    pub fn run(self, folder: &Folder, words: &str) -> Output {
        finish(self.command(folder, words).spawn().unwrap())
    }

    /// Runs the tool, which must succeed.
    pub fn succeeds(self, folder: &Folder, words: &str) -> Output {
        let output = self.run(folder, words);
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// Runs the tool, which must fail, and returns its error message.
    pub fn fails(self, folder: &Folder, words: &str) -> String {
        let output = self.run(folder, words);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{words}: {message}");
        assert!(!message.contains("panicked"), "{words}: {message}");
        message
    }

    /// Checks the output of `-V` and `--version`.
    pub fn has_version(self, short: &str, long: &str) {
        let name = Path::new(self.0).file_stem().expect("a name").to_string_lossy();
        for (arg, version) in [("-V", short), ("--version", long)] {
            let output = Command::new(self.0).arg(arg).output().expect("the program starts");
            assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), format!("{name} {version}"));
        }
    }

    /// Runs the tool after the shell commands `limit`.
    pub fn limited(self, folder: &Folder, limit: &str, words: &str) -> Output {
        let command = self.command(folder, words);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limit}; exec \"$0\" \"$@\"")]).arg(command.get_program());
        shell.args(command.get_args()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        finish(shell.spawn().unwrap())
    }

    /// Long runs with an unwritable output in the folder `missing` or below the file `suite.epd` fail at once and change nothing.
    pub fn rejects_outputs(self, folder: &Folder, commands: &[&str]) {
        let before = folder.names();
        for words in commands {
            let message = self.fails(folder, words);
            assert!(message.contains("missing") || message.contains("suite.epd/"), "{words}: {message}");
            assert_eq!(folder.names(), before, "{words}");
        }
    }

    /// A file of 20 GiB of zeros is an error and is not read into memory.
    pub fn rejects_large_files(self, commands: &[&str]) {
        let folder = Folder::new("large");
        std::fs::File::create(folder.at("zeros")).unwrap().set_len(20 << 30).unwrap();
        for words in commands {
            let output = self.limited(&folder, "ulimit -v 6000000", &format!("{words} @/zeros"));
            let message = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.code() == Some(1) && message.contains("/zeros:"), "{words}: {message}");
        }
    }

    /// An endless device, a FIFO without a writer and a folder are errors as the last argument of each command.
    pub fn rejects_special_files(self, commands: &[&str]) {
        let folder = Folder::new("kinds");
        assert!(Command::new("mkfifo").arg(folder.at("fifo")).status().unwrap().success());
        std::fs::create_dir(folder.at("folder")).unwrap();
        for words in commands {
            folder.write("one.epd", b"4k3/8/8/8/8/8/8/4K2R w K - 0 1");
            folder.write("none.bf", b"");
            for file in ["/dev/zero", "@/fifo", "@/folder"] {
                let words = format!("{words} {file}");
                let message = self.fails(&folder, &words);
                let name = file.replace('@', folder.path().to_str().unwrap());
                assert!(message.contains(&name), "{words}: {message}");
            }
        }
    }

    /// A run whose files are limited to `blocks` fails with the name of the file.
    pub fn fails_on_full_disk(self, folder: &Folder, blocks: u32, words: &str, name: &str) {
        let output = self.limited(folder, &format!("trap '' XFSZ; ulimit -f {blocks}"), words);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && message.contains(name), "{words}: {message}");
    }
}
