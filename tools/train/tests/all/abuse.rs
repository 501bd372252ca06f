//! Two runs in one folder, damaged files, full disks and special files.

use crate::TOOL;
use lento_testing::Folder;
use lento_testing::driver::*;

/// Generates games in the folder `data`.
fn datagen(folder: &Folder, games: u32) {
    let words = format!("datagen --limit soft=60 --hash 1 --games {games} --shard 20 --output @/data");
    let output = TOOL.run(folder, &words);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn folder_is_locked() {
    let folder = Folder::new("datagen");
    let words = "datagen --limit soft=60 --hash 1 --concurrency 1 --shard 40 --json --output @/data";
    let first = TOOL.start(&folder, &format!("{words} --games 100000"));
    wait_for("no game is stored", || size(&folder.at("data/00000.vf")) > 0);
    let second = TOOL.fails(&folder, &format!("{words} --games 100000"));
    assert!(second.contains(&format!("run.json: in use by another run (process {})", first.0.id())), "{second}");
    first.kill();
    assert!(TOOL.run(&folder, &format!("{words} --games 60")).status.success());
    let games = json(&TOOL.run(&folder, "data inspect --json @/data"));
    assert!(games["games"].as_u64() >= Some(60), "{games}");
}

#[test]
fn outputs_are_checked_before_the_run() {
    let folder = Folder::new("outputs");
    datagen(&folder, 30);
    assert!(TOOL.run(&folder, "data convert @/data --output @/data.bf").status.success());
    let commands = [
        "train @/data.bf --epochs 100000 --output @/missing/net.lnn",
        "train @/data.bf --epochs 100000 --output @/net.lnn --svg @/missing/loss.svg",
        "train @/data.bf --epochs 100000 --output @/net.lnn --checkpoint @/missing/run.ckpt",
        "wdl @/data --svg @/missing/chances.svg",
        "wdl @/data --write @/missing/wdl.rs",
        "data inspect @/data --svg @/missing/bars.svg",
        "data convert @/data --output @/missing/data.bf",
        "data shuffle @/data.bf --output @/missing/data.bf",
    ];
    TOOL.rejects_outputs(&folder, &commands);
    for words in [
        "train @/data.bf --epochs 100000 --output @/data.bf",
        "wdl @/data --svg @/data/00000.vf",
        "data convert @/data/00000.vf --output @/data/00000.vf",
        "data pack @/data/00000.vf --output @/data/./00000.vf",
        "gold make --journal @/new --output @/new",
    ] {
        assert!(TOOL.fails(&folder, words).contains("used for two files"), "{words}");
    }
}

#[test]
fn damaged_data_are_reported_with_their_place() {
    let folder = Folder::new("damage");
    datagen(&folder, 30);
    assert!(TOOL.run(&folder, "data convert @/data --output @/data.bf").status.success());
    let flip = |name: &str, at: usize, bit: u8| {
        let mut bytes = std::fs::read(folder.at(name)).unwrap();
        bytes[at] ^= 1 << bit;
        std::fs::write(folder.at(name), bytes).unwrap();
    };
    // A flag of the first move, and an extra occupied square.
    for (name, at, bit, tools) in [
        ("data/00000.vf", 33, 7, ["data inspect @/data", "wdl @/data", "data convert @/data --output @/more.bf"]),
        (
            "data.bf",
            0,
            3,
            ["data inspect @/data.bf", "data shuffle @/data.bf --output @/more.bf", "train @/data.bf --output @/n.lnn"],
        ),
    ] {
        flip(name, at, bit);
        for words in tools {
            let message = TOOL.fails(&folder, words);
            let place = if name.ends_with(".bf") { "position 1 at byte 0: " } else { "game 1 at byte 0: " };
            assert!(message.contains(name) && message.contains(place), "{words}: {message}");
        }
        flip(name, at, bit);
    }
    // Generation does not continue after invalid games.
    flip("data/00001.vf", 33, 7);
    let words = "datagen --limit soft=60 --hash 1 --games 40 --shard 20 --output @/data";
    assert!(TOOL.fails(&folder, words).contains("00001.vf: game 1 at byte 0: ply 1: "), "resumed");
    flip("data/00001.vf", 33, 7);
    let short = std::fs::read(folder.at("data/00000.vf")).unwrap();
    std::fs::write(folder.at("data/00000.vf"), &short[..short.len() - 4]).unwrap();
    assert!(TOOL.fails(&folder, words).contains("00000.vf: damaged: 19 games"), "resumed");
    std::fs::write(folder.at("data/00000.vf"), &short).unwrap();
    assert!(TOOL.run(&folder, words).status.success());
}

#[test]
fn large_foreign_files_are_not_read_into_memory() {
    TOOL.rejects_large_files(&["data inspect", "wdl", "train --output @/net.lnn", "data convert --output @/out.bf"]);
}

#[test]
fn full_disk_is_reported_and_finished_work_is_kept() {
    let folder = Folder::new("full");
    let check_full_disk = |blocks, words, name| TOOL.fails_on_full_disk(&folder, blocks, words, name);
    let generate = "datagen --limit soft=60 --hash 1 --games 40 --shard 40 --output @/data";
    check_full_disk(8, generate, "/data/00000.vf: File too large");
    assert!(size(&folder.at("data/00000.vf")) > 0);
    assert!(TOOL.run(&folder, generate).status.success());
    check_full_disk(8, "data convert @/data --output @/data.bf", "/data.bf: File too large");
    assert!(!folder.at("data.bf").exists());
    assert!(TOOL.run(&folder, "data convert @/data --output @/data.bf").status.success());
    let train = "train @/data.bf --epochs 1 --output @/net.lnn";
    check_full_disk(8, train, "/net.lnn: File too large");
    assert!(!folder.at("net.lnn").exists());
    // A closed reader does not end the training.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    finish(TOOL.command(&folder, train).stdout(writer).spawn().unwrap());
    assert!(folder.at("net.lnn").exists());
    // An error while drawing does not, either.
    std::fs::create_dir(folder.at("pictures")).unwrap();
    let words = "train @/data.bf --hidden 64 --epochs 100 --output @/drawn.lnn --svg @/pictures/loss.svg";
    let child = TOOL.command(&folder, words).spawn().unwrap();
    wait_for("no picture", || folder.at("pictures/loss.svg").exists());
    std::fs::rename(folder.at("pictures"), folder.at("moved")).unwrap();
    let output = finish(child);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && message.contains("/pictures/loss.svg: "), "{message}");
    assert!(folder.at("drawn.lnn").exists());
    // An existing picture is unchanged.
    folder.write("bars.svg", b"old");
    check_full_disk(4, "data inspect @/data --svg @/bars.svg", "/bars.svg: File too large");
    assert_eq!(std::fs::read(folder.at("bars.svg")).unwrap(), b"old");
    let output = TOOL.limited(&folder, "trap '' XFSZ; ulimit -f 4", "data inspect @/data --svg @/bars.svg");
    assert!(String::from_utf8_lossy(&output.stdout).contains("plies per game"), "{output:?}");
}

#[test]
fn few_open_files_suffice() {
    let folder = Folder::new("open");
    datagen(&folder, 10);
    assert!(TOOL.run(&folder, "data convert @/data --output @/data.bf").status.success());
    let positions = std::fs::read(folder.at("data.bf")).unwrap();
    std::fs::create_dir(folder.at("many")).unwrap();
    for (number, position) in positions.chunks(32).take(40).enumerate() {
        folder.write(&format!("many/{number}.bf"), position);
    }
    // 28 buckets.
    folder.write("data.bf", &positions.repeat(500_000 * 32 / positions.len()));
    for (limit, words) in [
        ("ulimit -n 24", "data shuffle @/many --output @/all.bf"),
        ("ulimit -Sn 24", "data shuffle @/data.bf --memory 1 --output @/shuffled.bf"),
    ] {
        let output = TOOL.limited(&folder, limit, words);
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn networks_that_could_overflow_are_reported_at_once() {
    let folder = Folder::new("overflow");
    datagen(&folder, 30);
    assert!(TOOL.run(&folder, "data convert @/data --output @/data.bf").status.success());
    let train = "train @/data.bf --hidden 1024 --epochs 2 --batch 64 --lr 0.05 --validation 0.1 --output @/net.lnn";
    let message = TOOL.fails(&folder, train);
    assert!(message.contains("epoch 1: output weights could overflow, so"), "{message}");
    assert!(message.contains("/net.lnn: output weights could overflow"), "{message}");
}

#[test]
fn special_files_are_errors() {
    TOOL.rejects_special_files(&[
        "data inspect",
        "wdl",
        "train --epochs 1 --output @/net.lnn",
        "train --epochs 1 --output @/net.lnn @/none.bf --init",
        "data convert --output @/out.bf",
        "data shuffle --output @/out.bf",
        "wdl @/none.vf --write",
    ]);
}
