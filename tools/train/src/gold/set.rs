//! Positions of a gold set: bulletformat, in which the first of the bytes that are free says where a position comes from.

use crate::formats::in_file;
use crate::formats::packed::{PackedFile, RECORD};
use bulletformat::ChessBoard;
use std::collections::HashSet;
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Game,
    /// A node inside a search, in sets of earlier versions.
    Search,
}

impl Origin {
    /// In the order of their bytes.
    pub const ALL: [Self; 2] = [Self::Game, Self::Search];

    pub fn of(position: &ChessBoard) -> Self {
        if position.extra[0] == Self::Search as u8 { Self::Search } else { Self::Game }
    }

    pub fn count(gold: impl Iterator<Item = Self> + Clone) -> [u64; 2] {
        Self::ALL.map(|origin| gold.clone().filter(|other| *other == origin).count() as u64)
    }
}

/// Reads a gold set. Fails if it has no positions.
pub fn read(path: &Path) -> Result<Vec<ChessBoard>, String> {
    let gold = PackedFile::open(path)?.collect::<Result<Vec<_>, _>>()?;
    if gold.is_empty() {
        return Err(in_file(path, "no positions; expected a gold set"));
    }
    Ok(gold)
}

/// A growing set without duplicates.
#[derive(Default)]
pub struct GoldSet {
    records: Vec<[u8; RECORD]>,
    /// Pieces and squares of all positions.
    seen: HashSet<[u8; 24]>,
}

impl GoldSet {
    /// Adds positions, except those with the pieces of another one.
    pub fn extend(&mut self, records: impl IntoIterator<Item = [u8; RECORD]>) {
        for record in records {
            let placement = std::array::from_fn(|index| record[index]);
            if self.seen.insert(placement) {
                self.records.push(record);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// The first positions, at most `most`.
    pub fn first(&self, most: usize) -> &[[u8; RECORD]] {
        &self.records[..most.min(self.records.len())]
    }
}

/// CRC-32 of a set in eight hexadecimal digits.
pub fn checksum(records: &[[u8; RECORD]]) -> String {
    format!("{:08x}", crc32fast::hash(records.as_flattened()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::packed;
    use lento::chess::Board;
    use lento_common::play::record::GameResult;

    fn record(board: &Board, score: i32, result: GameResult, origin: Origin) -> [u8; RECORD] {
        let mut position = packed::pack(board, score, result);
        position.extra[0] = origin as u8;
        packed::to_bytes(&position)
    }

    #[test]
    fn a_position_comes_once_and_says_where_it_comes_from() {
        let board = Board::start();
        let other = board.after(board.legal_moves()[3]);
        let mut set = GoldSet::default();
        set.extend([record(&board, 31, GameResult::Draw, Origin::Game)]);
        set.extend([
            record(&board, 90, GameResult::WhiteWins, Origin::Search),
            record(&other, 20, GameResult::WhiteWins, Origin::Search),
        ]);
        let read: Vec<_> = set.first(9).iter().map(|record| packed::from_bytes(record).unwrap()).collect();
        assert_eq!((read.len(), set.len(), set.first(1).len()), (2, 2, 1));
        assert_eq!(read.iter().map(Origin::of).collect::<Vec<_>>(), Origin::ALL);
        // The second is seen by Black.
        assert_eq!(
            read.iter().map(|position| (position.score, position.result)).collect::<Vec<_>>(),
            [(31, 1), (-20, 0)]
        );
    }
}
