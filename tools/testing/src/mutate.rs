//! Small damage to a line.

use crate::Random;

/// Words and bytes that mean something somewhere.
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

/// The line with one to three small damages.
pub fn mutate(mut line: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(3) {
        once(&mut line, random);
    }
    line.retain(|&byte| byte != b'\n');
    line
}

fn once(line: &mut Vec<u8>, random: &mut Random) {
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
