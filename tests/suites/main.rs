//! Tests over suites of positions and conversations that are not part of the repository.

#[path = "../binary/harness.rs"]
mod harness;
mod mates;
mod rules;
#[path = "../common/suites.rs"]
mod suites;
mod tablebases;
mod uci;

use std::path::Path;
use std::process::ExitCode;
use suites::{Suites, text};

/// A test over a file and its text.
type OverFile = fn(&Path, &str);

fn main() -> ExitCode {
    let mut suites = Suites::of(env!("CARGO_MANIFEST_DIR"));
    for name in ["cpw_positions", "cw_special_moves", "perftsuite"] {
        suites.add(&format!("perft/{name}.epd"), |path| rules::perft_counts(&text(path)));
    }
    suites.add("bad/bad_fens.tsv", |path| rules::bad_fens(&text(path)));
    suites.add("edge/rules.jsonl", |path| rules::edge_cases(&text(path)));
    for name in ["castling", "checkmates", "famous", "pawns", "promotions", "stalemates", "standard", "taxing"] {
        suites.add(&format!("movegen/{name}.json"), |path| rules::move_lists(&text(path)));
    }
    for (moves, nodes) in [(1, 20_000), (2, 200_000), (3, 400_000)] {
        suites.add(&format!("epd/mate_in_{moves}.epd"), move |path| {
            mates::asked_for(&text(path), moves, nodes);
            mates::met(&text(path), moves);
        });
    }
    suites.add("bad/bad_uci.jsonl", |path| uci::conversations(&text(path)));
    let of_tablebases: [(&str, OverFile); 6] = [
        ("positions", tablebases::vectors),
        ("wins", tablebases::wins),
        ("lines", tablebases::lines),
        ("repeats", tablebases::repeats),
        ("damage", tablebases::damage),
        ("options", tablebases::options),
    ];
    for (name, test) in of_tablebases {
        suites.add_named(&format!("tablebases/{name}"), "syzygy_vectors.tsv", move |path| test(path, &text(path)));
    }
    suites.run()
}
