//! Connection to another rank. Neither side blocks: unacknowledged data is limited to a window, and the rest is queued here.

use crate::wire::Kind;
use std::collections::VecDeque;

/// Maximum frame size in bytes. MPI libraries send up to 4 KiB eagerly, without a handshake.
pub const FRAME: usize = 3800;
/// Acknowledgement, message kind, and whether more frames of the message follow.
const HEADER: usize = 10;
/// Maximum unacknowledged bytes, including the library's overhead per frame.
const WINDOW: u64 = 256 << 10;
const OVERHEAD: u64 = 256;

#[derive(Default)]
pub struct Link {
    queue: VecDeque<(Kind, bool, Vec<u8>)>,
    /// Bytes sent and bytes acknowledged by the other rank.
    pub sent: u64,
    acknowledged: u64,
    /// Bytes received and bytes acknowledged by this rank.
    received: u64,
    acked: u64,
    /// Message being received.
    partial: Vec<u8>,
}

impl Link {
    pub fn send(&mut self, kind: Kind, bytes: &[u8]) {
        let mut chunks = bytes.chunks(FRAME - HEADER).peekable();
        if chunks.peek().is_none() {
            self.queue.push_back((kind, false, Vec::new()));
        }
        while let Some(chunk) = chunks.next() {
            self.queue.push_back((kind, chunks.peek().is_some(), chunk.to_vec()));
        }
    }

    /// Whether the queue is empty.
    pub fn is_free(&self) -> bool {
        self.queue.is_empty()
    }

    /// The next frame that fits the window.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        let (kind, more, bytes) = match self.queue.front() {
            Some((.., bytes)) if self.sent - self.acknowledged + cost(bytes.len()) <= WINDOW => {
                let next = self.queue.pop_front()?;
                self.sent += cost(next.2.len());
                next
            }
            _ if self.received - self.acked > WINDOW / 4 => (Kind::Ack, false, Vec::new()),
            _ => return None,
        };
        self.acked = self.received;
        let mut frame = self.received.to_le_bytes().to_vec();
        frame.extend([kind as u8, more.into()]);
        frame.extend(bytes);
        Some(frame)
    }

    /// Receives a frame; returns the message that it completes.
    pub fn receive(&mut self, frame: &[u8]) -> Option<(Kind, Vec<u8>)> {
        let (ack, rest) = frame.split_first_chunk()?;
        self.acknowledged = self.acknowledged.max(u64::from_le_bytes(*ack));
        let (&[kind, more], bytes) = rest.split_first_chunk()?;
        let kind = *Kind::ALL.get(usize::from(kind)).filter(|kind| **kind != Kind::Ack)?;
        self.received += cost(bytes.len());
        self.partial.extend(bytes);
        (more == 0).then(|| (kind, std::mem::take(&mut self.partial)))
    }
}

fn cost(bytes: usize) -> u64 {
    (bytes + HEADER) as u64 + OVERHEAD
}
