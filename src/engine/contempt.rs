//! Contempt and the value of draws.

use super::{Engine, Settings};
use crate::chess::{Color, Game};
use crate::eval::draws::Draws;
use crate::eval::wdl;
use crate::named::Named;
use crate::score::Score;
use crate::search::limits::Limits;

/// Range of contempt, in centipawns on the UCI scale in the middlegame.
pub const CONTEMPT: (i64, i64) = (-100, 100);

/// The side with contempt during analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnalysisContempt {
    /// Neither side.
    #[default]
    Off,
    /// White.
    White,
    /// Black.
    Black,
    /// The side to move.
    Both,
}

impl Named for AnalysisContempt {
    const ALL: &'static [(&'static str, Self)] =
        &[("Off", Self::Off), ("White", Self::White), ("Black", Self::Black), ("Both", Self::Both)];
}

impl Engine {
    /// Draw values for a search.
    pub(super) fn draws(&self, limits: &Limits, game: &Game) -> Draws {
        let Settings { contempt, analysis_contempt, .. } = self.settings;
        let root = game.board().side_to_move();
        let side = match analysis_contempt {
            _ if !self.settings.is_analysis(limits) => root,
            AnalysisContempt::Off => return Draws::default(),
            AnalysisContempt::White => Color::White,
            AnalysisContempt::Black => Color::Black,
            AnalysisContempt::Both => root,
        };
        Draws::with_contempt(side, wdl::in_middlegame(contempt.clamp(CONTEMPT.0, CONTEMPT.1) as Score))
    }
}
