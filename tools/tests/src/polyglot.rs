//! Polyglot books for tests.

/// The keys of positions after these moves, from python-chess.
const KEYS: [(&str, u64); 4] = [
    ("", 0x463b_9618_1691_fc9c),
    ("e2e4", 0x823c_9b50_fd11_4196),
    ("e2e4 e7e5", 0x0844_931a_6ef4_b9a0),
    ("d2d4", 0x830e_b9b2_0758_d1de),
];

/// A square as stored in a book.
fn square(name: &[u8]) -> u16 {
    u16::from(name[0] - b'a') | u16::from(name[1] - b'1') << 3
}

/// A book of moves with weights, each after moves from the start position.
pub fn book(moves: &[(&str, &str, u16)]) -> Vec<u8> {
    let entry = |&(before, mv, weight): &(&str, &str, u16)| {
        let (_, key) = KEYS.iter().find(|(moves, _)| *moves == before).expect("a position with a key");
        let (from, to) = mv.as_bytes().split_at(2);
        let mv = square(from) << 6 | square(to);
        [&key.to_be_bytes()[..], &mv.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    };
    let mut entries: Vec<Vec<u8>> = moves.iter().map(entry).collect();
    // Stable: keeps the order of moves of a position.
    entries.sort_by(|a, b| a[..8].cmp(&b[..8]));
    entries.concat()
}
