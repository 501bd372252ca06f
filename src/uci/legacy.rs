//! Old values of options, as programs may have saved them.

/// The option, its old value, and what that is called today.
const LEGACY: [(&str, &str, &str); 3] = [("LBR", "true", "reply"), ("LBR", "false", "off"), ("LMR", "log", "tuned")];

/// The value as the option of this name takes it today: another word for an old value, any other value as it is.
pub fn today<'a>(option: &str, value: &'a str) -> &'a str {
    let known = |(name, legacy, _): &&(&str, &str, &str)| *name == option && legacy.eq_ignore_ascii_case(value);
    LEGACY.iter().find(known).map_or(value, |(_, _, today)| today)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::options::{Kind, find};

    #[test]
    fn legacy_values_have_a_meaning_today_and_no_other_one() {
        for (name, legacy, value) in LEGACY {
            let Kind::Combo { choices, .. } = find(name).expect(name).kind else { panic!("{name} has no choices") };
            assert!(choices().contains(&value) && !choices().contains(&legacy), "{name}: {legacy}, {value}");
            assert_eq!((today(name, legacy), today(name, &legacy.to_uppercase())), (value, value));
        }
        assert_eq!((today("LBR", "pair"), today("LBR", "maybe"), today("LMR", "true")), ("pair", "maybe", "true"));
    }
}
