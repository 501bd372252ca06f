//! Engine settings, and the draw values that follow from them.

use super::Engine;
use super::strength::StrengthOptions;
use crate::chess::{Color, Game};
use crate::eval::draws::Draws;
use crate::eval::nnue::simd::Simd;
use crate::eval::wdl;
use crate::named::named_enum;
use crate::score::Score;
use crate::search::limits::{Limits, SearchOptions};
use crate::search::lmr;

/// Range of contempt, in centipawns on the UCI scale in the middlegame.
pub const CONTEMPT: (i64, i64) = (-100, 100);

named_enum! {
    /// The side with contempt during analysis.
    pub enum AnalysisContempt {
        /// Neither side.
        #[default]
        Off = "Off",
        /// White.
        White = "White",
        /// Black.
        Black = "Black",
        /// The side to move.
        Both = "Both",
    }
}

/// Options read at each `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Search options.
    pub search: SearchOptions,
    /// LMR recipes.
    pub lmr: lmr::Choice,
    /// Whether to collect LMR statistics, which slows the search slightly.
    pub lmr_statistics: bool,
    /// Limited strength.
    pub strength: StrengthOptions,
    /// The network's instruction set.
    pub simd: Simd,
    /// Whether [drawish endings](crate::eval::drawish) are scored as draws. Table entries keep old scores until
    /// cleared.
    pub drawish_endings: bool,
    /// Contempt of the engine's side in centipawns, within [`CONTEMPT`].
    pub contempt: i64,
    /// The side with contempt during analysis.
    pub analysis_contempt: AnalysisContempt,
    /// Analysis: `ucinewgame` keeps the table and histories, and deep entries do not age. If unset, infinite searches are
    /// analysis.
    pub analyse_mode: Option<bool>,
}

impl Settings {
    pub(super) fn is_analysis(&self, limits: &Limits) -> bool {
        self.analyse_mode.unwrap_or(limits.infinite)
    }
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
