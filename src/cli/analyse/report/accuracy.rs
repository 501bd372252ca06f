//! What moves cost, and how well a side played.
//!
//! A move is judged by the winning chances that it gives away: the expected score (a win counts 1, a draw ½) of the position before
//! it, less that of the position after it, both as the engine sees them (`eval::wdl`). The engine's own choice gives away nothing,
//! whatever a later search says, and a move that turns out better than expected costs nothing either.
//!
//! The accuracy of a move that costs `loss` is `100 * (exp(-K * loss) - exp(-K)) / (1 - exp(-K))` percent: 100 for a loss of 0, 0 for
//! a loss of 1, falling all the way. That is the form of the accuracy of moves at Lichess (lichess.org/page/accuracy), whose rate is
//! `K` = 4.354, with both ends made exact. The accuracy of a side is the mean over its moves.

use super::Study;
use super::value::Value;

/// A loss of winning chances from here on is dubious: `?!`, `$6`. With equal chances that is about half a pawn.
pub const DUBIOUS: f64 = 0.10;
/// A loss from here on is a mistake: `?`, `$2`. With equal chances that is about a pawn.
pub const MISTAKE: f64 = 0.20;
/// A loss from here on is a blunder: `??`, `$4`. With equal chances that is about a pawn and a half.
pub const BLUNDER: f64 = 0.30;
/// How fast the accuracy of a move falls with its loss.
const RATE: f64 = 4.354;

/// What is said of a move in one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The only move: any other would be a blunder.
    Good,
    /// `?!`
    Dubious,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Mark {
    /// The numeric annotation glyph.
    pub fn nag(self) -> u8 {
        match self {
            Self::Good => 1,
            Self::Mistake => 2,
            Self::Blunder => 4,
            Self::Dubious => 6,
        }
    }

    /// By the loss alone.
    fn of(loss: f64) -> Option<Self> {
        match loss {
            _ if loss >= BLUNDER => Some(Self::Blunder),
            _ if loss >= MISTAKE => Some(Self::Mistake),
            _ if loss >= DUBIOUS => Some(Self::Dubious),
            _ => None,
        }
    }
}

/// What is to be said of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The winning chances that it gives away, from 0 to 1.
    pub loss: f64,
    /// The same in centipawns.
    pub centipawns: i32,
    /// The sign for it.
    pub mark: Option<Mark>,
}

/// The accuracy of a move in percent by the winning chances that it gives away.
pub fn accuracy(loss: f64) -> f64 {
    let floor = (-RATE).exp();
    100.0 * (((-RATE * loss).exp() - floor) / (1.0 - floor)).clamp(0.0, 1.0)
}

/// Judges the move at this place; `None` where the position before it or after it was not analysed.
pub fn judge(study: &Study, at: usize) -> Option<Judged> {
    let (board, played) = (&study.boards[at], study.game.plies[at].mv);
    let color = board.side_to_move();
    let (before, analysis) = (study.values[at]?, study.analysis(at)?);
    if analysis.lines.first()?.pv.first() == Some(&played) {
        let mark = is_only_move(study, at).then_some(Mark::Good);
        return Some(Judged { loss: 0.0, centipawns: 0, mark });
    }
    let line = analysis.lines.iter().find(|line| line.pv.first() == Some(&played));
    let after = study.values[at + 1].or_else(|| line.map(|line| Value::new(board, line.score)))?;
    let loss = (before.expected_by(color) - after.expected_by(color)).max(0.0);
    let centipawns = (before.centipawns_of(color) - after.centipawns_of(color)).max(0);
    Some(Judged { loss, centipawns, mark: Mark::of(loss) })
}

/// Whether the second best move would have been a blunder, and the best one is not just to take back.
fn is_only_move(study: &Study, at: usize) -> bool {
    let (board, played) = (&study.boards[at], study.game.plies[at].mv);
    let Some([best, second, ..]) = study.analysis(at).map(|analysis| analysis.lines.as_slice()) else { return false };
    let before = at.checked_sub(1).map(|at| study.game.plies[at].mv);
    let takes_back = played.is_capture() && before.is_some_and(|before| before.to() == played.to());
    let [best, second] = [best, second].map(|line| Value::new(board, line.score).expected_by(board.side_to_move()));
    !takes_back && best - second >= BLUNDER
}

/// How well a side played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The moves that were judged.
    pub moves: usize,
    /// In percent.
    pub accuracy: f64,
    /// Centipawns that a move cost on average.
    pub centipawns: f64,
    /// How many moves were dubious, mistakes and blunders.
    pub marks: [usize; 3],
}

impl Side {
    /// The signs that are counted.
    pub const COUNTED: [Mark; 3] = [Mark::Dubious, Mark::Mistake, Mark::Blunder];

    /// From the side's moves; `None` if there are none.
    pub fn new<'a>(moves: impl Iterator<Item = &'a Judged>) -> Option<Self> {
        let moves: Vec<&Judged> = moves.collect();
        let mean = |of: fn(&Judged) -> f64| moves.iter().map(|judged| of(judged)).sum::<f64>() / moves.len() as f64;
        let count = |mark| moves.iter().filter(|judged| judged.mark == Some(mark)).count();
        (!moves.is_empty()).then(|| Self {
            moves: moves.len(),
            accuracy: mean(|judged| accuracy(judged.loss)),
            centipawns: mean(|judged| f64::from(judged.centipawns)),
            marks: Self::COUNTED.map(count),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_falls_from_a_hundred_to_zero() {
        let all: Vec<f64> = (0..=1000).map(|loss| accuracy(f64::from(loss) / 1000.0)).collect();
        assert_eq!((all[0], all[1000]), (100.0, 0.0));
        assert!(all.windows(2).all(|pair| pair[0] > pair[1]));
        assert_eq!((accuracy(2.0), accuracy(-1.0)), (0.0, 100.0));
    }

    #[test]
    fn marks_begin_where_they_say() {
        for (loss, mark) in [
            (0.0, None),
            (0.0999, None),
            (0.10, Some(Mark::Dubious)),
            (0.20, Some(Mark::Mistake)),
            (0.2999, Some(Mark::Mistake)),
            (0.30, Some(Mark::Blunder)),
            (1.0, Some(Mark::Blunder)),
        ] {
            assert_eq!(Mark::of(loss), mark, "{loss}");
        }
    }

    #[test]
    fn a_side_is_the_mean_of_its_moves() {
        let judged = |loss, centipawns| Judged { loss, centipawns, mark: Mark::of(loss) };
        assert_eq!(Side::new([].iter()), None);
        let perfect = Side::new([judged(0.0, 0); 3].iter()).unwrap();
        assert_eq!((perfect.accuracy, perfect.centipawns, perfect.marks), (100.0, 0.0, [0, 0, 0]));
        let side = Side::new([judged(0.0, 0), judged(0.35, 210)].iter()).unwrap();
        assert_eq!((side.moves, side.centipawns, side.marks), (2, 105.0, [0, 0, 1]));
        assert_eq!(side.accuracy, (100.0 + accuracy(0.35)) / 2.0);
    }
}
