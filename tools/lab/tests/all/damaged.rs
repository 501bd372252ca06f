//! Damaged files are errors with their name or partly used, without panics or hangs.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::damage::{damage, damage_line};

const SUITE: &str = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id \"one\";
8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - am Rxb2; id \"two; still\"; c0 \"x\";
# a comment
r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 bm O-O e1c1; c0 \"O-O=10, O-O-O=3\";
k7/8/K7/8/8/8/8/7R w - - dm 1; c8 \"10 5\"; c9 \"h1h8 a6b6\";
";

#[test]
fn damaged_suites() {
    let folder = Folder::new("epd");
    folder.write("suite.epd", SUITE.as_bytes());
    let words = "epd @/suite.epd --nodes 50 --hash 1";
    TOOL.succeeds(&folder, words);
    TOOL.survives(&folder, &format!("{words} --json"), "suite.epd", damage_line);
    TOOL.survives(&folder, words, "suite.epd", damage);
}

#[test]
fn damaged_journals() {
    let folder = Folder::new("journal");
    let play = "match --old LMR=off --limit nodes=30 --hash 1 --seed 3 --pairs 2 --concurrency 1 --json --journal @/match.journal";
    TOOL.succeeds(&folder, play);
    TOOL.survives(&folder, play, "match.journal", damage_line);
    TOOL.survives(&folder, play, "match.journal", damage);
}
