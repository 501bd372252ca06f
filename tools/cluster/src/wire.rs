//! Message encoding.

use lento::chess::Move;
use lento::internals::ThreadResult;
use lento::score::Bound;
use lento::search::report::{Info, PvLine};
use lento::tt::Record;

/// Message types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Acknowledgement only.
    Ack,
    /// From rank 0: a line for the session.
    Line,
    /// From rank 0: the bytes of a network.
    Network,
    /// From rank 0: one byte per rank, 1 if left out of the exchange.
    Missing,
    /// From rank 0: the end; one byte, 1 if MPI can be finalised.
    End,
    /// To rank 0: [`Status`].
    Status,
    /// To rank 0: [`RankInfo`](crate::rank_info::RankInfo).
    Join,
    /// To rank 0: a message for the user.
    Note,
    /// To rank 0: the session has ended.
    Leave,
    /// Table entries, each with the rank of origin.
    Entries,
    /// From rank 0: heartbeat.
    Alive,
}

impl Kind {
    /// All types, by their byte.
    pub const ALL: [Self; 11] = {
        use Kind::{Ack, Alive, End, Entries, Join, Leave, Line, Missing, Network, Note, Status};
        [Ack, Line, Network, Missing, End, Status, Join, Note, Leave, Entries, Alive]
    };
}

/// Reads integers from the front of a slice.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }
}

/// Status report of a rank.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The number of the search.
    pub search: u64,
    /// Number of answered searches.
    pub answered: u64,
    pub nodes: u64,
    pub tb_hits: u64,
    /// Entries sent, received and stored since the start, and bytes sent.
    pub traffic: [u64; 4],
    /// Changed thread results.
    pub results: Vec<ThreadResult>,
}

impl Status {
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = [self.search, self.answered, self.nodes, self.tb_hits];
        let mut bytes: Vec<u8> = numbers.iter().chain(&self.traffic).flat_map(|number| number.to_le_bytes()).collect();
        for result in &self.results {
            let Some(line) = result.lines.first() else { continue };
            let bound = match line.bound {
                Bound::Exact => 0,
                Bound::Lower => 1,
                Bound::Upper => 2,
            };
            let numbers = [result.thread as i32, result.depth, line.depth, line.seldepth, line.score, bound];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let moves = line.pv.iter().map(|mv| mv.word());
            let words = std::iter::once(line.pv.len() as u16).chain(moves);
            bytes.extend(words.flat_map(u16::to_le_bytes));
        }
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let reader = &mut Reader(bytes);
        let mut number = || reader.u64();
        let (search, answered, nodes, tb_hits) = (number()?, number()?, number()?, number()?);
        let traffic = [number()?, number()?, number()?, number()?];
        let mut status = Self { search, answered, nodes, tb_hits, traffic, results: Vec::new() };
        while !reader.0.is_empty() {
            let thread = reader.i32()? as usize;
            let (depth, line_depth, seldepth, score) = (reader.i32()?, reader.i32()?, reader.i32()?, reader.i32()?);
            let bound = [Bound::Exact, Bound::Lower, Bound::Upper].get(reader.i32()? as usize).copied()?;
            let moves = reader.u16()?;
            let pv: PvLine = (0..moves).map(|_| Move::from_word(reader.u16()?)).collect::<Option<_>>()?;
            let line = Info { depth: line_depth, seldepth, multipv: 1, score, bound, pv, ..Info::default() };
            status.results.push(ThreadResult { thread, depth, lines: vec![line] });
        }
        Some(status)
    }
}

/// Serialises entries, each with its rank of origin.
pub fn entries_to_bytes(entries: &[(u16, Record)]) -> Vec<u8> {
    entries.iter().flat_map(|(rank, record)| rank.to_le_bytes().into_iter().chain(record.to_bytes())).collect()
}

/// Parses entries; skips damaged ones.
pub fn entries_from_bytes(bytes: &[u8]) -> impl Iterator<Item = (u16, Record)> {
    bytes.chunks_exact(2 + Record::BYTES).filter_map(|entry| {
        let reader = &mut Reader(entry);
        Some((reader.u16()?, Record::from_bytes(reader.take()?)?))
    })
}
