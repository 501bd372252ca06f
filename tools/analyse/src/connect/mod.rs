//! `lento connect`: a UCI engine that searches on another machine, through `lento serve --uci` there.
//!
//! [`relay`] is the event loop, [`link`] connects, [`session`] stores the state to send to a new connection.

mod link;
mod relay;
mod session;
#[cfg(feature = "tls")]
mod tls;

use crate::serve;
use lento_console::Done;
use std::path::PathBuf;
use std::process::ExitCode;

const ABOUT: &str = "\
User interfaces start it as a UCI engine. If the connection is lost, it
reconnects, sends options and position again and continues the search with the
remaining time. Meanwhile it plays the best move so far at `stop`, after `movetime`
or after half of the clock.";

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "", after_long_help = ABOUT)]
pub struct Args {
    /// The address of `lento serve --uci`
    #[arg(value_name = "HOST:PORT", value_parser = link::server)]
    server: String,
    /// A file with the token of the server
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Encrypt with TLS, for a server behind a TLS proxy
    #[arg(long)]
    tls: bool,
    /// A file with the certificates (PEM) to trust instead of public authorities
    #[arg(long, value_name = "FILE", requires = "tls")]
    ca_file: Option<PathBuf>,
}

impl Args {
    #[cfg(feature = "tls")]
    fn encryption(&self) -> Result<link::Encrypt, String> {
        let host = self.server.rsplit_once(':').map_or(self.server.as_str(), |(host, _)| host);
        tls::encryption(host.trim_matches(['[', ']']), self.ca_file.as_deref())
    }

    #[cfg(not(feature = "tls"))]
    fn encryption(&self) -> Result<link::Encrypt, String> {
        let build = "`cargo build --release -p lento-analyse --features tls`";
        Err(format!("--tls: not in this build; expected a release, or a build by {build}"))
    }
}

/// Relays until `quit`, the end of input, or until the output is closed.
pub fn run(args: &Args) -> Done {
    let token = args.token_file.as_deref().map(serve::token_of).transpose()?;
    let encrypt = args.tls.then(|| args.encryption()).transpose()?;
    relay::run(link::Target { server: args.server.clone(), token, encrypt })?;
    Ok(ExitCode::SUCCESS)
}
