//! A part of a queue, for one of several machines.

use crate::cli::analyse::database::Key;

/// Part K of N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    part: u32,
    parts: u32,
}

impl Shard {
    /// Whether a position belongs to this part. Only the position decides: the same one is in the same part in every game, every
    /// file and on every machine.
    pub fn has(self, key: &Key) -> bool {
        key.hash() % self.parts == self.part - 1
    }
}

/// Reads `K/N`.
///
/// # Errors
/// Says what is expected.
pub fn shard(text: &str) -> Result<Shard, String> {
    let read = || {
        let (part, parts) = text.split_once('/')?;
        let (part, parts) = (part.trim().parse().ok()?, parts.trim().parse().ok()?);
        (1..=parts).contains(&part).then_some(Shard { part, parts })
    };
    read().ok_or_else(|| "expected the number of a part and of all parts, such as 1/8, 2/8 to 8/8".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;

    #[test]
    fn parts_are_read() {
        assert_eq!(shard("3/8"), Ok(Shard { part: 3, parts: 8 }));
        for text in ["0/8", "9/8", "1", "1/0", "/", "a/b", "1/8/2", "-1/8"] {
            assert!(shard(text).is_err_and(|error| error.contains("1/8")), "{text}");
        }
    }

    #[test]
    fn every_position_is_in_one_part() {
        let mut counts = [0; 5];
        let mut game = Game::start();
        for nth in 0..200 {
            let key = Key::new(&game);
            let parts: Vec<u32> = (1..=5).filter(|&part| Shard { part, parts: 5 }.has(&key)).collect();
            assert_eq!(parts.len(), 1);
            counts[parts[0] as usize - 1] += 1;
            let moves = game.board().legal_moves();
            if moves.is_empty() {
                game = Game::start();
            } else {
                game.play(moves[(nth * 7) % moves.len()]);
            }
        }
        assert!(counts.iter().all(|&count| count > 15), "{counts:?}");
    }
}
