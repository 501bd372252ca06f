//! Rank 0's view of the others: what it orders, and what they report.

use crate::wire::Status;
use crossbeam::channel::Sender;
use lento::engine::Engine;
use lento::eval::nnue;
use lento::search::threads::{Partners, ThreadResult};
use lento::uci::command::Command;
use lento::uci::go::Go;
use lento::uci::options;
use lento::uci::task::Message;
use parking_lot::Mutex;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// An order to the other ranks.
pub enum Order {
    /// A line for their sessions.
    Line(String),
    /// A line for the session of each, from rank 1.
    Lines(Vec<String>),
    /// A network.
    Network(Vec<u8>),
    /// The session is over.
    Over,
}

/// What is known of another rank.
pub struct Partner {
    pub host: String,
    pub cpus: u64,
    /// When it was last heard.
    pub heard: Instant,
    /// It has been silent for too long.
    pub is_silent: bool,
    pub status: Status,
}

impl Partner {
    /// Its rank, with its host once it has said hello.
    pub fn name(&self, rank: usize) -> String {
        if self.host.is_empty() { format!("rank {rank}") } else { format!("rank {rank} ({})", self.host) }
    }
}

/// Rank 0's connection to the others.
pub struct Relay {
    orders: Sender<Order>,
    /// The session, to be woken when a rank has used up its nodes.
    session: Sender<Message>,
    state: Mutex<State>,
}

struct State {
    /// From rank 1.
    partners: Vec<Partner>,
    /// The ranks that take part; `bench` leaves some out.
    active: usize,
    threads: usize,
    /// Searches begun, and the last of those that others have been told to stop.
    begun: u64,
    stopped: u64,
}

impl Relay {
    /// A relay to this many ranks, itself among them.
    pub fn new(ranks: usize, orders: Sender<Order>, session: Sender<Message>) -> Self {
        let partner = |_| Partner {
            host: String::new(),
            cpus: 0,
            heard: Instant::now(),
            is_silent: false,
            status: Status::default(),
        };
        let partners = (1..ranks).map(partner).collect();
        let state = State { partners, active: ranks, threads: 1, begun: 0, stopped: 0 };
        Self { orders, session, state: Mutex::new(state) }
    }

    pub fn order(&self, order: Order) {
        // Fails only at the end of the program.
        let _ = self.orders.send(order);
    }

    pub fn note(&self, text: String) {
        let _ = self.session.send(Message::Note(text));
    }

    /// Whether a search has begun that others have not been told to stop.
    pub fn is_searching(&self) -> bool {
        let state = self.state.lock();
        state.begun > state.stopped
    }

    /// Waits until all others have said hello, or not for long.
    pub fn await_all(&self) {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(1)
            && self.state.lock().partners.iter().any(|partner| partner.host.is_empty())
        {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Lets only the first ranks take part.
    pub fn set_active(&self, ranks: usize) {
        self.state.lock().active = ranks;
    }

    /// Whether a rank is left out of the exchange, from rank 0.
    pub fn missing(&self) -> Vec<bool> {
        let state = self.state.lock();
        let others = (1..).zip(&state.partners).map(|(rank, partner)| partner.is_silent || rank >= state.active);
        std::iter::once(false).chain(others).collect()
    }

    /// A rank has been heard.
    pub fn heard(&self, rank: usize, change: impl FnOnce(&mut Partner)) {
        let mut state = self.state.lock();
        let partner = &mut state.partners[rank - 1];
        partner.heard = Instant::now();
        if partner.is_silent {
            partner.is_silent = false;
            self.note(format!("{} answers again", partner.name(rank)));
        }
        let answered = partner.status.answered;
        change(partner);
        if partner.status.answered != answered {
            let _ = self.session.send(Message::Line(String::new()));
        }
    }

    /// Takes a status, whose results are those that have changed.
    pub fn update(partner: &mut Partner, rank: usize, mut status: Status) {
        let old = std::mem::take(&mut partner.status);
        let kept = if old.search == status.search { old.results } else { Vec::new() };
        for result in &mut status.results {
            result.thread += rank * Engine::MAX_THREADS;
        }
        let changed = |old: &ThreadResult| status.results.iter().any(|new| new.thread == old.thread);
        let kept: Vec<_> = kept.into_iter().filter(|old| !changed(old)).collect();
        status.results.extend(kept);
        partner.status = status;
    }

    /// Reports ranks that have been silent for this time.
    pub fn check_silence(&self, most: Duration) {
        let mut state = self.state.lock();
        for (rank, partner) in (1..).zip(&mut state.partners) {
            let silent = partner.heard.elapsed();
            if silent > most && !partner.is_silent {
                partner.is_silent = true;
                let (name, silent) = (partner.name(rank), silent.as_millis());
                self.note(format!("{name} has not answered for {silent} ms; searching without it"));
                let _ = self.session.send(Message::Line(String::new()));
            }
        }
    }

    /// Ranks, hosts and threads.
    pub fn describe(&self, own_host: &str) -> String {
        let state = self.state.lock();
        let mut text = format!("cluster: {} ranks of {} threads: ", state.partners.len() + 1, state.threads);
        let own = lento::processors::count() as u64;
        let others = state.partners.iter().map(|partner| (partner.host.as_str(), partner.cpus, partner.is_silent));
        for (rank, (host, cpus, silent)) in std::iter::once((own_host, own, false)).chain(others).enumerate() {
            let comma = if rank > 0 { ", " } else { "" };
            let _ = match host {
                "" => write!(text, "{comma}{rank} has not answered yet"),
                _ => write!(text, "{comma}{rank} on {host} ({cpus} CPUs{})", if silent { ", silent" } else { "" }),
            };
        }
        text
    }

    /// Entries sent, received and stored by the other ranks, and bytes sent.
    pub fn traffic(&self) -> [u64; 4] {
        let state = self.state.lock();
        state
            .partners
            .iter()
            .fold([0; 4], |sum, partner| std::array::from_fn(|at| sum[at] + partner.status.traffic[at]))
    }

    /// Passes a command on that rank 0 is about to execute, and gives it its share. Returns a message for the user.
    pub fn pass_on(&self, command: &mut Command, engine: &Engine, host: &str) -> Option<String> {
        match command {
            Command::Uci => return Some(self.describe(host)),
            Command::NewGame => self.order(Order::Line("ucinewgame".into())),
            Command::Flip => self.order(Order::Line("flip".into())),
            Command::Position(position) => self.order(Order::Line(format!("position {position}"))),
            Command::SetOption(name, value) => return self.pass_on_option(name, value.as_deref(), host),
            Command::Go(go) => self.go(go, engine.settings.strength.limited),
            _ => {}
        }
        None
    }

    fn pass_on_option(&self, name: &str, value: Option<&str>, host: &str) -> Option<String> {
        let is = |other: &str| options::same_name(name, other);
        let text = value.unwrap_or_default();
        if !options::exists(name) || ["HashFile", "AutoSave", "Debug Log File", "Ponder"].into_iter().any(is) {
            return None;
        }
        if is("EvalFile") && !matches!(text, "" | "<empty>") {
            // Rank 0 itself reports what is wrong with it.
            if nnue::load(Path::new(text)).is_ok()
                && let Ok(bytes) = std::fs::read(text)
            {
                self.order(Order::Network(bytes));
            }
            return None;
        }
        self.order(Order::Line(format!("setoption name {name} value {text}")));
        let threads =
            text.parse().ok().filter(|threads| is("Threads") && (1..=Engine::MAX_THREADS).contains(threads))?;
        self.state.lock().threads = threads;
        Some(self.describe(host))
    }

    /// Starts the others: without a limit but their share of `nodes`, since rank 0 keeps the time and stops them.
    pub fn go(&self, go: &mut Go, limited: bool) {
        let mut state = self.state.lock();
        state.begun += 1;
        let searching: Vec<bool> = (1..)
            .zip(&state.partners)
            .map(|(rank, partner)| !limited && !partner.is_silent && rank < state.active)
            .collect();
        let ranks = 1 + searching.iter().filter(|searches| **searches).count() as u64;
        let (all, mut before) = (go.limits.nodes, 1);
        // The first of them get the remainder of the division.
        let share = |number: u64| all.map(|all| all / ranks + u64::from(number < all % ranks));
        let line = |searches: bool| {
            if !searches {
                return "go nodes 1".into();
            }
            let mut line = String::from("go");
            match share(before) {
                Some(nodes) => _ = write!(line, " nodes {nodes}"),
                None if go.limits.infinite => line += " infinite",
                None => {}
            }
            before += 1;
            if let Some(mate) = go.limits.mate {
                let _ = write!(line, " mate {mate}");
            }
            for (word, moves) in [("searchmoves", &go.search_moves), ("avoidmoves", &go.avoid_moves)] {
                if !moves.is_empty() {
                    let _ = write!(line, " {word} {}", moves.join(" "));
                }
            }
            line
        };
        let lines = searching.into_iter().map(line).collect();
        go.limits.nodes = if limited { all } else { share(0) };
        self.order(Order::Lines(lines));
    }

    fn sum(&self, search: u64, count: impl Fn(&Status) -> u64) -> u64 {
        let state = self.state.lock();
        let all = state.partners.iter().map(|partner| &partner.status);
        all.filter(|status| status.search == search).map(count).sum()
    }
}

impl Partners for Relay {
    fn nodes(&self, search: u64) -> u64 {
        self.sum(search, |status| status.nodes)
    }

    fn tb_hits(&self, search: u64) -> u64 {
        self.sum(search, |status| status.tb_hits)
    }

    fn results(&self, search: u64) -> Vec<ThreadResult> {
        let state = self.state.lock();
        let active = state.partners.iter().take(state.active.saturating_sub(1));
        // The last results of a rank that hangs are too shallow for a vote.
        let voting = active.filter(|partner| !partner.is_silent && partner.status.search == search);
        voting.flat_map(|partner| partner.status.results.clone()).collect()
    }

    fn are_busy(&self, search: u64) -> bool {
        let state = self.state.lock();
        state.partners.iter().any(|partner| !partner.is_silent && partner.status.answered < search)
    }

    fn stop(&self, search: u64) {
        let mut state = self.state.lock();
        if state.stopped < search {
            state.stopped = search;
            self.order(Order::Line("stop".into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::{Receiver, unbounded};

    /// A relay to this many ranks, its orders, and its messages to the session.
    fn relay(ranks: usize) -> (Relay, Receiver<Order>, Receiver<Message>) {
        let ((orders, ordered), (session, messages)) = (unbounded(), unbounded());
        (Relay::new(ranks, orders, session), ordered, messages)
    }

    /// A report of the first search.
    fn report(relay: &Relay, rank: usize, nodes: u64) {
        let results = vec![ThreadResult { thread: 0, depth: 9, lines: Vec::new() }];
        let status = Status { search: 1, nodes, results, ..Status::default() };
        relay.heard(rank, |partner| Relay::update(partner, rank, status));
    }

    #[test]
    fn a_silent_rank_has_no_vote() {
        let (relay, ..) = relay(3);
        (1..3).for_each(|rank| report(&relay, rank, 100));
        assert_eq!(relay.results(1).len(), 2);
        relay.check_silence(Duration::ZERO);
        assert_eq!(relay.results(1).len(), 0);
        report(&relay, 2, 200);
        assert_eq!(relay.results(1)[0].thread, 2 * Engine::MAX_THREADS);
        assert_eq!((relay.results(1).len(), relay.nodes(1)), (1, 300));
    }
}
