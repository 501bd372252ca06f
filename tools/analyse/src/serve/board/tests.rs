use super::document::Document;
use super::{read, write};
use crate::pgn::Reader;
use crate::report::write::ROSTER;
use fastrand::Rng;
use lento::chess::Board;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

/// Words of comments, including difficult ones.
const WORDS: [&str; 16] = [
    "good",
    "<b>",
    "[%emt 0:00:01]",
    "%",
    "[Event",
    "\"x\"]",
    "Übung",
    "1-0",
    "(",
    ")",
    ";",
    "$5",
    "[%x a b]",
    "e4",
    "\\",
    "[%unclosed",
];

fn pick<'a>(random: &mut Rng, words: &[&'a str]) -> &'a str {
    words[random.usize(..words.len())]
}

fn comment(random: &mut Rng) -> String {
    let count = random.usize(1..30);
    (0..count).map(|_| pick(random, &WORDS)).collect::<Vec<_>>().join(" ")
}

/// The annotations of a node, as the page sends them.
fn annotate(node: &mut Value, random: &mut Rng) {
    let color = |random: &mut Rng| pick(random, &["G", "R", "Y", "B"]);
    if random.u8(..) < 100 {
        node["comment"] = comment(random).into();
    }
    if random.u8(..) < 40 {
        let squares = |random: &mut Rng| {
            format!("{}{}{}", color(random), pick(random, &["a1", "h8"]), pick(random, &["e4", "d5"]))
        };
        node["arrows"] = (0..random.usize(1..12)).map(|_| squares(random)).collect::<Vec<_>>().into();
        node["circles"] = json!([format!("{}c3", color(random))]);
    }
    if random.u8(..) < 40 {
        node["clock"] = "1:02:03".into();
        node["eval"] = pick(random, &["0.35,24", "#-3", "-1.5"]).into();
    }
}

/// A random document of the page.
fn document(random: &mut Rng) -> Value {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/P3P3/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1",
        "1k6/8/8/Q6Q/8/8/8/Q3K3 b - - 3 40",
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    ];
    let at = random.usize(..fens.len());
    let chess960 = at == 3;
    let mut boards = vec![Board::from_fen(fens[at]).unwrap()];
    let mut nodes = vec![json!({})];
    annotate(&mut nodes[0], random);
    for _ in 0..random.usize(..60) {
        // Mostly continues the latest line.
        let parent = if random.u8(..) < 180 { boards.len() - 1 } else { random.usize(..boards.len()) };
        let board = boards[parent].clone();
        let moves = board.legal_moves();
        let passes = random.u8(..) < 10 && !board.in_check() && !moves.is_empty();
        let (uci, after) = if passes {
            let mut after = board.clone();
            after.pass();
            ("0000".to_owned(), after)
        } else if moves.is_empty() {
            continue;
        } else {
            let mv = moves[random.usize(..moves.len())];
            (board.uci(mv, chess960), board.after(mv))
        };
        let mut node = json!({ "parent": parent, "uci": uci });
        annotate(&mut node, random);
        if random.u8(..) < 60 {
            node["before"] = comment(random).into();
        }
        if random.u8(..) < 80 {
            node["nags"] = json!([random.u8(1..20), 200]);
        }
        nodes.push(node);
        boards.push(after);
    }
    let tags = json!([["White", "O\"Brien \\ \""], ["Site", "[x] {y}"], ["Own_tag", ""], ["PlyCount", "7"]]);
    json!({ "start": fens[at], "chess960": chess960, "tags": tags, "result": pick(random, &["*", "1-0", "1/2-1/2"]), "nodes": nodes })
}

/// A document in file order: the main move, its alternatives, then the moves after it.
fn ordered(document: &Document) -> Vec<Value> {
    let value = document.to_value();
    let mut order = vec![0];
    line(document, 0, &mut order);
    let place = |old: &Value| order.iter().position(|at| old == at);
    let nodes = order.iter().map(|&at| {
        let mut node = value["nodes"][at].clone();
        if at > 0 {
            node["parent"] = json!(place(&node["parent"]));
        }
        node
    });
    nodes.collect()
}

fn line(document: &Document, mut at: usize, order: &mut Vec<usize>) {
    while let Some((&main, others)) = document.nodes[at].children.split_first() {
        order.push(main);
        for &other in others {
            order.push(other);
            line(document, other, order);
        }
        at = main;
    }
}

#[test]
fn written_documents_are_read_back() {
    for seed in 0..400 {
        let random = &mut Rng::with_seed(seed);
        let page = document(random);
        let document = Document::parse(&page).unwrap_or_else(|error| panic!("{}", error.to_value()));
        assert_eq!(document.to_value(), Document::parse(&document.to_value()).unwrap().to_value());
        let text = write::pgn(&document);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let mut reader = Reader::new(text.as_bytes());
        let reading = reader.next_game().unwrap().unwrap();
        assert!(reader.next_game().unwrap().is_none(), "{text}");
        assert!(reading.problems.is_empty(), "{:?}\n{text}", reading.problems);
        let (again, problems) = read::document(reading.game.unwrap());
        assert!(problems.is_empty(), "{problems:?}");
        for (one, other) in ordered(&document).iter().zip(ordered(&again)) {
            assert_eq!(*one, other, "seed {seed}\n{text}");
        }
        assert_eq!((document.nodes.len(), document.result), (again.nodes.len(), again.result));
        for (name, value) in &document.tags {
            assert_eq!(again.tag(name), Some(value.as_str()), "{text}");
        }
        assert!(again.tags.iter().all(|(name, _)| document.tag(name).is_some()
            || ROSTER.iter().any(|(own, _)| own == name)
            || name == "Variant"));
    }
}

/// In PGN they become spaces.
#[test]
fn saved_comments_keep_line_breaks() {
    let given = json!({ "nodes": [{ "comment": " one\r\n\n two [%csl Ra1,\nGd4]{\tthree }\n" }] });
    let document = Document::parse(&given).expect("a document");
    let root = &document.to_value()["nodes"][0];
    assert_eq!((&root["comment"], &root["circles"]), (&json!("one\n\ntwo ( three )"), &json!(["Ra1", "Gd4"])));
    assert_eq!(Document::parse(&document.to_value()).expect("a document").to_value(), document.to_value());
    assert!(write::pgn(&document).contains("one two ( three )"));
}

#[test]
fn python_chess_reads_the_same() {
    let Some(python) = std::env::var_os("LENTO_PYTHON") else {
        eprintln!("skipped: LENTO_PYTHON does not name a Python with the package chess");
        return;
    };
    let pages = (1000..1100).map(|seed| document(&mut Rng::with_seed(seed)));
    let documents: Vec<Document> = pages.map(|page| Document::parse(&page).expect("a document")).collect();
    let text: String = documents.iter().map(write::pgn).collect();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_tree.py");
    let mut command = Command::new(python);
    command.arg(script).env("PYTHONUTF8", "1").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("standard input");
    let writer = thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it ends").expect("all is read");
    assert!(output.status.success());
    let games: Vec<Value> = str::from_utf8(&output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(games.len(), documents.len());
    for (document, game) in documents.iter().zip(games) {
        assert_eq!((&game["result"], &game["site"]), (&json!(document.result), &json!(document.tag("Site"))));
        let own: Vec<Value> = ordered(document).iter().map(as_python_shows).collect();
        assert_eq!(Value::from(own), game["nodes"], "{}", write::pgn(document));
    }
}

fn as_python_shows(node: &Value) -> Value {
    let count = |field: &str| node[field].as_array().map_or(0, Vec::len);
    let mut nags: Vec<u64> = node["nags"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    nags.sort_unstable();
    json!({
        "fen": node["fen"],
        "uci": node["uci"],
        "nags": nags,
        "comment": node["comment"].as_str().unwrap_or_default(),
        "before": node["before"].as_str().unwrap_or_default(),
        "shapes": count("arrows") + count("circles"),
        "clock": node["clock"].is_string(),
    })
}
