//! Contempt and the value of draws.

use super::{Engine, Settings};
use crate::chess::{Color, Game};
use crate::eval::draws::Draws;
use crate::eval::wdl;
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

impl AnalysisContempt {
    const ALL: [Self; 4] = [Self::Off, Self::White, Self::Black, Self::Both];
    /// All names, in order.
    pub const NAMES: [&'static str; 4] = ["Off", "White", "Black", "Both"];

    /// The option value.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Parses an option value.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// The side with contempt when `to_move` is to move.
    pub(super) fn side(self, to_move: Color) -> Option<Color> {
        match self {
            Self::Off => None,
            Self::White => Some(Color::White),
            Self::Black => Some(Color::Black),
            Self::Both => Some(to_move),
        }
    }
}

impl Engine {
    /// Draw values for a search.
    pub(super) fn draws(&self, limits: &Limits, game: &Game) -> Draws {
        let Settings { contempt, analysis_contempt, analyse_mode, .. } = self.settings;
        let root = game.board().side_to_move();
        let side = if limits.infinite || analyse_mode { analysis_contempt.side(root) } else { Some(root) };
        side.map_or_else(Draws::default, |side| {
            Draws::with_contempt(side, wdl::in_middlegame(contempt.clamp(CONTEMPT.0, CONTEMPT.1) as Score))
        })
    }
}
