//! Several processes on a PostgreSQL server, while processes and server are killed.

use crate::PROGRAM;
use crate::analysing::{Folder, GAME, analyse, found, records, signal, stderr};
use crate::server::Server;
use cozy_chess::{Board, Move};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Distinct positions of random games, in EPD.
fn positions(count: usize) -> String {
    let mut rng = Rng::with_seed(1);
    let mut positions = BTreeSet::new();
    while positions.len() < count {
        let mut board = Board::default();
        for _ in 0..rng.usize(4..60) {
            let mut moves: Vec<Move> = Vec::new();
            board.generate_moves(|of_piece| {
                moves.extend(of_piece);
                false
            });
            let Some(&mv) = rng.choice(&moves) else { break };
            board.play_unchecked(mv);
        }
        let fen = board.to_string();
        positions.insert(fen.split(' ').take(4).collect::<Vec<_>>().join(" ") + "\n");
    }
    positions.into_iter().collect()
}

/// Starts a process with its messages in a file of the folder.
pub fn spawn(folder: &Folder, args: &[&str], log: &str) -> Child {
    let log = File::options().create(true).append(true).open(folder.path(log)).expect("writable");
    let mut command = Command::new(PROGRAM);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("the program starts")
}

fn start(folder: &Folder, args: &[&str], log: &str) -> Child {
    spawn(folder, &[args, &["--threads", "1", "--hash", "1", "--lease", "2s", "--jsonl"]].concat(), log)
}

pub fn wait_for(what: &str, mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// Records later stores in the table `counted`.
fn count_stores(server: &Server, database: &str) {
    server.sql(
        database,
        "CREATE TABLE counted AS SELECT position FROM analysis;
        CREATE FUNCTION counting() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO counted VALUES (NEW.position); RETURN NEW; END';
        CREATE TRIGGER counting AFTER INSERT ON analysis FOR EACH ROW EXECUTE FUNCTION counting()",
    );
}

/// Numbers of stores and of stored positions.
fn stores(server: &Server, database: &str) -> String {
    server.sql(database, "SELECT count(*), count(DISTINCT position) FROM counted")
}

/// Numbers of positions, processes and nodes, which `LENTO_SERVER_TEST` overrides: `2000,16,5000`.
fn size() -> [usize; 3] {
    let text = std::env::var("LENTO_SERVER_TEST").unwrap_or_else(|_| "300,6,1000".into());
    let numbers: Vec<usize> = text.split(',').map(|number| number.parse().expect("a number")).collect();
    numbers.try_into().expect("three numbers")
}

#[test]
fn each_result_is_stored_once_when_workers_and_server_are_killed() {
    let Some(server) = Server::start("killed") else { return };
    let [count, processes, nodes] = size();
    let (folder, mut rng, begin) = (Folder::new("servers"), Rng::with_seed(2), Instant::now());
    let epd = folder.write("all.epd", &positions(count));
    let first = folder.write("first.epd", positions(count).split_inclusive('\n').next().expect("a position"));
    let (url, nodes) = (server.create("queue"), nodes.to_string());
    let args = |epd| ["--epd", epd, "--nodes", &nodes, "--db", &url];
    assert!(analyse(&args(&first)).status.success());
    count_stores(&server, "queue");
    let mut workers: Vec<Child> = (0..processes).map(|_| start(&folder, &args(&epd), "log")).collect();
    // Restarted processes check all finished positions.
    let (mut killed, mut restarts, mut tick, pace) = (0, 0, 0, count / 40);
    loop {
        sleep(Duration::from_millis(50));
        tick += 1;
        if tick % pace == 0 {
            let worker = &mut workers[rng.usize(..processes)];
            // A process that has ended is not restarted.
            if worker.try_wait().expect("a state").is_none() {
                worker.kill().expect("killed");
                worker.wait().expect("ended");
                *worker = start(&folder, &args(&epd), "log");
                killed += 1;
            }
        }
        if tick % (5 * pace) == 2 * pace {
            server.restart(&mut rng);
            restarts += 1;
            let done: usize = server.sql("queue", "SELECT count(*) FROM analysis").parse().expect("a number");
            if done >= count * 9 / 10 {
                break;
            }
        }
        assert!(begin.elapsed() < Duration::from_secs(550), "{}", stores(&server, "queue"));
    }
    for worker in &mut workers {
        // A process restarted while the server was down fails.
        if !worker.wait().expect("ended").success() {
            assert!(analyse(&args(&epd)).status.success());
        }
    }
    eprintln!("{killed} workers killed, the server {restarts} times, {:.1} s", begin.elapsed().as_secs_f64());
    assert_eq!(stores(&server, "queue"), format!("{count}|{count}"), "each once");
    let alone = folder.path("alone.db");
    let fresh = found(records(&["--epd", &epd, "--nodes", &nodes, "--db", &alone]));
    assert_eq!(fresh.len(), count);
    // The results equal those of one process.
    let same = |db: &str| found(records(&["--epd", &epd, "--db", db, "--nodes", &nodes]));
    assert_eq!(same(&url), fresh);
}

/// A process suspended for longer than its lease does not store a result that another one has stored.
#[test]
fn suspended_process_stores_nothing_twice() {
    let Some(server) = Server::start("sleeps") else { return };
    let folder = Folder::new("sleeps");
    let url = server.create("sleeps");
    assert!(analyse(&["--depth", "1", "--db", &url]).status.success());
    count_stores(&server, "sleeps");
    let args = ["--nodes", "400000", "--db", &url];
    let mut asleep = start(&folder, &args, "asleep");
    wait_for("a claim", || server.sql("sleeps", "SELECT count(*) FROM claim") == "1");
    signal(&asleep, "-STOP");
    let begin = Instant::now();
    let output = analyse(&[&args[..], &["--jsonl"]].concat());
    assert!(output.status.success() && begin.elapsed() > Duration::from_secs(1), "{}", stderr(&output));
    signal(&asleep, "-CONT");
    assert!(asleep.wait().expect("ended").success());
    // One of them is from the search to depth 1.
    assert_eq!(stores(&server, "sleeps"), "2|1");
}

/// Results are kept while the server is away, and Ctrl-C reports those not stored.
#[test]
fn results_wait_for_the_server() {
    let Some(server) = Server::start("waits") else { return };
    let folder = Folder::new("waits");
    let url = server.create("waits");
    let args = ["--nodes", "300000", "--db", &url];
    let claimed = || server.sql("waits", "SELECT count(*) FROM claim WHERE EXISTS (SELECT FROM run)") == "1";
    assert!(analyse(&["--depth", "1", "--db", &url]).status.success());
    let log = |name: &str| std::fs::read_to_string(folder.path(name)).expect("readable");
    for (name, interrupted) in [("interrupted", true), ("stored", false)] {
        let mut worker = start(&folder, &args, name);
        wait_for("a claim", claimed);
        server.stop();
        wait_for("a message", || log(name).contains("trying until the server is back"));
        if interrupted {
            let begin = Instant::now();
            signal(&worker, "-INT");
            assert_eq!(worker.wait().expect("ended").code(), Some(130));
            assert!(begin.elapsed() < Duration::from_secs(2) && log(name).contains("not stored: "), "{}", log(name));
            server.up();
            server.sql("waits", "DELETE FROM run");
        } else {
            sleep(Duration::from_secs(1));
            server.up();
            assert!(worker.wait().expect("ended").success());
            assert!(
                log(name).contains("the server is back") && log(name).matches("trying").count() == 1,
                "{}",
                log(name)
            );
        }
    }
    assert_eq!(server.sql("waits", "SELECT count(*) FROM analysis WHERE asked_nodes = 300000"), "1");
}

/// Stored results are read again once the server is back: of the position itself, and of others for the report.
#[test]
fn reports_wait_for_the_server() {
    let Some(server) = Server::start("reports") else { return };
    let folder = Folder::new("server-reports");
    let (url, pgn) = (server.create("reports"), folder.write("a.pgn", GAME));
    assert!(analyse(&[&pgn, "--plies", "2", "--depth", "1", "--db", &url]).status.success());
    // Reading a stored result takes two seconds.
    server.sql(
        "reports",
        "ALTER TABLE analysis RENAME TO kept; CREATE VIEW analysis AS SELECT kept.* FROM kept, pg_sleep(2)",
    );
    for plies in ["1", "2"] {
        let html = folder.path(&format!("{plies}.html"));
        let mut reader = spawn(&folder, &[&pgn, "--plies", plies, "--no-search", "--html", &html, "--db", &url], plies);
        wait_for("a query", || {
            server.sql("reports", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
        });
        server.stop();
        let log = || std::fs::read_to_string(folder.path(plies)).expect("readable");
        wait_for("a message", || log().contains("retrying until the server is back"));
        server.up();
        assert!(reader.wait().expect("ended").success() && log().contains("the server is back"), "{}", log());
        assert!(std::fs::read_to_string(&html).expect("a report").contains("<article"));
    }
}

#[test]
fn errors_of_servers_have_advice() {
    let Some(server) = Server::start("wrong") else { return };
    let said_of = |url: &str, part: &str| {
        let output = analyse(&["--depth", "1", "--db", url]);
        let stderr = stderr(&output);
        assert!(
            output.status.code() == Some(1) && stderr.contains(part) && !stderr.contains("secret"),
            "{url}: {stderr}"
        );
    };
    // Several processes create the tables at the same time.
    let (folder, url) = (Folder::new("wrong"), server.create("one"));
    let mut all: Vec<Child> = (0..6).map(|_| start(&folder, &["--depth", "1", "--db", &url], "log")).collect();
    for child in &mut all {
        assert!(child.wait().expect("ended").success());
    }
    said_of(&server.url("lento", "none"), "createdb");
    said_of("postgresql://me:secret@127.0.0.1:1/one", "postgresql://me@127.0.0.1:1/one: ");
    said_of("postgresql://me:secret@/one?port=x", "expected postgresql://USER@HOST/NAME");
    server.sql("one", "CREATE ROLE locked LOGIN PASSWORD 'right'");
    said_of(&server.url("locked:secret", "one"), "PGPASSWORD");
    said_of(&server.url("locked:right", "one"), "may create and change tables");
    server.sql("one", "UPDATE lento_schema SET version = 7");
    said_of(&url, "schema version 7, expected 1");
    server.sql("one", "UPDATE lento_schema SET version = 1; DROP TABLE line CASCADE");
    said_of(&url, "were they removed?");
    server.create("other");
    server.sql("other", "CREATE TABLE engine (x INTEGER)");
    said_of(&server.url("lento", "other"), "tables of another program");
    // A read-only user can read results.
    server.create("read");
    assert!(analyse(&["--depth", "1", "--db", &server.url("lento", "read")]).status.success());
    server.sql("read", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO locked");
    assert_eq!(records(&["--db", &server.url("locked:right", "read"), "--no-search"]).len(), 1);
    server.sql("read", "CREATE ROLE single LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA public TO single");
    server.sql("read", "GRANT ALL ON ALL TABLES IN SCHEMA public TO single");
    said_of(&server.url("single", "read"), "each process needs two connections");
}

/// Interrupted searches are stored over a new connection.
#[test]
fn interrupted_searches_are_stored_after_a_restart() {
    let Some(server) = Server::start("stale") else { return };
    let (folder, url) = (Folder::new("stale"), server.create("one"));
    assert!(analyse(&["--depth", "1", "--db", &url]).status.success());
    let mut worker = start(&folder, &["--time", "1h", "--db", &url], "log");
    wait_for("a claim", || server.sql("one", "SELECT count(*) FROM claim") == "1");
    sleep(Duration::from_secs(1));
    server.stop();
    server.up();
    signal(&worker, "-INT");
    assert_eq!(worker.wait().expect("ended").code(), Some(130));
    assert_eq!(server.sql("one", "SELECT count(*) FROM analysis WHERE finished = 0"), "1");
}
