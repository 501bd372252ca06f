//! Values of options that were of another kind once, as programs may have saved them.

/// The option, its former value, and what that is called today.
const FORMER: [(&str, &str, &str); 3] = [("LBR", "true", "reply"), ("LBR", "false", "off"), ("LMR", "log", "tuned")];

/// The value as the option of this name takes it today: another word for a former value, any other value as it is.
pub fn today<'a>(option: &str, value: &'a str) -> &'a str {
    let known = |(name, former, _): &&(&str, &str, &str)| *name == option && former.eq_ignore_ascii_case(value);
    FORMER.iter().find(known).map_or(value, |(_, _, today)| today)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::options::{Kind, find};

    #[test]
    fn former_values_have_a_meaning_today_and_no_other_one() {
        for (name, former, value) in FORMER {
            let Kind::Combo { choices, .. } = find(name).expect(name).kind else { panic!("{name} has no choices") };
            assert!(choices().contains(&value) && !choices().contains(&former), "{name}: {former}, {value}");
            assert_eq!((today(name, former), today(name, &former.to_uppercase())), (value, value));
        }
        assert_eq!((today("LBR", "pair"), today("LBR", "maybe"), today("LMR", "true")), ("pair", "maybe", "true"));
    }
}
