//! Communication thread of a rank. Neither this thread nor the search ever blocks on another rank.

use crate::exchange::Team;
use crate::link::Link;
use crate::rank_info::RankInfo;
use crate::relay::{Order, Relay};
use crate::watch::{Silence, end};
use crate::wire::{Kind, Status, entries_from_bytes, entries_to_bytes};
use crossbeam::channel::{Receiver, Sender};
use lento::internals::ThreadResult;
use lento::tt::Record;
use lento_uci::task::Message;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request::{Request, StaticScope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use parking_lot::Mutex;
use std::mem::{forget, take};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Poll interval while searching and while idle.
const POLL_INTERVAL: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(3));
/// Maximum interval of status reports to rank 0 while searching and while idle.
const REPORT_INTERVAL: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));
/// Interval of rank 0's heartbeat.
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(250);
/// Time that rank 0 waits for the others to finish.
const END_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum entries queued for the next rank. Beyond that the minimum depth rises.
const MAX_QUEUED: usize = 2048;
/// Cooldown before the minimum depth falls again.
const DEPTH_COOLDOWN: Duration = Duration::from_millis(500);

/// MPI endpoint of this rank.
pub struct Comm {
    world: SimpleCommunicator,
    pub rank: usize,
    pub size: usize,
    links: Vec<Link>,
    /// Whether a frame from rank 0 has arrived since the last check.
    leader_seen: bool,
    /// Frames being sent.
    outgoing: Vec<Outgoing>,
    team: Arc<Team>,
    /// Minimum depth of exchanged entries; `None` without exchange.
    min_depth: Option<i32>,
    depth_changed: Instant,
    /// Ranks left out of the exchange: all, until accepted by rank 0.
    missing: Vec<bool>,
    /// Entries of other ranks to forward.
    forward: Vec<(u16, Record)>,
    /// Entries sent and received.
    entries: [u64; 2],
}

impl Comm {
    pub fn new(world: SimpleCommunicator, team: Arc<Team>, min_depth: Option<i32>) -> Self {
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        team.min_depth.store(min_depth.filter(|_| size > 1).unwrap_or(i32::MAX), Relaxed);
        Self {
            world,
            rank,
            size,
            links: (0..size).map(|_| Link::default()).collect(),
            leader_seen: false,
            outgoing: Vec::new(),
            team,
            min_depth,
            depth_changed: Instant::now(),
            missing: vec![true; size],
            forward: Vec::new(),
            entries: [0; 2],
        }
    }

    /// Entries sent, received and stored, and bytes sent.
    pub fn traffic(&self) -> [u64; 4] {
        let bytes = self.links.iter().map(|link| link.sent).sum();
        [self.entries[0], self.entries[1], self.team.stored.load(Relaxed), bytes]
    }

    fn send_to_all(&mut self, kind: Kind, bytes: &[u8]) {
        self.links.iter_mut().skip(1).for_each(|link| link.send(kind, bytes));
    }

    /// Receives all pending messages, in order per sender.
    fn receive(&mut self) -> Vec<(usize, Kind, Vec<u8>)> {
        let mut messages = Vec::new();
        while let Some(found) = self.world.any_process().immediate_matched_probe() {
            let (frame, status) = found.matched_receive_vec::<u8>();
            let from = status.source_rank() as usize;
            self.leader_seen |= from == 0;
            match self.links[from].receive(&frame) {
                Some((Kind::Entries, _)) if self.missing[from] => {}
                Some((Kind::Entries, bytes)) => self.take_entries(&bytes),
                Some((kind, bytes)) => messages.push((from, kind, bytes)),
                None => {}
            }
        }
        messages
    }

    /// Next active rank of the ring.
    fn next(&self) -> usize {
        let after = (1..=self.size).map(|step| (self.rank + step) % self.size);
        after.into_iter().find(|&rank| !self.missing[rank]).unwrap_or(self.rank)
    }

    fn take_entries(&mut self, bytes: &[u8]) {
        let is_taken = |&(from, _): &(u16, Record)| is_partner(from, self.rank, &self.missing);
        let entries: Vec<_> = entries_from_bytes(bytes).filter(is_taken).collect();
        self.entries[1] += entries.len() as u64;
        self.team.deliver(entries.iter().map(|(_, record)| *record));
        let next = self.next() as u16;
        self.forward.extend(entries.into_iter().filter(|(from, _)| *from != next));
        let excess = self.forward.len().saturating_sub(8 * MAX_QUEUED);
        self.forward.drain(..excess);
    }

    /// Sends new and forwarded entries to the next rank, if its queue is empty.
    fn send_entries(&mut self) {
        let (Some(min_depth), next) = (self.min_depth, self.next()) else { return };
        if next == self.rank || self.missing[self.rank] {
            self.team.outbox.lock().clear();
            return;
        }
        let mut outbox = self.team.outbox.lock();
        let now = self.team.min_depth.load(Relaxed);
        if outbox.len() > MAX_QUEUED {
            // More than the next rank accepts: keep only the deepest.
            outbox.sort_by_key(|(depth, _)| -depth);
            outbox.truncate(MAX_QUEUED);
            if self.depth_changed.elapsed() > DEPTH_COOLDOWN / 10 {
                self.team.min_depth.store(now + 1, Relaxed);
                self.depth_changed = Instant::now();
            }
        } else if now > min_depth && outbox.len() < MAX_QUEUED / 4 && self.depth_changed.elapsed() > DEPTH_COOLDOWN {
            self.team.min_depth.store(now - 1, Relaxed);
            self.depth_changed = Instant::now();
        }
        if !self.links[next].is_free() {
            return;
        }
        let own = take(&mut *outbox);
        drop(outbox);
        let mut all = take(&mut self.forward);
        all.extend(own.into_iter().map(|(_, record)| (self.rank as u16, record)));
        if !all.is_empty() {
            self.entries[0] += all.len() as u64;
            self.links[next].send(Kind::Entries, &entries_to_bytes(&all));
        }
    }

    /// Starts sends that the windows allow and frees completed ones.
    fn pump(&mut self) {
        for (rank, link) in self.links.iter_mut().enumerate() {
            while let Some(frame) = link.next_frame() {
                self.outgoing.push(Outgoing::send(&self.world, rank, frame));
            }
        }
        self.outgoing = take(&mut self.outgoing).into_iter().filter_map(Outgoing::unless_sent).collect();
    }

    /// Broadcasts whether MPI can be finalised.
    pub fn end(&mut self, all_ended: bool) {
        self.send_to_all(Kind::End, &[u8::from(all_ended)]);
        self.finish();
    }

    /// Flushes pending frames, up to a timeout.
    fn finish(&mut self) {
        let since = Instant::now();
        loop {
            self.pump();
            if self.outgoing.is_empty() || since.elapsed() > END_TIMEOUT / 4 {
                break;
            }
            sleep(POLL_INTERVAL.0);
        }
        take(&mut self.outgoing).into_iter().for_each(forget);
    }
}

/// Whether `from` is another rank of the ring. Entries of a missing rank would circulate without end, since only the rank before it
/// removes them.
fn is_partner(from: u16, rank: usize, missing: &[bool]) -> bool {
    let from = usize::from(from);
    from != rank && missing.get(from) == Some(&false)
}

/// A frame being sent. MPI reads the buffer until the request completes, so it is leaked and reclaimed.
struct Outgoing {
    request: Request<'static, [u8], StaticScope>,
    frame: *mut [u8],
}

impl Outgoing {
    fn send(world: &SimpleCommunicator, rank: usize, frame: Vec<u8>) -> Self {
        let frame: *mut [u8] = Box::into_raw(frame.into_boxed_slice());
        // SAFETY: the pointer comes from a box that is freed only after the request, which holds the only reference, completes.
        let bytes: &'static [u8] = unsafe { &*frame };
        Self { request: world.process_at_rank(rank as i32).immediate_send(StaticScope, bytes), frame }
    }

    /// Returns `None` once sent, and frees the buffer.
    fn unless_sent(self) -> Option<Self> {
        let frame = self.frame;
        match self.request.test() {
            Ok(_) => {
                // SAFETY: the pointer comes from a box, and the request, which held the only reference, is complete.
                drop(unsafe { Box::from_raw(frame) });
                None
            }
            Err(request) => Some(Self { request, frame }),
        }
    }
}

/// Main loop of rank 0, until the session ends. Returns whether all other ranks have ended as well.
pub fn lead(comm: &mut Comm, relay: &Relay, orders: &Receiver<Order>, silence: Duration) -> bool {
    let mut session_end: Option<Instant> = None;
    let mut left = vec![false; comm.size];
    left[0] = true;
    let mut beat = Instant::now();
    loop {
        let interval = if relay.is_searching() { POLL_INTERVAL.0 } else { POLL_INTERVAL.1 };
        // Only times out, as the relay holds a sender.
        for order in orders.recv_timeout(interval).into_iter().chain(orders.try_iter()) {
            match order {
                Order::Line(line) => comm.send_to_all(Kind::Line, line.as_bytes()),
                Order::Lines(lines) => {
                    for (link, line) in comm.links[1..].iter_mut().zip(lines) {
                        link.send(Kind::Line, line.as_bytes());
                    }
                }
                Order::Network(bytes) => comm.send_to_all(Kind::Network, &bytes),
                Order::End => {
                    session_end = Some(Instant::now());
                    comm.send_to_all(Kind::Line, b"quit");
                }
            }
        }
        for (from, kind, bytes) in comm.receive() {
            relay.receive(from, kind, &bytes);
            left[from] |= kind == Kind::Leave;
        }
        relay.check_silence(silence);
        let missing = relay.missing();
        if missing != comm.missing {
            let bytes: Vec<u8> = missing.iter().map(|missing| u8::from(*missing)).collect();
            comm.send_to_all(Kind::Missing, &bytes);
            comm.missing = missing;
        }
        if beat.elapsed() > HEARTBEAT_INTERVAL {
            beat = Instant::now();
            comm.links[1..].iter_mut().filter(|link| link.is_free()).for_each(|link| link.send(Kind::Alive, &[]));
        }
        comm.send_entries();
        comm.pump();
        relay.set_traffic(comm.traffic());
        if let Some(since) = session_end {
            let left_or_silent = (0..).zip(&left).all(|(rank, left)| *left || relay.is_silent(rank));
            if left_or_silent || since.elapsed() > END_TIMEOUT {
                return left.iter().all(|left| *left);
            }
        }
    }
}

/// Channels between another rank's session and its communication thread.
pub struct Worker {
    pub session: Sender<Message>,
    /// Network for the next `EvalFile`.
    pub network: Arc<Mutex<Vec<u8>>>,
    pub notes: Receiver<String>,
    pub answered: Arc<AtomicU64>,
    /// Disconnects when the session ends.
    pub session_end: Receiver<()>,
}

/// Interval of status reports, several of which must arrive within rank 0's limit of silence.
fn report_interval(is_searching: bool, silence: Duration) -> Duration {
    let interval = if is_searching { REPORT_INTERVAL.0 } else { REPORT_INTERVAL.1 };
    interval.min(silence / 4)
}

/// Main loop of the other ranks, until rank 0 ends it. Returns whether MPI can be finalised. `silence` is rank 0's limit. Without a
/// message from rank 0 for `timeout`, the process exits; it does not abort the job, since rank 0 may still run behind a broken network.
pub fn follow(comm: &mut Comm, worker: &Worker, host: &str, silence: Duration, timeout: Duration) -> bool {
    comm.links[0].send(Kind::Join, &RankInfo::own(host).to_bytes());
    let (mut started, mut sent, mut reported) = (0, Status::default(), None::<Instant>);
    let mut ended: Option<Instant> = None;
    let mut leader_silence = Silence::new(Instant::now());
    loop {
        let is_searching = worker.answered.load(Relaxed) < started;
        sleep(if is_searching { POLL_INTERVAL.0 } else { POLL_INTERVAL.1 });
        for (_, kind, bytes) in comm.receive() {
            match kind {
                Kind::Line => {
                    let line = String::from_utf8_lossy(&bytes).into_owned();
                    started += u64::from(line.starts_with("go"));
                    let _ = worker.session.send(Message::Line(line));
                }
                Kind::Network => {
                    *worker.network.lock() = bytes;
                    let _ = worker.session.send(Message::Line("setoption name EvalFile value received".into()));
                }
                Kind::End => {
                    let all_ended = bytes == [1];
                    comm.finish();
                    return all_ended;
                }
                Kind::Missing => comm.missing = bytes.iter().map(|byte| *byte == 1).collect(),
                _ => {}
            }
        }
        if leader_silence.update(Instant::now(), take(&mut comm.leader_seen)) > timeout {
            let (rank, ms) = (comm.rank, timeout.as_millis());
            end(&format!("rank {rank} ({host}) has received nothing from rank 0 for {ms} ms"));
        }
        worker.notes.try_iter().for_each(|note| comm.links[0].send(Kind::Note, note.as_bytes()));
        comm.send_entries();
        let interval = report_interval(is_searching, silence);
        let answered = worker.answered.load(Relaxed);
        let due = reported.is_none_or(|since| since.elapsed() > interval) || answered != sent.answered;
        if due && comm.links[0].is_free() {
            report(comm, answered, &mut sent);
            reported = Some(Instant::now());
        }
        if ended.is_none() && worker.session_end.try_recv().is_err_and(|error| error.is_disconnected()) {
            comm.links[0].send(Kind::Leave, &[]);
            ended = Some(Instant::now());
        }
        comm.pump();
        if ended.is_some_and(|since| since.elapsed() > 4 * END_TIMEOUT) {
            comm.finish();
            return false;
        }
    }
}

/// Sends a status to rank 0. `sent` is the last status, with all results.
fn report(comm: &mut Comm, answered: u64, sent: &mut Status) {
    let search = comm.team.search.lock().clone();
    let mut status = Status { answered, traffic: comm.traffic(), ..Status::default() };
    if let Some((number, threads)) = search {
        (status.search, status.nodes, status.tb_hits) = (number, threads.nodes(), threads.tb_hits());
        status.results = threads.results();
    }
    let old_results = if sent.search == status.search { take(&mut sent.results) } else { Vec::new() };
    *sent = status.clone();
    status.results.retain(|new| !old_results.iter().any(|old| is_same(old, new)));
    comm.links[0].send(Kind::Status, &status.to_bytes());
}

fn is_same(a: &ThreadResult, b: &ThreadResult) -> bool {
    let line =
        |result: &ThreadResult| result.lines.first().map(|line| (line.score, line.bound, line.depth, line.pv.clone()));
    (a.thread, a.depth) == (b.thread, b.depth) && line(a) == line(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_missing_ranks_leave_the_ring() {
        let missing = [false, false, true, false];
        let taken: Vec<u16> = (0..5).filter(|&from| is_partner(from, 1, &missing)).collect();
        assert_eq!(taken, [0, 3]);
    }

    #[test]
    fn several_reports_fit_into_the_limit_of_silence() {
        let ms = Duration::from_millis;
        let idle = [40, 1000].map(|silence| report_interval(false, ms(silence)));
        assert_eq!((idle, report_interval(true, ms(40))), ([ms(10), ms(100)], ms(5)));
    }
}
