//! Detects a closed standard output during searches that print nothing for hours.

/// Whether standard output is a pipe or connection without a reader. Always false where the system cannot tell.
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
