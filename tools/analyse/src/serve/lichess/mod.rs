//! `lento serve --lichess`: the engine of people who analyse on lichess.org, by its API for external engines.
//!
//! Registration is on one server; the other, the broker, hands out work and passes on what is found.

#[cfg(feature = "lichess")]
mod api;
#[cfg(feature = "lichess")]
mod job;
#[cfg(feature = "lichess")]
mod lines;
#[cfg(feature = "lichess")]
mod provider;
#[cfg(feature = "lichess")]
mod secret;

use std::path::PathBuf;

#[derive(clap::Args, Clone, Debug)]
pub struct LichessArgs {
    /// Be an external engine of lichess.org; the file has a token with the scopes engine:read and engine:write
    #[arg(long, value_name = "TOKEN-FILE")]
    lichess: Option<PathBuf>,
    /// The engine's name there
    #[arg(long, value_name = "NAME", default_value = "Lento", value_parser = name)]
    lichess_name: String,
    /// A file that keeps the secret of the registration [default: TOKEN-FILE.secret]
    #[arg(long, value_name = "FILE", requires = "lichess")]
    lichess_secret: Option<PathBuf>,
    /// List the external engines of the account, and end
    #[arg(long, requires = "lichess")]
    lichess_list: bool,
    /// Remove an external engine of the account, and end
    #[arg(long, value_name = "ID", requires = "lichess", conflicts_with = "lichess_list")]
    lichess_remove: Option<String>,
    /// Where engines are registered
    #[arg(long, value_name = "URL", default_value = "https://lichess.org", requires = "lichess")]
    lichess_url: String,
    /// Where work is handed out
    #[arg(long, value_name = "URL", default_value = "https://engine.lichess.ovh", requires = "lichess")]
    lichess_engine_url: String,
}

fn name(text: &str) -> Result<String, String> {
    let length = text.trim().chars().count();
    if (3..=200).contains(&length) { Ok(text.trim().into()) } else { Err("expected 3 to 200 characters".into()) }
}

impl LichessArgs {
    /// Whether the program ends after a list or a removal.
    #[cfg(feature = "lichess")]
    pub fn ends(&self) -> bool {
        self.lichess_list || self.lichess_remove.is_some()
    }

    pub fn is_given(&self) -> bool {
        self.lichess.is_some()
    }
}
