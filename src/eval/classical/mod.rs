//! The classical evaluation: a sum of terms that a player would recognise, each with a middlegame and an endgame value.
//!
//! `survey::Survey` works out once who attacks what; each term reads it. All numbers are in `weights`.

mod endgame;
mod initiative;
mod king;
mod kpk;
pub mod material;
mod pair;
mod passed;
mod pawns;
mod pieces;
mod pst;
mod shelter;
mod space;
mod survey;
pub mod term;
mod threats;
pub mod trace;
pub mod tracer;
mod weights;

#[cfg(test)]
mod tests;

pub use pair::Pair;
pub use term::Term;
pub use trace::Trace;
pub use tracer::Tracer;

use crate::chess::{Board, Color, Move, PieceType};
use crate::score::{MAX_EVAL, Score};
use endgame::FULL_SCALE;
use material::Census;
use pawns::{PawnCache, Structure};
use pieces::Pieces;
use survey::Survey;
use tracer::{Silent, Summary};
use weights::WEIGHTS;

/// The score decreases by 1/200 per ply of the halfmove clock.
pub const FADE: i32 = 200;

/// One thread's evaluator, with its pawn cache.
pub struct Classical {
    pawns: PawnCache,
}

impl Classical {
    /// Evaluation in centipawns from the side to move's view, within ± [`MAX_EVAL`].
    #[inline]
    pub fn evaluate(&mut self, board: &Board) -> Score {
        run(board, Some(&mut self.pawns), &mut Silent) * board.side_to_move().sign()
    }

    /// [`Self::evaluate`] with the terms read by search recipes.
    pub fn evaluate_terms(&mut self, board: &Board) -> Terms {
        let mut reader = TermReader::default();
        let score = run(board, Some(&mut self.pawns), &mut reader) * board.side_to_move().sign();
        let TermReader { material, passed, king_safety, phase } = reader;
        let taper = |pairs: [Pair; 2]| pairs.map(|pair| pair.taper(phase));
        Terms { score, material: taper(material), passed: taper(passed), king_safety: taper(king_safety) }
    }

    /// Clears the cache.
    pub fn clear(&mut self) {
        self.pawns.clear();
    }
}

impl Default for Classical {
    fn default() -> Self {
        Self { pawns: PawnCache::new() }
    }
}

/// Terms in centipawns at the position's phase, by color; 0 in known endgames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Evaluation from the side to move's view.
    pub score: Score,
    /// Material and imbalance.
    pub material: [Score; 2],
    /// Passed pawns.
    pub passed: [Score; 2],
    /// King shelter and king danger; lower is worse for this king.
    pub king_safety: [Score; 2],
}

#[derive(Default)]
struct TermReader {
    material: [Pair; 2],
    passed: [Pair; 2],
    king_safety: [Pair; 2],
    phase: i32,
}

impl Tracer for TermReader {
    #[inline(always)]
    fn term(&mut self, term: Term, color: Color, value: Pair) {
        match term {
            Term::Material | Term::Imbalance => self.material[color.index()] += value,
            Term::Passed => self.passed[color.index()] += value,
            Term::Shelter | Term::Danger => self.king_safety[color.index()] += value,
            _ => {}
        }
    }

    #[inline(always)]
    fn summary(&mut self, summary: &Summary) {
        self.phase = summary.phase;
    }
}

/// Value of a known endgame in centipawns from the side to move's view.
#[inline(always)]
pub fn known_ending(board: &Board) -> Option<Score> {
    if endgame::may_be_known(board) { look_up(board) } else { None }
}

#[cold]
fn look_up(board: &Board) -> Option<Score> {
    let value = endgame::known(board, &Census::new(board))?;
    Some(finish(board, value) * board.side_to_move().sign())
}

/// Piece-square gain of the moving piece in centipawns, ignoring promotions and castling rooks.
pub fn square_gain(board: &Board, mv: Move) -> Score {
    let Some(piece) = board.piece_on(mv.from()) else { return 0 };
    let at = |square| pst::at(piece.color(), piece.kind(), square);
    (at(mv.to()) - at(mv.from())).taper(Census::new(board).phase())
}

/// Traces all terms of a position.
pub fn trace(board: &Board) -> Trace {
    let mut trace = Trace::default();
    observe(board, &mut trace);
    trace
}

/// Evaluates without a pawn cache and reports every term to a tracer. The score is from White's view.
pub fn observe<T: Tracer>(board: &Board, tracer: &mut T) -> Score {
    run(board, None, tracer)
}

/// Sum of the terms, White's minus Black's.
struct Tally {
    sum: Pair,
}

impl Tally {
    #[inline(always)]
    fn add<T: Tracer>(&mut self, tracer: &mut T, term: Term, color: Color, value: Pair) {
        tracer.term(term, color, value);
        match color {
            Color::White => self.sum += value,
            Color::Black => self.sum -= value,
        }
    }
}

/// Evaluates from White's view.
fn run<T: Tracer>(board: &Board, cache: Option<&mut PawnCache>, tracer: &mut T) -> Score {
    let census = Census::new(board);
    if let Some(value) = endgame::known(board, &census).or_else(|| endgame::crowded(&census)) {
        let score = finish(board, value);
        let ending = Some(value);
        tracer.summary(&Summary { sum: Pair::ZERO, phase: census.phase(), scale: FULL_SCALE, ending, score });
        return score;
    }
    let (structure, shelter) = match cache {
        Some(cache) => cache.probe(board),
        None => pawns::compute(board),
    };
    let mut survey = Survey::new(board, census);
    let mut tally = Tally { sum: Pair::ZERO };
    place_pieces(&mut survey, &structure, &mut tally, tracer);
    for color in Color::ALL {
        side(&survey, &structure, shelter[color.index()], color, &mut tally, tracer);
    }
    let mover = board.side_to_move();
    tally.add(tracer, Term::Tempo, mover, WEIGHTS.tempo);

    let ahead = if tally.sum.eg() >= 0 { Color::White } else { Color::Black };
    let initiative = initiative::initiative(&survey, &structure, tally.sum.eg());
    tally.add(tracer, Term::Initiative, ahead, pair::s(0, initiative * ahead.sign()));

    let sum = tally.sum;
    let phase = census.phase();
    let scale = endgame::scale(&survey, ahead);
    let eg = sum.eg() * scale / FULL_SCALE;
    let mg = if scale < endgame::DRAWISH { sum.mg() * scale / FULL_SCALE } else { sum.mg() };
    let score = finish(board, pair::s(mg, eg).taper(phase));
    tracer.summary(&Summary { sum, phase, scale, ending: None, score });
    score
}

/// Adds all pieces to the survey, and their terms to the tally.
#[inline(always)]
fn place_pieces<T: Tracer>(survey: &mut Survey, structure: &Structure, tally: &mut Tally, tracer: &mut T) {
    let mut pieces = [Pieces::default(); 2];
    for color in Color::ALL {
        pieces::minors_and_rooks(survey, structure, color, &mut pieces[color.index()]);
    }
    for color in Color::ALL {
        let pieces = &mut pieces[color.index()];
        pieces::queens(survey, color, pieces);
        pieces.squares += pst::at(color, PieceType::King, survey.king[color.index()]);
        tally.add(tracer, Term::PieceSquare, color, pieces.squares + structure.squares[color.index()]);
        tally.add(tracer, Term::Mobility, color, pieces.mobility);
        tally.add(tracer, Term::Minors, color, pieces.minors);
        tally.add(tracer, Term::Rooks, color, pieces.rooks);
        tally.add(tracer, Term::Trapped, color, pieces.trapped);
    }
}

/// Terms of one color that need the complete survey.
#[inline(always)]
fn side<T: Tracer>(
    survey: &Survey,
    structure: &Structure,
    shelter: Pair,
    color: Color,
    tally: &mut Tally,
    tracer: &mut T,
) {
    let material = material::material(&survey.census, color);
    tally.add(tracer, Term::Material, color, material);
    let imbalance = material::imbalance(&survey.census, color);
    tally.add(tracer, Term::Imbalance, color, imbalance);
    tally.add(tracer, Term::Pawns, color, structure.value[color.index()]);
    let passed = passed::passed(survey, structure, color);
    tally.add(tracer, Term::Passed, color, passed);
    tally.add(tracer, Term::Shelter, color, shelter);
    let danger = king::danger(survey, color, shelter);
    tally.add(tracer, Term::Danger, color, danger);
    let threats = threats::threats(survey, color);
    tally.add(tracer, Term::Threats, color, threats);
    let space = space::space(survey, color);
    tally.add(tracer, Term::Space, color, space);
}

/// Scales by the halfmove clock and clamps to evaluation scores.
#[inline(always)]
fn finish(board: &Board, score: Score) -> Score {
    let clock = board.halfmove_clock().min(100) as i32;
    (score * (FADE - clock) / FADE).clamp(-MAX_EVAL, MAX_EVAL)
}
