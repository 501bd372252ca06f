//! Runs `lento-train data`.

use bulletformat::ChessBoard;
use lento_testing::{Folder, driver};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Output};
use viriformat::dataformat::{Filter, Game};

fn tool(command: &[&str], paths: &[&Path]) -> Command {
    let mut tool = Command::new(crate::PROGRAM);
    tool.args(command).args(paths);
    tool
}

/// Runs a command with --json and returns the document.
fn json(command: &[&str], paths: &[&Path]) -> Value {
    driver::json(&tool(command, paths).arg("--json").output().unwrap())
}

fn error(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Generates games in two shards.
fn games(folder: &Path) {
    let made = tool(&["datagen", "--hash", "1", "--shard", "20", "--limit", "soft=40", "--dfrc", "0.3"], &[])
        .args(["--games", "36", "--output"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The positions of a shard according to the viriformat library.
fn by_viriformat(shard: &Path) -> Vec<ChessBoard> {
    let bytes = std::fs::read(shard).unwrap();
    let (mut rest, mut positions) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let game = Game::deserialise_from(&mut rest, Vec::new()).unwrap();
        let keep = |position| {
            positions.push(position);
            Ok(())
        };
        game.splat_to_bulletformat(keep, &Filter::UNRESTRICTED).unwrap();
    }
    positions
}

fn records(path: &Path) -> Vec<[u8; 32]> {
    let bytes = std::fs::read(path).unwrap();
    let (records, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    records.to_vec()
}

fn bytes(position: &ChessBoard) -> [u8; 32] {
    let ChessBoard { occ, pcs, score, result, ksq, opp_ksq, extra } = *position;
    let parts = [&occ.to_le_bytes()[..], &pcs, &score.to_le_bytes(), &[result, ksq, opp_ksq], &extra];
    parts.concat().try_into().unwrap()
}

#[test]
fn convert_matches_the_viriformat_library() {
    let scratch = Folder::new("convert");
    let (data, all) = (scratch.at("games"), scratch.at("all.bf"));
    games(&data);
    let convert = |more: &[&str], output: &Path| {
        json(&[&["data", "convert"], more].concat(), &[&data, Path::new("--output"), output])
    };
    let everything = ["--noisy", "--skip-plies", "0", "--max-score", "40000"];
    let summary = convert(&[&everything[..], &["--threads", "3"]].concat(), &all);
    let expected: Vec<[u8; 32]> =
        ["00000.vf", "00001.vf"].iter().flat_map(|name| by_viriformat(&data.join(name))).map(|p| bytes(&p)).collect();
    assert!(records(&all) == expected && expected.len() > 1000);
    let count = |field: &str| summary[field].as_u64().unwrap();
    assert_eq!(
        (count("games"), count("positions"), count("written")),
        (36, expected.len() as u64, expected.len() as u64)
    );

    // With the filter, dropped and kept positions are all positions, in order.
    let some = scratch.at("some.bf");
    let summary = convert(&["--threads", "1"], &some);
    let dropped: u64 = summary["dropped"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(summary["dropped"]["first_plies"], 36 * 8);
    assert_eq!(dropped + summary["written"].as_u64().unwrap(), expected.len() as u64);
    let mut rest = expected.iter();
    assert!(records(&some).iter().all(|record| rest.any(|other| other == record)), "a subsequence of all");
    let inspected = json(&["data", "inspect"], &[&data]);
    assert_eq!((&inspected["kept"], &inspected["dropped"]), (&summary["written"], &summary["dropped"]));
    let inspected = json(&["data", "inspect"], &[&some]);
    assert_eq!((&inspected["kept"], &inspected["white"]), (&summary["written"], &"side to move".into()));

    let kept = records(&some);
    // Without duplicates, from the same games twice.
    let once = scratch.at("once.bf");
    let summary = json(&["data", "convert", "--dedupe"], &[&data, &data, Path::new("--output"), &once]);
    let (repeated, written) = (summary["repeated"].as_u64().unwrap(), records(&once).len());
    assert_eq!(repeated as usize + written, 2 * records(&some).len());
    let distinct: HashSet<&[u8]> = kept.iter().map(|record| &record[..24]).collect();
    assert!(written >= distinct.len() && written <= records(&some).len(), "castling rights also distinguish positions");
}

/// Moves and scores of a file in viriformat, by game.
fn plies(path: &Path) -> Vec<Vec<(u16, i16)>> {
    let bytes = std::fs::read(path).unwrap();
    let (mut rest, mut games) = (bytes.as_slice(), Vec::new());
    while !rest.is_empty() {
        let game = Game::deserialise_from(&mut rest, Vec::new()).unwrap();
        games.push(game.moves.iter().map(|(mv, score)| (mv.inner(), score.get())).collect());
    }
    games
}

#[test]
fn packed_games_round_trip_with_rounded_scores() {
    let scratch = Folder::new("pack");
    let [data, packed, unpacked] = ["games", "packed/", "unpacked/"].map(|name| scratch.at(name));
    games(&data);
    let summary = json(&["data", "pack", "--threads", "2"], &[&data, Path::new("--output"), &packed]);
    let count = |field: &str| summary[field].as_u64().unwrap();
    let size = |folder: &Path, extension: &str| -> u64 {
        ["00000", "00001"]
            .iter()
            .map(|name| folder.join(name).with_extension(extension).metadata().unwrap().len())
            .sum()
    };
    assert_eq!((count("files"), count("games"), summary["finished"].as_bool()), (2, 36, Some(true)));
    assert_eq!((count("bytes_before"), count("bytes")), (size(&data, "vf"), size(&packed, "lgp")));
    assert!(count("bytes") * 2 < count("bytes_before"), "{summary}");

    let summary = json(&["data", "unpack", "--threads", "2"], &[&packed, Path::new("--output"), &unpacked]);
    assert_eq!((summary["games"].as_u64(), summary["plies"].as_u64()), (Some(36), Some(count("plies"))));
    assert_eq!(summary["bytes"].as_u64(), Some(size(&unpacked, "vf")));
    let mut rounded = 0;
    for name in ["00000.vf", "00001.vf"] {
        let (before, after) = (plies(&data.join(name)), plies(&unpacked.join(name)));
        assert_eq!(before.len(), after.len());
        for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
            assert_eq!(before.0, after.0);
            assert!((before.1 - after.1).abs() <= 1 && (after.1 % 2 == 0 || after.1.abs() > 31_000));
            rounded += usize::from(before.1 != after.1);
        }
    }
    assert!(rounded > 100);

    // All readers accept packed games, with the same result. Packing again changes nothing.
    let convert = |data: &Path, name: &str| {
        let output = scratch.at(name);
        json(&["data", "convert", "--shuffle", "--dedupe"], &[data, Path::new("--output"), &output]);
        std::fs::read(output).unwrap()
    };
    assert!(convert(&packed, "packed.bf") == convert(&unpacked, "unpacked.bf"));
    assert_eq!(json(&["data", "inspect"], &[&packed]), json(&["data", "inspect"], &[&unpacked]));
    let (again, one) = (scratch.at("again.lgp"), packed.join("00000.lgp"));
    for source in [unpacked.join("00000.vf"), one.clone()] {
        json(&["data", "pack"], &[&source, Path::new("--output"), &again]);
        assert!(std::fs::read(&again).unwrap() == std::fs::read(&one).unwrap(), "{}", source.display());
    }
}

#[test]
fn invalid_packed_games_are_errors() {
    let scratch = Folder::new("pack-damaged");
    let (data, packed) = (scratch.at("games"), scratch.at("packed/"));
    games(&data);
    json(&["data", "pack"], &[&data, Path::new("--output"), &packed]);
    let (shard, damaged) = (std::fs::read(packed.join("00001.lgp")).unwrap(), scratch.at("damaged.lgp"));
    let mut flipped = shard.clone();
    flipped[200] ^= 4;
    let truncated = &shard[..shard.len() - 1];
    for (bytes, part) in
        [(&flipped[..], "damaged: checksum"), (truncated, "truncated"), (&[7; 300], "not packed games")]
    {
        std::fs::write(&damaged, bytes).unwrap();
        for command in [&["data", "unpack"][..], &["data", "convert"], &["data", "pack"]] {
            let output = scratch.at("out");
            let error = error(&tool(command, &[&damaged, Path::new("--output"), &output]).output().unwrap());
            assert!(error.contains("damaged.lgp: ") && error.contains(part), "{command:?}: {error}");
            assert!(!output.exists());
        }
        let error = error(&tool(&["data", "inspect"], &[&damaged]).output().unwrap());
        assert!(error.contains("damaged.lgp: ") && error.contains(part), "{error}");
    }
    // Several files cannot be packed into one, and a folder may not have both forms of a shard.
    let output = scratch.at("all.lgp");
    let message = error(&tool(&["data", "pack"], &[&data, Path::new("--output"), &output]).output().unwrap());
    assert!(message.contains("there are 2 files to write; expected a folder"), "{message}");
    json(&["data", "pack"], &[&data, Path::new("--output"), &data]);
    let message = error(&tool(&["data", "inspect"], &[&data]).output().unwrap());
    assert!(message.contains("00000.lgp and ") && message.contains("contain the same games"), "{message}");
    let message =
        error(&tool(&["data", "unpack"], &[&data.join("00000.vf"), Path::new("--output"), &output]).output().unwrap());
    assert!(message.contains("00000.vf: not data of this kind; expected packed games (*.lgp)"), "{message}");
    assert!(!output.exists());
}

#[test]
fn shuffle_keeps_all_positions_with_any_memory() {
    let scratch = Folder::new("shuffle");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 0 | 0.5".parse::<ChessBoard>().unwrap();
    let all: Vec<[u8; 32]> = (0..60_000_u32)
        .map(|number| bytes(&ChessBoard { score: (number % 30_000) as i16, result: (number / 30_000) as u8, ..start }))
        .collect();
    let (first, second) = all.split_at(20_000);
    std::fs::write(scratch.at("a.bf"), first.as_flattened()).unwrap();
    std::fs::write(scratch.at("b.bf"), second.as_flattened()).unwrap();
    let shuffle = |more: &[&str], output: &Path| {
        let command = [&["data", "shuffle"], more].concat();
        let inputs = [scratch.at("a.bf"), scratch.at("b.bf")];
        let summary = json(&command, &[&inputs[0], &inputs[1], Path::new("--output"), output]);
        assert_eq!(summary["positions"], 60_000);
        records(output)
    };
    let out = scratch.at("out.bf");
    let shuffled = shuffle(&[], &out);
    let mut sorted = shuffled.clone();
    sorted.sort_unstable();
    let mut expected = all.clone();
    expected.sort_unstable();
    assert!(sorted == expected && shuffled != all);
    // 60 000 positions with keys need more than two megabytes.
    assert!(shuffle(&["--memory", "1"], &out) == shuffled);
    assert!(shuffle(&["--seed", "2"], &out) != shuffled);
    assert!(shuffle(&["--keep", "100"], &out) == shuffled[..100]);
    assert_eq!(scratch.names(), ["a.bf", "b.bf", "out.bf"]);
}

#[test]
fn invalid_arguments_leave_no_file() {
    let scratch = Folder::new("damaged");
    let out = scratch.at("out.bf");
    std::fs::write(scratch.at("torn.bf"), [0; 70]).unwrap();
    std::fs::write(scratch.at("noise.bf"), [1; 64]).unwrap();
    std::fs::write(scratch.at("noise.vf"), [7; 300]).unwrap();
    std::fs::write(&out, "old").unwrap();
    for (command, input, part) in [
        ("shuffle", "torn.bf", "torn.bf: 70 bytes, expected positions in bulletformat of 32 bytes"),
        ("shuffle", "noise.bf", "noise.bf: position 1 at byte 0: "),
        ("shuffle", "noise.vf", "noise.vf: not data of this kind; expected positions in bulletformat (*.bf)"),
        ("shuffle", "missing.bf", "missing.bf"),
        (
            "convert",
            "torn.bf",
            "torn.bf: not data of this kind; expected games in viriformat (*.vf, *.viri) or packed (*.lgp)",
        ),
        ("convert", "missing.vf", "missing.vf"),
    ] {
        let output = tool(&["data", command, "--output"], &[&out, &scratch.at(input)]).output().unwrap();
        let error = error(&output);
        assert!(error.contains(part), "{command} {input}: {error}");
    }
    let unused = ["data", "convert", "--memory", "9", "--output"];
    let output = tool(&unused, &[&out, &scratch.at("noise.vf")]).output().unwrap();
    assert!(error(&output).contains("--shuffle"), "{output:?}");
    // Bytes without a terminator are a truncated game.
    let output = tool(&["data", "convert", "--output"], &[&scratch.at("none.bf"), &scratch.at("noise.vf")]).output();
    let output = output.unwrap();
    let message = error(&output);
    assert!(message.contains("noise.vf: game 1 at byte 0: truncated, and"), "{message}");
    std::fs::write(scratch.at("none.bf"), "").unwrap();
    let missing = scratch.at("missing/out.bf");
    let output = tool(&["data", "shuffle", "--output"], &[&missing, &scratch.at("none.bf")]).output().unwrap();
    assert!(error(&output).contains("missing/out.bf: "));
    assert_eq!(std::fs::read(&out).unwrap(), b"old");
    assert_eq!(scratch.names(), ["noise.bf", "noise.vf", "none.bf", "out.bf", "torn.bf"]);
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_conversion_leaves_no_file() {
    let scratch = Folder::new("interrupt");
    games(&scratch.at("games"));
    let bytes = std::fs::read(scratch.at("games/00000.vf")).unwrap();
    std::fs::remove_dir_all(scratch.at("games")).unwrap();
    // Enough games to interrupt the reading.
    let many = scratch.at("many.vf");
    std::fs::write(&many, bytes.repeat((256 << 20) / bytes.len())).unwrap();
    for more in [&[][..], &["--shuffle"], &["--keep", "10"]] {
        let mut command = tool(&["data", "convert", "--output"], &[&scratch.at("out.bf"), &many]);
        let child = command.args(more).stderr(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn();
        let child = child.unwrap();
        let id = child.id().to_string();
        let is_open = || {
            let files = std::fs::read_dir(format!("/proc/{id}/fd")).unwrap();
            files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok()).any(|file| file == many)
        };
        // The signal handler is installed before the games are opened.
        while !is_open() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("interrupted; ") && message.contains("out.bf was not written"), "{message}");
        assert_eq!(scratch.names(), ["many.vf"]);
    }
}
