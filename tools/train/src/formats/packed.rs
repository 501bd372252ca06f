//! Single positions in bulletformat: records of 32 bytes, as read by common trainers.
//!
//! Positions are stored from the point of view of the side to move: its pieces are "white" (0 to 5), those of the other side "black"
//! (8 to 13), and ranks are mirrored if Black is to move. So are score and result. Castling rights, en passant and counters are not
//! stored. The last three bytes are unused. A file (`*.bf`) contains only records.

use super::game::MAX_SCORE;
use super::{check_counts, in_file};
use bulletformat::ChessBoard;
use lento::chess::{Bitboard, Board, Color, Piece, PieceType, Square, attacks};
use lento_common::inputs;
use lento_common::play::GameResult;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub const RECORD: usize = 32;

/// A position with its score in centipawns **from White's point of view** and the result of the game. Clamps scores to those of mates.
pub fn pack(board: &Board, score: i32, result: GameResult) -> ChessBoard {
    let [pawns, knights, bishops, rooks, queens, kings] = PieceType::ALL.map(|kind| board.kind(kind).0);
    let [white, black] = Color::ALL.map(|color| board.color(color).0);
    let boards = [white, black, pawns, knights, bishops, rooks, queens, kings];
    let score = score.clamp(-MAX_SCORE, MAX_SCORE) as i16;
    let points = result.half_points() as f32 / 2.0;
    ChessBoard::from_raw(boards, board.side_to_move().index(), score, points).expect("each piece has one kind")
}

pub fn to_bytes(position: &ChessBoard) -> [u8; RECORD] {
    let mut bytes = [0; RECORD];
    bytes[..8].copy_from_slice(&position.occ.to_le_bytes());
    bytes[8..24].copy_from_slice(&position.pcs);
    bytes[24..26].copy_from_slice(&position.score.to_le_bytes());
    bytes[26..29].copy_from_slice(&[position.result, position.ksq, position.opp_ksq]);
    bytes[29..].copy_from_slice(&position.extra);
    bytes
}

pub fn from_bytes(bytes: &[u8; RECORD]) -> Result<ChessBoard, String> {
    let position = ChessBoard {
        occ: u64::from_le_bytes(std::array::from_fn(|index| bytes[index])),
        pcs: std::array::from_fn(|index| bytes[8 + index]),
        // Mates of other programs may score more.
        score: i16::from_le_bytes([bytes[24], bytes[25]]).clamp(-MAX_SCORE as i16, MAX_SCORE as i16),
        result: bytes[26],
        ksq: bytes[27],
        opp_ksq: bytes[28],
        extra: [bytes[29], bytes[30], bytes[31]],
    };
    check(&position)?;
    Ok(position)
}

/// Fails for impossible positions: invalid codes, kings elsewhere than stated, too many pieces or pawns of a side, pawns on the first
/// or last rank, a king that could be captured.
fn check(position: &ChessBoard) -> Result<(), String> {
    let count = position.occ.count_ones() as usize;
    if !(2..=32).contains(&count) {
        return Err(format!("a position of {count} pieces, expected 2 to 32"));
    }
    let mut kinds = [[Bitboard::EMPTY; 6]; 2];
    for (code, square) in *position {
        if code & 7 > 5 {
            return Err(format!("piece number {code}, expected 0 to 5 or 8 to 13"));
        }
        kinds[usize::from(code >> 3)][usize::from(code & 7)] |= Square::from_index(square.into()).bitboard();
    }
    let [own, other] = kinds;
    // The king of the other side is stored from the point of view of that side.
    let (own_king, other_king) = (position.ksq, position.opp_ksq ^ 56);
    let is_at = |kings: Bitboard, king: u8| kings.map(Square::index).eq([usize::from(king)]);
    if !is_at(own[5], own_king) || !is_at(other[5], other_king) {
        let [own, other] = [own[5], other[5]].map(|kings| kings.map(Square::index).collect::<Vec<_>>());
        return Err(format!("kings stated on squares {own_king} and {other_king}, found on {own:?} and {other:?}"));
    }
    if position.result > 2 {
        return Err(format!("result {}, expected 0, 1 or 2", position.result));
    }
    let code = |index: usize| position.pcs[index / 2] >> (4 * (index % 2)) & 15;
    if let Some(index) = (count..32).find(|&index| code(index) != 0) {
        return Err(format!("code of piece {} of {count}", index + 1));
    }
    for (side, kinds) in [("the side to move", own), ("the other side", other)] {
        check_counts(side, kinds.map(Bitboard::count))?;
        if kinds[0].0 & 0xFF00_0000_0000_00FF != 0 {
            return Err("pawn on the first or last rank".to_owned());
        }
    }
    let (king, occupied) = (Square::from_index(other_king.into()), Bitboard(position.occ));
    let [pawns, knights, bishops, rooks, queens, kings] = own;
    let attackers = attacks::pawn(Color::Black, king) & pawns
        | attacks::knight(king) & knights
        | attacks::bishop(king, occupied) & (bishops | queens)
        | attacks::rook(king, occupied) & (rooks | queens)
        | attacks::king(king) & kings;
    if attackers.any() { Err("the side not to move is in check".to_owned()) } else { Ok(()) }
}

/// The pieces with their squares from a1 upwards, with the side to move as White.
pub fn pieces(position: &ChessBoard) -> impl Iterator<Item = (Square, Piece)> {
    position.into_iter().map(|(code, square)| {
        let color = if code & 8 == 0 { Color::White } else { Color::Black };
        (Square::from_index(square.into()), Piece::new(color, PieceType::ALL[usize::from(code & 7)]))
    })
}

/// The position with the side to move as White, without castling rights, en passant and counters.
pub fn board(position: &ChessBoard) -> Board {
    let mut letters = ['1'; 64];
    for (square, piece) in pieces(position) {
        letters[square.index()] = piece.letter();
    }
    let ranks: Vec<String> = letters.chunks(8).rev().map(String::from_iter).collect();
    Board::from_fen(&format!("{} w - - 0 1", ranks.join("/"))).expect("the position was checked on reading")
}

/// The result of the game, with the side to move as White.
pub fn result(position: &ChessBoard) -> GameResult {
    GameResult::of_half_points(position.result).expect("the result was checked on reading")
}

/// The number of positions in a file, which must be a regular file of complete records.
pub fn count(path: &Path) -> Result<u64, String> {
    let metadata = std::fs::metadata(path).map_err(|error| in_file(path, error))?;
    let bytes = metadata.len();
    if !metadata.is_file() {
        return Err(in_file(path, "not a regular file; expected positions in bulletformat"));
    }
    if !bytes.is_multiple_of(RECORD as u64) {
        let expected = format!("expected positions in bulletformat of {RECORD} bytes each");
        return Err(in_file(path, format!("{bytes} bytes, {expected}")));
    }
    Ok(bytes / RECORD as u64)
}

pub fn count_all(files: &[PathBuf]) -> Result<u64, String> {
    files.iter().try_fold(0, |sum, file| Ok(sum + count(file)?))
}

/// The positions of files in order. One file is open at a time.
pub fn positions(files: &[PathBuf]) -> impl Iterator<Item = Result<ChessBoard, String>> {
    files.iter().flat_map(|path| {
        let file = PackedFile::open(path);
        let error = file.as_ref().err().cloned().map(Err);
        file.into_iter().flatten().chain(error)
    })
}

/// Positions read from a file at a time.
pub const SPAN: usize = 4096;

/// Iterates over the positions of a file. Ends after an error.
#[derive(Debug)]
pub struct PackedFile {
    path: PathBuf,
    reader: BufReader<File>,
    /// The numbers of the next positions, from 0.
    numbers: Range<u64>,
}

impl PackedFile {
    pub fn open(path: &Path) -> Result<Self, String> {
        let numbers = 0..count(path)?;
        let reader = BufReader::with_capacity(SPAN * RECORD, inputs::open(path)?);
        Ok(Self { path: path.to_owned(), reader, numbers })
    }

    /// Continues with a range of positions, numbered from 0.
    pub fn seek(&mut self, numbers: Range<u64>) -> Result<(), String> {
        self.numbers = numbers;
        let start = SeekFrom::Start(self.numbers.start * RECORD as u64);
        self.reader.seek(start).map(drop).map_err(|error| in_file(&self.path, error))
    }
}

impl Iterator for PackedFile {
    type Item = Result<ChessBoard, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.numbers.next()?;
        let invalid = |reason: String| {
            let at = number * RECORD as u64;
            in_file(&self.path, format!("position {} at byte {at}: {reason}; expected bulletformat", number + 1))
        };
        let mut bytes = [0; RECORD];
        let position = match self.reader.read_exact(&mut bytes) {
            Ok(()) => from_bytes(&bytes).map_err(invalid),
            Err(error) => Err(in_file(&self.path, error)),
        };
        if position.is_err() {
            self.numbers = 0..0;
        }
        Some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::GameFile;
    use crate::tests::sample;
    use lento_testing::Folder;

    #[test]
    fn positions_round_trip_from_the_side_to_move() {
        let folder = Folder::new("packed");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(12, 77)));
        let mut seen = [[0; 3]; 2];
        for game in GameFile::open(&path).unwrap() {
            let visit = |position: &crate::formats::Position| {
                let board = &position.board;
                let side = board.side_to_move();
                let packed = from_bytes(&to_bytes(&pack(board, position.score, position.result))).unwrap();
                let mut pieces: Vec<(Square, Piece)> = pieces(&packed).collect();
                assert_eq!(pieces.len(), board.occupied().count() as usize);
                let back = super::board(&packed);
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
                let king_of = |color: Color| board.king(color).index() ^ (56 * color.index());
                assert_eq!((packed.ksq as usize, packed.opp_ksq as usize), (king_of(side), king_of(!side)));
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
    fn scores_are_clamped_to_mates() {
        let board = Board::from_fen("4k3/8/8/8/8/8/8/R3K3 b - - 0 1").unwrap();
        assert_eq!(pack(&board, 40_000, GameResult::WhiteWins).score, -32_000);
        assert_eq!(pack(&board, -40_000, GameResult::WhiteWins).score, 32_000);
    }

    #[test]
    fn invalid_positions_are_errors() {
        let valid = to_bytes(&pack(&Board::start(), 20, GameResult::Draw));
        let check_error = |index: usize, value: u8, part: &str| {
            let mut bytes = valid;
            bytes[index] = value;
            let error = from_bytes(&bytes).unwrap_err();
            assert!(error.contains(part), "{index}: {error}");
        };
        let mut high = valid;
        high[24..26].copy_from_slice(&32_766_i16.to_le_bytes());
        assert_eq!((from_bytes(&valid).unwrap().score, from_bytes(&high).unwrap().score), (20, 32_000));
        check_error(26, 3, "result 3");
        check_error(27, 5, "kings stated on squares 5 and 60");
        check_error(28, 5, "4 and 61");
        check_error(8, 0x57, "piece number 7");
        check_error(8, 0x55, "found on [0, 1, 4]");
        check_error(2, 1, "33 pieces");
    }

    #[test]
    fn reads_files_and_reports_invalid_positions() {
        let folder = Folder::new("packed-file");
        let packed = [(30, GameResult::WhiteWins), (-5, GameResult::Draw)]
            .map(|(score, result)| pack(&Board::start(), score, result));
        let mut bytes: Vec<u8> = packed.iter().flat_map(to_bytes).collect();
        let path = folder.write("two.bf", &bytes);
        let file = PackedFile::open(&path).unwrap();
        assert_eq!((count(&path).unwrap(), file.map(Result::unwrap).collect()), (2, packed.to_vec()));

        let torn = folder.write("torn.bf", &bytes[..50]);
        let error = PackedFile::open(&torn).unwrap_err();
        assert!(error.contains("torn.bf: 50 bytes, expected positions in bulletformat of 32 bytes"), "{error}");
        bytes[RECORD + 26] = 9;
        let mut file = PackedFile::open(&folder.write("bad.bf", &bytes)).unwrap();
        assert!(file.next().unwrap().is_ok());
        let error = file.next().unwrap().unwrap_err();
        assert!(
            error.contains("bad.bf: position 2 at byte 32: result 9, expected 0, 1 or 2; expected bulletformat"),
            "{error}"
        );
        assert!(file.next().is_none());
        assert!(PackedFile::open(&folder.path().join("missing.bf")).unwrap_err().contains("missing.bf"));
        assert!(PackedFile::open(folder.path()).is_err());
    }

    /// A flipped side to move cannot be detected if either side may be to move.
    #[test]
    fn accepted_flipped_bits_round_trip() {
        let folder = Folder::new("packed-flipped");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(6, 78)));
        for game in GameFile::open(&path).unwrap() {
            let visit = |position: &crate::formats::Position| {
                let valid = to_bytes(&pack(&position.board, position.score, position.result));
                from_bytes(&valid).unwrap();
                for bit in 0..8 * RECORD {
                    let mut bytes = valid;
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    let Ok(read) = from_bytes(&bytes) else { continue };
                    let board = super::board(&read);
                    let again = to_bytes(&pack(&board, read.score.into(), super::result(&read)));
                    assert_eq!(again[..29], to_bytes(&read)[..29], "bit {bit}");
                }
            };
            game.unwrap().walk(visit).unwrap();
        }
    }
}
