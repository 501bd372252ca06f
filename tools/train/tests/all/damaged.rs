//! Damaged files are errors with their name or partly used, without panics or hangs.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::damage::{damage, damage_line};

#[test]
fn damaged_shards_and_positions() {
    let folder = Folder::new("data");
    TOOL.succeeds(&folder, "datagen --hash 1 --limit soft=40 --dfrc 0.3 --games 12 --output @/games");
    TOOL.survives(&folder, "data inspect @/games/00000.vf", "games/00000.vf", damage);
    TOOL.succeeds(&folder, "data convert @/games/00000.vf --output @/positions.bf");
    TOOL.survives(&folder, "data inspect @/positions.bf --json", "positions.bf", damage);
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn");
    TOOL.survives(&folder, &format!("gold loss {network} --gold @/positions.bf"), "positions.bf", damage);
}

#[test]
fn damaged_journals_of_gold_sets() {
    let folder = Folder::new("gold");
    let make = "gold make --output @/gold.bf --positions 30 --label 60 --limit soft=20 --hash 1 --concurrency 1 \
                --journal @/gold.jsonl";
    TOOL.succeeds(&folder, make);
    TOOL.survives(&folder, make, "gold.jsonl", damage_line);
    TOOL.survives(&folder, make, "gold.jsonl", damage);
}
