//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// A progress bar on standard error with an `indicatif` template, hidden unless that is a terminal. Without a length it only counts.
pub fn bar(len: Option<u64>, template: &str) -> ProgressBar {
    let bar = match len {
        _ if !io::stderr().is_terminal() => ProgressBar::hidden(),
        Some(len) => ProgressBar::new(len),
        None => ProgressBar::new_spinner(),
    };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// A bar for a resumed run: `done` is excluded from the estimated time.
pub fn resumed(len: Option<u64>, done: u64, template: &str) -> ProgressBar {
    let bar = bar(len, template);
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
