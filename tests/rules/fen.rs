//! FEN parsing: refused texts, normalised positions and error messages.

use crate::data;
use lento::chess::Board;

/// Resolves `\t`, `\n`, `\\` and bytes such as `\xe2`. Invalid UTF-8 is replaced, as by a lossy reader.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((plain, escape)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let (byte, length) = match escape.as_bytes()[0] {
            b'x' => (u8::from_str_radix(&escape[1..3], 16).unwrap(), 3),
            b't' => (b'\t', 1),
            b'n' => (b'\n', 1),
            other => panic!("unknown escape {:?} in {text:?}", char::from(other)),
        };
        bytes.push(byte);
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Malformed and impossible positions are refused; impossible castling rights are dropped.
#[test]
fn fens_are_parsed_or_refused() {
    for row in data::rows(data::path("fens.tsv")) {
        let (expected, text) = (&row[0], unescape(&row[1]));
        let parsed = Board::from_fen(&text).ok().map(|board| (board.fen(false), board.fen(true)));
        if expected == "refused" {
            assert_eq!(parsed, None, "{}: {text:?}", row[2]);
            continue;
        }
        let (fen, shredder) = parsed.unwrap_or_else(|| panic!("{text:?} is refused"));
        assert_eq!(&fen, expected, "{text:?}");
        assert_eq!(&Board::from_fen(&shredder).unwrap().fen(false), expected, "{text:?} via Shredder-FEN");
    }
}

#[test]
fn moves_and_passes_increment_the_clock() {
    for clock in [99, 65_534, 65_535, 100_000] {
        let board = Board::from_fen(&format!("4k3/8/8/8/8/8/8/4K3 w - - {clock} 7")).unwrap();
        let mv = board.parse_uci("e1d1", false).unwrap();
        let mut passed = board.clone();
        passed.pass();
        assert_eq!((board.after(mv).halfmove_clock(), passed.halfmove_clock()), (clock + 1, clock + 1));
        let fen = board.after(mv).fen(false);
        assert_eq!(fen, format!("4k3/8/8/8/8/8/8/3K4 b - - {} 7", (clock + 1).min(100_000)));
        assert!(Board::from_fen(&fen).is_ok());
    }
}

/// Messages are one short line, whatever the input.
#[test]
fn error_messages_are_short() {
    for text in ["Ü".repeat(3000), "/".repeat(100_000), format!("4k3/8/8/8/8/8/8/4K3 {} - - 0 1", "ß".repeat(9000))] {
        let message = Board::from_fen(&text).unwrap_err().to_string();
        assert!(message.len() < 1000 && !message.contains('\n'), "{} bytes", message.len());
    }
}
