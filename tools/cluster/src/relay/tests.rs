use super::*;
use crossbeam::channel::{Receiver, unbounded};
use lento::search::limits::Limits;
use lento::search::report::Info;

/// A relay whose ranks have all joined, its orders, and its messages to the session.
fn relay(ranks: usize) -> (Relay, Receiver<Order>, Receiver<Message>) {
    let ((orders, order_receiver), (session, messages)) = (unbounded(), unbounded());
    let relay = Relay::new(ranks, RankInfo::own("one"), orders, session);
    (1..ranks).for_each(|rank| join(&relay, rank, &RankInfo::own("two")));
    (relay, order_receiver, messages)
}

fn join(relay: &Relay, rank: usize, info: &RankInfo) {
    relay.receive(rank, Kind::Join, &info.to_bytes());
}

/// Starts a search; returns rank 0's nodes and the lines for the other ranks.
fn go(relay: &Relay, order_receiver: &Receiver<Order>, nodes: Option<u64>) -> (Option<u64>, String) {
    go_with(relay, order_receiver, Limits { nodes, ..Limits::default() })
}

fn go_with(relay: &Relay, order_receiver: &Receiver<Order>, limits: Limits) -> (Option<u64>, String) {
    let mut go = Go { limits, ..Go::default() };
    relay.go(&mut go, false);
    let Some(Order::Lines(lines)) = order_receiver.try_iter().last() else { panic!("no order") };
    (go.limits.nodes, lines.join(", "))
}

/// Sends a status of the first search.
fn report(relay: &Relay, rank: usize, nodes: u64) {
    let results = vec![ThreadResult { thread: 0, depth: 9, lines: vec![Info::default()] }];
    let status = Status { search: 1, nodes, results, ..Status::default() };
    relay.receive(rank, Kind::Status, &status.to_bytes());
}

fn notes(messages: &Receiver<Message>) -> String {
    let text = |message| if let Message::Note(text) = message { text } else { String::new() };
    messages.try_iter().map(text).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[test]
fn silent_rank_has_no_vote() {
    let (relay, order_receiver, messages) = relay(3);
    go(&relay, &order_receiver, Some(1000));
    (1..3).for_each(|rank| report(&relay, rank, 100));
    assert_eq!(relay.results(1).len(), 2);
    relay.check_silence(Duration::ZERO);
    assert_eq!(relay.results(1).len(), 0);
    assert!(notes(&messages).ends_with("; searching without it and without the rest of its nodes"));
    report(&relay, 2, 200);
    assert_eq!(relay.results(1)[0].thread, 2 * Engine::MAX_THREADS);
    assert_eq!((relay.results(1).len(), relay.nodes(1)), (1, 300));
}

#[test]
fn nodes_are_divided_among_active_ranks() {
    let (relay, order_receiver, _) = relay(3);
    assert_eq!(go(&relay, &order_receiver, Some(8)), (Some(3), "go nodes 3, go nodes 2".into()));
    assert_eq!(go(&relay, &order_receiver, Some(2)), (Some(1), "go nodes 1, go nodes 1".into()));
    assert_eq!(go(&relay, &order_receiver, None), (None, "go, go".into()));
    let depth = Limits { depth: Some(9), ..Limits::default() };
    assert_eq!(go_with(&relay, &order_receiver, depth), (None, "go, go".into()));
    let both = Limits { nodes: Some(8), ..depth };
    assert_eq!(go_with(&relay, &order_receiver, both).1, "go nodes 3 depth 9, go nodes 2 depth 9");
    go(&relay, &order_receiver, Some(1));
    let status = Status { search: 6, nodes: 1, ..Status::default() };
    relay.receive(1, Kind::Status, &status.to_bytes());
    assert_eq!(relay.nodes(6), 0);
}

#[test]
fn options_of_rank_0_stay_there() {
    let (relay, order_receiver, _) = relay(2);
    for name in ["LMR Statistics", "lmrstatistics", "Debug Log File", "nonsense", "LMR", "Clear Hash"] {
        relay.pass_on_option(name, Some("x"));
    }
    let lines = order_receiver.try_iter().map(|order| if let Order::Line(line) = order { line } else { String::new() });
    assert_eq!(lines.collect::<Vec<_>>(), ["setoption name LMR value x", "setoption name Clear Hash value x"]);
}

#[test]
fn incompatible_rank_is_left_out() {
    let (relay, order_receiver, messages) = relay(4);
    assert_eq!(notes(&messages), "");
    let own = RankInfo::own("four");
    join(&relay, 3, &RankInfo { network: 1, ..own.clone() });
    join(&relay, 2, &RankInfo { version: "0.0.9".into(), ..own.clone() });
    join(&relay, 1, &RankInfo { commit: "abc".into(), cpus: 1, ..own });
    let text = notes(&messages);
    assert!(text.starts_with("ERROR: rank 3 (four) is left out: its built-in network is 0"), "{text}");
    assert!(text.contains("\nERROR: rank 2 (four) is left out: it runs Lento 0.0.9 ("), "{text}");
    assert!(text.contains("\nrank 1 (four): it runs Lento "), "{text}");
    assert_eq!(relay.missing(), [false, false, true, true]);
    assert_eq!(go(&relay, &order_receiver, Some(10)), (Some(5), "go nodes 5, go nodes 1, go nodes 1".into()));
    assert_eq!(relay.describe().matches(", left out)").count(), 2);
    relay.set_network_sent(true);
    assert_eq!(relay.missing(), [false, false, true, false]);
    relay.set_network_sent(false);
    assert!(notes(&messages).starts_with("ERROR: rank 3 (four) is left out: its built-in network is 0"));
    relay.pass_on_option("Threads", Some("2"));
    let text = notes(&messages);
    assert!(text.contains("warning: rank 1 (four) has 2 threads but may use only 1 CPU (does mpirun"), "{text}");
}
