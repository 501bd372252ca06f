//! Selects training positions.

use super::Position;
use serde_json::{Value, json};

/// Criteria for training positions.
#[derive(Clone, Debug, clap::Args)]
pub struct Filter {
    /// Exclude decided positions, with scores beyond this, in internal centipawns
    #[arg(long, value_name = "CP", default_value_t = 1500, value_parser = clap::value_parser!(i32).range(1..))]
    pub max_score: i32,
    /// Exclude plies at the start of each game
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub skip_plies: usize,
    /// Include positions in check and positions where a capture or promotion was played
    #[arg(long)]
    pub noisy: bool,
}

/// A reason to exclude a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    FirstPlies,
    Score,
    Check,
    Tactical,
}

impl Rule {
    /// Label and JSON key of each rule, in the order of application.
    pub const NAMES: [[&str; 2]; 4] = [
        ["first plies", "first_plies"],
        ["score out of range", "score"],
        ["in check", "check"],
        ["capture or promotion", "tactical"],
    ];

    /// The number of positions excluded by each rule.
    pub fn counts_to_json(counts: [u64; 4]) -> Value {
        Self::NAMES.iter().zip(counts).map(|([_, key], count)| ((*key).to_owned(), Value::from(count))).collect()
    }
}

impl Filter {
    pub fn keeps(&self, position: &Position) -> bool {
        self.rule_against(position).is_none()
    }

    /// The first rule that excludes a position, if any.
    pub fn rule_against(&self, position: &Position) -> Option<Rule> {
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

    pub fn to_json(&self) -> Value {
        json!({"max_score": self.max_score, "skip_plies": self.skip_plies, "noisy": self.noisy})
    }
}

#[cfg(test)]
impl Default for Filter {
    fn default() -> Self {
        Self { max_score: 1500, skip_plies: 8, noisy: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento::chess::Board;
    use lento_common::play::GameResult;

    #[test]
    fn keeps_quiet_undecided_positions_after_the_opening() {
        let filter = Filter { max_score: 600, skip_plies: 8, noisy: false };
        let noisy = Filter { noisy: true, ..filter.clone() };
        let keeps = |filter: &Filter, fen: &str, mv: &str, score: i32, ply: usize| {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(mv, false).unwrap();
            filter.keeps(&Position { board, score, result: GameResult::Draw, mv, ply })
        };
        let quiet_fen = "4k3/P7/8/3p4/4P3/8/8/R3K2R w KQ - 0 1";
        for (mv, quiet) in [("e4e5", true), ("e1g1", true), ("e4d5", false), ("a7a8n", false)] {
            assert_eq!(keeps(&filter, quiet_fen, mv, 600, 8), quiet, "{mv}");
            assert!(keeps(&noisy, quiet_fen, mv, -600, 8));
        }
        assert!(!keeps(&filter, quiet_fen, "e4e5", -601, 8));
        assert!(!keeps(&filter, quiet_fen, "e4e5", 0, 7));
        let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        assert!(!keeps(&filter, check, "e1d1", 0, 20));
        assert!(keeps(&noisy, check, "e1d1", 0, 20));
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert!(!keeps(&filter, en_passant, "e5d6", 0, 20));
    }

    #[test]
    fn first_matching_rule_is_reported() {
        let filter = Filter { max_score: 600, skip_plies: 8, noisy: false };
        let rule_against = |fen: &str, mv: &str, score: i32, ply: usize| {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(mv, false).unwrap();
            filter.rule_against(&Position { board, score, result: GameResult::Draw, mv, ply })
        };
        let check = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1";
        let quiet_fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
        assert_eq!(rule_against(check, "e1e2", 700, 7), Some(Rule::FirstPlies));
        assert_eq!(rule_against(check, "e1e2", 700, 8), Some(Rule::Score));
        assert_eq!(rule_against(check, "e1e2", 600, 8), Some(Rule::Check));
        assert_eq!(rule_against(quiet_fen, "e4d5", 600, 8), Some(Rule::Tactical));
        assert_eq!(rule_against(quiet_fen, "e4e5", -600, 8), None);
        assert_eq!(Rule::Tactical as usize, Rule::NAMES.len() - 1, "rules are indices");
    }
}
