//! Positioned reads and writes on a shared file.

use std::fs::File;
use std::io;

/// Writes all bytes at an offset.
///
/// # Errors
/// I/O errors, e.g. a full disk.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(windows)]
    return whole(bytes.len(), |done| {
        std::os::windows::fs::FileExt::seek_write(file, &bytes[done..], at + done as u64)
    });
}

/// Fills the buffer from an offset.
///
/// # Errors
/// I/O errors, or the file ends early.
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, at);
    #[cfg(windows)]
    return whole(bytes.len(), |done| {
        std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], at + done as u64)
    });
}

/// Repeats partial operations until done.
#[cfg(windows)]
fn whole(length: usize, mut part: impl FnMut(usize) -> io::Result<usize>) -> io::Result<()> {
    let mut done = 0;
    while done < length {
        match part(done) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
