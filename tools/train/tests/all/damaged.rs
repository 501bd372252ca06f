//! Damaged files: each is refused by its name or partly used, without a panic or a hang.

use crate::damage::*;

#[test]
fn shards_and_positions() {
    let scratch = Scratch::new("data");
    let games = scratch.path("games");
    made("datagen --hash 1 --limit soft=40 --dfrc 0.3 --games 12 --output FILE", &games);
    let shard = games.join("00000.vf");
    survives("data inspect FILE", &shard, damage);
    let positions = scratch.path("positions.bf");
    let output = tool("data convert", &shard).arg(&shard).arg("--output").arg(&positions).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    survives("data inspect FILE --json", &positions, damage);
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn");
    survives(&format!("gold loss {network} --gold FILE"), &positions, damage);
}

#[test]
fn gold_sets() {
    let scratch = Scratch::new("gold");
    let set = scratch.path("gold.bf");
    let make = format!(
        "gold make --output {} --positions 30 --label 60 --limit soft=20 --hash 1 --concurrency 1 --journal FILE",
        set.display()
    );
    let journal = scratch.path("gold.jsonl");
    made(&make, &journal);
    survives(&make, &journal, damage_line);
    survives(&make, &journal, damage);
}
