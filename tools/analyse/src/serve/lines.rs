//! JSON lines over standard input and output, TCP and Unix sockets.

use super::Server;
use super::admission::Source;
use super::board::RequestError;
use super::client::Client;
use super::input::Lines;
use serde_json::Value;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, split};
use tokio::time::timeout;

/// Write timeout of clients.
pub const MAX_STALL: Duration = Duration::from_secs(20);
/// Interval of probes after the end of a connection's input.
const PROBE: Duration = Duration::from_secs(1);

/// Serves standard input and output until all queries are answered.
pub async fn stdio(server: &Server) {
    let client = Client::new(&server.pool, true);
    let read = read(Lines::new(tokio::io::stdin()), &client);
    converse(server, &client, read, write(tokio::io::stdout(), &client, Duration::MAX, Duration::MAX)).await;
}

/// Serves a connection until all queries are answered. If it breaks, its queries are cancelled.
pub async fn connection(server: Arc<Server>, stream: impl AsyncRead + AsyncWrite, source: Source) {
    let (reader, writer) = split(stream);
    let mut lines = Lines::new(reader);
    // A slot, held until the end, or why there is none.
    let Some(place) = server.admission.open(&mut lines, "JSON lines", source).await else { return };
    let client = Client::new(&server.pool, false);
    let read = async {
        match &place {
            Ok(_) => read(lines, &client).await,
            Err(error) => client.refuse(&Value::Null, &RequestError::new("refused", "", error)),
        }
    };
    converse(&server, &client, read, write(writer, &client, MAX_STALL, PROBE)).await;
}

/// Handles all lines, each once the client has taken enough answers.
async fn read(mut lines: Lines<impl AsyncRead + Unpin>, client: &Arc<Client>) {
    while let Some(line) = lines.next().await {
        while client.is_above_high_water() {
            client.sent.notified().await;
        }
        match line {
            Ok(line) => client.request(&line).await,
            Err(error) => client.refuse(&Value::Null, &RequestError::new("unreadable", "", error)),
        }
    }
}

/// Reads and writes until the writer ends. Ctrl-C ends the input and cancels the queries of the client.
async fn converse(server: &Server, client: &Client, read: impl Future<Output = ()>, write: impl Future<Output = ()>) {
    let mut stopped = server.stopped.clone();
    let requests = async {
        tokio::select! {
            () = async { read.await; client.end(); pending().await } => {}
            _ = stopped.wait_for(|stopped| *stopped) => {}
        }
        client.cancel(None);
        client.end();
        pending().await
    };
    tokio::select! {
        () = requests => {}
        () = write => {}
    }
    client.close();
}

/// Sends answers until the client is closed or stalls. After the end of its input, sends spaces before the next answer, which JSON
/// ignores, to detect a closed connection, which looks the same as a half-closed one.
async fn write(mut writer: impl AsyncWrite + Unpin, client: &Client, stall: Duration, probe: Duration) {
    while let Some(mut text) = client.take() {
        if text.is_empty() {
            if timeout(probe, client.ready.notified()).await.is_ok() || !client.has_ended() {
                continue;
            }
            text.push(' ');
        }
        let sending = async {
            writer.write_all(text.as_bytes()).await?;
            writer.flush().await
        };
        if !matches!(timeout(stall, sending).await, Ok(Ok(()))) {
            return;
        }
    }
    let _ = writer.shutdown().await;
}
