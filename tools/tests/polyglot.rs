//! Polyglot books of tests.

use lento::chess::Board;
use lento_common::polyglot::{Entry, key};

/// The bytes of a book of these moves, each after others from the start position, with its weight.
pub fn book(moves: &[(&str, &str, u16)]) -> Vec<u8> {
    let entry = |&(before, mv, weight): &(&str, &str, u16)| {
        let (mut board, mut last) = (Board::start(), None);
        for text in before.split_whitespace() {
            last = board.parse_uci(text, false);
            board.play(last.unwrap());
        }
        Entry::new(key(&board, last), board.parse_uci(mv, false).unwrap(), weight)
    };
    let mut entries: Vec<Entry> = moves.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.key);
    entries.into_iter().flat_map(Entry::bytes).collect()
}
