//! Ends the process when the other ranks block MPI for too long.

use crossbeam::channel::{RecvTimeoutError::Timeout, Sender, bounded};
use signal_hook::low_level;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// Time after which the wait is reported on standard error.
const NOTICE: Duration = Duration::from_secs(5);

/// Watches a blocking collective MPI call until the returned sender is dropped; ends the process after `limit`. `to_do` completes
/// "waiting for all ranks".
pub fn watch(to_do: &'static str, limit: Duration) -> Sender<()> {
    let (watching, alive) = bounded(0);
    thread::spawn(move || {
        let notice = NOTICE.min(limit / 2);
        if alive.recv_timeout(notice) != Err(Timeout) {
            return;
        }
        let name = name();
        eprintln!("lento-cluster: {name} is waiting for all ranks {to_do}; a rank without this message may be missing");
        if alive.recv_timeout(limit - notice) == Err(Timeout) {
            end(&format!("{name} timed out after {} ms waiting for all ranks {to_do}", limit.as_millis()));
        }
    });
    watching
}

/// Ends the process with a message on standard error, without the exit handlers of MPI libraries, which may block.
pub fn end(why: &str) -> ! {
    eprintln!("lento-cluster: {why}; exiting");
    low_level::exit(1)
}

/// Rank, from the launcher's environment variables, and host.
fn name() -> String {
    let number = |names: [&str; 4]| names.into_iter().find_map(|name| env::var(name).ok());
    let rank = number(["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]);
    let size = number(["OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "PMI_SIZE", "SLURM_NTASKS"]);
    let of = size.map_or_else(String::new, |size| format!(" of {size}"));
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_| "unknown host".into());
    format!("rank {}{of} ({})", rank.as_deref().unwrap_or("?"), host.trim())
}

/// Time without a message from another rank, counted only while this process runs.
pub struct Silence {
    last: Instant,
    total: Duration,
}

impl Silence {
    /// Maximum time added per update. A longer gap means that this process was suspended, perhaps with the other.
    const STEP: Duration = Duration::from_millis(250);

    pub fn new(now: Instant) -> Self {
        Self { last: now, total: Duration::ZERO }
    }

    /// Adds the time since the last update, or resets if a message has arrived. Returns the total.
    pub fn update(&mut self, now: Instant, received: bool) -> Duration {
        let step = now.duration_since(self.last).min(Self::STEP);
        self.last = now;
        self.total = if received { Duration::ZERO } else { self.total + step };
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspended_time_does_not_count() {
        let (start, ms) = (Instant::now(), Duration::from_millis);
        let mut silence = Silence::new(start);
        assert_eq!(silence.update(start + ms(100), false), ms(100));
        assert_eq!(silence.update(start + ms(3_600_000), false), ms(350));
        assert_eq!(silence.update(start + ms(3_600_100), false), ms(450));
        assert_eq!(silence.update(start + ms(3_600_200), true), ms(0));
        assert_eq!(silence.update(start + ms(3_600_205), false), ms(5));
    }
}
