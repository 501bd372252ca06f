//! Which positions are good to learn from.

use super::Position;
use serde_json::{Value, json};

/// Which positions to take.
#[derive(Clone, Debug, clap::Args)]
pub struct Filter {
    /// Leave out positions with a score beyond this many centipawns: they are decided
    #[arg(long, value_name = "CP", default_value_t = 1500, value_parser = clap::value_parser!(i32).range(1..))]
    pub max_score: i32,
    /// Leave out so many plies at the start of each game
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub skip_plies: usize,
    /// Take also positions in check, and those where a capture or promotion was played
    #[arg(long)]
    pub noisy: bool,
}

/// Why a position is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// It is among the first plies of its game.
    FirstPlies,
    /// Its score is out of range.
    Score,
    /// The side to move is in check.
    Check,
    /// A capture or promotion was played.
    Tactical,
}

impl Rule {
    /// All rules, in the order in which they are asked.
    pub const ALL: [Self; 4] = [Self::FirstPlies, Self::Score, Self::Check, Self::Tactical];

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::FirstPlies => "first plies",
            Self::Score => "score out of range",
            Self::Check => "in check",
            Self::Tactical => "capture or promotion",
        }
    }

    /// How often each rule left something out, by the names of the rules.
    pub fn counted(counts: [u64; Self::ALL.len()]) -> Value {
        Self::ALL.iter().zip(counts).map(|(rule, count)| (rule.name().to_owned(), Value::from(count))).collect()
    }

    /// As the name of a field.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstPlies => "first_plies",
            Self::Score => "score",
            Self::Check => "check",
            Self::Tactical => "tactical",
        }
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self { max_score: 1500, skip_plies: 8, noisy: false }
    }
}

impl Filter {
    /// Whether to take a position.
    pub fn keeps(&self, position: &Position) -> bool {
        self.refuses(position).is_none()
    }

    /// The first rule that leaves a position out; `None` if it is taken.
    pub fn refuses(&self, position: &Position) -> Option<Rule> {
        if position.ply < self.skip_plies {
            Some(Rule::FirstPlies)
        } else if position.score.abs() > self.max_score {
            Some(Rule::Score)
        } else if self.noisy {
            None
        } else if position.board.in_check() {
            Some(Rule::Check)
        } else if !position.mv.is_quiet() {
            Some(Rule::Tactical)
        } else {
            None
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Value {
        json!({"max_score": self.max_score, "skip_plies": self.skip_plies, "noisy": self.noisy})
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::chess::Board;
    use lento_common::play::record::GameResult;

    #[test]
    fn quiet_undecided_positions_after_the_opening_are_kept() {
        let filter = Filter { max_score: 600, skip_plies: 8, noisy: false };
        let noisy = Filter { noisy: true, ..filter.clone() };
        let keeps = |filter: &Filter, fen: &str, mv: &str, score: i32, ply: usize| {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(mv, false).unwrap();
            filter.keeps(&Position { board, score, result: GameResult::Draw, mv, ply })
        };
        let calm = "4k3/P7/8/3p4/4P3/8/8/R3K2R w KQ - 0 1";
        for (mv, quiet) in [("e4e5", true), ("e1g1", true), ("e4d5", false), ("a7a8n", false)] {
            assert_eq!(keeps(&filter, calm, mv, 600, 8), quiet, "{mv}");
            assert!(keeps(&noisy, calm, mv, -600, 8));
        }
        assert!(!keeps(&filter, calm, "e4e5", -601, 8));
        assert!(!keeps(&filter, calm, "e4e5", 0, 7));
        let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        assert!(!keeps(&filter, check, "e1d1", 0, 20));
        assert!(keeps(&noisy, check, "e1d1", 0, 20));
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert!(!keeps(&filter, en_passant, "e5d6", 0, 20));
    }

    #[test]
    fn the_first_rule_that_applies_is_named() {
        let filter = Filter { max_score: 600, skip_plies: 8, noisy: false };
        let refuses = |fen: &str, mv: &str, score: i32, ply: usize| {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(mv, false).unwrap();
            filter.refuses(&Position { board, score, result: GameResult::Draw, mv, ply })
        };
        let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        let calm = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
        assert_eq!(refuses(check, "e1e2", 700, 7), Some(Rule::FirstPlies));
        assert_eq!(refuses(check, "e1e2", 700, 8), Some(Rule::Score));
        assert_eq!(refuses(check, "e1e2", 600, 8), Some(Rule::Check));
        assert_eq!(refuses(calm, "e4d5", 600, 8), Some(Rule::Tactical));
        assert_eq!(refuses(calm, "e4e5", -600, 8), None);
        assert_eq!(Rule::ALL.map(|rule| rule as usize), [0, 1, 2, 3], "rules serve as indices");
    }
}
