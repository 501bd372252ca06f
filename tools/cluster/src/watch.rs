//! Ends the process when the other ranks keep MPI waiting for ever.

use crossbeam::channel::{RecvTimeoutError::Timeout, Sender, bounded};
use signal_hook::low_level;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// When the wait is reported on standard error.
const NOTICE: Duration = Duration::from_secs(5);

/// Watches a call of MPI that waits for all ranks, until the returned sender is dropped: ends the process after this time. `until`
/// completes "waits until all ranks".
pub fn watch(until: &'static str, limit: Duration) -> Sender<()> {
    let (watching, alive) = bounded(0);
    thread::spawn(move || {
        let notice = NOTICE.min(limit / 2);
        if alive.recv_timeout(notice) != Err(Timeout) {
            return;
        }
        let name = name();
        eprintln!("lento-cluster: {name} waits until all ranks {until}; one without this message may be missing");
        if alive.recv_timeout(limit - notice) == Err(Timeout) {
            end(&format!("{name} has waited for {} ms until all ranks {until}", limit.as_millis()));
        }
    });
    watching
}

/// Ends the process with a message on standard error, without the exit handlers of MPI libraries, which may wait, too.
pub fn end(why: &str) -> ! {
    eprintln!("lento-cluster: {why}; it ends");
    low_level::exit(1)
}

/// The rank, as the program that started it has set it in the environment, and the host.
fn name() -> String {
    let number = |names: [&str; 4]| names.into_iter().find_map(|name| env::var(name).ok());
    let rank = number(["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]);
    let size = number(["OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "PMI_SIZE", "SLURM_NTASKS"]);
    let of = size.map_or_else(String::new, |size| format!(" of {size}"));
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_| "unknown host".into());
    format!("rank {}{of} ({})", rank.as_deref().unwrap_or("?"), host.trim())
}

/// How long another rank has not been heard, while this process was running.
pub struct Silence {
    last: Instant,
    total: Duration,
}

impl Silence {
    /// The most that a look adds. A longer time between two means that this process was stopped, perhaps the other, too.
    const STEP: Duration = Duration::from_millis(250);

    pub fn new(now: Instant) -> Self {
        Self { last: now, total: Duration::ZERO }
    }

    /// Takes a look: whether it has been heard since the last. Returns the length of the silence.
    pub fn look(&mut self, now: Instant, heard: bool) -> Duration {
        let step = now.duration_since(self.last).min(Self::STEP);
        self.last = now;
        self.total = if heard { Duration::ZERO } else { self.total + step };
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_this_process_was_stopped_is_no_silence() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut silence = Silence::new(start);
        assert_eq!(silence.look(start + ms(100), false), ms(100));
        assert_eq!(silence.look(start + ms(3_600_000), false), ms(350));
        assert_eq!(silence.look(start + ms(3_600_100), false), ms(450));
        assert_eq!(silence.look(start + ms(3_600_200), true), ms(0));
        assert_eq!(silence.look(start + ms(3_600_205), false), ms(5));
    }
}
