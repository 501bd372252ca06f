//! Admission of connections: the token, and their number.

use super::input::{Lines, Unreadable};
use constant_time_eq::constant_time_eq;
#[cfg(unix)]
use lento_console::notice::notice;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncRead;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

/// A new connection has this long for its first line or request.
pub const FIRST_WORD: Duration = Duration::from_secs(5);
/// Most connections that have not sent it; beyond, the oldest is closed.
const MAX_SILENT: usize = 32;
/// Delay after a wrong token.
const WRONG_TOKEN: Duration = Duration::from_millis(500);
/// Shortest token.
const MIN_TOKEN: usize = 16;

#[derive(clap::Args, Clone, Debug)]
pub struct GateArgs {
    /// The token that clients have to send; other users of the machine can read it here, so --token-file is safer
    #[arg(long)]
    token: Option<String>,
    /// A file with the token
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// A file with a second token, for read-only visitors of the page
    #[arg(long, value_name = "FILE")]
    view_token_file: Option<PathBuf>,
    /// Most connections at a time
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: u16,
    /// Most connections of one IP address at a time (of a /64 with IPv6); this machine counts as one
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    per_address: u16,
}

/// Where connections come from that are counted together; `None` for the Unix socket, which is for its owner alone.
pub type Source = Option<IpAddr>;

/// What a visitor of the page may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Edit,
    View,
}

/// Admits connections.
pub struct Gate {
    token: Option<String>,
    view_token: Option<String>,
    /// Closing one of these ends a connection that has not sent its first line, oldest first.
    silent: Mutex<VecDeque<oneshot::Sender<Infallible>>>,
    open: Mutex<HashMap<Source, u16>>,
    most: u16,
    per_address: u16,
}

/// A place among the open connections, free again on drop.
pub struct Place {
    gate: Arc<Gate>,
    source: Source,
}

impl GateArgs {
    /// Reads the token; addresses beyond this machine need one.
    pub fn gate(&self, addresses: &[SocketAddr]) -> Result<Arc<Gate>, String> {
        let token = match &self.token_file {
            Some(file) => Some(token_of(file)?),
            None => self.token.clone().map(checked).transpose()?,
        };
        let view_token = self.view_token_file.as_deref().map(token_of).transpose()?;
        if view_token.is_some() && (token.is_none() || token == view_token) {
            return Err("--view-token-file without another token; expected --token-file as well".into());
        }
        if let Some(public) = addresses.iter().find(|address| token.is_none() && !address.ip().is_loopback()) {
            return Err(format!("{public} can be reached from other machines; expected --token-file, or 127.0.0.1"));
        }
        let (silent, open) = (Mutex::default(), Mutex::default());
        Ok(Arc::new(Gate { token, view_token, silent, open, most: self.connections, per_address: self.per_address }))
    }
}

/// The token of a file.
pub fn token_of(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    #[cfg(unix)]
    if std::fs::metadata(path).is_ok_and(|data| data.mode() & 0o077 != 0) {
        notice(format_args!("{}: other users can read the token; expected mode 600", path.display()));
    }
    checked(text.trim().to_owned())
}

fn checked(token: String) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
    (token.len() >= MIN_TOKEN && token.chars().all(plain)).then_some(token).ok_or_else(|| {
        format!("the token has other characters or is short; expected {MIN_TOKEN} or more of A-Z a-z 0-9 - . _ ~")
    })
}

impl Gate {
    pub fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// What a token allows; `None` if it is wrong, which takes longer.
    pub async fn role(&self, offered: &str) -> Option<Role> {
        let is = |token: &String| constant_time_eq(token.as_bytes(), offered.as_bytes());
        let role = match (self.token.as_ref().is_none_or(is), self.view_token.as_ref().is_some_and(is)) {
            (true, _) => Some(Role::Edit),
            (_, true) => Some(Role::View),
            _ => None,
        };
        if role.is_none() {
            sleep(WRONG_TOKEN).await;
        }
        role
    }

    /// Waits for the first line or request of a connection; `None` if it takes too long, or if too many others wait that are
    /// newer.
    pub async fn first<T>(&self, word: impl Future<Output = T>) -> Option<T> {
        let (keep, ended) = oneshot::channel();
        {
            let mut silent = self.silent.lock();
            silent.retain(|other| !other.is_closed());
            silent.push_back(keep);
            if silent.len() > MAX_SILENT {
                silent.pop_front();
            }
        }
        tokio::select! {
            word = timeout(FIRST_WORD, word) => word.ok(),
            _ = ended => None,
        }
    }

    /// Opens a connection by its first line, or says why not; `None` if it sends none. Without a token the line is a request,
    /// which is to be read again.
    pub async fn open<R: AsyncRead + Unpin>(
        self: &Arc<Self>,
        lines: &mut Lines<R>,
        expected: &str,
        source: Source,
    ) -> Option<Result<Place, String>> {
        let line = self.first(lines.next()).await??;
        let first = match &line {
            Ok(line) => line.trim(),
            // It may be an HTTP request for a long address.
            Err(error @ Unreadable::TooLong) => return Some(Err(error.to_string())),
            Err(Unreadable::NotUtf8(_)) => "",
        };
        if is_http(first) {
            return Some(Err(format!("HTTP; expected {expected}")));
        }
        if self.role(first.strip_prefix("token ").unwrap_or_default()).await != Some(Role::Edit) {
            return Some(Err("wrong token; expected the line: token TOKEN".to_owned()));
        }
        if !self.needs_token() {
            lines.unread(line);
        }
        Some(self.admit(source))
    }

    /// A place among the open connections, or the reason why there is none.
    pub fn admit(self: &Arc<Self>, source: Source) -> Result<Place, String> {
        let mut open = self.open.lock();
        if open.values().sum::<u16>() >= self.most {
            return Err(format!("{} connections are open; expected to try again later", self.most));
        }
        let own = open.entry(source).or_default();
        if source.is_some() && *own >= self.per_address {
            return Err(format!("{own} connections of this address are open; expected to close one of them"));
        }
        *own += 1;
        Ok(Place { gate: Arc::clone(self), source })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.gate.open.lock();
        if let Some(own) = open.get_mut(&self.source) {
            *own -= 1;
        }
        open.retain(|_, own| *own > 0);
    }
}

/// The addresses that are counted together with this one: all of this machine, or all of a network of IPv6.
pub fn source(address: IpAddr) -> Source {
    Some(match address.to_canonical() {
        address if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    })
}

/// Whether this is the first line of an HTTP request, as web pages can send to any port.
fn is_http(line: &str) -> bool {
    line.rsplit(' ').next().is_some_and(|last| last.starts_with("HTTP/"))
}

/// Whether the host of a request is an address, `localhost` or one of these names. Another name may have been pointed here by
/// a web page (DNS rebinding).
pub fn is_own_host(host: &str, names: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>().is_ok() => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let is = |own: &str| own.trim_end_matches('.').eq_ignore_ascii_case(name.trim_end_matches('.'));
    bare.parse::<IpAddr>().is_ok() || is("localhost") || names.iter().any(|own| is(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let names = ["chess.EXAMPLE".to_owned()];
        for host in ["127.0.0.1:8617", "localhost", "localhost:1", "[::1]:80", "192.168.1.7:8617", "Chess.Example.:80"]
        {
            assert!(is_own_host(host, &names), "{host}");
        }
        for host in ["evil.example", "evil.example:8617", "127.0.0.1.evil.example", "", "localhost.evil.example:80"] {
            assert!(!is_own_host(host, &names), "{host}");
        }
    }

    #[test]
    fn addresses_counted_together() {
        let source = |text: &str| source(text.parse().expect("an address"));
        for (one, other) in [
            ("127.0.0.1", "127.9.8.7"),
            ("127.0.0.1", "::1"),
            ("127.0.0.1", "::ffff:127.0.0.1"),
            ("192.0.2.1", "::ffff:192.0.2.1"),
            ("2001:db8:1:2::3", "2001:db8:1:2:ffff::"),
        ] {
            assert_eq!(source(one), source(other));
        }
        assert_ne!(source("192.0.2.1"), source("192.0.2.2"));
        assert_ne!(source("2001:db8:1:2::3"), source("2001:db8:1:3::3"));
    }

    #[test]
    fn http_requests() {
        assert!(is_http("POST / HTTP/1.1") && !is_http("uci") && !is_http(r#"{"id":"HTTP/1.1"}"#));
    }
}
