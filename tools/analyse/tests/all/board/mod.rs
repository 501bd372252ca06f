//! Requests of the page's analysis board, over its WebSocket.

mod games;
pub mod queue;
mod saved;

use crate::page::Visitor;
use crate::serving::Server;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// A page that sends requests.
struct Page {
    visitor: Visitor,
    asked: u64,
}

impl Page {
    fn open(address: SocketAddr) -> Self {
        Self { visitor: Visitor::connect(address), asked: 0 }
    }

    /// Sends a request and returns the answering message.
    fn message(&mut self, ask: &str, fields: Value) -> Value {
        self.asked += 1;
        let mut request = fields;
        request["id"] = self.asked.into();
        request["ask"] = ask.into();
        self.visitor.send(request.to_string());
        let id = self.asked;
        self.visitor.wait_for(|message| message["id"] == id)
    }

    fn request(&mut self, ask: &str, fields: Value) -> Value {
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
        let read = self.request("read", json!({ "text": text }));
        self.documents(&read)
    }

    fn documents(&mut self, read: &Value) -> (Vec<Value>, Vec<Value>) {
        let mut problems = list(&read["problems"]).to_vec();
        let documents = (0..list(&read["games"]).len()).map(|index| {
            let game = self.request("game", json!({ "file": read["file"], "index": index }));
            // Problems with a line were already in the list.
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
        let answer = self.request("write", json!({ "document": document }));
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
    let position = page.request("position", json!({ "start": null, "chess960": false, "moves": [] }));
    assert_eq!(list(&position["legal"]).len(), 20);
    assert_eq!((&position["turn"], &position["number"], &position["last"]), (&json!("w"), &json!(1), &json!(null)));
    let position =
        page.request("position", json!({ "moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] }));
    assert_eq!(position["over"], json!({ "result": "1-0", "why": "checkmate" }));
    assert_eq!((&position["check"], &position["last"]), (&json!("e8"), &json!(["h5", "f7"])));
    let back = page.request("position", json!({ "moves": ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"] }));
    assert!(back["over"].is_null() && list(&back["legal"]).len() > 20);
    assert_eq!(legal(&back, "san", "Qxf7#")["fen"], position["fen"]);
    // Only possible en-passant captures are listed, so that transpositions match.
    for (moves, field) in [(vec!["e2e4"], "-"), (vec!["e2e4", "a7a6", "e4e5", "d7d5"], "d6")] {
        let position = page.request("position", json!({ "moves": moves }));
        assert_eq!(position["fen"].as_str().and_then(|fen| fen.split(' ').nth(3)), Some(field), "{position}");
    }
    let promotion = page.request("position", json!({ "start": "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1" }));
    let pieces: Vec<&Value> = list(&promotion["legal"]).iter().filter_map(|legal| legal.get("promotion")).collect();
    assert_eq!(pieces.len(), 4);
    assert_eq!(legal(&promotion, "san", "e8=N+")["promotion"], "n");
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    let repeated = page.request("position", json!({ "moves": knights }));
    assert_eq!(repeated["over"], json!({ "result": "1/2-1/2", "why": "repetition" }));
    for (fen, why) in [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "insufficient material"),
        ("7k/8/6K1/8/8/8/8/R7 b - - 100 90", "fifty moves"),
    ] {
        assert_eq!(page.request("position", json!({ "start": fen }))["over"]["why"], why);
    }
    let passed = page.request("position", json!({ "moves": ["e2e4", "0000", "d2d4"] }));
    assert_eq!(passed["turn"], "b");
}

#[test]
fn castling_has_drop_targets() {
    let (_server, mut page) = start();
    let standard = page.request("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" }));
    let castling = legal(&standard, "san", "O-O");
    assert_eq!((&castling["uci"], &castling["to"]), (&json!("e1g1"), &json!("g1")));
    assert_eq!(castling["also"], json!(["h1"]));
    let same = page.request("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "chess960": true }));
    let castling = legal(&same, "san", "O-O-O");
    assert_eq!((&castling["uci"], &castling["to"], &castling["also"]), (&json!("e1a1"), &json!("a1"), &json!(["c1"])));
    // No second target if the king moves by one file or stays.
    for (fen, king, rook) in
        [("4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1", "h1"), ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1", "h1")]
    {
        let position = page.request("position", json!({ "start": fen, "chess960": true }));
        let castling = legal(&position, "san", "O-O");
        assert_eq!((&castling["from"], &castling["to"]), (&json!(king), &json!(rook)));
        assert!(castling.get("also").is_none(), "{castling}");
    }
    let castled =
        page.request("position", json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "moves": ["e1h1"] }));
    assert_eq!(castled["last"], json!(["e1", "g1"]));
    let queen = json!({ "start": "6k1/6P1/8/p2p2KQ/4r3/5R2/PP6/4q3 b - - 0 46", "text": "Qe1-g1" });
    assert_eq!(page.request("play", queen)["san"], "Qg1+");
}

#[test]
fn typed_moves_are_parsed_leniently() {
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
        assert_eq!(page.request("play", json!({ "start": fen, "text": text }))["uci"], uci, "{fen} {text}");
    }
    for text in ["Ke5", "", "e9", "é", "Ü4", "N", "<b>"] {
        let error = page.error("play", json!({ "text": text }));
        assert_eq!((&error["code"], &error["field"]), (&json!("bad-move"), &json!("text")), "{text}");
        let message = error["text"].as_str().expect("a text");
        assert!(
            message.contains(&format!("{text:?}")) && message.contains("expected a legal move such as"),
            "{message}"
        );
    }
    let line = page.request("line", json!({ "moves": ["e2e4"], "pv": ["e7e5", "g1f3"] }));
    assert_eq!(line["san"], json!(["e5", "Nf3"]));
    assert!(line["fens"][1].as_str().is_some_and(|fen| fen.ends_with("b KQkq - 1 2")), "{line}");
    let castles = json!({ "start": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "chess960": true, "pv": ["e1g1"] });
    assert_eq!(page.request("line", castles)["uci"], json!(["e1h1"]));
    let passed = page.games("position startpos moves e2e4 0000 d2d4");
    assert_eq!((list(&passed.0[0]["nodes"]).len(), passed.1.len()), (4, 0));
}

#[test]
fn errors_quote_the_input() {
    let (_server, mut page) = start();
    let many = vec!["0000"; 2049];
    for (ask, fields, code, field, text) in [
        ("position", json!({ "start": "8/8 w" }), "bad-fen", "start", "8/8"),
        ("position", json!({ "start": 5 }), "bad-field", "start", "expects a text, not \"5\""),
        ("position", json!({ "moves": ["e2e4", "e2e4"] }), "bad-move", "moves", "move 2 \"e2e4\" is not a legal move"),
        ("position", json!({ "moves": many }), "too-many-moves", "moves", "2049 moves; expected up to 2048"),
        ("position", json!({ "moves": "e4" }), "bad-field", "moves", "expects a list"),
        ("position", json!({ "chess960": 1 }), "bad-field", "chess960", "true or false"),
        ("line", json!({ "pv": ["e7e5"] }), "bad-move", "pv", "move 1 \"e7e5\""),
        ("setup", json!({ "number": 960 }), "bad-field", "number", "from 0 to 959, not \"960\""),
        ("setup", json!({}), "bad-field", "fen", "no \"fen\""),
        ("read", json!({ "text": "x".repeat(70_000) }), "too-large", "text", "POST /read"),
        ("game", json!({ "file": "77", "index": 0 }), "unknown-file", "file", "\"77\" is no longer cached"),
        ("open", json!({ "board": "x" }), "unknown-board", "board", "no board \"x\""),
        ("nonsense", json!({}), "unknown-ask", "ask", "\"nonsense\""),
    ] {
        let error = page.error(ask, fields);
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
        assert!(error["text"].as_str().is_some_and(|message| message.contains(text)), "{error}");
    }
}

#[test]
fn setup_validates_positions() {
    let (_server, mut page) = start();
    for (number, row) in [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (959, "RKRNNQBB")] {
        let setup = page.request("setup", json!({ "number": number }));
        assert!(setup["fen"].as_str().is_some_and(|fen| fen.contains(&format!("/{row} w "))), "{setup}");
        assert_eq!(setup["chess960"], true);
    }
    let orders: std::collections::HashSet<String> =
        (0..960).map(|number| page.request("setup", json!({ "number": number }))["fen"].to_string()).collect();
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
        let setup = page.request("setup", json!({ "fen": fen }));
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
    let mut name = |moves: &[&str]| page.request("position", json!({ "moves": moves }))["opening"]["name"].clone();
    assert_eq!(name(&["e2e4", "c7c5"]), "Sicilian Defense");
    assert_eq!(name(&[]), json!(null));
    // By transposition, and the last named one.
    let declined = name(&["d2d4", "d7d5", "c2c4", "e7e6"]);
    assert_eq!(declined, "Queen's Gambit Declined");
    assert_eq!(name(&["c2c4", "e7e6", "d2d4", "d7d5"]), declined);
    let named = name(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
    assert!(named.as_str().is_some_and(|name| name.starts_with("Ruy Lopez")), "{named}");
    assert_eq!(name(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "h7h6", "h2h3", "h6h5", "h3h4"]), named);
}
