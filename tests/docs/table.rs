//! How the commands on the pages are shortened, and which are not run.

/// Option values that are shortened. Patterns: `N`, a whole number above the short value; `LIST`, numbers separated by commas; `TIME`,
/// a number with a unit; otherwise a prefix.
pub const SHORT: &[(&str, &str, &str)] = &[
    ("--time", "TIME", "50ms"),
    ("--nodes", "N", "1000"),
    ("--search-nodes", "N", "1000"),
    ("--suite-nodes", "N", "1000"),
    ("--depth", "N", "6"),
    ("--games", "N", "2"),
    ("--pairs", "N", "1"),
    ("--iterations", "N", "2"),
    ("--horizon", "N", "2"),
    ("--hash", "N", "16"),
    ("--engines", "N", "2"),
    ("--threads", "N", "2"),
    ("--threads", "LIST", "1,2"),
    ("--positions", "N", "20"),
    ("--label", "N", "500"),
    ("--epochs", "N", "1"),
    ("--limit", "nodes=", "nodes=50"),
    ("--limit", "soft=", "soft=50"),
    ("--limit", "tc=", "tc=0.02+0.001"),
    ("--limit", "movetime=", "movetime=2ms"),
    ("movetime", "N", "100"),
    ("GAMES", "N", "3"),
    ("CHECK", "N", "2"),
    ("LIMIT", "soft=", "soft=50"),
    ("EPOCHS", "N", "1"),
    ("PAIRS", "N", "1"),
    ("NODES", "N", "50"),
    ("GOLD", "N", "20"),
    ("LABEL", "N", "500"),
    ("ANEW", "N", "20"),
    ("ANEW_LIMIT", "soft=", "soft=50"),
];

/// Options that are added to tasks.
pub const ADDED: &[(&str, &str, &str)] = &[
    ("lento match", "--pairs", "1"),
    ("lento match", "--limit", "nodes=50"),
    ("lento recipes", "--positions", "suite.epd"),
    ("lento recipes", "--depth", "3"),
    ("lento recipes", "--limit", "nodes=50"),
    ("lento spsa", "--limit", "nodes=50"),
    ("lento spsa", "--pairs", "1"),
    ("lento factors", "--limit", "nodes=50"),
    ("lento datagen", "--limit", "soft=50"),
    ("lento analyse --fen", "--time", "50ms"),
    ("lento analyse --moves", "--time", "50ms"),
    ("lento latency", "--time", "300ms"),
    ("lento scaling --threads", "--time", "300ms"),
    ("lento tree grow", "--time", "50ms"),
    ("lento tree grow", "--search-nodes", "1000"),
    ("lento speedtest", "--positions", "1"),
    ("lento speedtest", "--nodes", "1000"),
    ("lento throughput 8", "--nodes", "1000"),
    ("lento throughput 16", "--nodes", "1000"),
    ("lento throughput 8", "--time", "50ms"),
    ("lento throughput 16", "--time", "50ms"),
    ("lento throughput 8", "--positions", "1"),
    ("lento throughput 16", "--positions", "1"),
];

/// Replacements on pages whose path starts with the first column. Each must occur.
pub const REPLACED: &[(&str, &str, &str)] = &[
    // Programs of the build.
    ("", "target/release/lento", "lento"),
    ("CONTRIBUTING.md", "target/old/release/lento", "lento"),
    ("CONTRIBUTING.md", "1 2 3 4 5 6 7 8 9", "1 2"),
    ("CONTRIBUTING.md", "$lento bench", "$lento bench 3"),
    ("README.md", "cargo run --release -- analyse", "lento analyse --time 50ms"),
    // Positional numbers.
    ("", "lento bench 14", "lento bench 3"),
    ("README.md", "lento bench", "lento bench 3"),
    ("", "lento bench 13 --lbr", "lento bench 3 --lbr"),
    ("README.md", "lento perft 5", "lento perft 4"),
    ("docs/results/tools.md", "Hash value 1024", "Hash value 16"),
    ("docs/results/tools.md", "go depth 26", "go depth 6"),
    ("README.md", "go depth 12", "go depth 6"),
    ("docs/serve.md", "\"depth\":20", "\"depth\":6"),
    ("docs/serve.md", "1_000_000", "1_000"),
    ("docs/", "Limit(time=1)", "Limit(time=0.1)"),
    ("docs/hash.md", "Hash value 8192", "Hash value 16"),
    // Resume with an hour of growth done.
    (
        "docs/tree.md",
        "lento tree grow najdorf.tree",
        "lento tree pin najdorf.tree 'Be3 e5' && lento tree grow najdorf.tree",
    ),
    ("docs/cluster.md", "Hash value 65536", "Hash value 16"),
    ("docs/cluster.md", "Threads value 64", "Threads value 2"),
    ("docs/results/threads.md", "1,2,16,256", "1,2"),
    // Placeholders.
    ("README.md", "--fen FEN", "--fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'"),
    // All ranks run on this machine.
    ("README.md", "mpirun -n 4", "mpirun -n 2"),
    ("docs/", "--host one,two", "-n 2"),
    ("docs/", "~/lento-cluster", "lento-cluster"),
    (
        "docs/cluster.md",
        "srun --mpi=pmix --nodes=4 --ntasks-per-node=1 --cpus-per-task=64",
        "mpirun -n 2 --bind-to none",
    ),
    ("docs/cluster.md", "-n 8 --map-by ppr:1:node", "-n 2"),
    // Servers use any free port.
    ("README.md", "lento serve --web", "lento serve --web 0"),
    ("docs/serve.md", "lento serve --web   ", "lento serve --web 0   "),
    ("docs/serve.md", "0.0.0.0:8617", "0.0.0.0:0"),
    ("docs/serve.md", "127.0.0.1:8617 --token", "127.0.0.1:0 --token"),
    ("docs/serve.md", "127.0.0.1:4617  ", "127.0.0.1:0  "),
    ("docs/serve.md", "127.0.0.1:4618", "127.0.0.1:0"),
    ("docs/serve.md", "/usr/local/bin/lento", "lento"),
    ("docs/serve.md", "--socket /run/lento/socket", "--socket ./socket"),
    ("docs/serve.md", "%d/token", "token"),
    ("docs/serve.md", "%S/lento/analyses.db", "analyses.db"),
    ("docs/remote.md", "0.0.0.0:4618", "0.0.0.0:0"),
    ("docs/tree.md", "serve --web --tree", "serve --web 0 --tree"),
    // The script recognises a server by its URL; the tests are built without PostgreSQL and fail with a message.
    (
        "docs/analyse.md",
        "array games.pgn --nodes 5000000 --db postgresql:",
        "array games.pgn --nodes 5000000 --db postgres:",
    ),
    // The tests are built without PostgreSQL: use a file instead.
    ("docs/", "postgresql://me@server/", "./server-"),
    // Variables set by the scheduler.
    ("docs/analyse.md", "sbatch --array=1-16 --cpus-per-task=8", "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MAX=16"),
    // Sequential, so that every failure is seen.
    ("docs/", "& done; wait", "; done"),
    // Standard input accepts the same requests.
    ("docs/serve.md", "nc -N -U socket", "lento serve"),
];

/// Programs that are run, by the first word of a command.
pub const RUN: [&str; 11] =
    ["lento", "mpirun", "exec", "echo", "printf", "for", "export", "mkdir", "head", "time", "tools/slurm/array"];

/// Prefixes of commands that are not run, with the reason.
pub const NOT_RUN: &[(&str, &str)] = &[
    ("cargo ", "a build"),
    ("tools/pgo", "a build"),
    ("tools/release", "a build"),
    (".ci/", "a build"),
    ("tools/same-games", "minutes of games"),
    ("tools/train-network", "needs the games"),
    ("for host in one two", "needs other machines"),
    ("lento serve --lichess", "needs an account"),
    ("git ", "another working tree"),
    ("rustup ", "changes the toolchain"),
    ("apt-get ", "installs packages"),
    ("pip ", "installs packages"),
    ("python3 -m venv", "installs packages"),
    ("createdb ", "needs a PostgreSQL server"),
    ("(cd FOLDER", "needs a release"),
    ("grep -h 'x86_64", "needs a release"),
    ("cat /sys/", "a setting of the machine"),
    ("echo madvise", "a setting of the machine"),
    ("echo 1 | sudo", "a setting of the machine"),
    ("valgrind ", "needs valgrind"),
    ("callgrind_annotate ", "needs valgrind"),
    ("fastchess ", "another program"),
    ("eval fastchess ", "another program"),
    ("lento() ", "for fastchess alone"),
    ("skill() ", "for fastchess alone"),
    ("stockfish ", "another program"),
    ("time stockfish ", "another program"),
    ("xboard ", "another program"),
    ("polyglot ", "another program"),
    ("openssl ", "another program"),
    ("socat ", "another program"),
    ("ssh ", "needs another machine"),
    ("exec ssh ", "needs another machine"),
    ("echo uci | ssh ", "needs another machine"),
];

/// Errors accepted from commands that lack time or data, raised after arguments and files are read.
pub const ALLOWED: &[(&str, &str)] = &[
    ("lento wdl", "too little data"),
    ("lento throughput", "unstable"),
    ("array games.pgn", "PostgreSQL is not in this build"),
];

/// Shortens a command; also returns the indices of the [`REPLACED`] entries used.
pub fn shorten(page: &str, printed: &str) -> (String, Vec<usize>) {
    let mut text = printed.to_owned();
    let mut used = Vec::new();
    for (index, (pages, from, to)) in REPLACED.iter().enumerate() {
        if page.starts_with(pages) && text.contains(from) {
            text = text.replace(from, to);
            used.push(index);
        }
    }
    for (task, option, value) in ADDED {
        if text.contains(task) && !text.contains(option) {
            let (before, option_of) = (text.clone(), task.split(" --").next().unwrap_or(task));
            text = before.replacen(option_of, &format!("{option_of} {option} {value}"), 1);
        }
    }
    (shorten_values(&text), used)
}

fn shorten_values(text: &str) -> String {
    let mut last = "";
    let words = text.split(' ').map(|word| {
        let short = |option: &str, value: &str| {
            let fits = |(of, pattern, short): &&(&str, &str, &str)| *of == option && is_long(value, pattern, short);
            SHORT.iter().find(fits).map(|(_, _, short)| *short)
        };
        // Keep a closing quote.
        let end = word.trim_end_matches(['"', ';']).len();
        let (word, quote) = word.split_at(end);
        let new = match (word.split_once('='), short(last, word)) {
            (_, Some(new)) => new.to_owned(),
            (Some((option, value)), None) => match short(option, value) {
                Some(new) => format!("{option}={new}"),
                None => word.to_owned(),
            },
            (None, None) => word.to_owned(),
        };
        if !word.is_empty() {
            last = word;
        }
        new + quote
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a value matches a pattern and exceeds the short value.
fn is_long(value: &str, pattern: &str, short: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match pattern {
        "N" => digits(value) && value.parse::<u64>().is_ok_and(|value| value > short.parse().expect("a number")),
        "LIST" => value.contains(',') && value.split(',').all(digits),
        "TIME" => value.starts_with(|c: char| c.is_ascii_digit()) && value.ends_with(['s', 'm', 'h']),
        start => value.starts_with(start),
    }
}

#[test]
fn commands_are_shortened() {
    for (printed, expected) in [
        ("lento analyse --games 3,5-9 --depth 24", "lento analyse --games 3,5-9 --depth 6"),
        ("lento match --pairs=400 --limit tc=10+0.1", "lento match --pairs=1 --limit tc=0.02+0.001"),
        ("lento match --limit nodes=9", "lento match --pairs 1 --limit nodes=50"),
        ("lento \"go movetime 2000\" --threads 1", "lento \"go movetime 100\" --threads 1"),
        ("lento scaling compare a.json b.json", "lento scaling compare a.json b.json"),
        ("GAMES=50000", "GAMES=3"),
        ("lento datagen --limit $LIMIT", "lento datagen --limit $LIMIT"),
    ] {
        assert_eq!(shorten("page", printed).0, expected);
    }
}
