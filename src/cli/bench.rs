//! `lento bench`.

use super::Done;
use super::evaluator::EvaluatorArgs;
use lento::bench::{BENCH_DEPTH, Bench, Report};
use lento::search::lbr::Lbr;
use lento::search::lmr;
use lento::search::params::Params;
use lento::search::report::nps;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

/// What to run.
#[derive(clap::Args)]
pub struct Args {
    /// Depth of each search
    #[arg(default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: i32,
    /// Threads; the node count repeats on one only
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: u16,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=33_554_432))]
    pub hash: u32,
    #[command(flatten)]
    pub evaluator: EvaluatorArgs,
    /// Variant of Last Best Reply: off, reply, pair, two-plies, quiet, colour, or joined as in pair+quiet+colour
    #[arg(long, value_name = "NAME", default_value = Lbr::default().name(), value_parser = lbr)]
    pub lbr: Lbr,
    /// Recipe of late move reductions; the option LMR lists them
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = recipe)]
    pub lmr: &'static str,
    /// Another value for a number of the search, such as history_one=0; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = number)]
    pub set: Vec<(String, i32)>,
    /// Count what Last Best Reply and reductions do, on one thread, and search again without reductions
    #[arg(long, conflicts_with = "threads")]
    pub stats: bool,
    /// Print one JSON document instead: settings, positions (fen, best, nodes, time_ms), nodes, time_ms, nps, and with
    /// --stats lbr_stats (asked, first_matches, second_matches, best, cutoffs) and lmr_stats (recipe, depth, nodes,
    /// nodes_without_reductions, measures, by_depth, by_number)
    #[arg(long)]
    pub json: bool,
}

fn lbr(name: &str) -> Result<Lbr, String> {
    Lbr::from_name(name).ok_or_else(|| format!("expected one of {}", Lbr::NAMES.join(", ")))
}

/// The recipe of this name.
pub fn recipe(name: &str) -> Result<&'static str, String> {
    let found = lmr::names().iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
    found.ok_or_else(|| format!("expected one of {}", lmr::names().join(", ")))
}

fn number(text: &str) -> Result<(String, i32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as history_one=0")?;
    let value = value.parse().map_err(|_| format!("expected a whole number for {name}, not {value:?}"))?;
    Params::default().set(name, value).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), value))
}

/// Prints a line for each position, the statistics if they were asked for, then nodes and nodes per second.
pub fn run(args: &Args) -> Done {
    let bench = Bench {
        depth: args.depth,
        threads: usize::from(args.threads),
        hash_mib: args.hash as usize,
        evaluation: args.evaluator.evaluation()?,
        lbr: args.lbr,
        lmr: args.lmr,
        numbers: args.set.clone(),
        stats: args.stats,
    };
    let mut out = io::stdout();
    let mut written = Ok(());
    let report = bench.run(|entry| {
        if !args.json {
            written = writeln!(out, "{}", entry.line());
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if let Some(report) = report {
        if args.json {
            writeln!(out, "{:#}", document(&report))?;
        } else {
            if let Some(stats) = &report.stats {
                writeln!(out, "{}\n{}", stats.lbr, stats.lmr)?;
            }
            writeln!(out, "{}", report.summary())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What `--json` prints.
fn document(report: &Report) -> Value {
    let bench = &report.bench;
    let positions: Vec<Value> = report
        .entries
        .iter()
        .map(|entry| {
            let ms = entry.elapsed.as_secs_f64() * 1e3;
            json!({ "fen": entry.fen, "best": entry.best, "nodes": entry.nodes, "time_ms": ms })
        })
        .collect();
    let numbers: Map<String, Value> =
        bench.numbers.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    let mut document = json!({
        "depth": bench.depth,
        "threads": bench.threads,
        "hash_mib": bench.hash_mib,
        "evaluation": bench.evaluation.to_string(),
        "lbr": bench.lbr.name(),
        "lmr": bench.lmr,
        "numbers": numbers,
        "positions": positions,
        "nodes": report.nodes(),
        "time_ms": report.elapsed().as_secs_f64() * 1e3,
        "nps": nps(report.nodes(), report.elapsed()),
    });
    if let Some(stats) = &report.stats {
        document["lbr_stats"] = stats.lbr.json();
        document["lmr_stats"] = stats.lmr.json();
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(stats: bool) -> Value {
        let bench = Bench { depth: 2, stats, ..Bench::default() };
        let report = bench.run(|_| ControlFlow::Continue(())).expect("an engine").expect("nothing breaks off");
        document(&report)
    }

    #[test]
    fn the_document_has_statistics_where_they_were_asked_for() {
        let (plain, counted) = (shown(false), shown(true));
        assert_eq!(plain["positions"].as_array().map(Vec::len), Some(lento::bench::POSITIONS.len()));
        assert!(plain["nodes"].as_u64() > Some(0) && plain["nodes"] == counted["nodes"]);
        assert!(plain.get("lbr_stats").is_none() && plain.get("lmr_stats").is_none());
        assert!(counted["lbr_stats"]["asked"].as_u64() > Some(0), "{counted:#}");
        assert_eq!(counted["lmr_stats"]["depth"], 2);
    }
}
