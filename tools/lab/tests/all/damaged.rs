//! Damaged files: each is refused by its name or partly used, without a panic or a hang.

use crate::damage::*;
use std::fs;

const SUITE: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"one\";
8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - am Rxb2; id \"two; still\"; c0 \"x\";
# a remark
r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 bm O-O e1c1; c0 \"O-O=10, O-O-O=3\";
k7/8/K7/8/8/8/8/7R w - - dm 1; c8 \"10 5\"; c9 \"h1h8 a6b6\";
";

#[test]
fn suites() {
    let scratch = Scratch::new("epd");
    let file = scratch.path("suite.epd");
    fs::write(&file, SUITE).expect("a file");
    made("epd FILE --nodes 50 --hash 1 --json", &file);
    survives("epd FILE --nodes 50 --hash 1 --json", &file, damage_line);
    survives("epd FILE --nodes 50 --hash 1", &file, damage);
}

#[test]
fn journals() {
    let scratch = Scratch::new("journal");
    let file = scratch.path("match.journal");
    let play = "match --old LMR=off --limit nodes=30 --hash 1 --seed 3 --pairs 2 --concurrency 1 --json --journal FILE";
    made(play, &file);
    survives(play, &file, damage_line);
    survives(play, &file, damage);
}
