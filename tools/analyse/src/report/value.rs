//! Values of positions from White's view.

use lento::chess::{Board, Color};
use lento::eval::wdl;
use lento::score::{Score, is_decisive, mate_distance};

/// A position's value for White.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Expected score from 0 to 1: win probability plus half of draw probability.
    pub expected: f64,
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// 100 is a 50 % chance of winning.
    Centipawns(i32),
    /// Moves to mate, negative if White is mated.
    Mate(i32),
    Checkmate,
}

impl Value {
    /// Cap in centipawns when losses are added up.
    const MAX_CENTIPAWNS: i32 = 1000;

    /// Converts a score of the side to move.
    pub fn new(board: &Board, score: Score) -> Self {
        let (material, sign) = (wdl::material(board), board.side_to_move().sign());
        let [win, draw, _] = wdl::FITTED.chances(score, material);
        let expected = if is_decisive(score) { f64::from(score > 0) } else { win + draw / 2.0 };
        let shown = match mate_distance(score) {
            Some(moves) => Shown::Mate(moves * sign),
            None => Shown::Centipawns(wdl::normalise(score, material) * sign),
        };
        Self { expected: if sign > 0 { expected } else { 1.0 - expected }, shown }
    }

    pub fn checkmate(winner: Color) -> Self {
        Self { expected: if winner == Color::White { 1.0 } else { 0.0 }, shown: Shown::Checkmate }
    }

    pub fn expected_by(&self, color: Color) -> f64 {
        if color == Color::White { self.expected } else { 1.0 - self.expected }
    }

    /// Capped centipawns for a color; mates count as the cap.
    pub fn centipawns_of(&self, color: Color) -> i32 {
        let cp = match self.shown {
            Shown::Centipawns(cp) => cp.clamp(-Self::MAX_CENTIPAWNS, Self::MAX_CENTIPAWNS),
            _ if self.expected > 0.5 => Self::MAX_CENTIPAWNS,
            _ => -Self::MAX_CENTIPAWNS,
        };
        cp * color.sign()
    }

    /// As in the PGN comment `[%eval ...]`: `0.35`, `#-3`. `None` after mate.
    pub fn pgn(&self) -> Option<String> {
        match self.shown {
            Shown::Centipawns(cp) => Some(format!("{:.2}", f64::from(cp) / 100.0)),
            Shown::Mate(moves) => Some(format!("#{moves}")),
            Shown::Checkmate => None,
        }
    }

    /// For display: `+0.35`, `#-3`, `#`.
    pub fn text(&self) -> String {
        let sign = if matches!(self.shown, Shown::Centipawns(1..)) { "+" } else { "" };
        self.pgn().map_or_else(|| "#".into(), |value| format!("{sign}{value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::score::{TB_WIN, mate_in, mated_in};

    #[test]
    fn values_are_whites_view() {
        let white = Board::start();
        let black = white.after(white.parse_uci("e2e4", false).unwrap());
        for (board, sign) in [(&white, 1), (&black, -1)] {
            let value = |score: i32| Value::new(board, score * sign);
            assert_eq!(value(mate_in(5)).text(), if sign > 0 { "#3" } else { "#-3" }.replace('-', ""));
            assert_eq!(value(-mate_in(4)).pgn().as_deref(), Some("#-2"));
            assert_eq!((value(mate_in(5)).expected, value(-TB_WIN).expected), (1.0, 0.0));
            assert_eq!(
                (value(0).expected, value(0).text().as_str(), value(0).pgn().as_deref()),
                (0.5, "0.00", Some("0.00"))
            );
            assert!(value(80).expected > value(40).expected && value(40).expected > 0.5);
            assert!(value(80).text().starts_with('+') && value(-80).text().starts_with('-'));
            assert_eq!(value(-TB_WIN).centipawns_of(Color::White), -1000);
        }
        assert_eq!(Value::new(&white, mated_in(2)).text(), "#-1");
        let mate = Value::checkmate(Color::Black);
        assert_eq!((mate.pgn(), mate.text(), mate.expected_by(Color::Black)), (None, "#".into(), 1.0));
        assert_eq!(mate.centipawns_of(Color::White), -1000);
    }
}
