//! Losses of moves and accuracy of sides.
//!
//! A move's loss is the expected score (win 1, draw ½) of the position before it minus that of the position after it,
//! by the engine's win probabilities (`eval::wdl`). The engine's own choice has no loss, whatever a later search finds,
//! and gains count as no loss.
//!
//! The accuracy of a move is `100 * (exp(-RATE * loss) - exp(-RATE)) / (1 - exp(-RATE))` percent: 100 for a loss of 0,
//! 0 for a loss of 1. This is the formula of Lichess (lichess.org/page/accuracy), with `RATE` = 4.354 and exact ends. A
//! side's accuracy is the mean over its moves.

use super::Study;
use super::value::Value;
use lento::chess::Move;

/// Minimum loss of a dubious move: `?!`, `$6`. About half a pawn in an equal position.
pub const DUBIOUS: f64 = 0.10;
/// Minimum loss of a mistake: `?`, `$2`. About a pawn in an equal position.
pub const MISTAKE: f64 = 0.20;
/// Minimum loss of a blunder: `??`, `$4`. About a pawn and a half in an equal position.
pub const BLUNDER: f64 = 0.30;
/// Decay of accuracy with the loss.
const RATE: f64 = 4.354;

/// An annotation of a move, with its numeric annotation glyph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The only good move: any other is a blunder.
    Good = 1,
    Mistake = 2,
    Blunder = 4,
    Dubious = 6,
}

impl Mark {
    fn of(loss: f64) -> Option<Self> {
        match loss {
            _ if loss >= BLUNDER => Some(Self::Blunder),
            _ if loss >= MISTAKE => Some(Self::Mistake),
            _ if loss >= DUBIOUS => Some(Self::Dubious),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Loss of expected score, from 0 to 1.
    pub loss: f64,
    pub centipawns: i32,
    pub mark: Option<Mark>,
}

/// The accuracy in percent of a move with this loss.
pub fn accuracy(loss: f64) -> f64 {
    let floor = (-RATE).exp();
    100.0 * (((-RATE * loss).exp() - floor) / (1.0 - floor)).clamp(0.0, 1.0)
}

/// Assesses a move; `None` for a null move, and unless the positions before and after it were analysed.
pub fn judge(study: &Study, at: usize) -> Option<Judged> {
    let (board, played) = (&study.boards[at], study.game.moves[at].mv?);
    let color = board.side_to_move();
    let (before, analysis) = (study.values[at]?, study.analysis(at)?);
    if analysis.lines.first()?.pv.first() == Some(&played) {
        let mark = is_only_move(study, at, played).then_some(Mark::Good);
        return Some(Judged { loss: 0.0, centipawns: 0, mark });
    }
    let line = analysis.lines.iter().find(|line| line.pv.first() == Some(&played));
    let after = study.values[at + 1].or_else(|| line.map(|line| Value::new(board, line.score)))?;
    let loss = (before.expected_by(color) - after.expected_by(color)).max(0.0);
    let centipawns = (before.centipawns_of(color) - after.centipawns_of(color)).max(0);
    Some(Judged { loss, centipawns, mark: Mark::of(loss) })
}

/// Whether the second best move is a blunder, and the best one is not a mere recapture.
fn is_only_move(study: &Study, at: usize, played: Move) -> bool {
    let board = &study.boards[at];
    let Some([best, second, ..]) = study.analysis(at).map(|analysis| analysis.lines.as_slice()) else { return false };
    let before = at.checked_sub(1).and_then(|at| study.game.moves[at].mv);
    let is_recapture = played.is_capture() && before.is_some_and(|before| before.to() == played.to());
    let [best, second] = [best, second].map(|line| Value::new(board, line.score).expected_by(board.side_to_move()));
    !is_recapture && best - second >= BLUNDER
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    pub moves: usize,
    pub accuracy: f64,
    pub centipawns: f64,
    /// Number of dubious moves, mistakes and blunders.
    pub marks: [usize; 3],
}

impl Side {
    /// Summarises the side's moves; `None` if there are none.
    pub fn new<'a>(moves: impl Iterator<Item = &'a Judged>) -> Option<Self> {
        let moves: Vec<&Judged> = moves.collect();
        let mean = |of: fn(&Judged) -> f64| moves.iter().map(|judged| of(judged)).sum::<f64>() / moves.len() as f64;
        let count = |mark| moves.iter().filter(|judged| judged.mark == Some(mark)).count();
        (!moves.is_empty()).then(|| Self {
            moves: moves.len(),
            accuracy: mean(|judged| accuracy(judged.loss)),
            centipawns: mean(|judged| f64::from(judged.centipawns)),
            marks: [Mark::Dubious, Mark::Mistake, Mark::Blunder].map(count),
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
    fn marks_start_at_their_thresholds() {
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
    fn side_statistics_are_means() {
        let judged = |loss, centipawns| Judged { loss, centipawns, mark: Mark::of(loss) };
        assert_eq!(Side::new([].iter()), None);
        let perfect = Side::new([judged(0.0, 0); 3].iter()).unwrap();
        assert_eq!((perfect.accuracy, perfect.centipawns, perfect.marks), (100.0, 0.0, [0, 0, 0]));
        let side = Side::new([judged(0.0, 0), judged(0.35, 210)].iter()).unwrap();
        assert_eq!((side.moves, side.centipawns, side.marks), (2, 105.0, [0, 0, 1]));
        assert_eq!(side.accuracy, (100.0 + accuracy(0.35)) / 2.0);
    }
}
