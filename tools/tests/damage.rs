//! Damaged files: every tool that reads one refuses it by its name or makes something of it, and never panics or hangs.
//! `LENTO_FUZZ_SECONDS` gives each kind of file so much time instead of a few rounds, `LENTO_FUZZ_SEED` begins elsewhere.

#[path = "../../tests/fuzz/mutate.rs"]
mod mutate;
#[path = "../../tests/fuzz/random.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod random;

use crate::PROGRAM;
use random::Random;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// Longer than anything here takes on a slow and busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Damaged files of each kind, where no time is given.
const ROUNDS: u64 = 12;

/// A folder that goes away with the test.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("lento-damaged-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn tool(arguments: &str, file: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    // The file takes the place of FILE.
    command
        .args(arguments.split_whitespace().map(|word| if word == "FILE" { file.as_os_str() } else { word.as_ref() }));
    command.stdin(Stdio::null());
    command
}

pub fn made(arguments: &str, file: &Path) {
    let output = tool(arguments, file).output().expect("the program starts");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs to the end within the patience of the test.
fn run(arguments: &str, file: &Path) -> Result<Output, String> {
    let mut child =
        tool(arguments, file).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() >= deadline {
            let _ = child.kill();
            return Err(format!("no end within {PATIENCE:?}"));
        }
        thread::sleep(Duration::from_millis(2));
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

fn variable(name: &str) -> Option<u64> {
    env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} expects a whole number, not {text:?}")))
}

/// A few bits flipped, a piece cut out, doubled or overwritten, the end cut off or something added.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let to = (at + random.below(200)).min(bytes.len());
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..to)),
        2 => {
            let piece = bytes[at..to].to_vec();
            bytes.splice(at..at, piece);
        }
        3 => bytes[at..to].fill_with(|| random.word() as u8),
        4 => bytes.extend((0..random.below(100)).map(|_| random.word() as u8).collect::<Vec<_>>()),
        _ => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
    }
}

/// A line damaged as a person or a broken program would.
pub fn damage_line(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let nth = random.below(lines.len());
    lines[nth] = mutate::mutate(std::mem::take(&mut lines[nth]), random);
    *bytes = lines.join(&b'\n');
}

/// Gives the tool one damaged version of a file after the other.
pub fn survives(arguments: &str, file: &Path, damage: impl Fn(&mut Vec<u8>, &mut Random)) {
    let whole = fs::read(file).expect("the file that was made");
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    let seed = variable("LENTO_FUZZ_SEED").unwrap_or(1);
    let end = variable("LENTO_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut refused = 0;
    let rounds =
        (0..if end.is_some() { u64::MAX } else { ROUNDS }).take_while(|_| end.is_none_or(|end| Instant::now() < end));
    let mut count = 0;
    for round in rounds {
        let mut bytes = whole.clone();
        damage(&mut bytes, &mut Random::new(seed + round));
        fs::write(file, &bytes).expect("a file that can be written");
        let found = run(arguments, file).and_then(|output| {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code().is_none() || text.contains("panicked") {
                return Err(format!("{}: {text}", output.status));
            }
            refused += u64::from(!output.status.success());
            if output.status.success() || text.contains(&name) {
                Ok(())
            } else {
                Err(format!("no word of {name}: {text}"))
            }
        });
        count += 1;
        if let Err(problem) = found {
            let kept = env::temp_dir().join(format!("lento-damaged-{name}-seed{}", seed + round));
            fs::write(&kept, &bytes).expect("a file that can be written");
            panic!("{arguments}, seed {}, file kept as {}: {problem}", seed + round, kept.display());
        }
    }
    fs::write(file, whole).expect("a file that can be written");
    println!("{arguments}: {count} damaged files, {refused} refused");
}
