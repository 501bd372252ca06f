//! Opening books in Polyglot's format: entries of 16 bytes, sorted by the key of the position.

use crate::inputs;
use crate::notice::notice;
use fastrand::Rng;
use lento::chess::{Board, CastlingSide, Color, Move, PieceType, Square, attacks};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The 781 random numbers of the format, big-endian: pieces, castling, en passant, side.
const RANDOM: &[u8; 781 * 8] = include_bytes!("random64.bin");
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const SIDE: usize = 780;

/// The key of a position, given the last move if known. En passant counts if a pawn, even a pinned one, stands beside one that has
/// just moved two squares.
pub fn key(board: &Board, last: Option<Move>) -> u64 {
    let random = |at: usize| RANDOM[8 * at..8 * at + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let mut key = 0;
    for square in Square::ALL {
        if let Some(piece) = board.piece_on(square) {
            let kind = 2 * piece.kind() as usize + usize::from(piece.color() == Color::White);
            key ^= random(64 * kind + square.index());
        }
    }
    let rights = Color::ALL.into_iter().flat_map(|color| CastlingSide::ALL.map(|side| (color, side)));
    for (at, (color, side)) in rights.enumerate() {
        if board.castling().has(color, side) {
            key ^= random(CASTLING + at);
        }
    }
    let us = board.side_to_move();
    let passed = last.filter(|mv| mv.is_double_push()).map(|mv| mv.to().forward(us));
    let can_capture = |&target: &Square| (attacks::pawn(!us, target) & board.pieces(us, PieceType::Pawn)).any();
    if let Some(square) = passed.filter(can_capture).or(board.en_passant()) {
        key ^= random(EN_PASSANT + square.file().index());
    }
    if us == Color::White { key ^ random(SIDE) } else { key }
}

/// A book move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key of the position.
    pub key: u64,
    /// Target, origin and promotion in 6, 6 and 3 bits; castling is king takes own rook.
    pub mv: u16,
    /// Probability of the move relative to others; 0 excludes it.
    pub weight: u16,
}

impl Entry {
    const SIZE: usize = 16;

    /// An entry for a move of the position with a key.
    pub fn new(key: u64, mv: Move, weight: u16) -> Self {
        let promoted = mv.promoted().map_or(0, |piece| piece as u16);
        Self { key, mv: mv.to().index() as u16 | (mv.from().index() as u16) << 6 | promoted << 12, weight }
    }

    /// The entry as stored in a file.
    pub fn bytes(self) -> [u8; Self::SIZE] {
        (u128::from(self.key) << 64 | u128::from(self.mv) << 48 | u128::from(self.weight) << 32).to_be_bytes()
    }

    fn from_bytes(bytes: &[u8; Self::SIZE]) -> Self {
        let entry = u128::from_be_bytes(*bytes);
        Self { key: (entry >> 64) as u64, mv: (entry >> 48) as u16, weight: (entry >> 32) as u16 }
    }

    /// The move in Chess960 UCI notation.
    fn text(self) -> String {
        let square = |bits: u16| Square::from_index(usize::from(bits & 63));
        let promotion = match usize::from(self.mv >> 12 & 7) {
            0 => String::new(),
            piece => PieceType::ALL.get(piece).map_or('?', |piece| piece.letter()).into(),
        };
        format!("{}{}{promotion}", square(self.mv >> 6), square(self.mv))
    }
}

/// A book in memory.
#[derive(Debug)]
pub struct Book {
    path: PathBuf,
    entries: Vec<u8>,
    /// Whether an illegal move has been reported.
    reported: AtomicBool,
}

impl Book {
    /// Whether a file name has the extension of a book.
    pub fn is_named(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"))
    }

    /// Reads a book of at most 2 GiB.
    ///
    /// # Errors
    /// I/O errors, or the file is empty, truncated or not sorted.
    pub fn read(path: &Path) -> Result<Self, String> {
        let invalid = |problem: String| Err(inputs::in_file(path, problem + "; expected a Polyglot book"));
        let book = Self { path: path.to_owned(), entries: inputs::read(path)?, reported: AtomicBool::new(false) };
        let (entries, rest) = book.entries.as_chunks();
        if !rest.is_empty() {
            return invalid(format!("{} bytes, not a multiple of {}", book.entries.len(), Entry::SIZE));
        }
        if entries.is_empty() {
            return invalid("empty".into());
        }
        let key = |entry: &[u8; Entry::SIZE]| Entry::from_bytes(entry).key;
        if let Some(at) = entries.windows(2).position(|pair| key(&pair[0]) > key(&pair[1])) {
            return invalid(format!("entry {} of {} has a smaller key than the one before", at + 2, entries.len()));
        }
        Ok(book)
    }

    /// The legal moves of a position and their positive weights, given the last move. Reports the first illegal move.
    pub fn moves(&self, board: &Board, last: Option<Move>) -> Vec<(Move, u16)> {
        let key = key(board, last);
        let (entries, _) = self.entries.as_chunks();
        let first = entries.partition_point(|entry| Entry::from_bytes(entry).key < key);
        let found = entries[first..].iter().map(Entry::from_bytes).take_while(|entry| entry.key == key);
        let legal = found.filter(|entry| entry.weight > 0).filter_map(|entry| {
            let mv = board.parse_uci(&entry.text(), true);
            if mv.is_none() && !self.reported.swap(true, Relaxed) {
                let (path, mv, fen) = (self.path.display(), entry.text(), board.fen(false));
                notice(format_args!("{path}: {mv:?} is not legal in {fen:?}; such moves are skipped"));
            }
            Some((mv?, entry.weight))
        });
        legal.collect()
    }

    /// The position after at most `plies` moves drawn by weight from the start position.
    pub fn draw(&self, plies: u32, rng: &mut Rng) -> Board {
        let (mut board, mut last) = (Board::start(), None);
        for _ in 0..plies {
            let moves = self.moves(&board, last);
            let total = moves.iter().map(|&(_, weight)| u64::from(weight)).sum::<u64>();
            if total == 0 {
                break;
            }
            let mut rest = rng.u64(..total);
            let drawn = moves.iter().find(|&&(_, weight)| {
                let (less, found) = rest.overflowing_sub(weight.into());
                rest = less;
                found
            });
            let &(mv, _) = drawn.expect("the number is below the sum of the weights");
            board.play(mv);
            last = Some(mv);
        }
        board
    }
}

#[cfg(test)]
mod tests;
