//! Options of a player.

use super::names;
use lento::engine::Engine;
use lento::uci::options::{self, Target};
use lento::uci::writer::Writer;
use std::fmt;
use std::io;
use std::str::FromStr;

/// An option with its value, as `setoption` would set it: an option of the engine, or a number of its search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option's name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// Sets the option.
    ///
    /// # Errors
    /// There is no such option, or it does not take the value.
    pub fn apply(&self, engine: &mut Engine) -> Result<(), String> {
        let mut writer = Writer::new(io::sink());
        options::set(&mut Target { engine, writer: &mut writer }, &self.name, Some(&self.value))
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| format!("{text:?}; expected NAME=VALUE, such as rfp_margin=80"))?;
        let setting = Self { name: name.trim().to_owned(), value: value.trim().to_owned() };
        // A table is only taken when it is needed, so trying a size out costs nothing; a log would be opened.
        if !setting.name.eq_ignore_ascii_case("Debug Log File") {
            if !options::exists(&setting.name) {
                return Err(names::unknown(&setting.name));
            }
            setting.apply(&mut Engine::new())?;
        }
        Ok(setting)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked_against_the_engine() {
        let setting: Setting = "rfp_margin = 80".parse().unwrap();
        let mut engine = Engine::new();
        setting.apply(&mut engine).unwrap();
        assert_eq!((engine.params().rfp_margin, setting.to_string()), (80, "rfp_margin=80".to_owned()));
        for (text, part) in [
            ("rfp_margin", "NAME=VALUE"),
            ("rfp_margin=9", "30 to 150"),
            ("nonsense=1", "nonsense"),
            ("nonsense=1", "rfp_margin (30 to 150"),
            ("LMR=x", "log"),
        ] {
            let error = text.parse::<Setting>().unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
