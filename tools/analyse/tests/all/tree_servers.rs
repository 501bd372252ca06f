//! `lento tree` on a PostgreSQL server.

use crate::PROGRAM;
use crate::analysing::{Folder, signal, stderr};
use crate::server::Server;
use crate::servers::{spawn, wait_for};
use crate::tree::{FEW, done, is_deterministic_and_exported, keeps_marks, merges_in_either_order, shown, tree};
use fastrand::Rng;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn grow(folder: &Folder, url: &str, log: &str, args: &[&str]) -> Child {
    spawn(folder, &[&["tree", "grow", url, "--jsonl"], args].concat(), log)
}

fn problems(url: &str) -> String {
    done(&["verify", url]).lines().last().expect("a summary").split(": ").last().expect("problems").to_owned()
}

#[test]
fn trees_on_a_server_behave_like_files() {
    let Some(server) = Server::start("tree") else { return };
    let folder = Folder::new("tree-server");
    // The results in a file and on a server are equal.
    is_deterministic_and_exported(&folder, &[folder.path("one.tree"), server.create("two")]);
    keeps_marks(&server.create("marks"));
    let [a, ab, b, ba] = [folder.path("a.tree"), folder.path("ab.tree"), server.create("b"), server.create("ba")];
    merges_in_either_order(&folder, &[a, b.clone(), ab, ba]);
    // Analyses can use the same database.
    let queue = Command::new(PROGRAM).args(["--depth", "1", "--db", &b]).stdin(Stdio::null()).output().expect("starts");
    assert!(queue.status.success(), "{}", stderr(&queue));
    let from_queue = server.create("from_queue");
    done(&["init", &from_queue, "--analysis", &b]);
    assert_eq!((&shown(&from_queue, "")["searches"], problems(&b)), (&1.into(), "0 problems".into()));
}

#[test]
fn errors_of_trees_on_servers_have_advice() {
    let Some(server) = Server::start("tree-wrong") else { return };
    let url = server.create("one");
    let refused = |args: &[&str], expected: &str| {
        let output = tree(args);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    };
    refused(&["show", &url], "not a tree; expected one made by `lento tree init`");
    refused(&["init", &url, "--analysis", "none.db"], "none.db");
    done(&["init", &url]);
    refused(&["init", &url, "--moves", "e4"], "exists; expected a new name");
    refused(&["merge", &url, &server.url("lento", "none")], "createdb");
    assert_eq!(shown(&url, "")["positions"], 1);
    server.sql("one", "UPDATE lento_tree.lento_schema SET version = 7");
    refused(&["show", &url], "schema version 7, expected 1");
    // A read-only user can read the tree.
    server.sql("one", "UPDATE lento_tree.lento_schema SET version = 1; CREATE ROLE reader LOGIN");
    server.sql(
        "one",
        "GRANT USAGE ON SCHEMA lento_tree TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA lento_tree TO reader",
    );
    let reader = server.url("reader", "one");
    assert_eq!(shown(&reader, "")["positions"], 1);
    refused(&["pin", &reader, "e4"], "may create and change tables");
}

/// Four processes grow a tree while they and the server are killed. Searches of claimed positions are stored once.
#[test]
fn tree_is_valid_when_workers_and_server_are_killed() {
    let Some(server) = Server::start("tree-killed") else { return };
    let (folder, url, mut rng) = (Folder::new("tree-killed-server"), server.create("tree"), Rng::with_seed(3));
    let wanted: usize = std::env::var("LENTO_SERVER_TREE").map_or(120, |text| text.parse().expect("a number"));
    done(&["init", &url]);
    server.sql(
        "tree",
        "CREATE TABLE counted (node BIGINT, engine BIGINT, avoided BYTEA);
        CREATE FUNCTION counting() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO public.counted VALUES (NEW.node, NEW.engine, NEW.avoided); RETURN NEW; END';
        CREATE TRIGGER counting AFTER INSERT OR UPDATE ON lento_tree.search FOR EACH ROW EXECUTE FUNCTION counting()",
    );
    let start = || grow(&folder, &url, "log", &["--search-nodes", "5000", "--hash", "1", "--lease", "3s"]);
    let mut workers: Vec<Child> = (0..4).map(|_| start()).collect();
    let (begin, mut killed, mut restarts, mut positions) = (Instant::now(), 0, 0, 0);
    while positions < wanted {
        assert!(begin.elapsed() < Duration::from_secs(500), "{positions} positions");
        sleep(Duration::from_millis(rng.u64(50..700)));
        if rng.u8(..4) > 0 {
            let worker = &mut workers[rng.usize(..4)];
            worker.kill().expect("killed");
            worker.wait().expect("ended");
            *worker = start();
            killed += 1;
        } else {
            server.restart(&mut rng);
            restarts += 1;
        }
        positions = server.sql("tree", "SELECT count(*) FROM lento_tree.node").parse().expect("a number");
    }
    for worker in &mut workers {
        // A process started without a server has ended. SIGINT is ignored until the handler is installed.
        if worker.try_wait().expect("a state").is_none() {
            signal(worker, "-TERM");
        }
        worker.wait().expect("ended");
    }
    eprintln!("{killed} workers killed, the server {restarts} times, {:.1} s", begin.elapsed().as_secs_f64());
    assert_eq!(problems(&url), "0 problems");
    let twice = "SELECT count(*) FROM (SELECT FROM counted WHERE length(avoided) > 0
        GROUP BY node, engine, avoided HAVING count(*) > 1) AS twice";
    assert_eq!(server.sql("tree", twice), "0", "{}", server.sql("tree", "SELECT count(*) FROM counted"));
    // Claims of killed processes end with their leases.
    sleep(Duration::from_secs(3));
    done(&[&["grow", &url, "--positions", "1"][..], &FEW].concat());
    assert_eq!(server.sql("tree", "SELECT count(*) FROM lento_tree.node WHERE claim IS NOT NULL"), "0");
    assert_eq!(problems(&url), "0 problems");
}

/// A result waits for the server; after Ctrl-C it is reported as not stored.
#[test]
fn results_of_trees_wait_for_the_server() {
    let Some(server) = Server::start("tree-waits") else { return };
    let (folder, url) = (Folder::new("tree-waits"), server.create("tree"));
    done(&["init", &url]);
    let log = |name: &str| std::fs::read_to_string(folder.path(name)).expect("readable");
    for (name, interrupted) in [("interrupted", true), ("stored", false)] {
        let mut worker = grow(&folder, &url, name, &["--nodes", "1", "--search-nodes", "300000", "--lease", "2s"]);
        let claims = "SELECT count(*) FROM lento_tree.node WHERE claim = (SELECT max(id) FROM lento_tree.run)";
        wait_for("a claim", || server.sql("tree", claims) == "1");
        server.kill();
        wait_for("a message", || log(name).contains("trying until the server is back"));
        if interrupted {
            signal(&worker, "-INT");
            assert_eq!(worker.wait().expect("ended").code(), Some(130));
            assert!(log(name).contains("the last search is not stored"), "{}", log(name));
            server.up();
            // Its lease has not expired yet.
            server.sql("tree", "DELETE FROM lento_tree.run");
        } else {
            server.up();
            assert!(worker.wait().expect("ended").success(), "{}", log(name));
            assert!(log(name).contains("the server is back"), "{}", log(name));
        }
    }
    assert_eq!((&shown(&url, "")["searches"], problems(&url)), (&1.into(), "0 problems".into()));
}

#[test]
fn suspended_processes_store_results_of_removed_nodes() {
    let Some(server) = Server::start("tree-sleeps") else { return };
    let (folder, url) = (Folder::new("tree-sleeps"), server.create("tree"));
    done(&["init", &url]);
    done(&[&["grow", &url, "--nodes", "1"][..], &FEW].concat());
    let few = ["--positions", "1", "--search-nodes", "3000000", "--hash", "1", "--lease", "1s"];
    let mut asleep = grow(&folder, &url, "log", &few);
    let claims = "SELECT count(*) FROM lento_tree.node WHERE claim IS NOT NULL";
    wait_for("a new node", || server.sql("tree", claims) == "2");
    signal(&asleep, "-STOP");
    sleep(Duration::from_secs(2));
    done(&[&["grow", &url, "--nodes", "1"][..], &FEW].concat());
    signal(&asleep, "-CONT");
    assert!(asleep.wait().expect("ended").success());
    let lost = "SELECT count(*) FROM lento_tree.search WHERE node NOT IN (SELECT id FROM lento_tree.node)";
    assert_eq!((server.sql("tree", lost).as_str(), problems(&url)), ("0", "0 problems".into()));
}
