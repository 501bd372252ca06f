//! Selects games and positions.

use super::ranges::{Ranges, ranges};
use crate::database::Key;
use lento::chess::Color;
use lento_common::part::{Part, part};

/// What to select from the input.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Selection {
    /// Only these games of each PGN file: 3,5-9,20-
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = ranges)]
    pub games: Option<Ranges>,
    /// Only positions before these plies of each game; the final position counts as one more ply
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_parser = ranges)]
    plies: Option<Ranges>,
    /// Only this many positions from the end of each game
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    last: Option<u64>,
    /// Only positions of games with this color to move: white or black
    #[arg(long, value_name = "COLOR", value_parser = color)]
    color: Option<Color>,
    /// Only part K of N of all positions, split by position
    #[arg(long, value_name = "K/N", value_parser = part)]
    shard: Option<Part>,
}

impl Selection {
    /// Whether a game is selected.
    pub fn has_game(&self, number: u64) -> bool {
        self.games.as_ref().is_none_or(|games| games.contain(number))
    }

    /// Whether no later game is selected.
    pub fn ends_with_game(&self, number: u64) -> bool {
        self.games.as_ref().is_some_and(|games| number >= games.last())
    }

    /// Whether the position before a ply of a game with `plies` plies is selected.
    pub fn has_ply(&self, ply: u64, plies: u64, side: Color) -> bool {
        self.plies.as_ref().is_none_or(|wanted| wanted.contain(ply))
            && self.last.is_none_or(|last| plies + 1 - ply < last)
            && self.color.is_none_or(|color| color == side)
    }

    /// Whether a position is in the selected part.
    pub fn has_position(&self, key: &Key) -> bool {
        self.shard.is_none_or(|shard| shard.has(key.hash()))
    }

    /// Whether anything is deselected.
    pub fn is_given(&self) -> bool {
        self.shard.is_some() || self.is_of_games()
    }

    /// Whether the selection is about games.
    pub fn is_of_games(&self) -> bool {
        self.games.is_some() || self.plies.is_some() || self.last.is_some() || self.color.is_some()
    }
}

fn color(text: &str) -> Result<Color, String> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err("expected white or black".into()),
    }
}
