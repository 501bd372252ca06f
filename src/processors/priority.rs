//! Thread priority.

/// Lowers the calling thread's priority, where supported per thread (Linux, Windows).
pub fn lower() {
    /// Nice increment, of at most 19. On a fully loaded machine the thread still gets about a tenth of a CPU.
    #[cfg(target_os = "linux")]
    const STEPS: i32 = 10;
    // On Linux this is per thread. Does not raise the priority of a thread that is already lower.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::getpriority_process(None)
        .and_then(|now| rustix::process::setpriority_process(None, now.max(STEPS)));
    #[cfg(windows)]
    super::windows::lower_priority();
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn lowers_only_the_calling_thread() {
        let of_this = || rustix::process::getpriority_process(None).unwrap();
        let before = of_this();
        let lowered = std::thread::spawn(move || {
            super::lower();
            of_this()
        });
        assert_eq!(lowered.join().unwrap(), before.max(10));
        assert_eq!(of_this(), before);
    }
}
