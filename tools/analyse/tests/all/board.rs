//! Requests of the page's analysis board, over its WebSocket.

use crate::page::Visitor;
use crate::serving::{Peer, Server};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::SocketAddr;

/// A page that asks.
struct Page {
    visitor: Visitor,
    asked: u64,
}

impl Page {
    fn open(address: SocketAddr) -> Self {
        Self { visitor: Visitor::connect(address), asked: 0 }
    }

    /// The message that answers a request.
    fn message(&mut self, ask: &str, fields: Value) -> Value {
        self.asked += 1;
        let mut request = fields;
        request["id"] = self.asked.into();
        request["ask"] = ask.into();
        self.visitor.send(request.to_string());
        let id = self.asked;
        self.visitor.wait_for(|message| message["id"] == id)
    }

    fn ask(&mut self, ask: &str, fields: Value) -> Value {
        let message = self.message(ask, fields);
        assert!(message.get("error").is_none(), "{ask}: {message}");
        message["answer"].clone()
    }

    fn error(&mut self, ask: &str, fields: Value) -> Value {
        let message = self.message(ask, fields);
        assert!(message["error"]["code"].is_string() && message.get("answer").is_none(), "{ask}: {message}");
        message["error"].clone()
    }

    fn event(&mut self, name: &str) -> Value {
        self.visitor.wait_for(|message| message["event"] == name)
    }

    /// The documents of the games of a text, with all problems.
    fn games(&mut self, text: &str) -> (Vec<Value>, Vec<Value>) {
        let read = self.ask("read", json!({ "text": text }));
        self.documents(&read)
    }

    fn documents(&mut self, read: &Value) -> (Vec<Value>, Vec<Value>) {
        let mut problems = list(&read["problems"]).to_vec();
        let documents = (0..list(&read["games"]).len()).map(|index| {
            let game = self.ask("game", json!({ "file": read["file"], "index": index }));
            // Those of the reader are told twice.
            problems.extend(list(&game["problems"]).iter().filter(|problem| problem["line"].is_null()).cloned());
            game["document"].clone()
        });
        (documents.collect(), problems)
    }

    /// The only document of a text without problems.
    fn game(&mut self, text: &str) -> Value {
        let (mut games, problems) = self.games(text);
        assert!(games.len() == 1 && problems.is_empty(), "{text}: {games:?} {problems:?}");
        games.remove(0)
    }

    fn written(&mut self, document: &Value) -> String {
        let answer = self.ask("write", json!({ "document": document }));
        answer["pgn"].as_str().expect("PGN").to_owned()
    }
}

fn start() -> (Server, Page) {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let page = Page::open(server.address());
    (server, page)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or_else(|| panic!("{value}"), Vec::as_slice)
}

/// The legal move with this field.
fn legal<'a>(position: &'a Value, field: &str, value: &str) -> &'a Value {
    list(&position["legal"]).iter().find(|legal| legal[field] == value).unwrap_or_else(|| panic!("{value}: {position}"))
}

/// The SANs of a document, or another field, in order.
fn all<'a>(document: &'a Value, field: &str) -> Vec<&'a Value> {
    list(&document["nodes"]).iter().skip(1).map(|node| &node[field]).collect()
}

#[test]
fn positions_have_their_moves() {
    let (_server, mut page) = start();
    let position = page.ask("position", json!({ "start": null, "chess960": false, "moves": [] }));
    assert_eq!(list(&position["legal"]).len(), 20);
    assert_eq!((&position["turn"], &position["number"], &position["last"]), (&json!("w"), &json!(1), &json!(null)));
    let position = page.ask("position", json!({ "moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] }));
    assert_eq!(position["over"], json!({ "result": "1-0", "why": "checkmate" }));
    assert_eq!((&position["check"], &position["last"]), (&json!("e8"), &json!(["h5", "f7"])));
    let back = page.ask("position", json!({ "moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"] }));
    assert!(back["over"].is_null() && list(&back["legal"]).len() > 20);
    // Only possible en passant is told, so that transpositions are the same.
    for (moves, field) in [(vec!["e2e4"], "-"), (vec!["e2e4", "a7a6", "e4e5", "d7d5"], "d6")] {
        let position = page.ask("position", json!({ "moves": moves }));
        assert_eq!(position["fen"].as_str().and_then(|fen| fen.split(' ').nth(3)), Some(field), "{position}");
    }
    let promotion = page.ask("position", json!({ "start": "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1" }));
    let pieces: Vec<&Value> = list(&promotion["legal"]).iter().filter_map(|legal| legal.get("promotion")).collect();
    assert_eq!(pieces.len(), 4);
    assert_eq!(legal(&promotion, "san", "e8=N+")["promotion"], "n");
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let repeated = page.ask("position", json!({ "moves": knights }));
    assert_eq!(repeated["over"], json!({ "result": "1/2-1/2", "why": "repetition" }));
    for (fen, why) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "insufficient material"),
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 90", "fifty moves"),
    ] {
        assert_eq!(page.ask("position", json!({ "start": fen }))["over"]["why"], why);
    }
    let passed = page.ask("position", json!({ "moves": ["e2e4", "0000", "d2d4"] }));
    assert_eq!(passed["turn"], "b");
}

#[test]
fn castling_has_its_gestures() {
    let (_server, mut page) = start();
    let standard = page.ask("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" }));
    let castling = legal(&standard, "san", "O-O");
    assert_eq!((&castling["uci"], &castling["to"]), (&json!("e1g1"), &json!("g1")));
    assert_eq!(castling["also"], json!(["h1"]));
    let same = page.ask("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "chess960": true }));
    let castling = legal(&same, "san", "O-O-O");
    assert_eq!((&castling["uci"], &castling["to"], &castling["also"]), (&json!("e1a1"), &json!("a1"), &json!(["c1"])));
    // The king moves by one file, where a king's move goes, or not at all.
    for (fen, king, rook) in
        [("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1", "h1"), ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1", "h1")]
    {
        let position = page.ask("position", json!({ "start": fen, "chess960": true }));
        let castling = legal(&position, "san", "O-O");
        assert_eq!((&castling["from"], &castling["to"]), (&json!(king), &json!(rook)));
        assert!(castling.get("also").is_none(), "{castling}");
    }
    let castled = page.ask("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "moves": ["e1h1"] }));
    assert_eq!(castled["last"], json!(["e1", "g1"]));
    let queen = json!({ "start": "6k1/6P1/8/p2p2KQ/4r3/5R2/PP6/4q3 b - - 0 46", "text": "Qe1-g1" });
    assert_eq!(page.ask("play", queen), json!({ "uci": "e1g1", "san": "Qg1+" }));
}

#[test]
fn moves_are_typed_freely() {
    let (_server, mut page) = start();
    let castle = "r3k2r/P3P3/8/3pP3/2P5/8/3N4/R3K2R w KQkq d6 0 1";
    for (fen, text, uci) in [
        (castle, "0-0", "e1g1"),
        (castle, "o-o-o", "e1c1"),
        (castle, "e1h1", "e1g1"),
        (castle, "Ke1-g1", "e1g1"),
        (castle, "kc1", "e1c1"),
        (castle, "exd6", "e5d6"),
        (castle, "exd6 e.p.", "e5d6"),
        (castle, "12. Nd2f3!?", "d2f3"),
        (castle, "nf3", "d2f3"),
        ("4k3/8/8/8/8/8/6N1/4K1N1 w - - 0 1", "Ngf3", "g1f3"),
        // The other knight is pinned.
        ("4k3/8/8/8/7b/8/5N2/4K1N1 w - - 0 1", "Nh3", "g1h3"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8Q", "e7e8q"),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8(n)", "e7e8n"),
        ("4k3/8/8/8/8/8/2b5/4KB2 w - - 0 1", "bc4", "f1c4"),
    ] {
        assert_eq!(page.ask("play", json!({ "start": fen, "text": text }))["uci"], uci, "{fen} {text}");
    }
    for text in ["Ke5", "", "e9", "é", "Ü4", "N", "<b>"] {
        let error = page.error("play", json!({ "text": text }));
        assert_eq!((&error["code"], &error["field"]), (&json!("bad-move"), &json!("text")), "{text}");
        let said = error["text"].as_str().expect("a text");
        assert!(said.contains(&format!("{text:?}")) && said.contains("expected a legal move such as"), "{said}");
    }
    let line = page.ask("line", json!({ "moves": ["e2e4"], "pv": ["e7e5", "g1f3"] }));
    assert_eq!(line["san"], json!(["e5", "Nf3"]));
    assert!(line["fens"][1].as_str().is_some_and(|fen| fen.ends_with("b KQkq - 1 2")), "{line}");
}

#[test]
fn errors_quote_the_input() {
    let (_server, mut page) = start();
    let many = vec!["0000"; 2049];
    for (ask, fields, code, field, text) in [
        ("position", json!({ "start": "8/8 w" }), "bad-fen", "start", "8/8"),
        ("position", json!({ "start": 5 }), "bad-field", "start", "expects a text, not \"5\""),
        ("position", json!({ "moves": ["e2e4", "e2e4"] }), "bad-move", "moves", "move 2 \"e2e4\" is not legal"),
        ("position", json!({ "moves": many }), "too-many-moves", "moves", "2049 moves; expected up to 2048"),
        ("position", json!({ "moves": "e4" }), "bad-field", "moves", "expects a list"),
        ("position", json!({ "chess960": 1 }), "bad-field", "chess960", "true or false"),
        ("line", json!({ "pv": ["e7e5"] }), "bad-move", "pv", "move 1 \"e7e5\""),
        ("setup", json!({ "number": 960 }), "bad-field", "number", "from 0 to 959, not \"960\""),
        ("setup", json!({}), "bad-field", "fen", "no \"fen\""),
        ("read", json!({ "text": "x".repeat(70_000) }), "too-large", "text", "POST /read"),
        ("game", json!({ "file": "77", "index": 0 }), "unknown-file", "file", "\"77\" is no longer kept"),
        ("open", json!({ "board": "x" }), "unknown-board", "board", "no board \"x\""),
        ("nonsense", json!({}), "unknown-ask", "ask", "nonsense"),
    ] {
        let error = page.error(ask, fields);
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
        assert!(error["text"].as_str().is_some_and(|said| said.contains(text)), "{error}");
    }
}

#[test]
fn positions_are_set_up() {
    let (_server, mut page) = start();
    for (number, row) in [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (959, "RKRNNQBB")] {
        let setup = page.ask("setup", json!({ "number": number }));
        assert!(setup["fen"].as_str().is_some_and(|fen| fen.contains(&format!("/{row} w "))), "{setup}");
        assert_eq!(setup["chess960"], true);
    }
    let orders: std::collections::HashSet<String> =
        (0..960).map(|number| page.ask("setup", json!({ "number": number }))["fen"].to_string()).collect();
    assert_eq!(orders.len(), 960);
    for (fen, expected, chess960, problem) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
            json!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
            false,
            None,
        ),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", json!("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), false, Some("only K is possible")),
        ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", json!("4k3/8/8/8/8/8/8/5K1R w H - 0 1"), true, None),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", json!(null), false, Some("White has 0 kings")),
        (
            "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
            json!("4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1"),
            false,
            Some("Black has 9 pawns"),
        ),
    ] {
        let setup = page.ask("setup", json!({ "fen": fen }));
        assert_eq!((&setup["fen"], &setup["chess960"]), (&expected, &json!(chess960)), "{setup}");
        let problems = list(&setup["problems"]);
        assert_eq!(problems.len(), usize::from(problem.is_some()), "{setup}");
        assert!(
            problem.is_none_or(|problem| problems[0].as_str().is_some_and(|text| text.contains(problem))),
            "{setup}"
        );
    }
}

#[test]
fn openings_are_named_by_position() {
    let (_server, mut page) = start();
    let mut name = |moves: &[&str]| page.ask("position", json!({ "moves": moves }))["opening"]["name"].clone();
    assert_eq!(name(&["e2e4", "c7c5"]), "Sicilian Defense");
    assert_eq!(name(&[]), json!(null));
    // By transposition, and the last one known.
    let declined = name(&["d2d4", "d7d5", "c2c4", "e7e6"]);
    assert_eq!(declined, "Queen's Gambit Declined");
    assert_eq!(name(&["c2c4", "e7e6", "d2d4", "d7d5"]), declined);
    let named = name(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
    assert!(named.as_str().is_some_and(|name| name.starts_with("Ruy Lopez")), "{named}");
    assert_eq!(name(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "h7h6", "h2h3", "h6h5", "h3h4"]), named);
}

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
    assert_eq!(json!(all(&comment, "san")), json!(["e4", "e5", "c5", "e6", "Nf3"]));
    assert_eq!((&comment["nodes"][3]["before"], &comment["nodes"][3]["comment"]), (&json!("first"), &json!("second")));
    assert_eq!(comment["nodes"][4]["before"], "third");
    assert_eq!(json!(all(&comment, "parent")), json!([0, 1, 1, 1, 2]));
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
    // Twice the same move is one.
    let twice = page.game("1. e4 e5 (1... e5 {again} 2. Nf3) 2. Nc3 *");
    assert_eq!(json!(all(&twice, "san")), json!(["e4", "e5", "Nf3", "Nc3"]));
    assert_eq!(page.ask("read", json!({ "text": plain }))["games"][0]["plies"], 3);
}

#[test]
fn what_is_wrong_is_a_problem_and_the_rest_is_taken() {
    let (_server, mut page) = start();
    let text = "[Event \"a\"]\n\n1. e4 e5 2. Ke3 Nc6 1-0\n\n[Event \"b\"]\n\n1. d4 d5 0-1\n\n[Event \"c\"]\n[FEN \"8/8\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n1. c4 *\n";
    let read = page.ask("read", json!({ "text": text }));
    assert_eq!(read["kind"], "pgn");
    let events: Vec<&Value> = list(&read["games"]).iter().map(|game| &game["event"]).collect();
    assert_eq!(json!(events), json!(["a", "b", "d"]));
    let lines: Vec<&Value> = list(&read["problems"]).iter().map(|problem| &problem["line"]).collect();
    assert_eq!(json!(lines), json!([3, 10]));
    assert!(read["problems"][0]["text"].as_str().is_some_and(|text| text.contains("\"Ke3\"")), "{read}");
    let second = page.ask("game", json!({ "file": read["file"], "index": 1 }));
    assert_eq!(json!(all(&second["document"], "san")), json!(["d4", "d5"]));
    // Games without moves are games.
    let read =
        page.ask("read", json!({ "text": "[Event \"a\"]\n[White \"A\"]\n\n[Event \"b\"]\n[White \"B\"]\n\n1. e4 *" }));
    let white: Vec<&Value> = list(&read["games"]).iter().map(|game| &game["white"]).collect();
    assert_eq!(json!(white), json!(["A", "B"]));
    for (text, kind, games, problems) in [
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "fen", 1, 0),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1\n\n# note\n8/8 w\n8/4P1k1/8/8/8/8/8/4K3 b - - 0 1", "fen", 2, 1),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - bm e8=Q; id \"x\";", "epd", 1, 0),
        ("position startpos moves e2e4 e7e5", "fen", 1, 0),
        ("e4 e5 Nf3", "moves", 1, 0),
        ("1.e4 e5 2.Nf3", "moves", 1, 0),
        ("hello", "moves", 0, 1),
        ("", "moves", 0, 1),
        ("8/8/8 w", "fen", 0, 1),
    ] {
        let read = page.ask("read", json!({ "text": text }));
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
    // A server that refuses may stop reading.
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
    let read = page.ask("game", json!({ "file": answer["answer"]["file"], "index": 0 }));
    assert_eq!(read["document"]["tags"][0], json!(["White", "Müller"]));
    let many = "[Event \"many\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n".repeat(3000);
    let (status, answer) = post(address, "", many.as_bytes());
    assert_eq!((status.as_str(), list(&answer["answer"]["games"]).len()), ("200", 3000));
    let last = page.ask("game", json!({ "file": answer["answer"]["file"], "index": 2999 }));
    assert_eq!(list(&last["document"]["nodes"]).len(), 5);
    assert_eq!(page.error("game", json!({ "file": answer["answer"]["file"], "index": 3000 }))["code"], "unknown-game");
    assert_eq!(post(address, "Origin: http://evil.example\r\n", b"e4").0, "403");
    let (status, answer) = post(address, "", &vec![b' '; (16 << 20) + 1]);
    assert!(status == "413" || status.is_empty(), "{status}");
    assert!(status.is_empty() || answer["error"]["code"] == "too-large", "{answer}");
    // Files are dropped, the oldest first.
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
fn games_are_written_as_they_were_read() {
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
        page.game(&format!("1. e4 {{{} [%cal {}]}} *", "word ".repeat(100), vec!["Ga1a2,Ra1a3,Gb1b2"; 9].join(",")));
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

#[test]
fn boards_are_saved_and_shared() {
    let mut server = Server::start(&["--web", "127.0.0.1:0"]);
    let address = server.address();
    let (mut one, mut two) = (Page::open(address), Page::open(address));
    let document = one.game("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *");
    // Nothing but moves is taken from the page.
    let mut forged = document.clone();
    forged["nodes"][1]["san"] = "<b>".into();
    forged["nodes"][1]["fen"] = "8/8".into();
    let saved = one.ask("save", json!({ "board": null, "document": forged }));
    let (board, version) = (saved["board"].clone(), saved["version"].clone());
    two.event("boards");
    let list_of = |page: &mut Page| page.ask("boards", json!({}))["boards"].clone();
    let entry = &list_of(&mut two)[0];
    assert_eq!((&entry["name"], &entry["plies"], &entry["board"]), (&json!("A – B"), &json!(2), &board));
    let opened = two.ask("open", json!({ "board": board }));
    assert_eq!((&opened["document"], &opened["version"]), (&document, &version));
    // The other page sees what is saved, and cannot save over it.
    let longer = one.game("[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Nf3 *");
    let saved = one.ask("save", json!({ "board": board, "version": version, "document": longer }));
    let event = two.event("board");
    assert_eq!((&event["board"], &event["version"], &event["document"]), (&board, &saved["version"], &longer));
    let stale = two.error("save", json!({ "board": board, "version": version, "document": document }));
    assert_eq!((&stale["code"], &stale["document"], &stale["version"]), (&json!("stale"), &longer, &saved["version"]));
    // Names, copies, and back from removal.
    two.ask("rename", json!({ "board": board, "name": " My  game " }));
    let copy = two.ask("copy", json!({ "board": board }))["board"].clone();
    let mut names: Vec<Value> = list(&list_of(&mut one)).iter().map(|entry| entry["name"].clone()).collect();
    names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    assert_eq!(json!(names), json!(["My game", "My game (copy)"]));
    two.ask("remove", json!({ "board": board }));
    assert_eq!(one.error("open", json!({ "board": board }))["code"], "removed");
    assert_eq!(one.error("save", json!({ "board": board, "version": 2, "document": longer }))["code"], "removed");
    assert_eq!(list(&list_of(&mut one)).len(), 1);
    one.ask("restore", json!({ "board": board }));
    assert_eq!(one.ask("open", json!({ "board": board }))["document"], longer);
    assert_eq!(one.ask("open", json!({ "board": copy }))["document"], longer);
}

#[test]
fn documents_are_checked() {
    let (_server, mut page) = start();
    let node = |parent: u64, uci: &str| json!({ "parent": parent, "uci": uci });
    let root = json!({});
    let mut deep = vec![root.clone()];
    let mut many = deep.clone();
    for at in 0..6000_u64 {
        many.push(node(at, ["g1f3", "g8f6", "f3g1", "f6g8"][at as usize % 4]));
    }
    assert_eq!(page.ask("save", json!({ "document": { "nodes": many } }))["version"], 1);
    for at in 6000..10_001_u64 {
        many.push(node(at, ["g1f3", "g8f6", "f3g1", "f6g8"][at as usize % 4]));
    }
    for pair in 0..70_u64 {
        let uci = ["g1f3", "g8f6", "f3g1", "f6g8"][pair as usize % 4];
        deep.extend([if pair % 2 == 0 { "h2h3" } else { "h7h6" }, uci].map(|uci| node(2 * pair, uci)));
    }
    for (document, code, field) in [
        (json!({ "nodes": [root, node(0, "e2e5")] }), "bad-move", "document.nodes[1].uci"),
        (json!({ "nodes": [root, node(7, "e2e4")] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [root, node(1, "e2e4")] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [root, {}] }), "bad-field", "document.nodes[1].parent"),
        (json!({ "nodes": [5] }), "bad-field", "document.nodes[0]"),
        (json!({ "nodes": [{ "nags": [256] }] }), "bad-field", "document.nodes[0].nags"),
        (json!({ "nodes": [{ "arrows": ["Ge2"] }] }), "bad-field", "document.nodes[0].arrows"),
        (json!({ "nodes": [{ "clock": "]" }] }), "bad-field", "document.nodes[0].clock"),
        (json!({ "nodes": [{ "comment": "x".repeat(40_000) }] }), "too-large", "document.nodes[0].comment"),
        (json!({ "result": "won" }), "bad-field", "document.result"),
        (json!({ "start": "8/8" }), "bad-fen", "document.start"),
        (json!({ "tags": [["a"]] }), "bad-field", "document.tags"),
        (json!({ "nodes": many }), "too-large", "document.nodes"),
        (json!(7), "bad-field", "document"),
    ] {
        let error = page.error("save", json!({ "document": document }));
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
    }
    assert_eq!(page.error("save", json!({ "document": { "nodes": deep } }))["code"], "too-large");
}
