//! The classical evaluation: a sum of terms that a player would recognise, each with a middlegame and an endgame value.
//!
//! `Survey` computes all attacks once; the terms read them. All numbers are in `weights`.

mod endgame;
mod king;
mod kpk;
mod material;
pub(crate) mod pair;
mod pawns;
mod pieces;
mod survey;
mod threats;
pub(crate) mod trace;
mod weights;

#[cfg(test)]
mod tests;

pub(crate) use pair::Pair;
pub(crate) use trace::Trace;

use crate::chess::{Board, Color, Move};
use crate::score::{MAX_EVAL, Score};
use material::Census;
use pawns::PawnCache;
use survey::Survey;
use trace::Term;
use weights as w;

/// One thread's evaluator, with its pawn cache.
#[derive(Default)]
pub struct Classical {
    pawns: PawnCache,
}

/// Terms in centipawns at the position's phase, by color; 0 in known endgames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Material and imbalance.
    pub material: [Score; 2],
    /// Passed pawns.
    pub passed: [Score; 2],
    /// King shelter and king danger; lower is worse for this king.
    pub king_safety: [Score; 2],
}

impl Classical {
    /// Evaluation in centipawns from the side to move's view, within ± [`MAX_EVAL`].
    pub fn evaluate(&mut self, board: &Board) -> Score {
        self.trace(board).score * board.side_to_move().sign()
    }

    /// The terms read by search recipes.
    pub fn terms(&mut self, board: &Board) -> Terms {
        let trace = self.trace(board);
        let sum = |first, second| {
            Color::ALL.map(|color| (trace.value(first, color) + trace.value(second, color)).taper(trace.phase))
        };
        Terms {
            material: sum(Term::Material, Term::Imbalance),
            passed: Color::ALL.map(|color| trace.value(Term::Passed, color).taper(trace.phase)),
            king_safety: sum(Term::Shelter, Term::Danger),
        }
    }

    /// Evaluates a position by terms.
    #[inline]
    pub fn trace(&mut self, board: &Board) -> Trace {
        let census = Census::new(board);
        let mut trace = Trace { phase: census.phase(), scale: endgame::FULL_SCALE, ..Trace::default() };
        trace.ending = endgame::known(board).or_else(|| endgame::crowded(board, &census));
        if let Some(value) = trace.ending {
            trace.score = finish(board, value);
            return trace;
        }
        let (structure, shelter) = self.pawns.probe(board);
        let mut survey = Survey::new(board, census);
        pieces::enter(&mut survey, &structure, &mut trace);
        for color in Color::ALL {
            let mut add = |term, value| trace.add(term, color, value);
            add(Term::Material, material::material(&census, color));
            add(Term::Imbalance, material::imbalance(&census, color));
            add(Term::PieceSquare, structure.squares[color]);
            add(Term::Pawns, structure.value[color]);
            add(Term::Passed, pawns::passed(&survey, &structure, color));
            add(Term::Shelter, shelter[color]);
            add(Term::Danger, king::danger(&survey, color, shelter[color]));
            add(Term::Threats, threats::threats(&survey, color));
            add(Term::Space, threats::space(&survey, color));
        }
        trace.add(Term::Tempo, board.side_to_move(), w::TEMPO);

        let sum = trace.rows.iter().fold(Pair::ZERO, |sum, &[white, black]| sum + white - black);
        let ahead = if sum.eg() >= 0 { Color::White } else { Color::Black };
        let initiative = endgame::initiative(&survey, &structure, sum.eg());
        trace.add(Term::Initiative, ahead, pair::s(0, initiative * ahead.sign()));
        trace.sum = sum + pair::s(0, initiative);

        trace.scale = endgame::scale(&survey, ahead);
        let scaled = |value: Score| value * trace.scale / endgame::FULL_SCALE;
        let (mg, eg) = (trace.sum.mg(), scaled(trace.sum.eg()));
        let mg = if trace.scale < endgame::DRAWISH { scaled(mg) } else { mg };
        trace.score = finish(board, pair::s(mg, eg).taper(trace.phase));
        trace
    }
}

/// Value of a known endgame in centipawns from the side to move's view.
pub fn known_ending(board: &Board) -> Option<Score> {
    endgame::known(board).map(|value| finish(board, value) * board.side_to_move().sign())
}

/// Phase of a position, 0 without pieces to [`FULL_PHASE`](pair::FULL_PHASE).
pub fn phase(board: &Board) -> i32 {
    Census::new(board).phase()
}

/// Piece-square gain of the moving piece in centipawns, ignoring promotions and castling rooks.
pub(crate) fn square_gain(board: &Board, mv: Move) -> Score {
    let Some(piece) = board.piece_on(mv.from()) else { return 0 };
    let at = |square| w::square(piece.color(), piece.kind(), square);
    (at(mv.to()) - at(mv.from())).taper(phase(board))
}

/// Decreases a score by 1/200 per ply of the halfmove clock and clamps it to evaluation scores.
pub(super) fn finish(board: &Board, score: Score) -> Score {
    let clock = board.halfmove_clock().min(100) as i32;
    (score * (200 - clock) / 200).clamp(-MAX_EVAL, MAX_EVAL)
}
