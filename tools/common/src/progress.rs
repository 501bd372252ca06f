//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;

/// A progress bar on standard error, hidden unless that is a terminal. The template is one of `indicatif`; without a length the
/// bar only counts.
pub fn bar(len: Option<u64>, template: &str) -> ProgressBar {
    let bar = match len {
        _ if !io::stderr().is_terminal() => ProgressBar::hidden(),
        Some(len) => ProgressBar::new(len),
        None => ProgressBar::new_spinner(),
    };
    bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// The bar of a resumed run: `done` does not count for the estimate of the time left.
pub fn resumed(len: Option<u64>, done: u64, template: &str) -> ProgressBar {
    let bar = bar(len, template);
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
