//! Waiting for a server that is gone.

use super::Location;
use crate::sql::Result;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::progress::Progress;
use std::time::Duration;

/// The longest pause between attempts to reach a server.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Asks a database. If its server is gone, asks again, with `true`, which is to reconnect first, until it is back; returns
/// `None` after Ctrl-C meanwhile.
pub fn retry<T>(
    location: &Location,
    stop: &Stop,
    progress: &mut Progress,
    mut ask: impl FnMut(bool) -> Result<T>,
) -> Result<Option<T>> {
    let mut say = |text: String| {
        progress.clear();
        notice(text);
    };
    let mut pause = Duration::from_millis(100);
    let mut is_lost = false;
    loop {
        match ask(is_lost) {
            Err(error) if error.is_disconnect() => {
                if !std::mem::replace(&mut is_lost, true) {
                    say(format!("{error}; nothing is lost: trying until the server is back"));
                }
            }
            Err(error) => return Err(error),
            Ok(answer) => {
                if is_lost {
                    say(format!("{location}: the server is back"));
                }
                return Ok(Some(answer));
            }
        }
        // A timeout unless a stop is requested.
        if stop.waiter().recv_timeout(pause).is_err_and(|error| error.is_disconnected()) {
            return Ok(None);
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
