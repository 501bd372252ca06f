//! Engine settings of players.

use crate::inputs;
use lento::engine::Engine;
use lento::eval::nnue::Network;
use lento::search::params::TUNABLES;
use lento::tb::Tables;
use lento_uci::options::{self, Target};
use lento_uci::protocol::Protocol;
use lento_uci::words::quoted;
use lento_uci::writer::Writer;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::{fmt, io};

/// Tablebases by their folders. Opening them takes too long to repeat for the players of each pair of games.
static TABLES: Mutex<BTreeMap<String, Arc<Tables>>> = Mutex::new(BTreeMap::new());

/// Networks by their files. A run plays with the network read first, even if the file is replaced or removed.
static NETWORKS: Mutex<BTreeMap<String, Arc<Network>>> = Mutex::new(BTreeMap::new());

/// An engine option or search parameter with its value, as for `setoption`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Name of the option or parameter.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Setting {
    /// Sets the option.
    ///
    /// # Errors
    /// The option does not exist, or the value is invalid.
    pub fn apply(&self, engine: &mut Engine) -> Result<(), String> {
        let (has_tables, has_network) = (self.sets("SyzygyPath"), self.sets("EvalFile"));
        if has_tables && let Some(tables) = TABLES.lock().get(&self.value) {
            engine.set_tables(Some(Arc::clone(tables)));
            return Ok(());
        }
        if has_network && let Some(network) = NETWORKS.lock().get(&self.value) {
            engine.network = Arc::clone(network);
            return Ok(());
        }
        let (mut protocol, mut writer) = (Protocol::default(), Writer::new(io::sink()));
        let mut target = Target { engine, protocol: &mut protocol, writer: &mut writer };
        options::set(&mut target, &self.name, Some(&self.value))?;
        if let Some(tables) = engine.tables().filter(|_| has_tables) {
            TABLES.lock().insert(self.value.clone(), Arc::clone(tables));
        }
        if has_network {
            NETWORKS.lock().insert(self.value.clone(), Arc::clone(&engine.network));
        }
        Ok(())
    }

    /// Whether it sets this option, in any spelling that `setoption` accepts.
    pub fn sets(&self, option: &str) -> bool {
        options::same_name(&self.name, option)
    }

    /// CRC-32 of the network that this setting loads, in eight hexadecimal digits.
    pub fn network(&self) -> Option<String> {
        self.sets("EvalFile").then(|| inputs::checksum(Path::new(&self.value)))?
    }
}

/// Settings as text.
pub fn texts(settings: &[Setting]) -> Vec<String> {
    settings.iter().map(Setting::to_string).collect()
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| format!("{text:?}; expected NAME=VALUE, such as rfp_margin=80"))?;
        let setting = Self { name: name.trim().to_owned(), value: value.trim().to_owned() };
        // Applying it does not allocate a hash table but would create a log file.
        if !setting.sets("Debug Log File") {
            if !options::exists(&setting.name) {
                return Err(unknown(&setting.name));
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

/// The error for an unknown name, with the most similar name and all names.
fn unknown(name: &str) -> String {
    let parameters = TUNABLES.iter().map(|tunable| {
        let off = tunable.off.map_or_else(String::new, |off| format!(", {off} for off"));
        format!("{} ({} to {}{off})", tunable.name, tunable.min, tunable.max)
    });
    let (options, parameters) = (options::names().join(", "), parameters.collect::<Vec<_>>().join(", "));
    let meant = nearest(name).map_or_else(String::new, |near| format!("; did you mean {near}?"));
    let name = quoted(name);
    format!("unknown option or search parameter {name}{meant}\noptions: {options}\nsearch parameters: {parameters}")
}

/// The most similar name, if any is similar.
fn nearest(name: &str) -> Option<&'static str> {
    let names = options::names().into_iter().chain(TUNABLES.iter().map(|tunable| tunable.name));
    let similarity = |other: &str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    let (near, similarity) = names.map(|name| (name, similarity(name))).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    (similarity >= 0.6).then_some(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lento_testing::Folder;

    #[test]
    fn settings_are_validated() {
        let setting: Setting = "rfp_margin = 80".parse().unwrap();
        let mut engine = Engine::new();
        setting.apply(&mut engine).unwrap();
        assert_eq!((engine.params().rfp_margin, setting.to_string()), (80, "rfp_margin=80".to_owned()));
        let folder = Folder::new("settings");
        let log: Setting = format!("DebugLogFile={}", folder.at("log").display()).parse().unwrap();
        assert!(log.sets("Debug Log File") && folder.names().is_empty());
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

    #[test]
    fn players_share_tablebases() {
        let path = concat!("Syzygy Path=", env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let tables = || {
            let mut engine = Engine::new();
            path.parse::<Setting>().unwrap().apply(&mut engine).unwrap();
            Arc::clone(engine.tables().unwrap())
        };
        assert!(Arc::ptr_eq(&tables(), &tables()));
        assert!("SyzygyPath=/no/such/folder".parse::<Setting>().is_err());
        "SyzygyPath=<empty>".parse::<Setting>().unwrap().apply(&mut Engine::new()).unwrap();
    }

    #[test]
    fn players_share_the_network_read_first() {
        let folder = Folder::new("shared-network");
        let path = folder.at("net.lnn");
        std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../nets/default.lnn"), &path).unwrap();
        let setting: Setting = format!("EvalFile={}", path.display()).parse().unwrap();
        std::fs::remove_file(&path).unwrap();
        let network = || {
            let mut engine = Engine::new();
            setting.apply(&mut engine).unwrap();
            Arc::clone(&engine.network)
        };
        assert!(Arc::ptr_eq(&network(), &network()));
    }

    #[test]
    fn error_lists_all_names() {
        let text = unknown("nosuch");
        assert!(text.starts_with("unknown option or search parameter \"nosuch\"\n"), "{text}");
        let names = options::names().into_iter().chain(TUNABLES.iter().map(|tunable| tunable.name));
        for name in names {
            assert!(text.contains(name), "{name}: {text}");
        }
    }

    #[test]
    fn similar_names_are_suggested() {
        for (typo, meant) in [("rfp_margn", "rfp_margin"), ("hsah", "Hash"), ("MoveOverhaed", "Move Overhead")] {
            assert_eq!(nearest(typo), Some(meant));
        }
        assert_eq!(nearest("nosuch"), None);
        assert_eq!(nearest(""), None);
    }
}
