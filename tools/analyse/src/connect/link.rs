//! The connection to the server, opened again after each loss.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

const CONNECT: Duration = Duration::from_secs(5);
/// Write timeout, after which the connection counts as lost.
const WRITE: Duration = Duration::from_secs(2);
/// First and maximum delay between attempts, with jitter.
const DELAYS: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// Maximum line length in bytes; longer lines are split.
const MAX_LINE: u64 = 1 << 20;

pub type Halves = (Box<dyn Read + Send>, Box<dyn Write + Send>);

pub type Encrypt = Box<dyn Fn(TcpStream) -> io::Result<Halves> + Send + Sync>;

pub struct Target {
    pub server: String,
    pub token: Option<String>,
    pub encrypt: Option<Encrypt>,
}

/// Input of the event loop. Events of a connection carry its number.
pub enum Event {
    /// A line from the user interface.
    Line(String),
    EndOfInput,
    /// A new connection, on which the token and `uci` have been sent.
    Opened(u64, Wire),
    /// A line from the server.
    Answer(u64, String),
    /// The connection ended or could not be opened.
    Lost(u64, String),
}

/// The sending half of a connection. Dropping it closes the connection.
pub struct Wire {
    stream: TcpStream,
    writer: Box<dyn Write + Send>,
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// The current connection, or the attempt to open one.
pub struct Link {
    pub target: Arc<Target>,
    events: Sender<Event>,
    number: u64,
    failures: u32,
    wire: Option<Wire>,
    pub last_received: Instant,
}

/// Checks `HOST:PORT`.
pub fn server(text: &str) -> Result<String, String> {
    let is_server = text.rsplit_once(':').is_some_and(|(host, port)| {
        let is_bare_ipv6 = host.contains(':') && !host.starts_with('[');
        !host.is_empty() && !is_bare_ipv6 && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    is_server
        .then(|| text.to_owned())
        .ok_or_else(|| "expected HOST:PORT, such as server:4618 or [2001:db8::1]:4618".into())
}

/// Passes lines without line breaks to `take` until the end or until it returns false. Invalid UTF-8 is replaced.
pub fn lines(from: impl Read, mut take: impl FnMut(String) -> bool) -> io::Result<()> {
    let mut reader = BufReader::new(from);
    loop {
        let mut bytes = Vec::new();
        let read = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut bytes)?;
        if read == 0 || !take(String::from_utf8_lossy(&bytes).trim_end().to_owned()) {
            return Ok(());
        }
    }
}

impl Target {
    fn connect(&self) -> io::Result<TcpStream> {
        let mut failure = io::Error::new(ErrorKind::NotFound, "no address");
        for address in self.server.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_write_timeout(Some(WRITE))?;
                    return Ok(stream);
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Opens a connection and passes on its lines until it ends.
    fn relay(&self, number: u64, events: &Sender<Event>) -> io::Result<()> {
        let stream = self.connect()?;
        let copy = stream.try_clone()?;
        let (reader, mut writer): Halves = match &self.encrypt {
            Some(encrypt) => encrypt(copy)?,
            None => (Box::new(copy.try_clone()?), Box::new(copy)),
        };
        let token = self.token.as_ref().map(|token| format!("token {token}\n")).unwrap_or_default();
        writer.write_all(format!("{token}uci\n").as_bytes())?;
        let _ = events.send(Event::Opened(number, Wire { stream, writer }));
        lines(reader, |line| events.send(Event::Answer(number, line)).is_ok())
    }
}

impl Link {
    pub fn open(target: Arc<Target>, events: Sender<Event>) -> Self {
        let mut link = Self { target, events, number: 0, failures: 0, wire: None, last_received: Instant::now() };
        link.attempt(Duration::ZERO);
        link
    }

    /// Whether an event is from this connection, not an earlier one.
    pub fn is_current(&self, number: u64) -> bool {
        self.number == number
    }

    pub fn is_open(&self) -> bool {
        self.wire.is_some()
    }

    pub fn opened(&mut self, wire: Wire) {
        self.wire = Some(wire);
        self.last_received = Instant::now();
    }

    /// Resets the delay, after the server has accepted this client.
    pub fn reset_delay(&mut self) {
        self.failures = 0;
    }

    /// Sends a line. On failure, shuts the connection down, which the reader reports.
    pub fn send(&mut self, line: &str) {
        if let Some(Wire { stream, writer }) = &mut self.wire
            && writer.write_all(format!("{line}\n").as_bytes()).is_err()
        {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Closes this connection and opens another one after a delay.
    pub fn reconnect(&mut self) {
        self.wire = None;
        let [first, max] = DELAYS;
        let delay = (first * 2u32.pow(self.failures.min(8))).min(max);
        self.failures += 1;
        // Jitter keeps clients of a restarted server from reconnecting all at once.
        let half = RandomState::new().hash_one(self.number) as f64 / u64::MAX as f64 / 2.0;
        self.attempt(delay.mul_f64(0.5 + half));
    }

    fn attempt(&mut self, delay: Duration) {
        self.number += 1;
        let (target, events, number) = (Arc::clone(&self.target), self.events.clone(), self.number);
        let work = move || {
            thread::sleep(delay);
            let reason = match target.relay(number, &events) {
                Err(error) if error.kind() != ErrorKind::UnexpectedEof => error.to_string(),
                _ => "the server closed the connection".to_owned(),
            };
            let _ = events.send(Event::Lost(number, reason));
        };
        if let Err(error) = thread::Builder::new().name("link".into()).spawn(work) {
            let _ = self.events.send(Event::Lost(self.number, error.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_addresses_are_validated() {
        for text in ["server:4618", "127.0.0.1:1", "[::1]:4618"] {
            assert_eq!(server(text).as_deref(), Ok(text));
        }
        for text in ["server", ":4618", "server:", "server:0", "server:65536", "::1:4618", "http://server"] {
            assert!(server(text).is_err(), "{text}");
        }
    }
}
