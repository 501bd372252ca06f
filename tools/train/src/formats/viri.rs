//! Viriformat: a file (shard) is a sequence of games. A game is a header of 32 bytes, then four bytes per ply: the move, and the score
//! of the position before it in centipawns **from White's point of view**; then four zero bytes. Numbers are little-endian.
//!
//! | Bytes of the header | Content |
//! |---|---|
//! | 0 to 7 | occupied squares, a1 first |
//! | 8 to 23 | a code of four bits per piece: pawn 0 to king 5, rook with castling right 6; plus 8 for Black |
//! | 24 | en-passant square or 64; the highest bit if Black is to move |
//! | 25 to 27 | half-move clock, move number |
//! | 28, 29, 31 | a score and a byte, unused |
//! | 30 | result: 0 Black wins, 1 drawn, 2 White wins |

use super::check_material;
use lento::chess::{Board, CastlingSide, Color, File, Move, MoveKind, Piece, PieceType, Rank, Square};
use lento_common::play::{GameResult, Record};

pub type Header = [u8; HEADER];
pub const HEADER: usize = 32;
/// Bytes of a move with its score.
pub const PLY: usize = 4;
/// The byte of the header with the result.
pub const RESULT: usize = 30;
/// The end of a game.
pub const TERMINATOR: [u8; PLY] = [0; PLY];

/// Codes of pieces.
pub const CASTLING_ROOK: u8 = 6;
pub const BLACK: u8 = 8;
const SIDE_AND_EN_PASSANT: usize = 24;
const NO_SQUARE: u8 = 64;
const MAX_CLOCK: u32 = 100;

/// The header of a game that starts from a position, with a move number of at most 65535. Fails if the half-move clock is too large.
pub fn to_header(board: &Board, result: GameResult) -> Result<Header, String> {
    let (clock, number) = (board.halfmove_clock(), board.fullmove_number().min(u16::MAX.into()));
    if clock > MAX_CLOCK {
        let fen = board.fen(true);
        return Err(format!("\"{fen}\" cannot be stored: half-move clock {clock}, expected at most {MAX_CLOCK}"));
    }
    let mut header = [0; HEADER];
    let code = |square| board.piece_on(square).map_or(0, |piece| piece_code(board, square, piece));
    put_codes(&mut header, board.occupied().map(|square| (square.index(), code(square))));
    let en_passant = board.en_passant().map_or(NO_SQUARE, |square| square.index() as u8);
    header[SIDE_AND_EN_PASSANT] = (board.side_to_move().index() as u8) << 7 | en_passant;
    header[25] = clock as u8;
    header[26..28].copy_from_slice(&(number as u16).to_le_bytes());
    header[RESULT] = result.half_points() as u8;
    Ok(header)
}

fn piece_code(board: &Board, square: Square, piece: Piece) -> u8 {
    let color = piece.color();
    let castles = |wing| board.castling().has(color, wing) && board.castling_rook(color, wing) == square;
    let kind = if CastlingSide::ALL.into_iter().any(castles) { CASTLING_ROOK } else { piece.kind().index() as u8 };
    kind + BLACK * color.index() as u8
}

/// The start position and the result of a game. As viriformat has no checksums, fails unless [`to_header`] writes the same header for
/// the position.
pub fn from_header(header: &Header) -> Result<(Board, GameResult), String> {
    let board = Board::from_fen(&fen(header)?).map_err(|error| error.to_string())?;
    check_material(&board)?;
    let result = result(header)?;
    let again = to_header(&board, result)?;
    let same_side = (header[SIDE_AND_EN_PASSANT] ^ again[SIDE_AND_EN_PASSANT]) & 0x80 == 0;
    // Some programs leave the move number at 0.
    let is_numbered = header[26..28] != [0; 2];
    match (0..28).find(|&index| header[index] != again[index] && (index < 26 || is_numbered)) {
        // Other programs store the en passant square after every double push, not only if a capture is possible.
        Some(SIDE_AND_EN_PASSANT) if same_side && may_be_en_passant(header[SIDE_AND_EN_PASSANT] & 0x7F, &board) => {}
        Some(index) => {
            let (found, expected, fen) = (header[index], again[index], board.fen(true));
            return Err(format!(
                "byte {index} of the start position is {found:#04x}, expected {expected:#04x} for \"{fen}\""
            ));
        }
        None => {}
    }
    Ok((board, result))
}

/// Occupied squares with piece codes, at most 32.
pub fn codes(header: &Header) -> impl Iterator<Item = (usize, u8)> {
    let occupied = u64::from_le_bytes(std::array::from_fn(|index| header[index]));
    let squares = (0..64).filter(move |square| occupied >> square & 1 == 1).enumerate().take(32);
    squares.map(|(index, square)| (square, header[8 + index / 2] >> (4 * (index % 2)) & 15))
}

/// Writes piece codes in ascending order of squares; only the first 32 fit.
pub fn put_codes(header: &mut Header, codes: impl Iterator<Item = (usize, u8)>) {
    let mut occupied = 0_u64;
    for (index, (square, code)) in codes.enumerate() {
        occupied |= 1 << square;
        if index < 32 {
            header[8 + index / 2] |= code << (4 * (index % 2));
        }
    }
    header[..8].copy_from_slice(&occupied.to_le_bytes());
}

/// Formats a header as FEN, with castling rights as files of rooks.
fn fen(header: &Header) -> Result<String, String> {
    let count: u32 = header[..8].iter().map(|byte| byte.count_ones()).sum();
    if count > 32 {
        return Err(format!("a position of {count} pieces, expected 2 to 32"));
    }
    let (mut board, mut castling) = (['1'; 64], String::new());
    for (square, code) in codes(header) {
        let color = if code < BLACK { Color::White } else { Color::Black };
        let kind = match code % BLACK {
            CASTLING_ROOK => PieceType::Rook,
            kind @ 0..CASTLING_ROOK => PieceType::ALL[usize::from(kind)],
            _ => return Err(format!("piece number {code}, expected 0 to 6 or 8 to 14")),
        };
        board[square] = Piece::new(color, kind).letter();
        if code % BLACK == CASTLING_ROOK {
            let file = File::ALL[square % 8].letter();
            castling.push(if color == Color::White { file.to_ascii_uppercase() } else { file });
        }
    }
    let ranks: Vec<String> = board.chunks(8).rev().map(String::from_iter).collect();
    let side = if header[SIDE_AND_EN_PASSANT] & 0x80 == 0 { 'w' } else { 'b' };
    let en_passant = header[SIDE_AND_EN_PASSANT] & 0x7F;
    let en_passant =
        if en_passant < NO_SQUARE { Square::from_index(en_passant.into()).to_string() } else { "-".into() };
    let castling = if castling.is_empty() { "-" } else { &castling };
    let number = u16::from_le_bytes([header[26], header[27]]);
    Ok(format!("{} {side} {castling} {en_passant} {} {number}", ranks.join("/"), header[25]))
}

/// Whether a double push of the last move may have passed a square.
fn may_be_en_passant(square: u8, board: &Board) -> bool {
    if square >= NO_SQUARE {
        return false;
    }
    let (square, mover) = (Square::from_index(square.into()), !board.side_to_move());
    square.rank() == Rank::Third.relative_to(mover)
        && board.piece_on(square.forward(mover)) == Some(Piece::new(mover, PieceType::Pawn))
        && board.piece_on(square).is_none()
        && board.piece_on(square.forward(!mover)).is_none()
}

pub fn result(header: &Header) -> Result<GameResult, String> {
    let points = header[RESULT];
    let expected = || format!("result {points}, expected 0 (Black wins), 1 or 2 (White wins)");
    GameResult::of_half_points(points).ok_or_else(expected)
}

/// A move as two bytes: from, to, promotion, flags.
pub fn to_word(mv: Move) -> u16 {
    let flags = match mv.promoted() {
        Some(kind) => (kind.index() as u16 - 1) << 12 | 0xC000,
        None if mv.is_castle() => 0x8000,
        None if mv.is_en_passant() => 0x4000,
        None => 0,
    };
    (mv.from().index() | mv.to().index() << 6) as u16 | flags
}

/// A move and the score before it, in centipawns from White's point of view, as bytes.
pub fn ply(mv: Move, score: i32) -> [u8; PLY] {
    let ([from, to], [low, high]) = (to_word(mv).to_le_bytes(), (score as i16).to_le_bytes());
    [from, to, low, high]
}

/// The move of two bytes, unchecked.
pub fn from_word(board: &Board, word: u16) -> Move {
    let [from, to] = [word, word >> 6].map(|square| Square::from_index(usize::from(square & 63)));
    let promoted = (word >> 14 == 3).then(|| PieceType::ALL[usize::from(word >> 12 & 3) + 1]);
    move_between(board, from, to, promoted)
}

/// The move of two bytes. Fails if it is illegal.
pub fn legal_move(board: &Board, word: u16) -> Result<Move, String> {
    let mv = from_word(board, word);
    if mv.from() == mv.to() || !board.is_legal(mv) || to_word(mv) != word {
        let (from, to, fen) = (mv.from(), mv.to(), board.fen(true));
        return Err(format!("move {from}{to} ({word:#06x}) is not legal in \"{fen}\""));
    }
    Ok(mv)
}

/// The move between two squares; castling is king takes own rook.
pub fn move_between(board: &Board, from: Square, to: Square, promoted: Option<PieceType>) -> Move {
    let captured = board.piece_on(to);
    if let Some(kind) = promoted {
        return Move::promotion(from, to, kind, captured.is_some());
    }
    let is_pawn = board.piece_on(from).is_some_and(|piece| piece.kind() == PieceType::Pawn);
    let kind = match captured {
        Some(piece) if piece.color() == board.side_to_move() => MoveKind::Castle,
        Some(_) => MoveKind::Capture,
        None if is_pawn && from.file() != to.file() => MoveKind::EnPassant,
        None if is_pawn && from.index().abs_diff(to.index()) == 16 => MoveKind::DoublePush,
        None => MoveKind::Quiet,
    };
    Move::new(from, to, kind)
}

/// A played game as bytes.
pub fn to_bytes(record: &Record) -> Result<Vec<u8>, String> {
    let mut bytes = to_header(&record.start, record.result)?.to_vec();
    let mut side = record.start.side_to_move();
    for ply in &record.plies {
        bytes.extend(self::ply(ply.mv, ply.score * side.sign()));
        side = !side;
    }
    bytes.extend(TERMINATOR);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_common::play::double_fischer;
    use std::collections::BTreeSet;
    use viriformat::chess::board::Board as ViriBoard;
    use viriformat::chess::chessmove::Move as ViriMove;
    use viriformat::dataformat::Game;

    /// The position of the viriformat library.
    fn viri(board: &Board) -> ViriBoard {
        let mut viri = ViriBoard::new();
        viri.set_from_fen(&board.fen(true), true).unwrap();
        viri
    }

    /// Rare moves of random games.
    #[derive(Default)]
    struct RareMoves {
        castles: u32,
        en_passants: u32,
        promotions: u32,
    }

    /// Plays a random game on both boards, which must agree on the position and the legal moves.
    fn compare(start: &str, random: &mut fastrand::Rng, rare_moves: &mut RareMoves) {
        let mut board = Board::from_fen(start).unwrap();
        let mut viri = viri(&board);
        for _ in 0..160 {
            let header = to_header(&board, GameResult::Draw).unwrap();
            let (again, result) = from_header(&header).unwrap();
            assert_eq!((again.fen(true), again.key(), result), (board.fen(true), board.key(), GameResult::Draw));
            let mut theirs = Vec::new();
            Game::new(&viri).serialise_into(&mut theirs).unwrap();
            theirs[RESULT] = 1;
            // The library stores every en-passant square.
            theirs[SIDE_AND_EN_PASSANT] = header[SIDE_AND_EN_PASSANT];
            assert_eq!(header, theirs[..HEADER], "{start}");
            // The library makes each move and does not count beyond the draw.
            if board.halfmove_clock() >= MAX_CLOCK {
                break;
            }
            let moves = board.legal_moves();
            let ours: BTreeSet<u16> = moves.iter().map(|&mv| to_word(mv)).collect();
            let theirs: BTreeSet<u16> = viri.legal_moves().iter().map(|mv| mv.inner()).collect();
            assert_eq!(ours, theirs, "{}", board.fen(true));
            for &mv in &moves {
                assert_eq!(legal_move(&board, to_word(mv)).as_ref(), Ok(&mv), "{}", board.fen(true));
            }
            if moves.is_empty() {
                break;
            }
            // Plays rare kinds of moves half of the time.
            let rare = moves.iter().find(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion());
            let any = moves[random.usize(..moves.len())];
            let mv = rare.copied().filter(|_| random.bool()).unwrap_or(any);
            rare_moves.castles += u32::from(mv.is_castle());
            rare_moves.en_passants += u32::from(mv.is_en_passant());
            rare_moves.promotions += u32::from(mv.is_promotion());
            assert!(viri.make_move_simple(ViriMove::from_raw(to_word(mv)).unwrap()));
            board = board.after(mv);
        }
    }

    #[test]
    fn random_games_match_the_viriformat_library() {
        let mut random = fastrand::Rng::with_seed(20);
        let mut rare_moves = RareMoves::default();
        for start in [
            lento::chess::fen::START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20",
            "4k3/P6p/8/1pP5/8/6pP/p6P/4K3 w - b6 0 1",
            // Castling with the inner rook, and castling without a king move.
            "1r2k1rr/ppppppp1/8/8/8/8/PPPPPP2/RR2K1RR w BGbg - 0 1",
            "1k5r/8/8/8/8/8/8/R5KR w HAh - 0 1",
        ] {
            for _ in 0..4 {
                compare(start, &mut random, &mut rare_moves);
            }
        }
        for _ in 0..30 {
            compare(&double_fischer(&mut random).fen(true), &mut random, &mut rare_moves);
        }
        assert!(rare_moves.castles > 20 && rare_moves.en_passants > 5 && rare_moves.promotions > 10);
    }

    #[test]
    fn counters_are_in_range() {
        let header = |fen: &str| to_header(&Board::from_fen(fen).unwrap(), GameResult::Draw);
        let fen = "4k3/8/8/8/8/8/8/4K2R w - - 101 90";
        let error = header(fen).unwrap_err();
        assert!(error.contains("half-move clock 101, expected at most 100") && error.contains(fen), "{error}");
        let stored = |number: u32| from_header(&header(&format!("4k3/8/8/8/8/8/8/4K2R w - - 0 {number}")).unwrap());
        assert_eq!(stored(70_000).unwrap().0.fullmove_number(), 65_535);
        let mut unnumbered = header("4k3/8/8/8/8/8/8/4K2R w - - 0 1").unwrap();
        unnumbered[26] = 0;
        assert_eq!(from_header(&unnumbered).unwrap().0.fullmove_number(), 1);
    }

    #[test]
    fn illegal_moves_are_errors() {
        let board = Board::start();
        let word = |from: Square, to: Square| (from.index() | to.index() << 6) as u16;
        let error = legal_move(&board, word(Square::E2, Square::E5)).unwrap_err();
        assert!(error.contains("e2e5") && error.contains("RNBQKBNR"), "{error}");
        let castle = word(Square::E1, Square::H1) | 0x8000;
        for word in [0, word(Square::E4, Square::E5), word(Square::B1, Square::B1), castle] {
            assert!(legal_move(&board, word).is_err(), "{word}");
        }
        let push = word(Square::E2, Square::E4);
        assert!(legal_move(&board, push).is_ok() && legal_move(&board, push | 0x4000).is_err());
    }
}
