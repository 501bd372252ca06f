//! How many of the cuts are doubted.

use lento::search::doubt::Rule;
use std::fmt;
use std::str::FromStr;

/// One cut of so many is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    /// Of this rule, or of all.
    rule: Option<Rule>,
    number: u64,
}

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once('=').map_or((None, text), |(name, number)| (Some(name), number));
        let number = number.trim().parse().ok().filter(|number| (1..=1 << 40).contains(number));
        let number = number.ok_or("expected a number from 1, as in 500 or futility=500")?;
        Ok(Self { rule: name.map(|name| rule(name.trim())).transpose()?, number })
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule {
            Some(rule) => write!(f, "{}={}", rule.name(), self.number),
            None => write!(f, "{}", self.number),
        }
    }
}

/// The rule with this name.
///
/// # Errors
/// There is none.
pub fn rule(name: &str) -> Result<Rule, String> {
    let known = Rule::ALL.into_iter().find(|rule| rule.name().eq_ignore_ascii_case(name));
    known.ok_or_else(|| format!("expected one of {}", Rule::ALL.map(Rule::name).join(", ")))
}

/// So that each rule is doubted about as often as any other, but for those that seldom cut.
const fn usual(rule: Rule) -> u64 {
    match rule {
        Rule::ReverseFutility => 50,
        Rule::NullMove => 10,
        Rule::ProbCut => 2,
        Rule::Multicut => 2,
        Rule::LateMove => 500,
        Rule::Futility => 50,
        Rule::History => 4,
        Rule::SeeQuiet => 100,
        Rule::SeeNoisy => 50,
        Rule::QuiesceFutility | Rule::QuiesceLate => 20,
        Rule::Reduction => 100,
        Rule::Verification => 5,
    }
}

/// For each rule by its number: one cut of so many is doubted; 0: none, as it was not asked for. What is said last counts, and of one
/// rule more than of all.
pub fn table(said: &[Every], rules: &[Rule]) -> [u64; Rule::COUNT] {
    Rule::ALL.map(|rule| {
        if !rules.contains(&rule) {
            return 0;
        }
        let last = |of| said.iter().rev().find(|every| every.rule == of).map(|every| every.number);
        last(Some(rule)).or_else(|| last(None)).unwrap_or(usual(rule))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_one_rule_counts_more_than_of_all() {
        let said: Vec<Every> = ["Futility=3", "7", "futility=4"].iter().map(|text| text.parse().unwrap()).collect();
        assert_eq!(said[2].to_string(), "futility=4");
        let table = table(&said, &[Rule::Futility, Rule::NullMove]);
        assert_eq!(table[Rule::Futility as usize], 4);
        assert_eq!(table[Rule::NullMove as usize], 7);
        assert_eq!(table[Rule::History as usize], 0);
        for text in ["", "0", "-1", "x", "nosuch=5", "futility=0", "futility=", "=5"] {
            assert!(text.parse::<Every>().unwrap_err().starts_with("expected "), "{text}");
        }
    }
}
