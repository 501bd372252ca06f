//! Reading and writing files of games.

use super::{Page, all, list, start};
use crate::serving::{Peer, Server};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::SocketAddr;

#[test]
fn files_are_read_leniently() {
    let (_server, mut page) = start();
    let plain = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *";
    let moves = json!(["e4", "e5", "Nf3"]);
    for text in [
        plain.to_owned(),
        format!("\u{FEFF}{plain}"),
        plain.replace(' ', "\u{A0}"),
        plain.replace("*", "\u{A0}\u{A0}*"),
        plain.replace('\n', "\r\n"),
    ] {
        let document = page.game(&text);
        assert_eq!(json!(all(&document, "san")), moves, "{text:?}");
        assert_eq!(document["tags"], json!([["Event", "x"]]), "{text:?}");
    }
    let quotes = page.game("[Event \"The \"Great\" Open\"]\n[White \"A \\\"B\\\" C\"]\n\n1. e4 *");
    assert_eq!(quotes["tags"], json!([["Event", "The \"Great\" Open"], ["White", "A \"B\" C"]]));
    let html = page.game("[Event \"<script>alert(1)</script>\"]\n\n1. e4 {<img src=x onerror=alert(1)> &lt;} *");
    assert_eq!(html["nodes"][1]["comment"], "<img src=x onerror=alert(1)> &lt;");
    let comment = page.game("1. e4 e5 ({first} 1... c5 {second}) ({third} 1... e6) 2. Nf3 *");
    assert_eq!(json!(all(&comment, "san")), json!(["e4", "e5", "Nf3", "c5", "e6"]));
    assert_eq!((&comment["nodes"][4]["before"], &comment["nodes"][4]["comment"]), (&json!("first"), &json!("second")));
    assert_eq!(comment["nodes"][5]["before"], "third");
    assert_eq!(json!(all(&comment, "parent")), json!([0, 1, 2, 1, 1]));
    assert_eq!(page.game("{Intro} 1. e4 *")["nodes"][0]["comment"], "Intro");
    for null in ["--", "Z0"] {
        let passed = page.game(&format!("1. e4 {null} 2. d4 e5 *"));
        assert_eq!(json!(all(&passed, "uci")), json!(["e2e4", "0000", "d2d4", "e7e5"]));
        assert_eq!(passed["nodes"][2]["san"], "--");
    }
    let castled = page.game("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. Nh4 0-0 *");
    assert_eq!(castled["nodes"][7]["san"], "O-O");
    let promoted = page.game("[SetUp \"1\"]\n[FEN \"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. e8Q *");
    assert_eq!(promoted["nodes"][1]["san"], "e8=Q");
    assert_eq!(promoted["start"], "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1");
    // Repeated moves are merged with those of the game, which remain the main line.
    let twice = page.game("1. e4 e5 (1... e5 {again} 2. Nf3) 2. Nc3 *");
    assert_eq!(json!(all(&twice, "san")), json!(["e4", "e5", "Nc3", "Nf3"]));
    assert_eq!(page.request("read", json!({ "text": plain }))["games"][0]["plies"], 3);
}

#[test]
fn invalid_games_are_reported_and_skipped() {
    let (_server, mut page) = start();
    let text = "[Event \"a\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 d5 0-1\n\n[Event \"c\"]\n[FEN \"8/8\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n1. c4 *\n";
    let read = page.request("read", json!({ "text": text }));
    assert_eq!(read["kind"], "pgn");
    let events: Vec<&Value> = list(&read["games"]).iter().map(|game| &game["event"]).collect();
    assert_eq!(json!(events), json!(["a", "b", "d"]));
    let lines: Vec<&Value> = list(&read["problems"]).iter().map(|problem| &problem["line"]).collect();
    assert_eq!(json!(lines), json!([3, 10]));
    assert!(read["problems"][0]["text"].as_str().is_some_and(|text| text.contains("\"Ke3\"")), "{read}");
    let second = page.request("game", json!({ "file": read["file"], "index": 1 }));
    assert_eq!(json!(all(&second["document"], "san")), json!(["d4", "d5"]));
    // Another run of the server has its own files.
    let (_other, mut stranger) = start();
    stranger.request("read", json!({ "text": text }));
    assert_eq!(stranger.error("game", json!({ "file": read["file"], "index": 1 }))["code"], "unknown-file");
    // Games without moves count.
    let read = page
        .request("read", json!({ "text": "[Event \"a\"]\n[White \"A\"]\n\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *" }));
    let white: Vec<&Value> = list(&read["games"]).iter().map(|game| &game["white"]).collect();
    assert_eq!(json!(white), json!(["A", "B"]));
    for (text, kind, games, problems) in [
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "fen", 1, 0),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\n\n# note\n8/8 w\n8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "fen", 2, 1),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - bm e8=Q; id \"x\";", "epd", 1, 0),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - c0 \"White moves and wins\";", "epd", 1, 0),
        ("position startpos moves e2e4 e7e5", "fen", 1, 0),
        ("e4 e5 Nf3", "moves", 1, 0),
        ("1.e4 e5 2.Nf3", "moves", 1, 0),
        ("hello", "moves", 0, 1),
        ("", "moves", 0, 1),
        ("8/8/8 w", "fen", 0, 1),
    ] {
        let read = page.request("read", json!({ "text": text }));
        let counts = (list(&read["games"]).len(), list(&read["problems"]).len());
        assert_eq!((&read["kind"], counts), (&json!(kind), (games, problems)), "{text:?}: {read}");
    }
    let document = page.game("position startpos moves e2e4 e7e5");
    assert_eq!(json!(all(&document, "san")), json!(["e4", "e5"]));
    let document = page.game("8/4P1k1/8/8/8/8/8/4K3 w - - bm e8=Q; id \"x\";");
    assert_eq!(document["nodes"][0]["comment"], "bm e8=Q; id \"x\"");
}

/// Posts a file. Returns the status and the body.
fn post(address: SocketAddr, head: &str, body: &[u8]) -> (String, Value) {
    let mut peer = Peer::connect(address);
    let head = format!("POST /read HTTP/1.1\r\nHost: {address}\r\n{head}Content-Length: {}\r\n\r\n", body.len());
    let stream = peer.stream.get_mut();
    stream.write_all(head.as_bytes()).expect("it is read");
    // The server may stop reading after a refusal.
    let _ = stream.write_all(body);
    let mut text = String::new();
    let _ = peer.stream.read_to_string(&mut text);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    (head.split(' ').nth(1).unwrap_or_default().to_owned(), serde_json::from_str(body).unwrap_or_default())
}

#[test]
fn files_are_posted() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let mut page = Page::open(address);
    // Windows-1252.
    let (status, answer) = post(address, "", b"[White \"M\xfcller\"]\n[Black \"O\x92Kelly \x80\"]\n\n1. e4 *\n");
    assert_eq!(status, "200");
    let game = &answer["answer"]["games"][0];
    assert_eq!((&game["white"], &game["black"]), (&json!("Müller"), &json!("O’Kelly €")));
    let read = page.request("game", json!({ "file": answer["answer"]["file"], "index": 0 }));
    assert_eq!(read["document"]["tags"][0], json!(["White", "Müller"]));
    let many = "[Event \"many\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n".repeat(3000) + "[Event \"last\"]\n\n1. e4 Ke3 *";
    let (status, answer) = post(address, "", many.as_bytes());
    assert_eq!((status.as_str(), list(&answer["answer"]["games"]).len()), ("200", 3001));
    let last = page.request("game", json!({ "file": answer["answer"]["file"], "index": 2999 }));
    assert_eq!(list(&last["document"]["nodes"]).len(), 5);
    // Line numbers refer to the file.
    let last = page.request("game", json!({ "file": answer["answer"]["file"], "index": 3000 }));
    assert_eq!((&last["problems"][0]["line"], &last["problems"]), (&json!(12_003), &answer["answer"]["problems"]));
    assert_eq!(page.error("game", json!({ "file": answer["answer"]["file"], "index": 3001 }))["code"], "unknown-game");
    assert_eq!(post(address, "Origin: http://evil.example\r\n", b"e4").0, "403");
    let (status, answer) = post(address, "", &vec![b' '; (16 << 20) + 1]);
    assert!(status == "413" || status.is_empty(), "{status}");
    assert!(status.is_empty() || answer["error"]["code"] == "too-large", "{answer}");
    // The oldest files are evicted.
    let large = vec![b' '; 15 << 20];
    let first = post(address, "", &large).1["answer"]["file"].clone();
    assert_eq!(page.error("game", json!({ "file": first, "index": 0 }))["code"], "unknown-game");
    for _ in 0..4 {
        assert_eq!(post(address, "", &large).0, "200");
    }
    assert_eq!(page.error("game", json!({ "file": first, "index": 0 }))["code"], "unknown-file");
}

const ANNOTATED: &str = "[Event \"x\"]\n[Site \"https://lichess.org/abc\"]\n[Date \"2020.01.02\"]\n[Round \"3.1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[WhiteElo \"2500\"]\n[Opening \"?\"]\n[TimeControl \"180+2\"]\n\n{[%csl Gd4,Rd5][%cal Ge2e4] Before.} 1. e4 $1 {[%eval 0.3,20] [%clk 0:03:00] Best. [%emt 0:00:01] [%own a b]} 1... e5 ({A [%csl Ra1] start} 1... c5 $6 2. Nf3 (2. Nc3 Nc6 {deep}) 2... d6) (1... --) 2. Nf3 $14 $36 1-0\n";

#[test]
fn games_round_trip() {
    let (_server, mut page) = start();
    let document = page.game(ANNOTATED);
    let first = &document["nodes"][1];
    assert_eq!((&first["eval"], &first["clock"], &first["nags"]), (&json!("0.3,20"), &json!("0:03:00"), &json!([1])));
    assert_eq!(first["comment"], "Best. [%emt 0:00:01] [%own a b]");
    let root = &document["nodes"][0];
    assert_eq!((&root["circles"], &root["arrows"]), (&json!(["Gd4", "Rd5"]), &json!(["Ge2e4"])));
    assert_eq!(document["tags"].as_array().map(Vec::len), Some(9));
    let pgn = page.written(&document);
    assert!(pgn.lines().all(|line| line.chars().count() <= 80), "{pgn}");
    for kept in [
        "[Site \"https://lichess.org/abc\"]",
        "[Round \"3.1\"]",
        "[WhiteElo \"2500\"]",
        "[Result \"1-0\"]",
        "[Opening \"?\"]",
    ] {
        assert!(pgn.contains(kept), "{pgn}");
    }
    assert_eq!(page.game(&pgn), document, "{pgn}");
    let long =
        page.game(&format!("1. e4 {{{} [%cal {}]}} *", "word ".repeat(8000), ["Ga1a2,Ra1a3,Gb1b2"; 9].join(",")));
    let pgn = page.written(&long);
    assert!(pgn.lines().all(|line| line.chars().count() <= 80), "{pgn}");
    assert_eq!(page.game(&pgn)["nodes"], long["nodes"], "{pgn}");
    let chess960 =
        page.game("[Variant \"Fischerandom\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/5K1R w H - 0 1\"]\n\n1. O-O *");
    assert_eq!((&chess960["chess960"], &chess960["nodes"][1]["uci"]), (&json!(true), &json!("f1h1")));
    let pgn = page.written(&chess960);
    assert!(pgn.contains("[Variant \"Fischerandom\"]"), "{pgn}");
    assert_eq!(page.game(&pgn)["nodes"], chess960["nodes"]);
}

/// Another PGN reader finds the same lines.
#[test]
fn python_chess_reads_the_same_tree() {
    const READ: &str = "import chess.pgn, json, sys\n\
        def lines(node, path): return [path] + [line for child in node.variations for line in lines(child, path + [child.uci()])]\n\
        game = chess.pgn.read_game(sys.stdin)\n\
        assert not game.errors, game.errors\n\
        print(json.dumps([game.headers['White'], sorted(lines(game, [])), game.variations[0].comment]))";
    let Some(python) = std::env::var_os("LENTO_PYTHON") else {
        println!("skipped: LENTO_PYTHON does not name a Python with the package chess");
        return;
    };
    let (_server, mut page) = start();
    let text = "[White \"A\"]\n\n1. e4 {best by test} e5 $1 (1... c5 2. Nf3 (2. c3 d5) 2... d6) (1... e6) 2. Nf3 Nc6 \
        (2... Nf6 {[%cal Ge2e4]} 3. Nxe5) 3. Bb5 *";
    let document = page.game(text);
    let mut paths: Vec<Vec<&Value>> = Vec::new();
    for node in list(&document["nodes"]) {
        let before = node["parent"].as_u64().map_or_else(Vec::new, |parent| paths[parent as usize].clone());
        paths.push(before.into_iter().chain(node.get("uci")).collect());
    }
    let mut paths: Vec<Value> = paths.into_iter().map(|path| json!(path)).collect();
    paths.sort_by_cached_key(Value::to_string);
    let mut command = std::process::Command::new(python);
    command.args(["-c", READ]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().expect("Python starts");
    let pgn = page.written(&document);
    child.stdin.take().expect("a pipe").write_all(pgn.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("an end");
    let mut read: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{pgn}"));
    let lines = read[1].as_array_mut().expect("lines");
    lines.sort_by_cached_key(Value::to_string);
    assert_eq!((&read[0], &read[1]), (&json!("A"), &json!(paths)), "{pgn}");
    assert_eq!(read[2], "best by test", "{pgn}");
}
