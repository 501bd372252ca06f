//! Runs `lento-lab latency` and `throughput`, with this program as the measured player.

mod throughput;

use lento::engine::Engine;
use lento_testing::Folder;
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use std::env;
use std::io::Write;
use std::process::{Command, ExitCode, Output, Stdio};

/// Environment variable for the engine of [`latency`].
const ENGINE: &str = "LENTO_TEST_ENGINE";

fn main() -> ExitCode {
    if env::var_os(ENGINE).is_some() {
        // Some engines take arguments for commands and exit after them.
        assert_eq!(env::args_os().len(), 1, "arguments");
        std::io::stdout().write_all(b"id author M\xfcller\n").expect("standard output");
        lento_uci::run::stdio(Engine::new()).expect("standard output");
        return ExitCode::SUCCESS;
    }
    if env::args().nth(1).is_some_and(|task| task == "speedtest") {
        return throughput::player();
    }
    let trial = |name, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let trials = [("latency", latency_measures_response_times as fn())].into_iter().chain(throughput::TESTS);
    libtest_mimic::run(&Arguments::from_args(), trials.map(|(name, test)| trial(name, test)).collect()).exit_code()
}

fn latency(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lento-lab"));
    command.arg("latency").arg("--engine").arg(env::current_exe().expect("a path")).args(args);
    command.stdin(Stdio::null()).env(ENGINE, "").output().expect("the program starts")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn latency_measures_response_times() {
    // Many promotions and captures.
    let folder = Folder::new("latency");
    let path = folder.write("positions.epd", b"8/PPPPPPPP/nr4RN/qb4BQ/kb4BK/nr4RN/pppppppp/8 w - - 0 1\n");
    let positions = format!("--positions={}", path.display());
    let output = latency(&["--threads=1,3", "--time=1s", "--hash=1", "--json", &positions]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert!(output.status.success() && output.stderr.is_empty());
    assert_eq!((&found["schema"], &found["interrupted"]), (&"lento-latency/1".into(), &false.into()));
    let rows = found["results"].as_array().expect("a list");
    assert_eq!(rows.iter().map(|row| row["threads"].to_string()).collect::<Vec<_>>(), ["1", "3"]);
    for row in rows {
        for name in ["stop", "first_info", "movetime", "ponderhit", "clock"] {
            let of = &row[name];
            let numbers = ["min", "p50", "p90", "p99", "p99_9", "max"].map(|part| number(&of[part]));
            assert!(numbers.is_sorted() && number(&of["count"]) >= 1.0, "{name}: {of}");
            let negative = matches!(name, "movetime" | "clock");
            assert!(numbers[0] > if negative { -200.0 } else { 0.0 } && numbers[5] < 5_000.0, "{name}: {of}");
        }
        assert_eq!(row["refused"], Value::Null);
    }
    #[cfg(unix)]
    {
        let output = latency(&["--engine", "/bin/true", "--time", "9s"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            (output.status.code(), text.matches("threads: the engine exited\n").count()),
            (Some(1), 4),
            "{text}"
        );
    }
    for (args, part) in [
        (["--threads", "0"], "'0' for '--threads <LIST>': expected a number of threads"),
        (["--time", "0"], "expected a time above zero"),
        (["--positions", "no/such/file"], "no/such/file: "),
        (["--engine", "no/such/engine"], "no/such/engine: "),
    ] {
        let output = latency(&args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty() && message.contains(part), "{args:?}: {message}");
    }
}
