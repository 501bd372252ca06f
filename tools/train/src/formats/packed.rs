//! Single positions in bulletformat: rows of 32 bytes, as the trainers of the field read them.
//!
//! A position is seen by the side to move: its pieces are "white" (0 to 5), those of the other side "black" (8 to 13), and the
//! board is turned over, ranks only, when Black is to move. Score and result are the side to move's as well. Castling
//! rights, en passant and counters are not kept. Three bytes are free. A file is such positions and nothing else, its name ends with `.bf`.

use super::{DataError, plausible};
use bulletformat::ChessBoard;
use lento::chess::{Board, Color, Piece, PieceType, Square, fen::FenError};
use lento_common::inputs;
use lento_common::play::record::GameResult;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// The bytes of a position.
pub const RECORD: usize = 32;

/// A position with its score in centipawns **from White's view** and the game's result. Scores beyond that of a
/// mate are cut.
///
/// # Panics
/// Never: every piece of a board is of one of the six kinds.
pub fn pack(board: &Board, score: i32, result: GameResult) -> ChessBoard {
    let kinds = PieceType::ALL.map(|kind| board.kind(kind).0);
    let [pawns, knights, bishops, rooks, queens, kings] = kinds;
    let [white, black] = Color::ALL.map(|color| board.color(color).0);
    let boards = [white, black, pawns, knights, bishops, rooks, queens, kings];
    let score = score.clamp(-plausible::MAX_SCORE, plausible::MAX_SCORE) as i16;
    let points = result.half_points() as f32 / 2.0;
    ChessBoard::from_raw(boards, board.side_to_move().index(), score, points).expect("every piece is of one kind")
}

/// The position as a file holds it.
pub fn to_bytes(position: &ChessBoard) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    bytes[..8].copy_from_slice(&position.occ.to_le_bytes());
    bytes[8..24].copy_from_slice(&position.pcs);
    bytes[24..26].copy_from_slice(&position.score.to_le_bytes());
    bytes[26..29].copy_from_slice(&[position.result, position.ksq, position.opp_ksq]);
    bytes[29..].copy_from_slice(&position.extra);
    bytes
}

/// The position that these bytes hold.
///
/// # Errors
/// They hold none; says what is wrong.
pub fn from_bytes(bytes: &[u8; RECORD]) -> Result<ChessBoard, String> {
    let (occ, rest) = bytes.split_first_chunk().expect("eight bytes of 32");
    let (pcs, rest) = rest.split_first_chunk().expect("sixteen bytes of 24");
    let [score_low, score_high, result, ksq, opp_ksq, one, two, three] = *rest else {
        unreachable!("eight bytes remain")
    };
    let position = ChessBoard {
        occ: u64::from_le_bytes(*occ),
        pcs: *pcs,
        score: i16::from_le_bytes([score_low, score_high]),
        result,
        ksq,
        opp_ksq,
        extra: [one, two, three],
    };
    check(&position)?;
    Ok(position)
}

/// Refuses what is no position: kings and their squares, pieces, result.
fn check(position: &ChessBoard) -> Result<(), String> {
    let pieces = position.occ.count_ones();
    if !(2..=32).contains(&pieces) {
        return Err(format!("a position of {pieces} pieces, expected 2 to 32"));
    }
    let mut kings = [None; 2];
    for (code, square) in *position {
        if code & 7 > 5 {
            return Err(format!("piece number {code}, expected 0 to 5 or 8 to 13"));
        }
        if code & 7 == 5 && kings[usize::from(code >> 3)].replace(square).is_some() {
            return Err("more than one king of a side".to_owned());
        }
    }
    // The other side's king is kept as that side sees it.
    if kings != [Some(position.ksq), Some(position.opp_ksq ^ 56)] {
        let [own, other] = kings;
        let there = (position.ksq, position.opp_ksq ^ 56);
        return Err(format!("kings said to be on squares {there:?}, the pieces have them on {own:?} and {other:?}"));
    }
    if position.result > 2 {
        return Err(format!("result {}, expected 0, 1 or 2", position.result));
    }
    plausible::packed(position)
}

/// The pieces with their squares from a1 upwards, as the side to move sees the board: its own pieces are the white ones.
pub fn pieces(position: &ChessBoard) -> impl Iterator<Item = (Square, Piece)> {
    position.into_iter().map(|(code, square)| {
        let color = if code & 8 == 0 { Color::White } else { Color::Black };
        (Square::from_index(square.into()), Piece::new(color, PieceType::ALL[usize::from(code & 7)]))
    })
}

/// The position as the side to move sees it: with that side as White, without castling rights, en passant and counters.
///
/// # Errors
/// The engine holds the position to be impossible; see [`Board::from_fen`].
pub fn board(position: &ChessBoard) -> Result<Board, FenError> {
    let mut letters = ['1'; 64];
    for (square, piece) in pieces(position) {
        letters[square.index()] = piece.letter();
    }
    let mut fen = String::with_capacity(90);
    for (index, rank) in letters.chunks(8).rev().enumerate() {
        if index > 0 {
            fen.push('/');
        }
        fen.extend(rank);
    }
    Board::from_fen(&(fen + " w - - 0 1"))
}

/// The game's result, with the side to move as White.
pub fn result(position: &ChessBoard) -> GameResult {
    match position.result {
        0 => GameResult::BlackWins,
        1 => GameResult::Draw,
        _ => GameResult::WhiteWins,
    }
}

/// How many positions a file holds.
///
/// # Errors
/// The file cannot be looked at, or its size is not that of whole positions.
pub fn count(path: &Path) -> Result<u64, DataError> {
    let metadata = std::fs::metadata(path).map_err(|error| DataError::Io { path: path.to_owned(), error })?;
    let bytes = metadata.len();
    if !metadata.is_file() {
        let error = std::io::Error::other("no regular file; expected positions in bulletformat");
        return Err(DataError::Io { path: path.to_owned(), error });
    }
    if !bytes.is_multiple_of(RECORD as u64) {
        return Err(DataError::Torn { path: path.to_owned(), bytes });
    }
    Ok(bytes / RECORD as u64)
}

/// How many positions some files hold together.
///
/// # Errors
/// Those of [`count`].
pub fn count_all(files: &[PathBuf]) -> Result<u64, DataError> {
    files.iter().try_fold(0, |sum, file| Ok(sum + count(file)?))
}

/// The positions of a file, in order.
#[derive(Debug)]
pub struct PackedFile {
    path: PathBuf,
    reader: BufReader<File>,
    next: u64,
    count: u64,
}

impl PackedFile {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be read, or its size is not that of whole positions.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let count = count(path)?;
        let file = inputs::open(path).map_err(|error| DataError::Io { path: path.to_owned(), error })?;
        Ok(Self { path: path.to_owned(), reader: BufReader::with_capacity(1 << 18, file), next: 0, count })
    }
}

impl Iterator for PackedFile {
    type Item = Result<ChessBoard, DataError>;

    /// The next position. There is nothing after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.count {
            return None;
        }
        let mut bytes = [0; RECORD];
        let read = self.reader.read_exact(&mut bytes);
        let number = self.next + 1;
        let position = match read.map(|()| from_bytes(&bytes)) {
            Ok(Ok(position)) => Ok(position),
            Ok(Err(reason)) => Err(DataError::Position { path: self.path.clone(), number, reason }),
            Err(error) => Err(DataError::Io { path: self.path.clone(), error }),
        };
        self.next = if position.is_ok() { number } else { self.count };
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Shards;
    use crate::sample;
    use lento_common::scratch::Folder;

    #[test]
    fn positions_come_back_as_the_side_to_move_sees_them() {
        let folder = Folder::new("packed");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(12, 77)));
        let mut seen = [[0; 3]; 2];
        for game in Shards::new(vec![path]) {
            let visit = |position: &crate::formats::Position| {
                let board = &position.board;
                let side = board.side_to_move();
                let packed = from_bytes(&to_bytes(&pack(board, position.score, position.result))).unwrap();
                let mut pieces: Vec<(Square, Piece)> = pieces(&packed).collect();
                assert_eq!(pieces.len(), board.occupied().count() as usize);
                let back = super::board(&packed).unwrap();
                assert!(
                    back.side_to_move() == Color::White
                        && super::pieces(&packed)
                            .eq(back.occupied().map(|square| { (square, back.piece_on(square).unwrap()) }))
                );
                for (square, piece) in &mut pieces {
                    if side == Color::Black {
                        *square = Square::from_index(square.index() ^ 56);
                        *piece = Piece::new(!piece.color(), piece.kind());
                    }
                    assert_eq!(board.piece_on(*square), Some(*piece), "{}", board.fen(true));
                }
                let seen_by = |color: Color| board.king(color).index() ^ (56 * color.index());
                assert_eq!((packed.ksq as usize, packed.opp_ksq as usize), (seen_by(side), seen_by(!side)));
                assert_eq!(i32::from(packed.score), position.score * side.sign());
                let points = position.result.half_points();
                assert_eq!(u32::from(packed.result), if side == Color::White { points } else { 2 - points });
                assert_eq!(super::result(&packed).half_points(), u32::from(packed.result));
                assert_eq!(packed.extra, [0; 3]);
                seen[side.index()][usize::from(packed.result)] += 1;
            };
            game.unwrap().walk(visit).unwrap();
        }
        assert!(seen.iter().flatten().all(|&count| count > 0), "both sides, every result: {seen:?}");
    }

    #[test]
    fn scores_are_cut_to_those_of_mates() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 1").unwrap();
        assert_eq!(pack(&board, 40_000, GameResult::WhiteWins).score, -32_000);
        assert_eq!(pack(&board, -40_000, GameResult::WhiteWins).score, 32_000);
    }

    #[test]
    fn what_is_no_position_is_refused() {
        let good = to_bytes(&pack(&Board::start(), 20, GameResult::Draw));
        let refused = |index: usize, value: u8, part: &str| {
            let mut bytes = good;
            bytes[index] = value;
            let error = from_bytes(&bytes).unwrap_err();
            assert!(error.contains(part), "{index}: {error}");
        };
        from_bytes(&good).unwrap();
        refused(26, 3, "result 3");
        refused(27, 5, "kings said to be on squares (5, 60)");
        refused(28, 5, "(4, 61)");
        refused(8, 0x57, "piece number 7");
        refused(8, 0x55, "more than one king");
        refused(2, 1, "33 pieces");
    }

    #[test]
    fn files_of_whole_positions_are_read() {
        let folder = Folder::new("packed-file");
        let packed = [(30, GameResult::WhiteWins), (-5, GameResult::Draw)]
            .map(|(score, result)| pack(&Board::start(), score, result));
        let mut bytes: Vec<u8> = packed.iter().flat_map(to_bytes).collect();
        let path = folder.write("two.bf", &bytes);
        let file = PackedFile::open(&path).unwrap();
        assert_eq!((count(&path).unwrap(), file.map(Result::unwrap).collect()), (2, packed.to_vec()));

        let torn = folder.write("torn.bf", &bytes[..50]);
        let error = PackedFile::open(&torn).unwrap_err().to_string();
        assert!(error.contains("torn.bf: 50 bytes, expected whole positions in bulletformat of 32 bytes"), "{error}");
        bytes[RECORD + 26] = 9;
        let mut file = PackedFile::open(&folder.write("bad.bf", &bytes)).unwrap();
        assert!(file.next().unwrap().is_ok());
        let error = file.next().unwrap().unwrap_err().to_string();
        assert!(
            error.contains("bad.bf: position 2 at byte 32: result 9, expected 0, 1 or 2; expected bulletformat"),
            "{error}"
        );
        assert!(file.next().is_none());
        assert!(PackedFile::open(&folder.path().join("missing.bf")).unwrap_err().to_string().contains("missing.bf"));
        assert!(PackedFile::open(folder.path()).is_err());
    }
}
