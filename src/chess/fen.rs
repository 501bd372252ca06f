//! FEN parsing and formatting, and the definition of a valid position.

use super::{Board, CastlingSide, Color, File, Piece, PieceType, Rank, Square};
use std::fmt::Write;
use thiserror::Error;

/// The standard start position.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Maximum number of pieces on a board; with more, sums of the evaluation could overflow.
pub const MAX_PIECES: u32 = 32;

/// Maximum halfmove clock and fullmove number.
const MAX_COUNTER: u32 = 100_000;

/// FEN syntax error or invalid position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid FEN \"{0}\": {1}")]
pub struct FenError(String, String);

impl FenError {
    pub(super) fn new(text: &str, problem: String) -> Self {
        Self(shorten(text), problem)
    }
}

impl Board {
    /// Parses a position in FEN, X-FEN or Shredder-FEN.
    ///
    /// Missing trailing fields take their defaults. Impossible castling rights and en-passant squares are dropped.
    ///
    /// # Errors
    /// Invalid syntax, not exactly one king per side, more than [`MAX_PIECES`] pieces, a pawn on the first or last rank, or the
    /// side not to move in check. Reachability is not checked.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        parse(text).map_err(|problem| FenError::new(text, problem))
    }

    /// Formats the position as FEN. Castling rights are written as KQkq where unambiguous and by rook file otherwise; always by
    /// rook file (Shredder-FEN) for Chess960.
    pub fn fen(&self, chess960: bool) -> String {
        let mut text = String::new();
        for row in self.mailbox.chunks(8).rev() {
            for group in row.chunk_by(|a, b| a.is_none() && b.is_none()) {
                match group[0] {
                    Some(piece) => text.push(piece.letter()),
                    None => _ = write!(text, "{}", group.len()),
                }
            }
            text.push('/');
        }
        text.pop();
        let side = if self.side == Color::White { 'w' } else { 'b' };
        let en_passant = self.en_passant.map_or("-".to_owned(), |square| square.to_string());
        let rights = self.castling_text(chess960);
        // Larger counters could not be read back.
        let [clock, number] = [self.halfmove_clock, self.fullmove_number].map(|counter| counter.min(MAX_COUNTER));
        let _ = write!(text, " {side} {rights} {en_passant} {clock} {number}");
        text
    }

    fn castling_text(&self, shredder: bool) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for side in CastlingSide::ALL.into_iter().filter(|&side| self.castling.has(color, side)) {
                let rook = self.castling_rook(color, side);
                let letter = match (shredder || outermost_rook(self, color, side) != Some(rook), side) {
                    (true, _) => rook.file().letter(),
                    (false, CastlingSide::King) => 'k',
                    (false, CastlingSide::Queen) => 'q',
                };
                text.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }
}

/// Truncates long input for error messages.
pub(super) fn shorten(text: &str) -> String {
    const LIMIT: usize = 100;
    let text = text.trim();
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn parse(text: &str) -> Result<Board, String> {
    const EMPTY: &str = "empty text, expected <board> <side> <castling> <en passant> [<half-moves> <move number>]";
    let mut fields = text.split_whitespace();
    let mut board = Board::empty();
    parse_pieces(&mut board, fields.next().ok_or(EMPTY)?)?;
    board.side = match fields.next().unwrap_or("w") {
        "w" => Color::White,
        "b" => {
            board.keys.all ^= super::zobrist::SIDE;
            Color::Black
        }
        other => return Err(format!("invalid side to move '{}', expected w or b", shorten(other))),
    };
    let castling = fields.next().unwrap_or("-");
    let en_passant = fields.next().unwrap_or("-");
    board.halfmove_clock = parse_counter("halfmove clock", fields.next(), 0)?;
    board.fullmove_number = parse_counter("fullmove number", fields.next(), 1)?.max(1);
    if let Some(rest) = fields.next() {
        return Err(format!("'{}' after the move number, expected the end", shorten(rest)));
    }
    board.reversible = board.halfmove_clock;
    validate_pieces(&board)?;
    parse_castling(&mut board, castling)?;
    board.refresh();
    parse_en_passant(&mut board, en_passant)?;
    Ok(board)
}

fn parse_pieces(board: &mut Board, field: &str) -> Result<(), String> {
    for (rank, row) in Rank::ALL.into_iter().rev().zip(field.split('/')) {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(piece) = Piece::from_letter(letter) {
                board.put(piece, Square::new(File::from_index(file), rank));
            } else if !matches!(letter, '1'..='8') {
                return Err(format!(
                    "unexpected '{letter}' in the board field, expected a digit from 1 to 8 or one of PNBRQKpnbrqk"
                ));
            }
            file += letter.to_digit(10).unwrap_or(1) as usize;
        }
        if file != 8 {
            return Err(format!("rank {} has {file} squares, expected 8", rank.index() + 1));
        }
    }
    let ranks = field.split('/').count();
    if ranks == 8 { Ok(()) } else { Err(format!("{ranks} ranks, expected 8")) }
}

/// Checks validity, except for castling rights and the en-passant square, which are dropped if impossible.
fn validate_pieces(board: &Board) -> Result<(), String> {
    if (board.kind(PieceType::Pawn) & (Rank::First.bitboard() | Rank::Eighth.bitboard())).any() {
        return Err("pawn on the first or last rank".to_owned());
    }
    for color in Color::ALL {
        let kings = board.pieces(color, PieceType::King).count();
        if kings != 1 {
            return Err(format!("{color:?} has {kings} kings, expected 1"));
        }
    }
    let pieces = board.occupied().count();
    if pieces > MAX_PIECES {
        return Err(format!("{pieces} pieces, expected at most {MAX_PIECES}"));
    }
    let enemy_king = board.king(!board.side);
    if (board.attackers_to(enemy_king, board.occupied()) & board.color(board.side)).any() {
        return Err("side not to move is in check".to_owned());
    }
    Ok(())
}

/// The rook farthest from the king on this side of the first rank.
fn outermost_rook(board: &Board, color: Color, side: CastlingSide) -> Option<Square> {
    let king = board.king(color);
    let rooks = board.pieces(color, PieceType::Rook) & Rank::First.relative_to(color).bitboard();
    match side {
        CastlingSide::King => rooks.last().filter(|&rook| rook > king),
        CastlingSide::Queen => rooks.first().filter(|&rook| rook < king),
    }
}

fn parse_castling(board: &mut Board, field: &str) -> Result<(), String> {
    const EXPECTED: &str = "expected - or up to four of KQkq or rook files A-H, a-h";
    let invalid = || Err(format!("invalid castling rights '{}', {EXPECTED}", shorten(field)));
    if field == "-" {
        return Ok(());
    }
    if field.chars().count() > 4 {
        return invalid();
    }
    for letter in field.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let king = board.king(color);
        let rook = match letter.to_ascii_lowercase() {
            'k' => outermost_rook(board, color, CastlingSide::King),
            'q' => outermost_rook(board, color, CastlingSide::Queen),
            file @ 'a'..='h' => {
                let file = File::from_index(file as usize - 'a' as usize);
                let square = Square::new(file, Rank::First.relative_to(color));
                Some(square).filter(|&square| board.piece_on(square) == Some(Piece::new(color, PieceType::Rook)))
            }
            _ => return invalid(),
        };
        // A king with castling rights is never in a corner.
        let king_in_place = king.rank() == Rank::First.relative_to(color) && !matches!(king.file(), File::A | File::H);
        if let Some(rook) = rook.filter(|_| king_in_place) {
            let side = if rook > king { CastlingSide::King } else { CastlingSide::Queen };
            board.castling_rooks[color][side] = rook;
            board.set_castling(board.castling.with(color, side));
        }
    }
    Ok(())
}

/// Sets the en-passant square if a pawn has just passed it and an en-passant capture is legal.
fn parse_en_passant(board: &mut Board, field: &str) -> Result<(), String> {
    if field == "-" {
        return Ok(());
    }
    let invalid = |()| format!("invalid en-passant square '{}', expected - or a square such as e3", shorten(field));
    let target: Square = field.parse().map_err(invalid)?;
    let them = !board.side;
    let (pawn, start) = (target.forward(them), target.forward(!them));
    let passed = target.rank() == Rank::Third.relative_to(them)
        && board.pieces(them, PieceType::Pawn).has(pawn)
        && !board.occupied().has(target)
        && !board.occupied().has(start);
    if passed {
        board.allow_en_passant(target);
    }
    Ok(())
}

fn parse_counter(what: &str, field: Option<&str>, default: u32) -> Result<u32, String> {
    let Some(text) = field.filter(|&text| text != "-") else { return Ok(default) };
    let number = text.parse().ok().filter(|&number| number <= MAX_COUNTER);
    number.ok_or_else(|| format!("invalid {what} '{}', expected a number from 0 to {MAX_COUNTER} or -", shorten(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        for fen in [
            START,
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/8/8/2k5/2pP4/8/B7/4K3 b - d3 0 3",
            "4k3/8/8/8/8/8/8/4KR1R w F - 0 1",
            "8/8/4k3/8/8/3K4/8/8 b - - 150 200",
        ] {
            assert_eq!(Board::from_fen(fen).unwrap().fen(false), fen);
        }
        assert_eq!(Board::start().fen(true), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1");
    }

    #[test]
    fn missing_fields_take_defaults() {
        assert_eq!(Board::from_fen("4k3/8/8/8/8/8/8/4K3").unwrap().fen(false), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(
            Board::from_fen("4k3/8/8/8/8/8/8/4K3 b - - - 0").unwrap().fen(false),
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1"
        );
    }

    #[test]
    fn impossible_rights_are_dropped() {
        for (fen, expected) in [
            ("4k3/8/8/8/8/8/8/4K2r w K - 0 1", "4k3/8/8/8/8/8/8/4K2r w - - 0 1"),
            ("4k3/8/8/8/8/8/8/K6R w KQ - 0 1", "4k3/8/8/8/8/8/8/K6R w - - 0 1"),
            ("r3k2r/8/8/8/4K3/8/8/R6R w KQkq - 0 1", "r3k2r/8/8/8/4K3/8/8/R6R w kq - 0 1"),
            ("4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1", "4k3/8/8/K2pP2r/8/8/8/8 w - - 0 1"),
            ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"),
            ("4k3/8/8/4P3/8/8/8/4K3 w - e4 0 1", "4k3/8/8/4P3/8/8/8/4K3 w - - 0 1"),
        ] {
            assert_eq!(Board::from_fen(fen).unwrap().fen(false), expected, "{fen}");
        }
    }

    #[test]
    fn errors_quote_the_input_and_the_expectation() {
        for (fen, part) in [
            ("", "empty"),
            ("startpos", "unexpected 's' in the board field"),
            ("8/8/8/8/8/8/8 w - - 0 1", "7 ranks"),
            ("rnbqkbnr/pppppppp/8/6/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 5 has 6 squares"),
            ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move 'W'"),
            ("4k3/8/8/8/8/8/8/4K3 w xyz - 0 1", "castling rights 'xyz'"),
            ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en-passant square 'e9'"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 -5", "move number '-5'"),
            ("4k3/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings"),
            ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "pawn on the first"),
            ("qqqqkqqq/qqqqqqqq/8/8/8/3Q4/QQQQQQQQ/QQQQKQQQ w - - 0 1", "33 pieces, expected at most 32"),
            ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "not to move is in check"),
        ] {
            let message = Board::from_fen(fen).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains(fen), "{fen}: {message}");
        }
        let message = Board::from_fen(&"8".repeat(5000)).unwrap_err().to_string();
        assert!(message.len() < 300, "{message}");
    }
}
