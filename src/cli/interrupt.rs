//! Ctrl-C.

use crossbeam::channel::{Receiver, bounded};
use std::process::{ExitCode, exit};

/// What a program ends with when Ctrl-C has ended it.
const INTERRUPTED: u8 = 130;

/// A channel that tells of Ctrl-C. The second Ctrl-C ends the program on the spot.
///
/// # Errors
/// The system does not let the signal be handled.
pub fn channel() -> Result<Receiver<()>, ctrlc::Error> {
    let (send, receive) = bounded(1);
    let mut asked = false;
    ctrlc::set_handler(move || {
        if asked {
            exit(i32::from(INTERRUPTED));
        }
        asked = true;
        // A full or closed channel means that the work is ending anyway.
        let _ = send.try_send(());
    })?;
    Ok(receive)
}

/// Remembers whether Ctrl-C came.
pub struct Interrupt {
    /// Where it is told, once.
    pub channel: Receiver<()>,
    /// Whether it was.
    came: bool,
}

impl Interrupt {
    /// Watches for Ctrl-C from now on.
    ///
    /// # Errors
    /// The system does not let the signal be handled.
    pub fn watch() -> Result<Self, ctrlc::Error> {
        Ok(Self { channel: channel()?, came: false })
    }

    /// That it came was heard elsewhere.
    pub fn note(&mut self) {
        self.came = true;
    }

    /// Whether it has come.
    pub fn came(&mut self) -> bool {
        self.came |= self.channel.try_recv().is_ok();
        self.came
    }

    /// Waits so long for it. Returns whether it has come.
    #[cfg(feature = "database")]
    pub fn waits(&mut self, time: std::time::Duration) -> bool {
        self.came |= self.channel.recv_timeout(time).is_ok();
        self.came
    }

    /// What the program ends with.
    pub fn exit_code(&mut self) -> ExitCode {
        if self.came() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }
}
