//! Prepares the folder in which the commands of a page run.

use crate::data;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// Three short games.
const GAMES: &str = r#"[Event "One"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 { [%clk 0:10:00] } e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event "Two"]
[White "B"]
[Black "A"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "Three"]
[White "A"]
[Black "B"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nc6 5. Bb5 a6 6. Ba4 Nf6 7. O-O Be7 8. Re1 b5 9. Bb3 d6 10. c3 O-O 11. h3 Na5 1/2-1/2
"#;

/// Balanced book positions.
const BOOK: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
";

/// Settings for `lento factors`.
const FACTORS: &str = "rfp_margin=80\niir_depth=4\n";

/// Commands that create files which a page uses but does not create.
const BEFORE: &[(&str, &str)] = &[
    ("README.md", "lento analyse --epd suite.epd --nodes 100 --db part-1.db"),
    (
        "CONTRIBUTING.md",
        "lento gold make --output net.bf --journal net.jsonl --positions 20 --label 500 --limit soft=50",
    ),
    ("docs/analyse.md", "lento analyse --epd suite.epd --nodes 100 --db part-1.db"),
    ("docs/hash.md", "lento \"go depth 3\" \"savehash najdorf.lhf\""),
    ("docs/measuring.md", "lento scaling --threads 1,2 --time 1s --depth 2 --json there.json"),
    ("docs/measuring.md", "lento throughput 8 --positions 1 --nodes 1000 --time 50ms --json b.json"),
    ("docs/measuring.md", "cp b.json c.json"),
    ("docs/results/nnue.md", "for number in 9 10 12 14 15 16 17 18 19; do cp nets/default.lnn lento-$number.lnn; done"),
    ("docs/results/nnue.md", "for name in all longer s l anew games; do cp nets/gold.bf $name.bf; done"),
    (
        "docs/results/nnue.md",
        "for number in 0 1 2 3; do lento datagen --output g$number --games 1 --limit soft=50; done",
    ),
];

/// Writes the files, and returns the commands that create the rest.
pub fn prepare(folder: &Path, page: &str) -> impl Iterator<Item = &'static str> {
    let root = Path::new(crate::data::ROOT);
    for name in ["nets", "src/eval", "src/search", "docs/results/lmr", "docs/results/terms", "data/books", "data/epd"] {
        fs::create_dir_all(folder.join(name)).expect(name);
    }
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect(name);
    for name in ["games.pgn", "TCEC_Cup1_final.pgn"] {
        write(name, GAMES.as_bytes());
    }
    for name in [
        "openings.epd",
        "mix.epd",
        "balanced.epd",
        "UHO_4060_v4.epd",
        "data/books/dev_balanced_8moves_4000.epd",
        "data/books/dev_UHO_4060_v4_4k.epd",
    ] {
        write(name, BOOK.as_bytes());
    }
    for name in ["list.txt", "more.txt"] {
        write(name, FACTORS.as_bytes());
    }
    write("token", b"0123456789abcdef");
    fs::set_permissions(folder.join("token"), fs::Permissions::from_mode(0o600)).expect("the token");
    // Half of the positions are from games, half from within searches.
    let gold_row = |number: usize| {
        format!(
            "4k3/8/8/8/8/8/4P3/{number}K{} w - - 0 1\t{}\t69\t0.66\t0.67\t+1.40\n",
            7 - number,
            ["game", "inside"][number % 2]
        )
    };
    write("data/gold-neutral.tsv", (1..7).map(gold_row).collect::<String>().repeat(20).as_bytes());
    // Excerpts of the suites and of the gold set, with records of 32 bytes.
    let first =
        |name: &str| data::text(data::path(name)).lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    for (name, of) in
        [("suite.epd", "wac"), ("wac.epd", "wac"), ("data/epd/wac.epd", "wac"), ("data/epd/mate_in_2.epd", "mate_in_2")]
    {
        write(name, first(&format!("epd/{of}.epd")).as_bytes());
    }
    let gold = fs::read(root.join("nets/gold.bf")).expect("the gold set");
    write("nets/gold.bf", &gold[..32 * 200]);
    for name in ["nets/default.lnn", "src/eval/wdl.rs", "src/search/params.rs"] {
        fs::copy(root.join(name), folder.join(name)).expect(name);
    }
    symlink(root.join("tools"), folder.join("tools")).expect("a link");
    symlink(data::path("syzygy"), folder.join("syzygy")).expect("a link");
    BEFORE.iter().filter(move |(of, _)| *of == page).map(|(_, command)| *command)
}
