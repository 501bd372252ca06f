//! Reading and writing at a place in a file, which several threads can do at once with one open file.

use std::fs::File;
use std::io;

/// Writes all bytes at a place.
///
/// # Errors
/// The system refuses; the disk may be full.
pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(file, bytes, at);
    #[cfg(windows)]
    return whole(bytes.len(), |done| {
        std::os::windows::fs::FileExt::seek_write(file, &bytes[done..], at + done as u64)
    });
}

/// Fills the bytes with those at a place.
///
/// # Errors
/// The system refuses, or the file ends before.
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, at);
    #[cfg(windows)]
    return whole(bytes.len(), |done| {
        std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], at + done as u64)
    });
}

/// Repeats what may do a part only until all is done.
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
