//! What can be set of a player, for those who ask for something else.

use lento::search::params::TUNABLES;
use lento::uci::options::OPTIONS;
use lento::uci::words::quoted;

/// Names less alike than this are no slip of the finger; 1 is the same.
const ALIKE: f64 = 0.6;

/// Says that nothing has this name, what has one like it, and what there is.
pub fn unknown(name: &str) -> String {
    let options: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    let numbers = TUNABLES.iter().map(|tunable| {
        let off = tunable.off.map_or_else(String::new, |off| format!(", {off} for off"));
        format!("{} ({} to {}{off})", tunable.name, tunable.min, tunable.max)
    });
    let numbers: Vec<String> = numbers.collect();
    let meant = nearest(name).map_or_else(String::new, |near| format!("; did you mean {near}?"));
    let (quoted, options, numbers) = (quoted(name), options.join(", "), numbers.join(", "));
    format!(
        "no option or number of the search is called {quoted}{meant}\noptions: {options}\nnumbers of the search: {numbers}"
    )
}

/// The name that is most like this one, if any is.
fn nearest(name: &str) -> Option<&'static str> {
    let names = OPTIONS.iter().map(|option| option.name).chain(TUNABLES.iter().map(|tunable| tunable.name));
    let alike = |other: &str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let (near, alike) = names.map(|name| (name, alike(name))).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (alike >= ALIKE).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_there_is_is_named() {
        let text = unknown("nosuch");
        assert!(text.starts_with("no option or number of the search is called \"nosuch\"\n"), "{text}");
        let names = OPTIONS.iter().map(|option| option.name).chain(TUNABLES.iter().map(|tunable| tunable.name));
        for name in names {
            assert!(text.contains(name), "{name}: {text}");
        }
    }

    #[test]
    fn slips_are_understood() {
        for (slip, meant) in [("rfp_margn", "rfp_margin"), ("hsah", "Hash"), ("MoveOverhaed", "Move Overhead")] {
            assert_eq!(nearest(slip), Some(meant));
        }
        assert_eq!(nearest("nosuch"), None);
        assert_eq!(nearest(""), None);
    }
}
