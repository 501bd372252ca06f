//! Identity of positions.

use lento::chess::Game;

/// A position with its repetition history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The FEN without the move number, which does not affect the search.
    pub fen: String,
    /// A hash of the positions since the last irreversible move; empty if none.
    pub past: String,
}

impl Key {
    pub fn new(game: &Game) -> Self {
        let fen = game.board().fen(false);
        let fen = fen.rsplit_once(' ').map_or(fen.as_str(), |(fields, _)| fields).to_owned();
        let mix = |sum: u64, key: &u64| (sum.rotate_left(7) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let past = match game.earlier_keys() {
            [] => String::new(),
            keys => format!("{:016x}", keys.iter().fold(keys.len() as u64, mix)),
        };
        Self { fen, past }
    }

    /// A platform-independent hash.
    pub fn hash(&self) -> u32 {
        crc32fast::hash(format!("{} {}", self.fen, self.past).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_console::setup::Setup;

    fn after(moves: &str) -> Key {
        Key::new(&Setup::default().game(moves).unwrap())
    }

    #[test]
    fn keys_differ_if_searches_do() {
        // The move number does not matter.
        let key = |fen: &str| Key::new(&Game::from_fen(fen).unwrap());
        assert_eq!(key("4k3/8/8/8/8/8/8/R3K3 w Q - 3 40"), key("4k3/8/8/8/8/8/8/R3K3 w Q - 3 7"));
        assert_ne!(key("4k3/8/8/8/8/8/8/R3K3 w Q - 3 40"), key("4k3/8/8/8/8/8/8/R3K3 w Q - 4 40"));
        // Transposed irreversible moves do not matter.
        assert_eq!(after("d4 d5 c4 e6"), after("c4 e6 d4 d5"));
        // The history matters.
        assert_ne!(after("Nf3 Nf6 g3"), after("g3 Nf6 Nf3"));
        assert_ne!(after("Nf3 Nf6 Nc3 Nc6"), after("Nc3 Nc6 Nf3 Nf6"));
        let start = after("");
        assert_eq!((start.past.as_str(), start.fen.ends_with(" KQkq - 0")), ("", true));
    }
}
