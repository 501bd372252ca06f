//! The option `NumaPolicy`.

use crate::processors::cpu_list::{self, CpuSet};
use std::fmt;
use std::str::FromStr;

/// How threads are bound to CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NumaPolicy {
    /// By the system's nodes if worthwhile.
    #[default]
    Auto,
    /// Threads are not bound.
    None,
    /// By the system's nodes, regardless of the number of threads.
    System,
    /// Like `System`, but by the nodes of the hardware: lifts an affinity that the process was started with.
    Hardware,
    /// By these lists, one per node.
    Lists(Vec<CpuSet>),
}

impl NumaPolicy {
    /// The valid values, for users.
    pub const CHOICES: &str =
        "auto, none, system, hardware, or lists of CPUs, one for each node, such as 0-15,32-47:16-31";
}

impl FromStr for NumaPolicy {
    type Err = String;

    /// Parses a keyword, in any case, or lists.
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = |why: String| format!("{why}; expected {}", Self::CHOICES);
        let text = text.trim();
        for policy in [Self::Auto, Self::None, Self::System, Self::Hardware] {
            if text.eq_ignore_ascii_case(&policy.to_string()) {
                return Ok(policy);
            }
        }
        let (mut lists, mut seen) = (Vec::new(), CpuSet::new());
        for part in text.split(':') {
            if part.trim().is_empty() {
                return Err(refuse("a node without CPUs".into()));
            }
            let list = cpu_list::parse(part).map_err(refuse)?;
            if let Some(cpu) = list.intersection(&seen).next() {
                return Err(refuse(format!("{cpu} is in two nodes")));
            }
            seen.extend(&list);
            lists.push(list);
        }
        Ok(Self::Lists(lists))
    }
}

impl fmt::Display for NumaPolicy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::None => f.write_str("none"),
            Self::System => f.write_str("system"),
            Self::Hardware => f.write_str("hardware"),
            Self::Lists(lists) => f.write_str(&lists.iter().map(cpu_list::format).collect::<Vec<_>>().join(":")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keywords_in_any_case_and_lists() {
        let read = |text: &str| text.parse::<NumaPolicy>().map(|policy| policy.to_string());
        for (text, meaning) in [
            ("AUTO", "auto"),
            (" none ", "none"),
            ("System", "system"),
            ("Hardware", "hardware"),
            ("0-15,32-47:16-31", "0-15,32-47:16-31"),
            ("1 , 0 : 2", "0-1:2"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(meaning));
        }
        assert_eq!("0-1:2".parse(), Ok(NumaPolicy::Lists(vec![[0, 1].into(), [2].into()])));
    }

    #[test]
    fn invalid_policies_are_quoted() {
        for (text, start) in [
            ("", "a node without CPUs; expected auto, "),
            ("0:", "a node without CPUs; expected "),
            ("0::1", "a node without CPUs; expected "),
            ("automatic", "\"automatic\" is not a number or a range such as 0-15; expected auto, none, "),
            ("0-3:3", "3 is in two nodes; expected "),
            ("0,0", "0 is listed twice; expected "),
            ("0-1024", "\"1024\" is above 1023, "),
        ] {
            let error = text.parse::<NumaPolicy>().unwrap_err();
            assert!(error.starts_with(start) && error.ends_with("such as 0-15,32-47:16-31"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn random_text_does_not_panic(text in "[ 0-9a-z:,+-]{0,40}") {
            if let Ok(policy) = text.parse::<NumaPolicy>() {
                prop_assert_eq!(policy.to_string().parse(), Ok(policy));
            }
        }
    }
}
