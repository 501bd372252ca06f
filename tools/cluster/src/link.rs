//! Messages to and from one other rank. Neither side ever waits: what the other has not acknowledged is limited, and more is queued here.

use crate::wire::Kind;
use std::collections::VecDeque;

/// The most bytes of a frame. MPI libraries send those up to 4 KiB at once, without asking the receiver.
pub const FRAME: usize = 3800;
/// The acknowledgement, the kind, and whether more frames of the message follow.
const HEADER: usize = 10;
/// The most bytes on their way, counted with what the library adds.
const WINDOW: u64 = 256 << 10;
const OVERHEAD: u64 = 256;

/// The state of the connection to another rank.
#[derive(Default)]
pub struct Link {
    queue: VecDeque<(Kind, bool, Vec<u8>)>,
    /// Bytes sent, and of those the ones that the other rank has received.
    sent: u64,
    acknowledged: u64,
    /// Bytes received, and of those the ones that have been acknowledged.
    received: u64,
    told: u64,
    /// The message whose frames are arriving.
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

    /// Whether all messages are on their way.
    pub fn is_free(&self) -> bool {
        self.queue.is_empty()
    }

    /// The next frame that may be sent now.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        let (kind, goes_on, bytes) = match self.queue.front() {
            Some((.., bytes)) if self.sent - self.acknowledged + cost(bytes.len()) <= WINDOW => {
                let next = self.queue.pop_front()?;
                self.sent += cost(next.2.len());
                next
            }
            _ if self.received - self.told > WINDOW / 4 => (Kind::Ack, false, Vec::new()),
            _ => return None,
        };
        self.told = self.received;
        let mut frame = self.received.to_le_bytes().to_vec();
        frame.extend([kind as u8, goes_on.into()]);
        frame.extend(bytes);
        Some(frame)
    }

    /// Takes a frame; returns the message that it completes.
    pub fn receive(&mut self, frame: &[u8]) -> Option<(Kind, Vec<u8>)> {
        let (ack, rest) = frame.split_first_chunk()?;
        self.acknowledged = self.acknowledged.max(u64::from_le_bytes(*ack));
        let (&[kind, goes_on], bytes) = rest.split_first_chunk()?;
        let kind = Kind::from_byte(kind).filter(|kind| *kind != Kind::Ack)?;
        self.received += cost(bytes.len());
        self.partial.extend(bytes);
        (goes_on == 0).then(|| (kind, std::mem::take(&mut self.partial)))
    }

    pub fn bytes_sent(&self) -> u64 {
        self.sent
    }
}

fn cost(bytes: usize) -> u64 {
    (bytes + HEADER) as u64 + OVERHEAD
}
