//! What is measured.

use lento_common::inputs;
use lento_common::play::setting::Setting;
use std::path::Path;
use std::str::FromStr;

/// Settings that one of the two players has, and the other has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// What it is called.
    pub name: String,
    /// What its player has; no name is set twice.
    pub settings: Vec<Setting>,
}

impl Factor {
    /// The settings as one word.
    pub fn text(&self) -> String {
        self.settings.iter().map(Setting::to_string).collect::<Vec<_>>().join(",")
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A comma that no NAME= follows is part of the value, as in lists and in names of files.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => *last = format!("{last},{part}"),
                _ => parts.push(part.to_owned()),
            }
        }
        let mut settings: Vec<Setting> = Vec::new();
        for part in parts {
            let setting: Setting = part.parse()?;
            if settings.iter().any(|other| other.name.eq_ignore_ascii_case(&setting.name)) {
                return Err(format!("{:?} twice in {text:?}; expected each name once", setting.name));
            }
            settings.push(setting);
        }
        let factor = Self { name: String::new(), settings };
        Ok(Self { name: factor.text(), ..factor })
    }
}

/// The factors in a file, one a line; what follows a `#` at the start of a line or after a space does not count.
///
/// # Errors
/// The file cannot be read, has none, or has a line that is none; the message says which.
pub fn read(path: &Path) -> Result<Vec<Factor>, String> {
    let name = path.display();
    let text = inputs::read_text(path).map_err(|error| format!("{name}: {error}"))?;
    let mut factors = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let comment = line.match_indices('#').map(|(at, _)| at);
        let comment = comment.into_iter().find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace));
        let words = line[..comment.unwrap_or(line.len())].trim();
        if !words.is_empty() {
            factors.push(words.parse().map_err(|error| format!("{name}:{}: {error}", number + 1))?);
        }
    }
    if factors.is_empty() {
        return Err(format!("{name}: no factor in this file; expected lines such as rfp_margin=80"));
    }
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_may_have_several_settings_and_a_value_commas() {
        let factor: Factor = "rfp_depth=8, rfp_margin = 90".parse().unwrap();
        assert_eq!((factor.name.as_str(), factor.settings.len()), ("rfp_depth=8,rfp_margin=90", 2));
        let list: Factor = "HashFile=one,two,rfp_margin=90".parse().unwrap();
        assert_eq!(list.settings[0].to_string(), "HashFile=one,two");
        assert_eq!(list.settings.len(), 2);
    }
}
