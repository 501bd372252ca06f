//! `serve --lichess` with a fake of lichess.org and its broker.

mod fake;

use crate::analysing::Folder;
use crate::serving::{Peer, Server};
use axum::http::StatusCode;
use fake::{Fake, Received, TIMEOUT, VALID_TOKEN};
use serde_json::{Value, json};
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant};

fn work(more: Value) -> Value {
    let mut work = json!({ "sessionId": "s", "threads": 1, "hash": 16, "multiPv": 1, "variant": "chess",
        "initialFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "moves": [] });
    work.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    work
}

#[test]
fn engine_is_registered_once_and_removed() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-register"));
    drop(fake.serve(&folder, &["--lichess-name", "Tower"]));
    let first = fake.engines();
    assert_eq!(
        (&first[0]["name"], &first[0]["maxThreads"], &first[0]["maxHash"]),
        (&json!("Tower"), &json!(1), &json!(1))
    );
    // Another name replaces the registration with the same secret.
    drop(fake.serve(&folder, &["--lichess-name", "Cellar"]));
    let second = fake.engines();
    assert_eq!((second.len(), &second[0]["name"]), (1, &json!("Cellar")));
    assert_eq!((&second[0]["id"], &second[0]["providerSecret"]), (&first[0]["id"], &first[0]["providerSecret"]));
    // Two servers with one name would take the engine from each other.
    let other = Folder::new("lichess-twin");
    let mut twin = fake.start_server(&other, &["--lichess-name", "Cellar"]);
    let mut line = String::from("none");
    while !line.contains("replaces the engine \"Cellar\"; a server that uses it needs another --lichess-name") {
        assert!(!line.is_empty(), "the server has ended");
        line = twin.line();
    }
    drop(twin);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        assert_eq!(std::fs::metadata(folder.path("token.secret")).expect("a file").mode() & 0o777, 0o600);
    }
    // Engines of others are unchanged.
    fake.broker.lock().unwrap().engines.push(json!({ "id": "eei_other", "name": "Cellar", "providerData": null }));
    drop(fake.serve(&folder, &["--lichess-name", "Cellar"]));
    let url = format!("http://{}", fake.address);
    let run = |token: &str, more: &[&str]| {
        let file = folder.write("other-token", token);
        let mut command = std::process::Command::new(crate::PROGRAM);
        command.args(["serve", "--lichess", &file, "--lichess-url", &url, "--lichess-engine-url", &url]);
        let output = command.args(more).output().expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    };
    let (code, output) = run(VALID_TOKEN, &["--lichess-list"]);
    assert!(code == Some(0) && output.contains("eei_0  Cellar, 1 threads") && output.contains("eei_other"), "{output}");
    let (code, output) = run(VALID_TOKEN, &["--lichess-remove", "eei_0"]);
    assert!(code == Some(0) && output.contains("eei_0 removed"), "{output}");
    assert_eq!(fake.engines().len(), 1);
    for (token, id, expected) in [
        (VALID_TOKEN, "eei_0", "404"),
        (VALID_TOKEN, "../x", "\"../x\" is not the id"),
        ("lip_without_scopes", "eei_0", "scopes engine:read and engine:write"),
    ] {
        let (code, output) = run(token, &["--lichess-remove", id]);
        assert!(code == Some(1) && output.contains(expected), "{output}");
    }
    // A wrong token also ends the server.
    for (token, expected) in [("lip_unknown_token_", "unknown or was revoked"), ("lip_without_scopes", "engine:write")]
    {
        let (code, output) = run(token, &[]);
        assert!(code == Some(1) && output.contains(expected), "{output}");
    }
}

#[test]
fn work_is_answered_within_its_limits() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-work"));
    let (_server, _) = fake.serve(&folder, &[]);
    let (best, last) = fake.request(work(json!({ "depth": 6, "multiPv": 3 }))).best();
    assert_eq!((best.len(), last), (4, Some((6, 3))));
    let castle =
        json!({ "initialFen": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "moves": ["e1h1", "e8c8"], "nodes": 500 });
    fake.request(work(castle)).best();
    let frc = json!({ "initialFen": "nqbnrbkr/pppppppp/8/8/8/8/PPPPPPPP/QRBNNBKR w HBhe - 0 1", "movetime": 20 });
    fake.request(work(frc)).best();
    // Values are clamped to their ranges.
    assert_eq!(fake.request(work(json!({ "depth": 0, "multiPv": 0, "moves": ["a2a3"] }))).best().1, Some((1, 1)));
    for zero in ["movetime", "nodes"] {
        assert!(fake.request(work(json!({ zero: 0, "moves": ["a2a4"] }))).best().1.is_some(), "{zero}");
    }
    let mate =
        json!({ "initialFen": "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "depth": u32::MAX, "nodes": u64::MAX, "movetime": 500 });
    assert_eq!(fake.request(work(mate)).best().0, "a1a8");
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(150);
    assert_eq!(fake.request(work(json!({ "moves": shuffle, "depth": 5 }))).best().0.len(), 4);
    assert_eq!(fake.request(work(json!({ "nodes": 1000, "multiPv": 99 }))).best().1.map(|(_, pvs)| pvs), Some(5));
    for nothing in [
        json!({ "variant": "atomic", "depth": 5 }),
        json!({ "initialFen": "8/8", "depth": 5 }),
        json!({ "moves": ["e2e5"], "depth": 5 }),
        json!({ "initialFen": "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "depth": 5 }),
    ] {
        assert_eq!(fake.request(work(nothing)).best(), ("(none)".into(), None));
    }
    assert!(fake.request(work(json!({ "depth": 2 }))).best().1.is_some());
}

#[test]
fn work_ends_with_new_work_or_its_client() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-turns"));
    let (_server, address) = fake.serve(&folder, &[]);
    let endless = || work(json!({ "movetime": 86_400_000 }));
    let first = fake.request(endless());
    assert!(matches!(first.next(), Received::Infos { .. }));
    let second = fake.request(endless());
    first.best();
    // Two at once.
    let (third, mut fourth) = (fake.request(endless()), fake.request(endless()));
    second.best();
    third.best();
    assert!(matches!(fourth.next(), Received::Infos { .. }));
    fourth.leave.take().expect("a client").send(()).expect("the broker listens");
    let mut peer = Peer::connect(address);
    while peer.request(json!({ "status": true }))["searching"] != 0 {}
    // A query is preempted and continues.
    peer.send(json!({ "id": "long", "infinite": true, "report_ms": 10 }));
    assert_eq!(peer.answer()["status"], "partial");
    fake.request(work(json!({ "depth": 5 }))).best();
    assert_eq!(peer.answer()["status"], "partial");
}

#[test]
fn stored_results_are_sent_first() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-known"));
    let (_server, _) = fake.serve(&folder, &["--db", &folder.path("results.db")]);
    assert_eq!(fake.request(work(json!({ "depth": 8 }))).best().1, Some((8, 1)));
    let again = fake.request(work(json!({ "depth": 2 })));
    assert!(matches!(again.next(), Received::Infos { depth: 8, pvs: 1, .. }));
    assert_eq!(again.best().1.map(|(depth, _)| depth), Some(8));
}

#[test]
fn broker_failures_are_retried() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-failures"));
    let (mut server, _) = fake.serve(&folder, &[]);
    let failures = [503, 500, 415, 502].map(|code| StatusCode::from_u16(code).expect("a status"));
    fake.broker.lock().unwrap().failures.extend(failures);
    let client = fake.request(work(json!({ "depth": 3 })));
    // One message for the failure and one for the recovery.
    let gone = server.line();
    assert!(gone.contains("answers 503") && gone.contains("retrying"), "{gone}");
    client.best();
    assert!(server.line().contains("available again"));
}

/// Work on new positions, with a depth that takes some nodes.
fn line(moves: usize, session: &str) -> Value {
    const MOVES: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];
    work(json!({ "sessionId": session, "moves": MOVES[..moves], "depth": 11 - moves }))
}

#[test]
fn session_keeps_its_engine() {
    let folder = Folder::new("lichess-sessions");
    // One thread searches the same nodes with the same hash table.
    let (alone, fresh) = {
        let fake = Fake::start();
        let (_server, _) = fake.serve(&folder, &[]);
        let warm = [0, 1, 2, 3].map(|moves| fake.request(line(moves, "a")).nodes());
        // Another session starts a new game.
        (warm, fake.request(line(5, "b")).nodes())
    };
    let fake = Fake::start();
    let (_server, address) = fake.serve(&folder, &["--engines", "2"]);
    let mut peer = Peer::connect(address);
    let mut query =
        |id: &str, moves: &str| peer.request(json!({ "id": id, "moves": moves, "depth": 8 }))["nodes"].clone();
    assert_eq!(fake.request(line(0, "a")).nodes(), alone[0]);
    // Other queries prefer the engine without a session.
    query("one", "c4");
    assert_eq!(fake.request(line(1, "a")).nodes(), alone[1]);
    fake.request(line(4, "c")).nodes();
    assert_eq!(fake.request(line(2, "a")).nodes(), alone[2]);
    // Then the engine with the least recently used session. Another session takes it and clears its table.
    query("two", "d4");
    assert_eq!(fake.request(line(5, "b")).nodes(), fresh);
    assert_eq!(fake.request(line(3, "a")).nodes(), alone[3]);
}

#[test]
fn registration_is_retried_unless_refused() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-refused"));
    let failures = [503, 502, 400].map(|code| StatusCode::from_u16(code).expect("a status"));
    fake.broker.lock().unwrap().failures.extend(failures);
    let mut server = fake.start_server(&folder, &[]);
    let mut stderr = String::new();
    server.stderr.read_to_string(&mut stderr).expect("the server ends");
    assert!(
        stderr.contains("answers 503 ") && stderr.contains("answers 400 ") && stderr.contains("Not a name"),
        "{stderr}"
    );
    let mut server = fake.start_server(&folder, &["--lichess-name", "ab"]);
    let mut stderr = String::new();
    server.stderr.read_to_string(&mut stderr).expect("the server ends");
    assert!(stderr.contains("expected 3 to 200 characters"), "{stderr}");
}

#[test]
#[cfg(unix)]
fn termination_sends_the_best_move() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-end"));
    let (server, _) = fake.serve(&folder, &[]);
    let client = fake.request(work(json!({ "movetime": 86_400_000 })));
    assert!(matches!(client.next(), Received::Infos { .. }));
    server.signal("-TERM");
    assert_eq!(client.best().0.len(), 4);
}

#[test]
fn thousand_requests_are_answered() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-thousand"));
    let (_server, address) = fake.serve(&folder, &[]);
    for number in 0..1000 {
        let moves = ["e2e4", "e7e5", "g1f3", "b8c6"][..number % 5].to_vec();
        let client = fake.request(work(json!({ "nodes": 1, "sessionId": format!("{}", number % 7), "moves": moves })));
        assert_eq!(client.best().0.len(), 4, "{number}");
    }
    let status = Peer::connect(address).request(json!({ "status": true }));
    assert_eq!((&status["searching"], &status["waiting"], &status["finished"]), (&json!(0), &json!(0), &json!(1000)));
}

#[test]
#[cfg(target_os = "linux")]
fn threads_and_hash_are_limited_by_the_server() {
    let workers = |server: &Server| {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", server.id())).expect("a process");
        let name = |task: &std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
        tasks.flatten().filter(|task| name(task).starts_with("worker ")).count()
    };
    let (fake, folder) = (Fake::start(), Folder::new("lichess-size"));
    let mut server = fake.start_server(&folder, &["--threads", "3", "--hash", "16"]);
    // Different positions, so that the first line is from the new search.
    for (threads, mv) in [(3, "a2a3"), (1, "b2b3"), (2, "c2c3")] {
        let client = fake.request(work(json!({ "threads": threads, "moves": [mv], "movetime": 86_400_000 })));
        assert!(matches!(client.next(), Received::Infos { .. }));
        assert_eq!(workers(&server), threads);
    }
    let used = |session: &str, mut more: Value| {
        more["sessionId"] = session.into();
        more["nodes"] = 150_000.into();
        fake.request(work(more)).used().1
    };
    let small = used("small", json!({ "hash": 1, "moves": ["e2e4"] }));
    let large = used("large", json!({ "hash": 16, "moves": ["d2d4"] }));
    assert!(small > 3 * large && large > 0, "{small} {large}");
    used("more", json!({ "threads": 99, "hash": 99_999, "moves": ["c2c4"] }));
    for expected in ["threads 99 becomes 3", "hash 99999 becomes 16"] {
        while !server.line().contains(expected) {}
    }
    drop(server);
    // Shared engines are not resized.
    let mut server = fake.start_server(&folder, &["--threads", "1", "--hash", "16", "--listen", "127.0.0.1:0"]);
    server.address();
    let shared = used("small", json!({ "hash": 1, "moves": ["e2e4", "e7e5"] }));
    assert!(small > 3 * shared, "{small} {shared}");
}

/// Threads, open files and kilobytes of memory of a process.
#[cfg(target_os = "linux")]
fn resources(server: &Server) -> [usize; 3] {
    let folder = format!("/proc/{}", server.id());
    let entries = |name: &str| std::fs::read_dir(format!("{folder}/{name}")).expect("a process").count();
    let status = std::fs::read_to_string(format!("{folder}/status")).expect("a process");
    let memory =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).and_then(|rest| rest.split_whitespace().next());
    [entries("task"), entries("fd"), memory.and_then(|word| word.parse().ok()).expect("a size")]
}

#[test]
#[cfg(target_os = "linux")]
fn restarts_of_the_broker_leak_no_resources() {
    let (fake, folder) = (Fake::start(), Folder::new("lichess-restarts"));
    let (server, address) = fake.serve(&folder, &[]);
    let request = |number: usize| {
        let moves = ["d2d4", "g8f6", "c2c4", "e7e6"][..number % 5].to_vec();
        fake.request(work(json!({ "nodes": 100, "sessionId": format!("{}", number % 3), "moves": moves })))
    };
    let endless = || fake.request(work(json!({ "movetime": 86_400_000 })));
    let mut before = None;
    for round in 0..6 {
        for number in 0..20 {
            assert!(request(number).is_answered());
        }
        match round % 4 {
            // During a search.
            0 => {
                let client = endless();
                assert!(matches!(client.next(), Received::Infos { .. }));
                fake.restart(round % 2);
                assert!(!client.is_answered());
            }
            // With queued and just started work.
            1 => {
                let clients = [request(1), endless(), request(2), endless()];
                fake.restart(round % 2);
                clients.iter().for_each(|client| _ = client.is_answered());
            }
            // When a client leaves.
            2 => {
                let mut client = endless();
                assert!(matches!(client.next(), Received::Infos { .. }));
                client.leave.take().expect("a client").send(()).expect("the broker listens");
                fake.restart(round % 2);
            }
            _ => fake.restart(round % 2),
        }
        assert!(request(round).is_answered());
        before.get_or_insert_with(|| resources(&server));
    }
    assert_eq!(fake.broker.lock().unwrap().repeated, Vec::<String>::new());
    let mut peer = Peer::connect(address);
    while peer.request(json!({ "status": true }))["searching"] != 0 {}
    drop(peer);
    let before = before.expect("a round");
    // Connections and threads may still be closing.
    let max = [before[0] + 2, before[1] + 2, before[2] + (32 << 10)];
    let is_less = || resources(&server).iter().zip(max).all(|(now, max)| *now <= max);
    let deadline = Instant::now() + TIMEOUT;
    while !is_less() {
        assert!(Instant::now() < deadline, "{:?} after {before:?}", resources(&server));
        thread::sleep(Duration::from_millis(100));
    }
}
