//! Rank 0's connection to the other ranks: orders and reports.

use crate::rank_info::RankInfo;
use crate::wire::{Kind, Status};
use crossbeam::channel::Sender;
use lento::engine::Engine;
use lento::eval::nnue;
use lento::internals::{Partners, ThreadResult};
use lento_uci::command::Command;
use lento_uci::go::Go;
use lento_uci::options;
use lento_uci::task::Message;
use parking_lot::Mutex;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// An order to the other ranks.
pub enum Order {
    /// A line for every other session.
    Line(String),
    /// One line per session, from rank 1.
    Lines(Vec<String>),
    Network(Vec<u8>),
    /// End of the session.
    End,
}

/// State of another rank.
struct Partner {
    rank: usize,
    /// Its description, once it has joined.
    info: Option<RankInfo>,
    /// Has joined and is compatible.
    is_accepted: bool,
    last_seen: Instant,
    /// Has sent nothing for too long.
    is_silent: bool,
    /// Takes part in the latest search.
    searches: bool,
    status: Status,
}

impl Partner {
    /// Rank and, once it has joined, host.
    fn name(&self) -> String {
        match &self.info {
            Some(info) if !info.host.is_empty() => format!("rank {} ({})", self.rank, info.host),
            _ => format!("rank {}", self.rank),
        }
    }

    /// Whether it takes part in new searches and in the vote.
    fn takes_part(&self) -> bool {
        self.is_accepted && !self.is_silent
    }

    /// Updates the status, which contains changed results only.
    fn update(&mut self, mut status: Status) {
        let old = std::mem::take(&mut self.status);
        let kept = if old.search == status.search { old.results } else { Vec::new() };
        for result in &mut status.results {
            result.thread += self.rank * Engine::MAX_THREADS;
        }
        let changed = |old: &ThreadResult| status.results.iter().any(|new| new.thread == old.thread);
        let kept: Vec<_> = kept.into_iter().filter(|old| !changed(old)).collect();
        status.results.extend(kept);
        self.status = status;
    }
}

/// Rank 0's connection to the others.
pub struct Relay {
    orders: Sender<Order>,
    /// Session, woken when a rank has used up its nodes.
    session: Sender<Message>,
    own: RankInfo,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// From rank 1.
    partners: Vec<Partner>,
    /// Number of active ranks; `bench` varies it.
    active: usize,
    threads: usize,
    /// Whether all ranks use the network of rank 0's `EvalFile`.
    network_sent: bool,
    /// Number of searches started, and of the last one stopped on the other ranks.
    started: u64,
    stopped: u64,
    /// Whether the latest search has a node limit.
    has_node_limit: bool,
    /// Traffic of rank 0, as in [`Status`].
    traffic: [u64; 4],
}

impl Relay {
    /// Creates the relay of a job with `ranks` ranks, including rank 0.
    pub fn new(ranks: usize, own: RankInfo, orders: Sender<Order>, session: Sender<Message>) -> Self {
        let partner = |rank| Partner {
            rank,
            info: None,
            is_accepted: false,
            last_seen: Instant::now(),
            is_silent: false,
            searches: false,
            status: Status::default(),
        };
        let partners = (1..ranks).map(partner).collect();
        let state = State { partners, active: ranks, threads: 1, ..State::default() };
        Self { orders, session, own, state: Mutex::new(state) }
    }

    pub fn order(&self, order: Order) {
        // Fails only while the program exits.
        let _ = self.orders.send(order);
    }

    fn note(&self, text: String) {
        let _ = self.session.send(Message::Note(text));
    }

    /// Whether the other ranks are searching.
    pub fn is_searching(&self) -> bool {
        let state = self.state.lock();
        state.started > state.stopped
    }

    /// Waits until all ranks have joined, at most one second.
    pub fn wait_for_ranks(&self) {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(1)
            && self.state.lock().partners.iter().any(|partner| partner.info.is_none())
        {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Limits the following searches to the first `ranks` ranks.
    pub fn set_active(&self, ranks: usize) {
        self.state.lock().active = ranks;
    }

    /// For each rank, whether it is left out of the exchange.
    pub fn missing(&self) -> Vec<bool> {
        let state = self.state.lock();
        let others = state.partners.iter().map(|partner| !partner.takes_part() || partner.rank >= state.active);
        std::iter::once(false).chain(others).collect()
    }

    pub fn is_silent(&self, rank: usize) -> bool {
        rank > 0 && self.state.lock().partners[rank - 1].is_silent
    }

    /// Handles a message from a rank.
    pub fn receive(&self, rank: usize, kind: Kind, bytes: &[u8]) {
        let mut state = self.state.lock();
        let (sent, threads) = (state.network_sent, state.threads);
        let partner = &mut state.partners[rank - 1];
        partner.last_seen = Instant::now();
        if partner.is_silent {
            partner.is_silent = false;
            self.note(format!("{} responds again", partner.name()));
        }
        match kind {
            Kind::Status => {
                let Some(status) = Status::from_bytes(bytes) else { return };
                let answers = status.answered != partner.status.answered;
                partner.update(status);
                if answers {
                    self.wake();
                }
            }
            Kind::Note => self.note(format!("{}: {}", partner.name(), String::from_utf8_lossy(bytes))),
            Kind::Join => self.join(partner, RankInfo::from_bytes(bytes).unwrap_or_default(), sent, threads),
            _ => {}
        }
    }

    /// Makes the session check the state of the search.
    fn wake(&self) {
        let _ = self.session.send(Message::Line(String::new()));
    }

    /// Adds a rank; an incompatible one is left out.
    fn join(&self, partner: &mut Partner, info: RankInfo, network_sent: bool, threads: usize) {
        let difference = self.own.difference(&info);
        (partner.info, partner.is_accepted) = (Some(info), true);
        if let Some(difference) = difference {
            self.note(format!("{}: {difference}", partner.name()));
        }
        self.check(partner, network_sent);
        self.warn_of_cpus(partner.rank, partner.info.as_ref(), threads);
    }

    /// Accepts a rank, or leaves it out and reports why.
    fn check(&self, partner: &mut Partner, network_sent: bool) {
        let Some(info) = &partner.info else { return };
        let refusal = self.own.refusal(info, network_sent);
        if let Some(reason) = &refusal
            && partner.is_accepted
        {
            self.note(format!("ERROR: {} is left out: {reason}", partner.name()));
        }
        partner.is_accepted = refusal.is_none();
    }

    /// Records whether all ranks use rank 0's network, and rechecks them.
    fn set_network_sent(&self, sent: bool) {
        let mut state = self.state.lock();
        if state.network_sent != sent {
            state.network_sent = sent;
            state.partners.iter_mut().for_each(|partner| self.check(partner, sent));
        }
    }

    fn warn_of_cpus(&self, rank: usize, info: Option<&RankInfo>, threads: usize) {
        if let Some(RankInfo { host, cpus, .. }) = info.filter(|info| (1..threads as u64).contains(&info.cpus)) {
            let cpus =
                if *cpus == 1 { "1 CPU (does mpirun have --bind-to none?)".into() } else { format!("{cpus} CPUs") };
            self.note(format!("warning: rank {rank} ({host}) has {threads} threads but may use only {cpus}"));
        }
    }

    /// Reports ranks that have sent nothing for longer than `limit`.
    pub fn check_silence(&self, limit: Duration) {
        let mut state = self.state.lock();
        let falls_short = state.has_node_limit && state.started > state.stopped;
        for partner in &mut state.partners {
            let silent = partner.last_seen.elapsed();
            if silent > limit && !partner.is_silent {
                partner.is_silent = true;
                let (name, silent) = (partner.name(), silent.as_millis());
                let nodes = if falls_short && partner.searches { " and without the rest of its nodes" } else { "" };
                self.note(format!("{name} has not responded for {silent} ms; searching without it{nodes}"));
                self.wake();
            }
        }
    }

    /// One line with ranks, hosts, threads and builds.
    pub fn describe(&self) -> String {
        let state = self.state.lock();
        let (ranks, own) = (state.partners.len() + 1, &self.own);
        let mut text = format!("cluster: {ranks} ranks of {} threads, {}: ", state.threads, own.describe());
        let _ = write!(text, "0 on {} ({})", own.host, own.describe_other(own));
        for partner in &state.partners {
            let rank = partner.rank;
            let _ = match &partner.info {
                None => write!(text, ", {rank} has not joined yet"),
                Some(info) if info.host.is_empty() => write!(text, ", {rank} left out"),
                Some(info) => {
                    let left_out = if partner.is_accepted { "" } else { ", left out" };
                    let silent = if partner.is_silent { ", silent" } else { "" };
                    write!(text, ", {rank} on {} ({}{left_out}{silent})", info.host, own.describe_other(info))
                }
            };
        }
        text
    }

    pub fn set_traffic(&self, own: [u64; 4]) {
        self.state.lock().traffic = own;
    }

    /// Entries sent, received and stored by all ranks, and bytes sent.
    pub fn traffic(&self) -> [u64; 4] {
        let state = self.state.lock();
        let others = |index: usize| state.partners.iter().map(|partner| partner.status.traffic[index]).sum::<u64>();
        std::array::from_fn(|index| state.traffic[index] + others(index))
    }

    /// Forwards a command before rank 0 executes it, and reduces rank 0's own node limit to its share. Returns a message for the user.
    pub fn pass_on(&self, command: &mut Command, engine: &Engine) -> Option<String> {
        match command {
            Command::Uci => return Some(self.describe()),
            Command::NewGame => self.order(Order::Line("ucinewgame".into())),
            Command::Flip => self.order(Order::Line("flip".into())),
            Command::Position(position) => self.order(Order::Line(format!("position {position}"))),
            Command::SetOption(name, value) => return self.pass_on_option(name, value.as_deref()),
            Command::Go(go) => {
                self.go(go, engine.settings.strength.limited);
                // Without a legal move rank 0 has no search that would stop the others.
                if !engine.game.board().has_legal_move() {
                    let started = self.state.lock().started;
                    self.stop(started);
                }
            }
            _ => {}
        }
        None
    }

    fn pass_on_option(&self, name: &str, value: Option<&str>) -> Option<String> {
        let is = |other: &str| options::same_name(name, other);
        let text = value.unwrap_or_default();
        // A search with statistics neither reports to rank 0 nor exchanges entries.
        let own = ["HashFile", "AutoSave", "Debug Log File", "Ponder", "LMR Statistics"];
        if !options::exists(name) || own.into_iter().any(is) {
            return None;
        }
        if is("EvalFile") && !matches!(text, "" | "<empty>") {
            // Rank 0 reports errors in the file.
            if nnue::load(Path::new(text)).is_ok()
                && let Ok(bytes) = std::fs::read(text)
            {
                self.order(Order::Network(bytes));
                self.set_network_sent(true);
            }
            return None;
        }
        if is("EvalFile") {
            self.set_network_sent(false);
        }
        self.order(Order::Line(format!("setoption name {name} value {text}")));
        let threads =
            text.parse().ok().filter(|threads| is("Threads") && (1..=Engine::MAX_THREADS).contains(threads))?;
        let mut state = self.state.lock();
        state.threads = threads;
        self.warn_of_cpus(0, Some(&self.own), threads);
        for partner in &state.partners {
            self.warn_of_cpus(partner.rank, partner.info.as_ref(), threads);
        }
        drop(state);
        Some(self.describe())
    }

    /// Starts the other ranks, limited only by their share of `nodes`: rank 0 keeps the time and stops them.
    pub fn go(&self, go: &mut Go, limited: bool) {
        let mut state = self.state.lock();
        let active = state.active;
        (state.started, state.has_node_limit) = (state.started + 1, go.limits.nodes.is_some());
        // A rank whose share would be empty does not search.
        let mut remaining = go.limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(1));
        for partner in &mut state.partners {
            partner.searches = !limited && partner.takes_part() && partner.rank < active && remaining > 0;
            remaining -= u64::from(partner.searches);
        }
        let searching: Vec<bool> = state.partners.iter().map(|partner| partner.searches).collect();
        let ranks = 1 + searching.iter().filter(|searches| **searches).count() as u64;
        let (all, mut before) = (go.limits.nodes, 1);
        // The first ranks get the remainder of the division.
        let share = |number: u64| all.map(|all| all / ranks + u64::from(number < all % ranks));
        let line = |searches: bool| {
            if !searches {
                return "go nodes 1".into();
            }
            let mut line = String::from("go");
            match share(before) {
                Some(nodes) => {
                    let _ = write!(line, " nodes {nodes}");
                    // Rank 0 waits for the shares.
                    if let Some(depth) = go.limits.depth {
                        let _ = write!(line, " depth {depth}");
                    }
                }
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
        let all = state.partners.iter().filter(|partner| partner.searches).map(|partner| &partner.status);
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
        // Results of a hanging rank are too shallow for the vote.
        let votes = |partner: &&Partner| partner.searches && partner.takes_part() && partner.status.search == search;
        state.partners.iter().filter(votes).flat_map(|partner| partner.status.results.clone()).collect()
    }

    fn are_busy(&self, search: u64) -> bool {
        let state = self.state.lock();
        state.partners.iter().any(|partner| partner.takes_part() && partner.status.answered < search)
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
mod tests;
