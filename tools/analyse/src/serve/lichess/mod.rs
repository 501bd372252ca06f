//! `lento serve --lichess`: an external engine for analysis on lichess.org, by its API.
//!
//! Engines are registered on one server; another one, the broker, distributes work and forwards results.

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
    /// Provide an external engine for lichess.org; the file has a token with the scopes engine:read and engine:write
    #[arg(long, value_name = "TOKEN-FILE")]
    lichess: Option<PathBuf>,
    /// Name of the engine on lichess.org
    #[arg(long, value_name = "NAME", default_value = "Lento", value_parser = name, requires = "lichess")]
    lichess_name: String,
    /// A file for the secret of the registration [default: TOKEN-FILE.secret]
    #[arg(long, value_name = "FILE", requires = "lichess")]
    lichess_secret: Option<PathBuf>,
    /// List the external engines of the account and exit
    #[arg(long, requires = "lichess")]
    lichess_list: bool,
    /// Remove an external engine of the account and exit
    #[arg(long, value_name = "ID", requires = "lichess", conflicts_with = "lichess_list")]
    lichess_remove: Option<String>,
    /// Server for registration
    #[arg(long, value_name = "URL", default_value = "https://lichess.org", requires = "lichess")]
    lichess_url: String,
    /// Broker that distributes work
    #[arg(long, value_name = "URL", default_value = "https://engine.lichess.ovh", requires = "lichess")]
    lichess_engine_url: String,
}

fn name(text: &str) -> Result<String, String> {
    let length = text.trim().chars().count();
    if (3..=200).contains(&length) { Ok(text.trim().into()) } else { Err("expected 3 to 200 characters".into()) }
}

impl LichessArgs {
    /// Whether to list or remove engines and exit.
    #[cfg(feature = "lichess")]
    pub fn manages(&self) -> bool {
        self.lichess_list || self.lichess_remove.is_some()
    }

    pub fn is_given(&self) -> bool {
        self.lichess.is_some()
    }
}
