//! Admission of connections: tokens and limits.

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

/// Timeout for the first line or request of a connection.
pub const FIRST_MESSAGE: Duration = Duration::from_secs(5);
/// Maximum connections without a first message; above, the oldest is closed. Many may come before this server gets a processor.
const MAX_PENDING: usize = 256;
const WRONG_TOKEN_DELAY: Duration = Duration::from_millis(500);
const MIN_TOKEN: usize = 16;

#[derive(clap::Args, Clone, Debug)]
pub struct AdmissionArgs {
    /// Token that clients must send; visible to other users of this machine, so prefer --token-file
    #[arg(long)]
    token: Option<String>,
    /// A file with the token
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
    /// A file with a second token, for read-only access to the page
    #[arg(long, value_name = "FILE")]
    view_token_file: Option<PathBuf>,
    /// Maximum number of connections
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    connections: u16,
    /// Maximum connections per IP address, or per /64 network with IPv6; this machine counts as one address
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=4096))]
    per_address: u16,
}

/// Addresses whose connections are counted together; `None` for the Unix socket, which only its owner can use.
pub type Source = Option<IpAddr>;

/// Permissions of a visitor of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Edit,
    View,
}

pub struct Admission {
    token: Option<String>,
    view_token: Option<String>,
    /// Connections without a first message, oldest first. Dropping a sender closes its connection.
    pending: Mutex<VecDeque<oneshot::Sender<Infallible>>>,
    open: Mutex<HashMap<Source, u16>>,
    max: u16,
    per_address: u16,
}

/// A slot among the open connections, released on drop.
pub struct Slot {
    admission: Arc<Admission>,
    source: Source,
}

impl AdmissionArgs {
    /// Reads the tokens. Addresses reachable from other machines require one.
    pub fn admission(&self, addresses: &[SocketAddr]) -> Result<Arc<Admission>, String> {
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
        let (max, per_address, pending, open) =
            (self.connections, self.per_address, Mutex::default(), Mutex::default());
        Ok(Arc::new(Admission { token, view_token, pending, open, max, per_address }))
    }
}

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

impl Admission {
    pub fn needs_token(&self) -> bool {
        self.token.is_some()
    }

    /// The role of a token; `None` after a delay if it is wrong.
    pub async fn role(&self, offered: &str) -> Option<Role> {
        let is = |token: &String| constant_time_eq(token.as_bytes(), offered.as_bytes());
        if self.token.as_ref().is_none_or(is) {
            return Some(Role::Edit);
        }
        if self.view_token.as_ref().is_some_and(is) {
            return Some(Role::View);
        }
        sleep(WRONG_TOKEN_DELAY).await;
        None
    }

    /// Waits for the first line or request of a connection; `None` after a timeout, or if too many newer connections are pending.
    pub async fn first_message<T>(&self, message: impl Future<Output = T>) -> Option<T> {
        let (sender, ended) = oneshot::channel();
        {
            let mut pending = self.pending.lock();
            pending.retain(|other| !other.is_closed());
            pending.push_back(sender);
            if pending.len() > MAX_PENDING {
                pending.pop_front();
            }
        }
        tokio::select! {
            message = timeout(FIRST_MESSAGE, message) => message.ok(),
            _ = ended => None,
        }
    }

    /// Admits a connection by its first line, or fails with the reason; `None` if there is no line. Without a token, the line is a
    /// request and is put back.
    pub async fn open<R: AsyncRead + Unpin>(
        self: &Arc<Self>,
        lines: &mut Lines<R>,
        expected: &str,
        source: Source,
    ) -> Option<Result<Slot, String>> {
        let line = self.first_message(lines.next()).await??;
        let first = match &line {
            Ok(line) => line.trim(),
            // Possibly an HTTP request with a long address.
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

    /// Takes a slot among the open connections. Fails if the limits are reached.
    pub fn admit(self: &Arc<Self>, source: Source) -> Result<Slot, String> {
        let mut open = self.open.lock();
        if open.values().sum::<u16>() >= self.max {
            return Err(format!("{} connections are open; try again later", self.max));
        }
        let own = open.entry(source).or_default();
        if source.is_some() && *own >= self.per_address {
            return Err(format!("{own} connections of this address are open; close one of them"));
        }
        *own += 1;
        Ok(Slot { admission: Arc::clone(self), source })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.admission.open.lock();
        if let Some(own) = open.get_mut(&self.source) {
            *own -= 1;
        }
        open.retain(|_, own| *own > 0);
    }
}

/// The addresses counted together with this one: all of this machine, or of an IPv6 network.
pub fn source(address: SocketAddr) -> Source {
    Some(match address.ip().to_canonical() {
        address if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    })
}

/// Whether this is the first line of an HTTP request, which web pages can send to any port.
fn is_http(line: &str) -> bool {
    line.rsplit(' ').next().is_some_and(|last| last.starts_with("HTTP/"))
}

/// Whether the host of a request is an address, `localhost` or one of these names. Protects against DNS rebinding.
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
    fn only_own_hosts_are_accepted() {
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
    fn addresses_are_counted_by_source() {
        let source = |text: &str| source(SocketAddr::new(text.parse().expect("an address"), 1));
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
    fn http_requests_are_recognised() {
        assert!(is_http("POST / HTTP/1.1") && !is_http("uci") && !is_http(r#"{"id":"HTTP/1.1"}"#));
    }
}
