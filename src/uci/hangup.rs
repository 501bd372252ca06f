//! Whether anybody still reads standard output. A search may run for hours without a line to write, and so without noticing
//! that its reader has gone.

/// Whether standard output is a pipe or a connection that nobody reads any more. Where the system cannot say: no.
pub fn output_is_gone() -> bool {
    #[cfg(not(unix))]
    return false;
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdout = std::io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut watched, Some(&at_once)).is_ok()
            && watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
    }
}
