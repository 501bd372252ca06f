//! Damaged files: a tool that reads one succeeds or fails with the name of the file, and never panics or hangs.
//! `LENTO_FUZZ_SECONDS` sets the time per file instead of a few rounds, `LENTO_FUZZ_SEED` the first seed.

use crate::driver::{Tool, end};
use crate::{Folder, Random};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

/// Damaged versions of each file by default.
const ROUNDS: u64 = 12;

fn variable(name: &str) -> Option<u64> {
    env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} expects a whole number, not {text:?}")))
}

/// Flips bits, removes, repeats or overwrites a piece, truncates, or appends.
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

/// Damages a line as a user or a broken program might.
pub fn damage_line(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let nth = random.below(lines.len());
    lines[nth] = mutate(std::mem::take(&mut lines[nth]), random);
    *bytes = lines.join(&b'\n');
}

/// Words and bytes that are special in some format.
const PIECES: &[&[u8]] = &[
    b"go",
    b"infinite",
    b"ponder",
    b"depth",
    b"nodes",
    b"moves",
    b"value",
    b"name",
    b"fen",
    b"startpos",
    b"quit",
    b"stop",
    b"-1",
    b"99999999999999999999",
    b"0",
    b"\0",
    b"\xff",
    b"\xe2\x80",
    b"\r",
    b"\t",
    b"\x1b[2J",
    b"\xef\xbb\xbf",
    b"/",
    b" ",
    b"  ",
    b"=",
    "\u{20}\u{a0}\u{2003}".as_bytes(),
    "\u{fd}".as_bytes(),
];

/// Applies one to three small mutations to a line.
pub fn mutate(mut line: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        mutate_once(&mut line, random);
    }
    line.retain(|&byte| byte != b'\n');
    line
}

fn mutate_once(line: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(line.len() + 1);
    let to = (at + random.below(6)).min(line.len());
    match random.below(9) {
        0 => drop(line.drain(at..to)),
        1 => {
            let piece = *random.pick(PIECES);
            line.splice(at..at, piece.iter().copied());
        }
        2 => {
            let piece = *random.pick(PIECES);
            line.splice(at..to, piece.iter().copied());
        }
        3 => {
            let part = line[at..to].repeat(1 + random.below(50));
            line.splice(at..at, part);
        }
        4 => line.truncate(at),
        5 => line[at..to].make_ascii_uppercase(),
        6 => {
            if let Some(byte) = line.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        7 => words(line, random, |words, one, other| words.swap(one, other)),
        _ => words(line, random, |words, one, other| words.insert(one, words[other])),
    }
}

fn words(line: &mut Vec<u8>, random: &mut Random, change: impl Fn(&mut Vec<&[u8]>, usize, usize)) {
    let text = line.clone();
    let mut words: Vec<&[u8]> = text.split(|&byte| byte == b' ').collect();
    let (one, other) = (random.below(words.len()), random.below(words.len()));
    change(&mut words, one, other);
    *line = words.join(&b' ');
}

/// Whether a tool succeeded. A failure must name the damaged file.
fn succeeded(output: &Output, name: &str) -> Result<bool, String> {
    let (success, text) = (output.status.success(), String::from_utf8_lossy(&output.stderr));
    if output.status.code().is_none() || text.contains("panicked") {
        return Err(format!("{}: {text}", output.status));
    }
    if success || text.contains(name) { Ok(success) } else { Err(format!("the error does not name {name}: {text}")) }
}

impl Tool {
    /// Runs the tool on damaged versions of a file in the folder. `@` in `words` stands for the folder.
    pub fn survives(self, folder: &Folder, words: &str, file: &str, damage: impl Fn(&mut Vec<u8>, &mut Random)) {
        let path = folder.at(file);
        let whole = fs::read(&path).expect("the intact file");
        let name = path.file_name().expect("a name").to_string_lossy();
        let seed = variable("LENTO_FUZZ_SEED").unwrap_or(1);
        let deadline = variable("LENTO_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
        let continues = |round| deadline.map_or(round < ROUNDS, |deadline| Instant::now() < deadline);
        let mut failed = 0;
        let mut count = 0;
        while continues(count) {
            let seed = seed + count;
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut Random::new(seed));
            fs::write(&path, &bytes).expect("a file that can be written");
            let child = self.command(folder, words).stdout(Stdio::null()).spawn().expect("the program starts");
            match end(child).and_then(|output| succeeded(&output, &name)) {
                Ok(success) => failed += u64::from(!success),
                Err(problem) => {
                    let kept = env::temp_dir().join(format!("lento-damaged-{name}-seed{seed}"));
                    fs::write(&kept, &bytes).expect("a file that can be written");
                    panic!("{words}, seed {seed}, file kept as {}: {problem}", kept.display());
                }
            }
            count += 1;
        }
        fs::write(&path, whole).expect("a file that can be written");
        println!("{words}: {count} damaged files, {failed} errors");
    }
}
