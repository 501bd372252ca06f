//! Settings of the engine.

use super::contempt::AnalysisContempt;
use super::strength::StrengthOptions;
use crate::eval::EvaluationKind;
use crate::eval::nnue::simd::Simd;
use crate::search::limits::Limits;
use crate::search::limits::SearchOptions;
use crate::search::lmr;

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
    /// Network or classical.
    pub evaluation: EvaluationKind,
    /// The network's instruction set.
    pub simd: Simd,
    /// Whether [drawish endings](crate::eval::drawish) are scored as draws. Table entries keep old scores until
    /// cleared.
    pub drawish_endings: bool,
    /// Contempt of the engine's side in centipawns, within [`CONTEMPT`](super::CONTEMPT).
    pub contempt: i64,
    /// The side with contempt during analysis.
    pub analysis_contempt: AnalysisContempt,
    /// Analysis: `ucinewgame` keeps the table and histories, and deep entries do not age. Where it is not set, a search
    /// without limits is analysis.
    pub analyse_mode: Option<bool>,
}

impl Settings {
    /// Whether a search is analysis.
    pub(super) fn is_analysis(&self, limits: &Limits) -> bool {
        self.analyse_mode.unwrap_or(limits.infinite)
    }
}
