//! Names of openings.

use lento::chess::Board;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A comment line, column names, and the openings sorted by moves.
const TABLE: &str = include_str!("openings.tsv");

/// ECO code and name.
pub type Opening = (&'static str, &'static str);

/// By position key, so that transpositions are found.
static OPENINGS: LazyLock<HashMap<u64, Opening>> = LazyLock::new(|| {
    let mut openings = HashMap::new();
    // The moves of a line and the positions after them, shared with the next line.
    let mut played: Vec<(&str, Board)> = Vec::new();
    for line in TABLE.lines().skip(2) {
        let mut columns = line.split('\t');
        let (Some(eco), Some(name), Some(moves)) = (columns.next(), columns.next(), columns.next()) else { continue };
        let words: Vec<&str> = moves.split(' ').collect();
        let shared = played.iter().zip(&words).take_while(|((known, _), word)| known == *word).count();
        played.truncate(shared);
        for &word in &words[shared..] {
            let board = played.last().map_or_else(Board::start, |(_, board)| board.clone());
            let mv = board.parse_san(word).expect("the table has legal moves");
            played.push((word, board.after(mv)));
        }
        if let Some((_, board)) = played.last() {
            openings.entry(board.key()).or_insert((eco, name));
        }
    }
    openings
});

pub fn named(board: &Board) -> Option<Opening> {
    OPENINGS.get(&board.key()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_openings_are_read() {
        assert_eq!(TABLE.lines().next().map(|line| line.starts_with('#') && line.contains("CC0")), Some(true));
        let lines = TABLE.lines().count() - 2;
        // Some positions have several names.
        assert!(OPENINGS.len() > lines * 99 / 100 && OPENINGS.len() <= lines, "{} of {lines}", OPENINGS.len());
    }
}
