//! Runs `lento-train datagen`.

use lento_testing::driver::{json, kill_once, size};
use lento_testing::{Folder, polyglot};
use std::path::Path;
use std::process::{Command, Output};

fn datagen(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(crate::PROGRAM);
    command.args(["datagen", "--hash", "1", "--output"]).arg(folder).args(more);
    if !more.contains(&"--shard") {
        command.args(["--shard", "20"]);
    }
    if !more.contains(&"--limit") {
        command.args(["--limit", "soft=60"]);
    }
    command
}

fn run(folder: &Path, more: &[&str]) -> Output {
    datagen(folder, more).output().unwrap()
}

fn shards(folder: &Path) -> Vec<Vec<u8>> {
    files(folder, "vf")
}

fn files(folder: &Path, extension: &str) -> Vec<Vec<u8>> {
    (0..4).map_while(|shard| std::fs::read(folder.join(format!("{shard:05}.{extension}"))).ok()).collect()
}

#[test]
fn killed_run_resumes_to_the_same_data() {
    let folder = Folder::new("datagen");
    let [whole, killed] = ["whole", "killed"].map(|name| folder.at(name));
    let summary = json(&run(&whole, &["--games", "50", "--concurrency", "1", "--json"]));
    assert_eq!((summary["games"].as_u64(), summary["games_before"].as_u64()), (Some(50), Some(0)));
    let expected = shards(&whole);
    assert_eq!(expected.len(), 3);

    let shard = killed.join("00000.vf");
    kill_once(&mut datagen(&killed, &["--games", "50"]), "no game is stored", || size(&shard) > 0);
    let output = run(&killed, &["--games", "50"]);
    assert!(output.status.success());
    assert!(shards(&killed) == expected, "the data differ");

    let output = run(&killed, &["--games", "50", "--seed", "2"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && error.contains("its seed is 1, not 2"), "{error}");
}

#[test]
fn packed_shards_are_the_same_after_interruptions() {
    let folder = Folder::new("datagen-pack");
    let [plain, whole, killed] = ["plain", "whole", "killed"].map(|name| folder.at(name));
    let args = ["--games", "50", "--pack"];
    assert!(run(&plain, &args[..2]).status.success());
    assert!(run(&whole, &args).status.success());
    let (packed, left) = (files(&whole, "lgp"), std::fs::read(whole.join("00002.vf")).unwrap());
    assert_eq!(packed.len(), 2);
    assert!(left == shards(&plain)[2], "the last shard is not full");
    let is_complete = |folder: &Path| {
        files(folder, "lgp") == packed
            && std::fs::read(folder.join("00002.vf")).unwrap() == left
            && (0..2).all(|shard| !folder.join(format!("{shard:05}.vf")).exists())
    };
    assert!(is_complete(&whole));

    // Killed in the second shard.
    kill_once(&mut datagen(&killed, &args), "no second shard", || killed.join("00001.vf").exists());
    assert!(run(&killed, &args).status.success());
    assert!(is_complete(&killed), "after a kill");

    // Interrupted before packing a full shard, and before removing it. Packs shards of a run without --pack.
    let keep = |shard: usize| std::fs::write(killed.join(format!("{shard:05}.vf")), &shards(&plain)[shard]).unwrap();
    keep(0);
    keep(1);
    std::fs::remove_file(killed.join("00001.lgp")).unwrap();
    assert!(run(&killed, &args).status.success());
    assert!(is_complete(&killed), "after an interruption");
    assert!(run(&plain, &args).status.success());
    assert!(is_complete(&plain), "packed later");

    // Without --pack, later shards are not packed.
    assert!(run(&killed, &["--games", "61"]).status.success());
    assert!(files(&killed, "lgp") == packed && killed.join("00003.vf").exists());
    let mut bytes = packed[1].clone();
    bytes[100] ^= 1;
    std::fs::write(killed.join("00001.lgp"), bytes).unwrap();
    let error = String::from_utf8(run(&killed, &["--games", "70"]).stderr).unwrap();
    assert!(error.contains("00001.lgp: damaged: checksum"), "{error}");
}

#[test]
fn parts_equal_the_whole() {
    let whole = Folder::new("datagen-whole");
    assert!(run(whole.path(), &["--games", "7"]).status.success());
    let mut data = Vec::new();
    for part in 1..=3 {
        let folder = Folder::new("datagen-part");
        let folder = folder.path();
        let args = ["--games", "7", "--part", &format!("{part}/3")];
        assert!(run(folder, &args).status.success() && run(folder, &args).status.success());
        data.extend(shards(folder).concat());
        let error = String::from_utf8(run(folder, &["--games", "8", args[2], args[3]]).stderr).unwrap();
        assert!(error.contains("games"), "{error}");
    }
    assert!(data == shards(whole.path()).concat(), "the data differ");
}

#[test]
fn games_start_after_moves_of_a_polyglot_book() {
    let folder = Folder::new("datagen-polyglot");
    let moves = [("", "e2e4", 5), ("e2e4", "e7e5", 1), ("e2e4 e7e5", "g1f3", 1)];
    let (book, data) = (folder.write("book.bin", &polyglot::book(&moves)), folder.at("data"));
    let output = run(&data, &["--games", "3", "--book", book.to_str().unwrap(), "--book-plies", "2"]);
    assert!(output.status.success(), "{output:?}");
    // Occupied squares of the first game in viriformat.
    let occupied = u64::from_le_bytes(*shards(&data)[0].first_chunk().unwrap());
    assert_eq!(occupied, 0xffff_0000_0000_ffff ^ (1 << 12 | 1 << 28 | 1 << 36 | 1 << 52));
}

#[test]
fn errors_describe_invalid_arguments() {
    let folder = Folder::new("datagen-errors");
    let data = folder.at("data");
    for (more, part) in [
        (["--games", "5", "--limit", "tc=1+0"], "must not depend on time"),
        (["--games", "5", "--limit", "movetime=5ms"], "must not depend on time"),
        (["--games", "5", "--book", "no-such-book"], "no-such-book"),
        (["--games", "0", "--json", "--json"], "games"),
    ] {
        let output = run(&data, &more);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(part), "{error}");
    }
    // Games can start from it, but readers reject it.
    let book = folder.write("book.epd", b"4k3/8/8/8/8/8/PPPPPPPP/QQQQQQQK w - -\n");
    let output = run(&data, &["--games", "5", "--book", book.to_str().unwrap()]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && error.contains("PPPPPPPP/QQQQQQQK w - - 0 1\": White has 8 pawns and 6"),
        "{error}"
    );
    assert!(!data.exists());
}
