//! Selects games and positions.

use crate::database::Key;
use lento::chess::Color;
use lento_common::part::{Part, part};
use std::fmt;

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

    pub fn is_of_games(&self) -> bool {
        self.games.is_some() || self.plies.is_some() || self.last.is_some() || self.color.is_some()
    }
}

/// The options that select from games.
impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let options = [
            self.games.as_ref().map(|games| format!("--games {games}")),
            self.plies.as_ref().map(|plies| format!("--plies {plies}")),
            self.last.map(|last| format!("--last {last}")),
            self.color.map(|color| format!("--color {}", if color == Color::White { "white" } else { "black" })),
        ];
        f.write_str(&options.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

fn color(text: &str) -> Result<Color, String> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Ok(Color::White),
        "black" | "b" => Ok(Color::Black),
        _ => Err("expected white or black".into()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges(Vec<(u64, u64)>);

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let range = |&(first, last): &(u64, u64)| match last {
            _ if last == first => first.to_string(),
            u64::MAX => format!("{first}-"),
            _ => format!("{first}-{last}"),
        };
        f.write_str(&self.0.iter().map(range).collect::<Vec<_>>().join(","))
    }
}

impl Ranges {
    pub fn contain(&self, number: u64) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&number))
    }

    pub fn last(&self) -> u64 {
        self.0.iter().map(|&(_, last)| last).max().unwrap_or(0)
    }
}

/// Parses comma-separated numbers from 1 and ranges, which may be open at either end.
pub fn ranges(text: &str) -> Result<Ranges, String> {
    let range = |word: &str| -> Option<(u64, u64)> {
        let number =
            |digits: &str, or: u64| if digits.is_empty() { Some(or) } else { digits.parse().ok().filter(|&n| n > 0) };
        // A number alone is both ends of its range.
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last) = (first.trim(), last.trim());
        if first.is_empty() && last.is_empty() {
            return None;
        }
        let (first, last) = (number(first, 1)?, number(last, u64::MAX)?);
        (first <= last).then_some((first, last))
    };
    let read = |word| range(word).ok_or_else(|| format!("{word:?}: expected numbers from 1, such as 3,5-9,20-"));
    text.split(',').map(read).collect::<Result<_, _>>().map(Ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges() {
        let wanted =
            |text: &str| (1..=12).filter(|&number| ranges(text).unwrap().contain(number)).collect::<Vec<u64>>();
        assert_eq!(wanted("3,5-7, 11-"), [3, 5, 6, 7, 11, 12]);
        assert_eq!(wanted("-2"), [1, 2]);
        assert_eq!(ranges("3,5-9, 12-,-4").unwrap().to_string(), "3,5-9,12-,1-4");
        assert_eq!((ranges("3,5-9").unwrap().last(), ranges("3-").unwrap().last()), (9, u64::MAX));
        for text in ["", "x", "0", "5-3", "-", "1,,2", "1-2-3", "1.5"] {
            assert!(ranges(text).is_err_and(|error| error.contains("expected numbers from 1")), "{text}");
        }
    }
}
