//! The secret that identifies the engine to the broker, stored between runs.

use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::PathBuf;

pub struct Secret {
    path: PathBuf,
    pub secret: String,
    /// The id of the registration.
    pub engine: Option<String>,
}

impl Secret {
    /// Reads the file, or generates a secret.
    pub fn open(path: PathBuf) -> Result<Self, String> {
        let named = |text: &str| format!("{}: {text}", path.display());
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let kept: Value = serde_json::from_str(&text).unwrap_or_default();
                let secret = kept["secret"].as_str().filter(|secret| (16..=1024).contains(&secret.len()));
                let secret = secret.ok_or_else(|| named("expected a secret written by lento serve --lichess"))?.into();
                Ok(Self { secret, engine: kept["engine"].as_str().map(str::to_owned), path })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self { secret: random(), engine: None, path }),
            Err(error) => Err(named(&error.to_string())),
        }
    }

    /// Writes the file, readable only by its owner.
    pub fn save(&self, engine: &str) -> Result<(), String> {
        if self.engine.as_deref() == Some(engine) {
            return Ok(());
        }
        let text = format!("{}\n", json!({ "secret": self.secret, "engine": engine }));
        self.write(text.as_bytes()).map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn write(&self, text: &[u8]) -> std::io::Result<()> {
        use std::io::Write;
        let draft = self.path.with_added_extension("new");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&draft)?;
        file.write_all(text).and_then(|()| file.sync_all())?;
        std::fs::rename(&draft, &self.path)
    }
}

/// 256 unpredictable bits, from hashes with random keys of the operating system.
fn random() -> String {
    (0..4).map(|number: u64| format!("{:016x}", RandomState::new().hash_one(number))).collect()
}
