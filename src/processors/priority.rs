//! Threads that give way to others.

/// Has the calling thread give way to others that want to run, if the system can do so for a thread alone (Linux, Windows).
pub fn lower() {
    /// Of the 19 steps down. Where every processor is busy a thread still gets about a tenth of one.
    #[cfg(target_os = "linux")]
    const STEPS: i32 = 10;
    // On Linux that is the calling thread. Whoever gives way already goes on doing so.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::getpriority_process(None)
        .and_then(|now| rustix::process::setpriority_process(None, now.max(STEPS)));
    #[cfg(windows)]
    super::windows::lower_priority();
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn this_thread_alone_gives_way() {
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
