//! Moves as text: UCI and SAN.

use super::fen::shorten;
use super::{Board, CastlingSide, Move, PieceType, Square};
use std::fmt::Write;

impl Board {
    /// Formats a move in UCI notation. Castling is written as e1g1, or as king takes rook for Chess960 and where the king's target
    /// could be reached by an ordinary king move.
    pub fn uci(&self, mv: Move, chess960: bool) -> String {
        let target = mv.is_castle().then(|| mv.castling_side().king_target(self.side)).filter(|target| {
            let steps = target.file().index().abs_diff(mv.from().file().index());
            !chess960 && steps > 1
        });
        let to = target.unwrap_or(mv.to());
        let promotion = mv.promoted().map_or(String::new(), |kind| kind.letter().to_string());
        format!("{}{to}{promotion}", mv.from())
    }

    /// Parses a legal move in UCI notation. Castling is accepted as king takes rook, and as the king's move to its target
    /// unless that is an ordinary king move; the letter of a promotion in either case.
    pub fn parse_uci(&self, text: &str, chess960: bool) -> Option<Move> {
        let moves = self.legal_moves();
        let lower = text.ends_with(['Q', 'R', 'B', 'N']).then(|| text.to_ascii_lowercase());
        let text = lower.as_deref().unwrap_or(text);
        let spelled = |spelling: bool| moves.iter().copied().find(|&mv| self.uci(mv, spelling) == text);
        spelled(chess960).or_else(|| spelled(!chess960))
    }

    /// Formats a move in SAN, with check and mate suffixes.
    pub fn san(&self, mv: Move) -> String {
        let mut text = self.spelled(mv, &self.needed_origin(mv));
        let after = self.after(mv);
        if after.in_check() {
            text.push(if after.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// SAN with this part of the origin square and no suffix.
    fn spelled(&self, mv: Move, origin: &str) -> String {
        if mv.is_castle() {
            return if mv.castling_side() == CastlingSide::King { "O-O" } else { "O-O-O" }.to_owned();
        }
        let mut text = String::new();
        if let Some(piece) = self.piece_on(mv.from()).filter(|piece| piece.kind() != PieceType::Pawn) {
            text.push(piece.kind().letter().to_ascii_uppercase());
        }
        text.push_str(origin);
        if mv.is_capture() {
            text.push('x');
        }
        let _ = write!(text, "{}", mv.to());
        if let Some(promoted) = mv.promoted() {
            let _ = write!(text, "={}", promoted.letter().to_ascii_uppercase());
        }
        text
    }

    /// File, rank or square of origin, as needed to disambiguate the move.
    fn needed_origin(&self, mv: Move) -> String {
        let from = mv.from();
        let mover = self.piece_on(from);
        if mover.is_none_or(|piece| piece.kind() == PieceType::Pawn) {
            return if mv.is_capture() { from.file().letter().to_string() } else { String::new() };
        }
        let rivals: Vec<Square> = self
            .legal_moves()
            .into_iter()
            .filter(|other| other.to() == mv.to() && other.from() != from && !other.is_castle())
            .map(Move::from)
            .filter(|&square| self.piece_on(square) == mover)
            .collect();
        match from.to_string() {
            _ if rivals.is_empty() => String::new(),
            square if rivals.iter().all(|rival| rival.file() != from.file()) => square[..1].to_owned(),
            square if rivals.iter().all(|rival| rival.rank() != from.rank()) => square[1..].to_owned(),
            square => square,
        }
    }

    /// Parses a legal move in UCI notation or SAN. Errors quote the text and say what is expected.
    pub fn read_move(&self, text: &str, chess960: bool) -> Result<Move, String> {
        self.parse_uci(text, chess960).or_else(|| self.parse_san(text)).ok_or_else(|| {
            let expected = match self.legal_moves().first() {
                Some(&mv) => format!("a move such as {}", self.uci(mv, chess960)),
                None => "none, the game is over".into(),
            };
            format!("{:?} is not a legal move in {}; expected {expected}", shorten(text), self.fen(chess960))
        })
    }

    /// Parses a legal move in SAN. Ignores check suffixes and annotations, accepts superfluous disambiguation; `None` if the
    /// text is ambiguous.
    pub fn parse_san(&self, text: &str) -> Option<Move> {
        let strip = |text: &str| text.trim_end_matches(['+', '#', '!', '?']).replace(['=', 'x', '-'], "");
        let wanted = strip(text).replace('0', "O");
        let target = target(&wanted);
        let mut found = None;
        for mv in self.legal_moves() {
            if !mv.is_castle() && target != Some(mv.to()) {
                continue;
            }
            let matches = |origin: &str| strip(&self.spelled(mv, origin)) == wanted;
            if matches(&self.needed_origin(mv)) {
                return Some(mv);
            }
            let from = mv.from().to_string();
            if [&from[..], &from[..1], &from[1..]].into_iter().any(matches) {
                if found.is_some() {
                    return None;
                }
                found = Some(mv);
            }
        }
        found
    }
}

/// The target square of a SAN without suffix.
fn target(text: &str) -> Option<Square> {
    let text = text.strip_suffix(|c: char| c.is_ascii_uppercase()).unwrap_or(text);
    text.get(text.len().checked_sub(2)?..)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn san_round_trip() {
        for (fen, uci, san) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", "O-O"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", "O-O-O"),
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8", "Rxa8+"),
            ("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "a1d1", "Rd1"),
            ("4k3/8/8/8/4K3/8/8/R6R w - - 0 1", "a1d1", "Rad1"),
            ("4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "a7a4", "R7a4"),
            ("1k6/8/8/Q6Q/8/8/8/Q3K3 w - - 0 1", "a5e5", "Qa5e5+"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
            ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q+"),
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(uci, false).unwrap_or_else(|| panic!("{fen} {uci}"));
            assert_eq!(board.san(mv), san, "{fen}");
            assert_eq!(board.parse_san(san), Some(mv), "{fen} {san}");
        }
    }

    #[test]
    fn parse_san_ignores_annotations_and_rejects_ambiguity() {
        let board = Board::from_fen("4k3/8/8/8/4K3/8/8/R6R w - - 0 1").unwrap();
        assert_eq!(board.parse_san("Rd1"), None);
        assert_eq!(board.parse_san("Rad1!?"), board.parse_uci("a1d1", false));
        assert_eq!(board.parse_san("Ra1-d1"), board.parse_uci("a1d1", false));
    }

    #[test]
    fn parses_both_castling_notations() {
        let board = Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
        let castle = board.parse_uci("e1g1", false);
        assert!(castle.is_some_and(Move::is_castle));
        assert_eq!(board.parse_uci("e1h1", false), castle);
        assert_eq!(board.parse_uci("e1h1", true), castle);
        assert_eq!(board.uci(castle.unwrap(), true), "e1h1");
        // King b1, rook c1: b1c1 is always castling.
        let board = Board::from_fen("4k3/8/8/8/8/8/8/1KR5 w C - 0 1").unwrap();
        assert!(board.parse_uci("b1c1", true).is_some_and(Move::is_castle));
    }
}
