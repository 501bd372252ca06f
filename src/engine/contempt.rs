//! Contempt: what a draw is worth, and to whom.

use super::{Engine, Settings};
use crate::chess::{Color, Game};
use crate::eval::draws::Draws;
use crate::eval::wdl;
use crate::score::Score;
use crate::search::limits::Limits;

/// The least and the greatest contempt, in centipawns as they are shown in the middlegame.
pub const CONTEMPT: (i64, i64) = (-100, 100);

/// Who has contempt in an analysis, where the engine plays neither side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnalysisContempt {
    /// Nobody: a draw is a draw.
    #[default]
    Off,
    /// White.
    White,
    /// Black.
    Black,
    /// Whoever is to move.
    Both,
}

impl AnalysisContempt {
    const ALL: [Self; 4] = [Self::Off, Self::White, Self::Black, Self::Both];
    /// The names.
    pub const NAMES: [&'static str; 4] = ["Off", "White", "Black", "Both"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }

    /// Whose contempt it is when this side is to move.
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
    /// What a draw is worth to both sides in a search of a game's position.
    pub(super) fn draws(&self, limits: &Limits, game: &Game) -> Draws {
        let Settings { contempt, analysis_contempt, analyse_mode, .. } = self.settings;
        let root = game.board().side_to_move();
        let side = if limits.infinite || analyse_mode { analysis_contempt.side(root) } else { Some(root) };
        side.map_or_else(Draws::default, |side| {
            Draws::with_contempt(side, wdl::in_middlegame(contempt.clamp(CONTEMPT.0, CONTEMPT.1) as Score))
        })
    }
}
