//! Match conditions on the command line and in journals.

use super::adjudicate::Rules;
use super::arena::Arena;
use super::limit::Limit;
use super::opening::{OpeningArgs, Openings};
use super::setting::Setting;
use crate::inputs;
use lento::engine::Engine;
use lento::internals::{bench, processors};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::error::Error;

/// All match conditions except players and limit.
#[derive(clap::Args, Clone, Debug)]
pub struct Conditions {
    /// Hash table of each player in MiB
    #[arg(long, value_name = "MIB", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=Engine::MAX_HASH as i64))]
    pub hash: u32,
    /// Concurrent games [default: the cores divided by the threads of a player that search at once]
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,
    /// Openings.
    #[command(flatten)]
    pub openings: OpeningArgs,
    /// Adjudication.
    #[command(flatten)]
    pub rules: Rules,
}

/// Detects most changes to search or evaluation within milliseconds.
const SIGNATURE_DEPTH: i32 = 6;

impl Conditions {
    /// The arena for players with these settings.
    pub fn arena(&self, limit: Limit, players: [&[Setting]; 2]) -> Result<Arena, String> {
        Ok(Arena {
            openings: Openings::from_args(&self.openings)?,
            limit,
            rules: self.rules.clone(),
            hash: self.hash as usize,
            concurrency: self
                .concurrency
                .map_or_else(|| default_concurrency(processors::count(), players), usize::from),
        })
    }

    /// All conditions that affect the games.
    pub fn json(&self, limit: Limit) -> Value {
        let Self { hash, concurrency: _, openings, rules } = self;
        json!({
            "limit": limit.to_string(),
            "hash_mib": hash,
            "book": openings.book.as_ref().map(|path| path.display().to_string()),
            "book_plies": openings.polyglot_plies(),
            "random_plies": openings.random_plies,
            "dfrc": openings.dfrc,
            "endings": (openings.endings > 0.0).then_some(openings.endings),
            "max_imbalance": openings.max_imbalance,
            "seed": openings.seed,
            "resign": rules.resign,
            "resign_plies": rules.resign_plies,
            "draw": rules.draw,
            "draw_plies": rules.draw_plies,
            "draw_from": rules.draw_from,
            "max_plies": rules.max_plies,
            "syzygy": rules.syzygy.as_ref().map(|tablebases| &tablebases.folders),
            "play_out": rules.play_out,
        })
    }

    /// The journal header: the conditions, the [`signature`] of the engine, and checksums of the book and of networks that settings
    /// load.
    pub fn header<'a>(
        &self,
        tool: &str,
        limit: Limit,
        settings: impl IntoIterator<Item = &'a Setting>,
    ) -> Result<Value, Box<dyn Error>> {
        let mut header = self.json(limit);
        header["tool"] = tool.into();
        header["bench"] = signature()?.into();
        header["book_crc32"] = self.openings.book.as_deref().and_then(inputs::checksum).into();
        let networks: BTreeSet<String> = settings.into_iter().filter_map(Setting::network).collect();
        header["networks"] = (!networks.is_empty()).then(|| json!(networks)).into();
        Ok(header)
    }
}

/// The node count of a short bench, which identifies the engine.
pub fn signature() -> Result<u64, Box<dyn Error>> {
    let mut engine = Engine::new();
    engine.set_hash(1)?;
    Ok(bench::run(&mut engine, SIGNATURE_DEPTH)?.map(|entry| entry.nodes).sum())
}

/// How many games can run in parallel on a number of cores. Of several `Threads`, such as those of factors, the most count.
fn default_concurrency(cores: usize, players: [&[Setting]; 2]) -> usize {
    let threads = |settings: &[Setting]| {
        let values = |name| settings.iter().filter(move |setting| setting.sets(name)).map(|setting| &*setting.value);
        let in_turns = values("Deterministic").next_back().is_some_and(|value| value.eq_ignore_ascii_case("turns"));
        let most = values("Threads").filter_map(|value| value.parse().ok()).max();
        most.filter(|_| !in_turns).unwrap_or(1)
    };
    (cores / players.map(threads).into_iter().fold(1, usize::max)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;
    use lento_testing::Folder;

    fn conditions(words: &str) -> Conditions {
        parse(std::iter::once("play").chain(words.split_whitespace())).unwrap()
    }

    #[test]
    fn concurrency_accounts_for_threads_of_players() {
        for (one, other, expected) in [
            ("", "", 12),
            ("Threads=1 threads=3", "", 4),
            ("Threads=4 Threads=2", "", 3),
            ("", "Threads=2", 6),
            ("Threads=16", "", 1),
            ("", "Threads=16 deterministic=Turns", 12),
        ] {
            let [one, other] = [one, other].map(|settings| {
                settings.split_whitespace().map(|setting| setting.parse().unwrap()).collect::<Vec<Setting>>()
            });
            assert_eq!(default_concurrency(12, [&one, &other]), expected, "{one:?} {other:?}");
        }
        let concurrency = |words: &str| conditions(words).arena(Limit::Nodes(1), [&[], &[]]).unwrap().concurrency;
        assert_eq!((concurrency(""), concurrency("--concurrency 9")), (processors::count(), 9));
    }

    #[test]
    fn header_includes_conditions_but_not_concurrency() {
        assert!(parse::<Conditions>(["play", "--play-out", "--resign", "900"]).is_err());
        let header = |words: &str| conditions(words).header("match", Limit::Nodes(5), []).unwrap();
        assert_eq!(header(""), header("--concurrency 7"));
        for other in
            ["--hash 9", "--seed 2", "--dfrc 0.5", "--endings 0.1", "--resign 900", "--random-plies 4", "--play-out"]
        {
            assert_ne!(header(""), header(other), "{other}");
        }
        assert!(header("")["bench"].as_u64().is_some_and(|nodes| nodes > 0));
    }

    #[test]
    fn header_distinguishes_networks_of_one_name() {
        let folder = Folder::new("networks");
        let path = folder.write("new.lnn", b"one");
        let setting = |name: &str| Setting { name: name.to_owned(), value: path.display().to_string() };
        let header = |name: &str| conditions("").header("match", Limit::Nodes(5), &[setting(name)]).unwrap();
        let one = header("EvalFile");
        for name in ["evalfile", "Eval File"] {
            assert_eq!(one, header(name));
        }
        assert!(one["networks"].is_array() && header("SyzygyPath")["networks"].is_null());
        folder.write("new.lnn", b"other");
        assert_ne!(one, header("EvalFile"));
    }

    #[test]
    fn header_distinguishes_books_of_one_name() {
        let folder = Folder::new("books");
        let header = |fen: &str| {
            let path = folder.write("book.epd", fen.as_bytes());
            conditions(&format!("--book {}", path.display())).header("match", Limit::Nodes(5), []).unwrap()
        };
        let one = header("4k3/8/8/8/8/8/8/R3K3 w - -");
        assert_eq!(one, header("4k3/8/8/8/8/8/8/R3K3 w - -"));
        assert_ne!(one, header("4k3/8/8/8/8/8/8/Q3K3 w - -"));
        assert!(conditions("").header("match", Limit::Nodes(5), []).unwrap()["book_crc32"].is_null());
    }
}
