//! Runs `lento-train gold loss` and `lento-train train` with `--neutral`.

use lento_testing::Folder;
use lento_testing::driver::json;
use serde_json::Value;
use std::process::{Command, Output, Stdio};

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn");

fn run(folder: &Folder, words: &str) -> Output {
    let mut command = Command::new(crate::PROGRAM);
    command.args(words.split_whitespace()).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap()
}

/// Makes a gold set `gold.bf`.
fn make_gold(folder: &Folder) {
    let words = "gold make --hash 1 --label 200 --limit soft=30 --positions 60 --output gold.bf --journal gold.jsonl";
    assert!(run(folder, words).status.success());
}

/// Writes 128 positions to `neutral.tsv`, every fourth inside a search. Expected scores follow from the score of the gold set: for
/// Berserk with a scale of 200 and an offset of 30 centipawns, for Stockfish with a scale of 90.
fn write_neutral(folder: &Folder) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut text = String::from("# fen, kind, score, Berserk, Stockfish, pawns\n");
    for index in 0..128 {
        let rank = |piece: char, file: usize| {
            let empty = |count: usize| if count == 0 { String::new() } else { count.to_string() };
            format!("{}{piece}{}", empty(file), empty(7 - file))
        };
        let piece = ['N', 'B', 'R', 'Q', 'n', 'b', 'r', 'q'][index / 8 % 8];
        let [upper, lower] = if index < 64 {
            ["8".to_owned(), rank(piece, index % 8)]
        } else {
            [rank(piece, index % 8), "8".to_owned()]
        };
        let score = random.i32(-600..=600);
        let share = |offset: f64, scale: f64| 1.0 / (1.0 + (-(f64::from(score) + offset) / scale).exp());
        let kind = if index % 4 == 0 { "inside" } else { "game" };
        let pawns = (f64::from(score) + 300.0 * (random.f64() - 0.5)) / 100.0;
        let (berserk, stockfish) = (share(30.0, 200.0), share(0.0, 90.0));
        text += &format!(
            "4k3/1ppppp2/8/{upper}/{lower}/8/PPPP4/4K3 w - - 0 1\t{kind}\t{score}\t{berserk}\t{stockfish}\t{pawns:+.2}\n"
        );
    }
    folder.write("neutral.tsv", text.as_bytes());
}

#[test]
fn gold_loss_includes_losses_by_other_engines() {
    let folder = Folder::new("neutral");
    make_gold(&folder);
    write_neutral(&folder);
    let words = format!("gold loss {DEFAULT} {DEFAULT} --gold gold.bf --neutral neutral.tsv");
    let all = json(&run(&folder, &format!("{words} --json")));
    let neutral = &all["neutral"];
    let counts = ["positions", "of_games", "inside_searches"].map(|name| neutral[name].as_u64().unwrap());
    assert_eq!(counts, [128, 96, 32]);
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("a number: {value} of {neutral}"));
    for origin in ["of_games", "inside_searches"] {
        for (engine, scale, offset) in [("berserk", 200.0, 30.0), ("stockfish", 90.0, 0.0)] {
            let score = &neutral["gold_score"][origin][engine];
            assert!(number(&score["loss"]) < 1e-12, "{score}");
            assert!((number(&score["scale"]) - scale).abs() < 0.01, "{score}");
            assert!((number(&score["offset"]) - offset).abs() < 0.01, "{score}");
        }
        for engine in ["berserk", "stockfish", "mean_of_both"] {
            let reference = number(&neutral["reference"][origin][engine]["loss"]);
            for row in [&neutral["networks"][1], &neutral["gold_score"]] {
                let (row, percent) = (&row[origin][engine], &row[origin][engine]["beyond_the_reference"]["percent"]);
                assert!((number(percent) - 100.0 * (number(&row["loss"]) / reference - 1.0)).abs() < 1e-6, "{row}");
            }
            assert_eq!(neutral["networks"][1][origin][engine]["beyond_the_first"]["percent"], 0.0);
        }
        // All have twelve pieces.
        let row = &neutral["networks"][1][origin];
        let [class] = &row["by_pieces"].as_array().unwrap()[..] else { panic!("one class: {row}") };
        assert_eq!((&class["pieces"], &class["positions"]), (&"10-17".into(), &neutral[origin]));
        let same = |key: &str| (number(&class[key]) - number(&row["mean_of_both"][key])).abs() < 1e-9;
        assert!(
            same("loss") && class["beyond_the_reference"] == row["mean_of_both"]["beyond_the_reference"],
            "{class}"
        );
    }
    let text = String::from_utf8(run(&folder, &words).stdout).unwrap();
    let loss = number(&neutral["networks"][0]["inside_searches"]["mean_of_both"]["loss"]);
    for part in ["128 positions of neutral.tsv", "96 from games", "Stockfish's network", &format!("{loss:.6}")] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!json(&run(&folder, &format!("gold loss {DEFAULT} --gold gold.bf --json")))["neutral"].is_object());
}

#[test]
fn invalid_files_are_errors_for_both_commands() {
    let folder = Folder::new("neutral");
    make_gold(&folder);
    folder.write("bad.tsv", b"# columns\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\tgame\t0\t0.5\t1.5\t0\n");
    for words in [
        format!("gold loss {DEFAULT} --gold gold.bf --neutral bad.tsv"),
        "train gold.bf --output net.lnn --neutral bad.tsv".to_owned(),
    ] {
        let output = run(&folder, &words);
        let error = String::from_utf8(output.stderr).unwrap();
        let message = "bad.tsv:2: expected score of Stockfish \"1.5\": expected a number from 0 to 1";
        assert!(output.status.code() == Some(1) && error.contains(message), "{error}");
    }
    let output = run(&folder, "train gold.bf --output net.lnn --gold bad.tsv");
    assert!(output.status.code() == Some(1) && !folder.at("net.lnn").exists(), "{output:?}");
}

#[test]
fn training_measures_the_same_losses_without_changing_the_network() {
    let folder = Folder::new("neutral");
    make_gold(&folder);
    write_neutral(&folder);
    let train = "train gold.bf --hidden 32 --batch 16 --epochs 3 --lr 0.01 --wdl 0 --validation 0.2 --name net";
    let plain = json(&run(&folder, &format!("{train} --output plain.lnn --json")));
    assert!(plain["epochs"][2]["gold"].is_null() && plain["epochs"][2]["neutral_of_games"].is_null(), "{plain}");
    let sets = "--gold gold.bf --neutral neutral.tsv";
    let trained = json(&run(&folder, &format!("{train} --output net.lnn {sets} --checkpoint run --json")));
    let read = |name: &str| std::fs::read(folder.at(name)).unwrap();
    assert!(read("plain.lnn") == read("net.lnn"), "measuring changed the network");
    let losses = json(&run(&folder, &format!("gold loss net.lnn {sets} --json")));
    let last = &trained["epochs"][2];
    assert_eq!(last["gold"], losses["networks"][0]["loss"]);
    let neutral = &losses["neutral"]["networks"][0];
    assert_eq!(last["neutral_of_games"], neutral["of_games"]["mean_of_both"]["loss"]);
    assert_eq!(last["neutral_inside_searches"], neutral["inside_searches"]["mean_of_both"]["loss"]);
    assert_ne!(trained["epochs"][0]["gold"], last["gold"]);
    // The checkpoint stores the losses, and a finished run shows them even without the sets.
    let again = run(&folder, &format!("{train} --output net.lnn --checkpoint run"));
    let table = String::from_utf8(again.stdout).unwrap();
    for epoch in 0..3 {
        for name in ["training", "validation", "gold", "neutral_of_games", "neutral_inside_searches"] {
            let loss = format!(" {:.6}", trained["epochs"][epoch][name].as_f64().unwrap());
            assert!(table.contains(&loss), "{name}{loss}: {table}");
        }
    }
}
