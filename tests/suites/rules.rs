//! The rules of chess against collections of positions.

use lento::chess::perft::perft;
use lento::chess::{Board, Game, Verdict};
use serde_json::Value;

/// Lines `FEN ;D1 n ;D2 n`, each to the deepest count that takes a moment.
pub fn perft_counts(text: &str) {
    const LARGEST: u64 = 20_000_000;
    let mut counted = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut parts = line.split(';').map(str::trim);
        let board = Board::from_fen(parts.next().unwrap()).unwrap_or_else(|error| panic!("{line}: {error}"));
        for part in parts.filter(|part| part.starts_with('D')) {
            let (depth, count) = part[1..].split_once(' ').unwrap();
            let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.trim().parse().unwrap());
            if count <= LARGEST {
                assert_eq!(perft(&board, depth), count, "{line} at depth {depth}");
                counted += 1;
            }
        }
    }
    assert!(counted > 0, "no counts");
}

/// Bytes are escaped as in Python: `\t`, `\xe2`. What is no UTF-8 arrives as it would from a lossy reader.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let (byte, length) = match rest.as_bytes()[at + 1] {
            b'x' => (u8::from_str_radix(&rest[at + 2..at + 4], 16).unwrap(), 4),
            b't' => (b'\t', 2),
            b'n' => (b'\n', 2),
            b'r' => (b'\r', 2),
            b'\\' => (b'\\', 2),
            other => panic!("unknown escape {:?} in {text:?}", char::from(other)),
        };
        bytes.push(byte);
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Texts that are no position or hardly one, and what is to become of them.
pub fn bad_fens(table: &str) {
    let mut judged = 0;
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (id, class, text, verdict) = (columns[0], columns[1], unescape(columns[4]), columns[6]);
        let board = Board::from_fen(&text);
        match class {
            "REJECT" => assert!(board.is_err(), "{id} {text:?} must be refused"),
            "ACCEPT" | "SANITISE" => {
                // The last column holds what another engine makes of it, rights that are none dropped.
                let expected = verdict.strip_prefix("accept: ").unwrap_or_else(|| panic!("{id}: {verdict}"));
                let board = board.unwrap_or_else(|error| panic!("{id} {error}"));
                assert_eq!(board.fen(false), expected, "{id}");
            }
            "LENIENT" => {
                if let Ok(board) = board {
                    assert_eq!(Board::from_fen(&board.fen(true)).unwrap().key(), board.key(), "{id}");
                }
            }
            other => panic!("{id}: class {other}"),
        }
        judged += 1;
    }
    assert!(judged > 0);
}

/// The collection knows claims that end a game at once; for an engine the earlier claims are what counts.
fn verdict(name: &str) -> Option<Verdict> {
    match name {
        "ongoing" => None,
        "checkmate" => Some(Verdict::Checkmate),
        "stalemate" => Some(Verdict::Stalemate),
        "insufficient" => Some(Verdict::Insufficient),
        "threefold" | "fivefold" => Some(Verdict::Threefold),
        "fifty" | "seventyfive" => Some(Verdict::Fifty),
        other => panic!("verdict {other}"),
    }
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array().map_or(Vec::new(), |items| items.iter().map(|item| item.as_str().unwrap()).collect())
}

fn played(fen: &str, moves: &[&str], chess960: bool) -> Game {
    let mut game = match fen {
        "startpos" => Game::start(),
        _ => Game::from_fen(fen).unwrap_or_else(|error| panic!("{error}")),
    };
    for text in moves {
        let mv = game.board().parse_uci(text, chess960);
        game.play(mv.unwrap_or_else(|| panic!("{text} is not legal in {}", game.board().fen(chess960))));
    }
    game
}

/// Games on which one rule decides.
pub fn edge_cases(lines: &str) {
    let mut judged = 0;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let chess960 = case["chess960"].as_bool().unwrap();
        let game = played(case["fen"].as_str().unwrap(), &texts(&case["moves"]), chess960);
        let board = game.board();
        assert_eq!(game.verdict(), verdict(case["verdict"].as_str().unwrap()), "{id}");
        // Read and written again, because it notes en-passant squares where taking would be illegal.
        let final_fen = Board::from_fen(case["final_fen"].as_str().unwrap()).unwrap().fen(false);
        assert_eq!(board.fen(false), final_fen, "{id}");
        assert_eq!(board.legal_moves().len() as u64, case["legal_moves"].as_u64().unwrap(), "{id}");
        assert_eq!(board.in_check(), case["check"].as_bool().unwrap(), "{id}");
        assert_eq!(u64::from(board.halfmove_clock()), case["halfmove"].as_u64().unwrap(), "{id}");
        let occurrences = 1 + game.earlier_keys().iter().filter(|&&key| key == board.key()).count() as u64;
        assert_eq!(occurrences, case["repetitions"].as_u64().unwrap(), "{id}");
        for text in texts(&case["moves_in"]) {
            assert!(board.parse_uci(text, chess960).is_some(), "{id}: {text} is legal");
        }
        for text in texts(&case["moves_out"]) {
            assert!(board.parse_uci(text, chess960).is_none(), "{id}: {text} is not legal");
        }
        judged += 1;
    }
    assert!(judged > 0);
}

/// Each position of a file with all its moves in SAN and the FEN after each.
pub fn move_lists(text: &str) {
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["testCases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let fen = case["start"]["fen"].as_str().unwrap();
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{error}"));
        let mut found: Vec<(String, String)> =
            board.legal_moves().into_iter().map(|mv| (board.san(mv), board.after(mv).fen(false))).collect();
        let wanted = case["expected"].as_array().unwrap().iter();
        // Read and written again, because some writers note en-passant squares where nothing can be taken.
        let mut wanted: Vec<(String, String)> = wanted
            .map(|item| {
                let after = Board::from_fen(item["fen"].as_str().unwrap()).unwrap();
                (item["move"].as_str().unwrap().to_owned(), after.fen(false))
            })
            .collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{fen}");
    }
}
