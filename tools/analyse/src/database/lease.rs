//! Leases: on a server a run is alive as long as it says so in time.

use crate::sql::{Connection, Result, Schema, values};
use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

const RENEW: &str = "UPDATE run SET expires = clock_timestamp() + make_interval(secs => $2) WHERE token = $1";

/// Renews the lease of a run until it is dropped.
#[derive(Debug)]
pub struct Lease {
    pub token: String,
    pub length: Duration,
    /// Closed on drop, which ends the thread.
    _ends: Sender<()>,
}

impl Lease {
    /// Starts a thread with a connection of its own, since the other one may be busy.
    pub fn start(url: &str, schema: &'static Schema, token: String, length: Duration) -> io::Result<Self> {
        let (_ends, ended) = channel();
        let (url, renewed) = (url.to_owned(), token.clone());
        let thread = thread::Builder::new().name("lease".into());
        thread.spawn(move || {
            let mut connection = None;
            while ended.recv_timeout(length / 4) == Err(RecvTimeoutError::Timeout) {
                if connection.is_none() {
                    connection = Connection::connect(&url, schema).ok();
                }
                // A server that is gone for a while is connected to again.
                let values = values![&renewed, length.as_secs_f64()];
                connection =
                    connection.and_then(|mut there: Connection| there.execute(RENEW, &values).is_ok().then_some(there));
            }
        })?;
        Ok(Self { token, length, _ends })
    }

    /// Renews the lease now, and registers the run if it is not. Returns its id.
    pub fn renew(&self, connection: &mut Connection) -> Result<i64> {
        let sql =
            "INSERT INTO run (token, process, expires) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
            ON CONFLICT (token) DO UPDATE SET expires = excluded.expires RETURNING id";
        connection.query_value(sql, &values![&self.token, std::process::id(), self.length.as_secs_f64()])
    }
}
