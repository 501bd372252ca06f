//! Boards and moves of the engine as viriformat has them, and back.
//!
//! Both write castling as the king taking its own rook, number the squares from a1 and keep the squares of a move in the
//! same bits; only the flags of moves differ, and how castling rights are kept.

use lento::chess::{Board, Color, File, Move, MoveKind, Piece, PieceType, Rank, Square, fen::FenError};
use thiserror::Error;
use viriformat::chess::board::Board as ViriBoard;
use viriformat::chess::chessmove::{Move as ViriMove, MoveFlags};
use viriformat::chess::piece::{Colour as ViriColor, PieceType as ViriKind};
use viriformat::chess::types::Square as ViriSquare;

/// The format has a byte for the half-move clock; its reader takes no position beyond the draw.
const MAX_CLOCK: u32 = 100;

/// Why a position or move has no counterpart.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The format has too little room for a counter.
    #[error("\"{fen}\" can't be stored: {what} {value}, expected at most {most}")]
    Counter {
        /// The position.
        fen: String,
        /// Which counter.
        what: &'static str,
        /// What it says.
        value: u32,
        /// The most that can be stored.
        most: u32,
    },
    /// Viriformat does not take the position.
    #[error("\"{fen}\" can't be stored: {reason}")]
    Refused {
        /// The position.
        fen: String,
        /// What viriformat says.
        reason: String,
    },
    /// The engine does not take the position.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The move is none of the position's.
    #[error("move {mv} is not legal in \"{fen}\"")]
    Move {
        /// The move as squares: e2e4; castling as king takes rook.
        mv: String,
        /// The position.
        fen: String,
    },
}

/// The position for viriformat.
///
/// # Errors
/// The half-move clock is beyond 100, or the move number beyond 65 535.
pub fn to_viri_board(board: &Board) -> Result<ViriBoard, ConvertError> {
    let fen = board.fen(true);
    let counters = [
        ("half-move clock", board.halfmove_clock(), MAX_CLOCK),
        ("move number", board.fullmove_number(), u32::from(u16::MAX)),
    ];
    if let Some((what, value, most)) = counters.into_iter().find(|(_, value, most)| value > most) {
        return Err(ConvertError::Counter { fen, what, value, most });
    }
    let mut viri = ViriBoard::new();
    match viri.set_from_fen(&fen, true) {
        Ok(()) => Ok(viri),
        Err(reason) => Err(ConvertError::Refused { fen, reason: reason.to_string() }),
    }
}

/// The position for the engine. An en-passant square where nothing can be taken is dropped.
///
/// # Errors
/// The engine holds the position to be impossible; see [`Board::from_fen`].
pub fn from_viri_board(viri: &ViriBoard) -> Result<Board, ConvertError> {
    let mut text = String::with_capacity(90);
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            match piece_on(viri, Square::new(file, rank)) {
                Some(piece) => text.push(piece.letter()),
                None => text.push('1'),
            }
        }
        if rank != Rank::First {
            text.push('/');
        }
    }
    let side = if viri.turn() == ViriColor::White { 'w' } else { 'b' };
    let en_passant = viri.ep_sq().map_or("-".to_owned(), |square| from_viri_square(square).to_string());
    let (clock, number) = (viri.fifty_move_counter(), viri.full_move_number());
    let text = format!("{text} {side} {} {en_passant} {clock} {number}", castling_text(viri));
    Ok(Board::from_fen(&text)?)
}

/// The rights by rook files, as in Shredder-FEN.
fn castling_text(viri: &ViriBoard) -> String {
    let rights = viri.castling_rights();
    let mut text = String::new();
    for color in [ViriColor::White, ViriColor::Black] {
        for rook in [rights.kingside(color), rights.queenside(color)].into_iter().flatten() {
            let letter = from_viri_square(rook).file().letter();
            text.push(if color == ViriColor::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// A legal move of the engine for viriformat.
pub fn to_viri_move(mv: Move) -> ViriMove {
    let (from, to) = (to_viri_square(mv.from()), to_viri_square(mv.to()));
    match mv.promoted() {
        Some(PieceType::Knight) => ViriMove::new_with_promo(from, to, ViriKind::Knight),
        Some(PieceType::Bishop) => ViriMove::new_with_promo(from, to, ViriKind::Bishop),
        Some(PieceType::Rook) => ViriMove::new_with_promo(from, to, ViriKind::Rook),
        Some(_) => ViriMove::new_with_promo(from, to, ViriKind::Queen),
        None if mv.is_castle() => ViriMove::new_with_flags(from, to, MoveFlags::Castle),
        None if mv.is_en_passant() => ViriMove::new_with_flags(from, to, MoveFlags::EnPassant),
        None => ViriMove::new(from, to),
    }
}

/// A move of viriformat for the engine, in its position.
///
/// # Errors
/// The move is not legal in the position.
pub fn from_viri_move(board: &Board, viri: ViriMove) -> Result<Move, ConvertError> {
    let (from, to) = (from_viri_square(viri.from()), from_viri_square(viri.to()));
    if from != to {
        let mv = move_on(board, viri);
        if board.is_legal(mv) {
            return Ok(mv);
        }
    }
    Err(ConvertError::Move { mv: format!("{from}{to}"), fen: board.fen(true) })
}

/// A legal move of viriformat for the engine, in its position. Its squares have to differ.
pub fn move_on(board: &Board, viri: ViriMove) -> Move {
    let (from, to) = (from_viri_square(viri.from()), from_viri_square(viri.to()));
    let capture = board.piece_on(to).is_some();
    let is_pawn = board.piece_on(from).is_some_and(|piece| piece.kind() == PieceType::Pawn);
    let is_double = is_pawn && from.index().abs_diff(to.index()) == 16;
    match viri.promotion_type() {
        Some(ViriKind::Knight) => Move::promotion(from, to, PieceType::Knight, capture),
        Some(ViriKind::Bishop) => Move::promotion(from, to, PieceType::Bishop, capture),
        Some(ViriKind::Rook) => Move::promotion(from, to, PieceType::Rook, capture),
        Some(_) => Move::promotion(from, to, PieceType::Queen, capture),
        None if viri.is_castle() => Move::new(from, to, MoveKind::Castle),
        None if viri.is_ep() => Move::new(from, to, MoveKind::EnPassant),
        None if capture => Move::new(from, to, MoveKind::Capture),
        None if is_double => Move::new(from, to, MoveKind::DoublePush),
        None => Move::new(from, to, MoveKind::Quiet),
    }
}

fn to_viri_square(square: Square) -> ViriSquare {
    ViriSquare::new_clamped(square.index() as u8)
}

fn from_viri_square(square: ViriSquare) -> Square {
    Square::from_index(square.index())
}

fn piece_on(viri: &ViriBoard, square: Square) -> Option<Piece> {
    let piece = viri.piece_at(to_viri_square(square))?;
    let kind = PieceType::ALL[usize::from(piece.piece_type().inner())];
    Some(Piece::new(if piece.colour() == ViriColor::White { Color::White } else { Color::Black }, kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What a random game has shown.
    #[derive(Default)]
    struct Seen {
        castles: u32,
        en_passants: u32,
        promotions: u32,
    }

    /// Plays a random game on both boards, which must agree on the position and on every legal move.
    fn compare(start: &str, random: &mut fastrand::Rng, seen: &mut Seen) {
        let mut board = Board::from_fen(start).unwrap();
        let mut viri = to_viri_board(&board).unwrap();
        for _ in 0..160 {
            assert_eq!(from_viri_board(&viri).unwrap().fen(true), board.fen(true), "{start}");
            let again = from_viri_board(&to_viri_board(&board).unwrap()).unwrap();
            assert_eq!(again.fen(true), board.fen(true));
            assert_eq!(again.key(), board.key());
            // Viriformat tries each move and does not count beyond the draw.
            if board.halfmove_clock() >= MAX_CLOCK {
                break;
            }
            let moves = board.legal_moves();
            let ours: BTreeSet<u16> = moves.iter().map(|&mv| to_viri_move(mv).inner()).collect();
            let theirs: BTreeSet<u16> = viri.legal_moves().iter().map(|mv| mv.inner()).collect();
            assert_eq!(ours, theirs, "{}", board.fen(true));
            for &mv in &moves {
                assert_eq!(from_viri_move(&board, to_viri_move(mv)).unwrap(), mv, "{}", board.fen(true));
            }
            if moves.is_empty() {
                break;
            }
            // The rare kinds of moves are played when they can be, every other time.
            let rare = moves.iter().find(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion());
            let any = moves[random.usize(..moves.len())];
            let mv = rare.copied().filter(|_| random.bool()).unwrap_or(any);
            seen.castles += u32::from(mv.is_castle());
            seen.en_passants += u32::from(mv.is_en_passant());
            seen.promotions += u32::from(mv.is_promotion());
            assert!(viri.make_move_simple(to_viri_move(mv)));
            board = board.after(mv);
        }
    }

    /// A start position of double Fischer random chess.
    fn shuffled(random: &mut fastrand::Rng) -> String {
        let mut row = || {
            let mut pieces = ['r', 'k', 'r', 'n', 'n', 'b', 'b', 'q'];
            loop {
                random.shuffle(&mut pieces);
                let at = |letter| (0..8).filter(|&file| pieces[file] == letter).collect::<Vec<_>>();
                let (rooks, king, bishops) = (at('r'), at('k')[0], at('b'));
                if rooks[0] < king && king < rooks[1] && bishops[0] % 2 != bishops[1] % 2 {
                    return pieces.iter().collect::<String>();
                }
            }
        };
        let (white, black) = (row(), row());
        let rooks = |row: &str| -> String {
            row.char_indices().filter(|(_, piece)| *piece == 'r').map(|(file, _)| (b'a' + file as u8) as char).collect()
        };
        let rights = rooks(&white).to_uppercase() + &rooks(&black);
        format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w {rights} - 0 1", white.to_uppercase())
    }

    #[test]
    fn random_games_agree_with_viriformat() {
        let mut random = fastrand::Rng::with_seed(20);
        let mut seen = Seen::default();
        for start in [
            lento::chess::fen::START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20",
            "4k3/P6p/8/1pP5/8/6pP/p6P/4K3 w - b6 0 1",
            // The rook that castles is the inner one, and a king that castles without moving.
            "1r2k1rr/ppppppp1/8/8/8/8/PPPPPP2/RR2K1RR w BGbg - 0 1",
            "1k5r/8/8/8/8/8/8/R5KR w HAh - 0 1",
        ] {
            for _ in 0..4 {
                compare(start, &mut random, &mut seen);
            }
        }
        for _ in 0..30 {
            compare(&shuffled(&mut random), &mut random, &mut seen);
        }
        assert!(seen.castles > 20 && seen.en_passants > 5 && seen.promotions > 10);
    }

    #[test]
    fn what_can_not_be_stored_is_refused() {
        for (fen, part) in [
            ("4k3/8/8/8/8/8/8/4K2R w - - 101 90", "half-move clock 101, expected at most 100"),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 70000", "move number 70000, expected at most 65535"),
        ] {
            let error = to_viri_board(&Board::from_fen(fen).unwrap()).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains(fen), "{error}");
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let board = Board::start();
        let word = |from: Square, to: Square| {
            ViriMove::from_raw((from.index() | to.index() << 6) as u16).expect("not all zero")
        };
        let error = from_viri_move(&board, word(Square::E2, Square::E5)).unwrap_err().to_string();
        assert!(error.contains("e2e5") && error.contains("RNBQKBNR"), "{error}");
        assert!(from_viri_move(&board, word(Square::E4, Square::E5)).is_err());
        assert!(from_viri_move(&board, word(Square::B1, Square::B1)).is_err());
        let castle = ViriMove::new_with_flags(ViriSquare::E1, ViriSquare::H1, MoveFlags::Castle);
        assert!(from_viri_move(&board, castle).is_err());
    }
}
