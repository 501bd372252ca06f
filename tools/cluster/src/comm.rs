//! The thread of a rank that talks to the others. It never waits for any of them, nor does the search wait for it.

use crate::exchange::Team;
use crate::hello::Hello;
use crate::link::Link;
use crate::relay::{Order, Relay};
use crate::watch::{Silence, end};
use crate::wire::{Kind, Status, entries_from_bytes, entries_to_bytes};
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender};
use lento::internals::threads::ThreadResult;
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

/// Time between two looks at the mail, while searching and otherwise.
const PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(3));
/// The interval of a rank's reports to rank 0, while searching and otherwise.
const REPORT: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));
/// The interval at which rank 0 says that it is alive.
const HEARTBEAT: Duration = Duration::from_millis(250);
/// How long rank 0 waits at the end for the others.
const PATIENCE: Duration = Duration::from_secs(1);
/// Entries that wait for the next rank, at most. With more the least depth rises.
const MOST_WAITING: usize = 2048;
/// How long the least depth stays before it falls again.
const CALM: Duration = Duration::from_millis(500);

/// The messages of a rank.
pub struct Comm {
    world: SimpleCommunicator,
    pub rank: usize,
    pub size: usize,
    links: Vec<Link>,
    /// Whether a frame of rank 0 has arrived since this was last asked.
    leader_heard: bool,
    /// Frames on their way.
    outgoing: Vec<Outgoing>,
    team: Arc<Team>,
    /// The least depth of entries that travel; `None` without exchange.
    least: Option<i32>,
    raised: Instant,
    /// Ranks left out of the exchange: all, until rank 0 has accepted them.
    missing: Vec<bool>,
    /// Entries of other ranks for the next one.
    forward: Vec<(u16, Record)>,
    /// Entries sent and received.
    entries: [u64; 2],
}

impl Comm {
    /// Prepares the messages of this rank.
    pub fn new(world: SimpleCommunicator, team: Arc<Team>, least: Option<i32>) -> Self {
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        team.least.store(least.filter(|_| size > 1).unwrap_or(i32::MAX), Relaxed);
        Self {
            world,
            rank,
            size,
            links: (0..size).map(|_| Link::default()).collect(),
            leader_heard: false,
            outgoing: Vec::new(),
            team,
            least,
            raised: Instant::now(),
            missing: vec![true; size],
            forward: Vec::new(),
            entries: [0; 2],
        }
    }

    /// Entries sent, received and stored, and bytes sent.
    pub fn traffic(&self) -> [u64; 4] {
        let bytes = self.links.iter().map(Link::bytes_sent).sum();
        [self.entries[0], self.entries[1], self.team.taken.load(Relaxed), bytes]
    }

    fn send_to_all(&mut self, kind: Kind, bytes: &[u8]) {
        self.links.iter_mut().skip(1).for_each(|link| link.send(kind, bytes));
    }

    /// Receives all messages that have arrived, in the order of each sender.
    fn receive(&mut self) -> Vec<(usize, Kind, Vec<u8>)> {
        let mut messages = Vec::new();
        while let Some(found) = self.world.any_process().immediate_matched_probe() {
            let (frame, status) = found.matched_receive_vec::<u8>();
            let from = status.source_rank() as usize;
            self.leader_heard |= from == 0;
            match self.links[from].receive(&frame) {
                Some((Kind::Entries, _)) if self.missing[from] => {}
                Some((Kind::Entries, bytes)) => self.take_entries(&bytes),
                Some((kind, bytes)) => messages.push((from, kind, bytes)),
                None => {}
            }
        }
        messages
    }

    /// The next rank that takes part in the exchange: entries go round.
    fn next(&self) -> usize {
        let after = (1..=self.size).map(|step| (self.rank + step) % self.size);
        after.into_iter().find(|&rank| !self.missing[rank]).unwrap_or(self.rank)
    }

    fn take_entries(&mut self, bytes: &[u8]) {
        let entries: Vec<_> = entries_from_bytes(bytes).filter(|(from, _)| usize::from(*from) != self.rank).collect();
        self.entries[1] += entries.len() as u64;
        self.team.give(entries.iter().map(|(_, record)| *record));
        let next = self.next() as u16;
        self.forward.extend(entries.into_iter().filter(|(from, _)| *from != next));
        let surplus = self.forward.len().saturating_sub(8 * MOST_WAITING);
        self.forward.drain(..surplus);
    }

    /// Sends new entries and those of others to the next rank, if it has received the last ones.
    fn send_entries(&mut self) {
        let (Some(least), next) = (self.least, self.next()) else { return };
        if next == self.rank || self.missing[self.rank] {
            self.team.outbox.lock().clear();
            return;
        }
        let mut outbox = self.team.outbox.lock();
        let now = self.team.least.load(Relaxed);
        if outbox.len() > MOST_WAITING {
            // More than the next rank takes: only the deepest travel.
            outbox.sort_by_key(|(depth, _)| -depth);
            outbox.truncate(MOST_WAITING);
            if self.raised.elapsed() > CALM / 10 {
                self.team.least.store(now + 1, Relaxed);
                self.raised = Instant::now();
            }
        } else if now > least && outbox.len() < MOST_WAITING / 4 && self.raised.elapsed() > CALM {
            self.team.least.store(now - 1, Relaxed);
            self.raised = Instant::now();
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

    /// Begins to send what may be sent now, and frees what has been sent.
    fn pump(&mut self) {
        for (rank, link) in self.links.iter_mut().enumerate() {
            while let Some(frame) = link.next_frame() {
                self.outgoing.push(Outgoing::send(&self.world, rank, frame));
            }
        }
        self.outgoing = take(&mut self.outgoing).into_iter().filter_map(Outgoing::unless_sent).collect();
    }

    /// Tells the others whether MPI can be finalised.
    pub fn end(&mut self, all_ended: bool) {
        self.send_to_all(Kind::End, &[u8::from(all_ended)]);
        self.finish();
    }

    /// Sends the rest, or gives it up.
    fn finish(&mut self) {
        let since = Instant::now();
        loop {
            self.pump();
            if self.outgoing.is_empty() || since.elapsed() > PATIENCE / 4 {
                break;
            }
            sleep(PAUSE.0);
        }
        take(&mut self.outgoing).into_iter().for_each(forget);
    }
}

/// A frame on its way. The library reads it until the request is complete, so it is leaked and taken back.
struct Outgoing {
    request: Request<'static, [u8], StaticScope>,
    frame: *mut [u8],
}

impl Outgoing {
    fn send(world: &SimpleCommunicator, rank: usize, frame: Vec<u8>) -> Self {
        let frame: *mut [u8] = Box::into_raw(frame.into_boxed_slice());
        // SAFETY: the pointer is of a box that is freed only after the request, which holds the only reference.
        let bytes: &'static [u8] = unsafe { &*frame };
        Self { request: world.process_at_rank(rank as i32).immediate_send(StaticScope, bytes), frame }
    }

    /// Itself, unless it has been sent.
    fn unless_sent(self) -> Option<Self> {
        let frame = self.frame;
        match self.request.test() {
            Ok(_) => {
                // SAFETY: the pointer is of a box, and the request, which held the only reference, is complete.
                drop(unsafe { Box::from_raw(frame) });
                None
            }
            Err(request) => Some(Self { request, frame }),
        }
    }
}

/// Rank 0's part, until the session is over. Returns whether all others have ended, too.
pub fn lead(comm: &mut Comm, relay: &Relay, orders: &Receiver<Order>, silence: Duration) -> bool {
    let mut over: Option<Instant> = None;
    let mut byes = vec![false; comm.size];
    byes[0] = true;
    let mut beat = Instant::now();
    loop {
        let pause = if relay.is_searching() { PAUSE.0 } else { PAUSE.1 };
        let first = match orders.recv_timeout(pause) {
            Err(RecvTimeoutError::Disconnected) => {
                sleep(pause);
                None
            }
            other => other.ok(),
        };
        for order in first.into_iter().chain(orders.try_iter()) {
            match order {
                Order::Line(line) => comm.send_to_all(Kind::Line, line.as_bytes()),
                Order::Lines(lines) => {
                    for (link, line) in comm.links[1..].iter_mut().zip(lines) {
                        link.send(Kind::Line, line.as_bytes());
                    }
                }
                Order::Network(bytes) => comm.send_to_all(Kind::Network, &bytes),
                Order::Over => {
                    over = Some(Instant::now());
                    comm.send_to_all(Kind::Line, b"quit");
                }
            }
        }
        for (from, kind, bytes) in comm.receive() {
            relay.receive(from, kind, &bytes);
            byes[from] |= kind == Kind::Bye;
        }
        relay.check_silence(silence);
        let missing = relay.missing();
        if missing != comm.missing {
            let bytes: Vec<u8> = missing.iter().map(|missing| u8::from(*missing)).collect();
            comm.send_to_all(Kind::Missing, &bytes);
            comm.missing = missing;
        }
        if beat.elapsed() > HEARTBEAT {
            beat = Instant::now();
            comm.links[1..].iter_mut().filter(|link| link.is_free()).for_each(|link| link.send(Kind::Alive, &[]));
        }
        comm.send_entries();
        comm.pump();
        relay.set_traffic(comm.traffic());
        if let Some(since) = over {
            let all = byes.iter().all(|bye| *bye);
            let known = (0..).zip(&byes).all(|(rank, bye)| *bye || relay.is_silent(rank));
            if all || known || since.elapsed() > PATIENCE {
                return all;
            }
        }
    }
}

/// What another rank's session gives to the thread that talks to rank 0.
pub struct Worker {
    pub session: Sender<Message>,
    /// The network for the next option `EvalFile`.
    pub network: Arc<Mutex<Vec<u8>>>,
    pub notes: Receiver<String>,
    pub answered: Arc<AtomicU64>,
    /// Closed at the end of the session.
    pub over: Receiver<()>,
}

/// The part of the other ranks, until rank 0 ends it. Returns whether MPI can be finalised. When rank 0 has been silent for
/// `patience`, the process ends: not the whole job, since rank 0 may go on behind a broken network.
pub fn follow(comm: &mut Comm, worker: &Worker, host: &str, patience: Duration) -> bool {
    comm.links[0].send(Kind::Hello, &Hello::own(host).to_bytes());
    let (mut begun, mut sent, mut reported) = (0, Status::default(), None::<Instant>);
    let mut ended: Option<Instant> = None;
    let mut silence = Silence::new(Instant::now());
    loop {
        let is_searching = worker.answered.load(Relaxed) < begun;
        sleep(if is_searching { PAUSE.0 } else { PAUSE.1 });
        for (_, kind, bytes) in comm.receive() {
            match kind {
                Kind::Line => {
                    let line = String::from_utf8_lossy(&bytes).into_owned();
                    begun += u64::from(line.starts_with("go"));
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
        if silence.look(Instant::now(), take(&mut comm.leader_heard)) > patience {
            let (rank, ms) = (comm.rank, patience.as_millis());
            end(&format!("rank {rank} ({host}) has not heard rank 0 for {ms} ms"));
        }
        worker.notes.try_iter().for_each(|note| comm.links[0].send(Kind::Note, note.as_bytes()));
        comm.send_entries();
        let interval = if is_searching { REPORT.0 } else { REPORT.1 };
        let answered = worker.answered.load(Relaxed);
        let due = reported.is_none_or(|since| since.elapsed() > interval) || answered != sent.answered;
        if due && comm.links[0].is_free() {
            report(comm, answered, &mut sent);
            reported = Some(Instant::now());
        }
        if ended.is_none() && worker.over.try_recv().is_err_and(|error| error.is_disconnected()) {
            comm.links[0].send(Kind::Bye, &[]);
            ended = Some(Instant::now());
        }
        comm.pump();
        if ended.is_some_and(|since| since.elapsed() > 4 * PATIENCE) {
            comm.finish();
            return false;
        }
    }
}

/// Reports to rank 0. `sent` is the last report with all results.
fn report(comm: &mut Comm, answered: u64, sent: &mut Status) {
    let search = comm.team.search.lock().clone();
    let mut status = Status { answered, traffic: comm.traffic(), ..Status::default() };
    if let Some((number, threads)) = search {
        (status.search, status.nodes, status.tb_hits) = (number, threads.nodes(), threads.tb_hits());
        status.results = threads.results();
    }
    let known = if sent.search == status.search { take(&mut sent.results) } else { Vec::new() };
    *sent = status.clone();
    status.results.retain(|new| !known.iter().any(|old| is_same(old, new)));
    comm.links[0].send(Kind::Status, &status.to_bytes());
}

fn is_same(a: &ThreadResult, b: &ThreadResult) -> bool {
    let line =
        |result: &ThreadResult| result.lines.first().map(|line| (line.score, line.bound, line.depth, line.pv.clone()));
    (a.thread, a.depth) == (b.thread, b.depth) && line(a) == line(b)
}
