//! Ctrl-C handling.

use crossbeam::channel::{Receiver, bounded};
use std::process::{ExitCode, exit};

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// A channel that receives a message on Ctrl-C. A second Ctrl-C exits at once.
///
/// # Errors
/// The signal handler cannot be set.
pub fn channel() -> Result<Receiver<()>, ctrlc::Error> {
    let (send, receive) = bounded(1);
    let mut interrupted = false;
    ctrlc::set_handler(move || {
        if interrupted {
            exit(i32::from(INTERRUPTED));
        }
        interrupted = true;
        // A full or closed channel means the program is already stopping.
        let _ = send.try_send(());
    })?;
    Ok(receive)
}

/// Records Ctrl-C.
pub struct Interrupt {
    /// Receives one message on Ctrl-C.
    pub channel: Receiver<()>,
    /// Whether it was received.
    set: bool,
}

impl Interrupt {
    /// Installs the signal handler.
    ///
    /// # Errors
    /// The signal handler cannot be set.
    pub fn watch() -> Result<Self, ctrlc::Error> {
        Ok(Self { channel: channel()?, set: false })
    }

    /// Records a message received elsewhere.
    pub fn set(&mut self) {
        self.set = true;
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_set(&mut self) -> bool {
        self.set |= self.channel.try_recv().is_ok();
        self.set
    }

    /// Waits up to `time` for Ctrl-C. Returns whether it was pressed.
    #[cfg(feature = "database")]
    pub fn wait(&mut self, time: std::time::Duration) -> bool {
        self.set |= self.channel.recv_timeout(time).is_ok();
        self.set
    }

    /// The exit code.
    pub fn exit_code(&mut self) -> ExitCode {
        if self.is_set() { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS }
    }
}
