//! `lento bench`.

use super::setup::EvaluatorArgs;
use super::{Done, amounts};
use crate::bench::{BENCH_DEPTH, Bench, BenchEntry, BenchReport};
use crate::engine::Engine;
use crate::search::lbr::Lbr;
use crate::search::lmr;
use crate::search::params::Params;
use crate::search::report::nps;
use crate::search::statistics::{Counts, LmrReport, Measure};
use crate::uci::statistics::{bench_line, bench_summary, lbr_table, lmr_table};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `lento bench`.
#[derive(clap::Args)]
pub struct Args {
    /// Depth of each search
    #[arg(default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// Threads; with several the node count repeats only with --deterministic [default: 1]
    #[arg(value_parser = amounts::threads)]
    threads: Option<usize>,
    /// Hash table in MiB [default: 16]
    #[arg(value_parser = amounts::hash)]
    hash: Option<usize>,
    /// Same as the THREADS argument
    #[arg(long = "threads", value_name = "THREADS", conflicts_with = "threads", value_parser = amounts::threads)]
    threads_option: Option<usize>,
    /// Same as the HASH argument
    #[arg(long = "hash", value_name = "MIB", conflicts_with = "hash", value_parser = amounts::hash)]
    hash_option: Option<usize>,
    /// Search deterministically on several threads, like the option Deterministic
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    /// Variant of Last Best Reply: off, reply, pair, two-plies, quiet, colour, or combined as in pair+quiet+colour
    #[arg(long, value_name = "NAME", default_value = Lbr::default().name(), value_parser = lbr)]
    lbr: Lbr,
    /// Late move reduction recipe, as in the option LMR
    #[arg(long, value_name = "NAME", default_value = lmr::TUNED, value_parser = amounts::recipe)]
    lmr: &'static str,
    /// Set a search parameter, such as history_one=0; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = number)]
    set: Vec<(String, i32)>,
    /// Collect LBR and LMR statistics on one thread, and search again without reductions
    #[arg(long, conflicts_with_all = ["threads", "threads_option"])]
    stats: bool,
    /// Print one JSON document instead: settings, positions (fen, best, nodes, time_ms), nodes, time_ms, nps, and with
    /// --stats lbr_stats (nodes, first_matches, second_matches, best, cutoffs) and lmr_stats (recipe, depth, nodes,
    /// nodes_without_reductions, measures, by_depth, by_number)
    #[arg(long)]
    json: bool,
}

fn lbr(name: &str) -> Result<Lbr, String> {
    amounts::one_of(Lbr::from_name(name), &Lbr::NAMES)
}

fn number(text: &str) -> Result<(String, i32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as history_one=0")?;
    let value = value.parse().map_err(|_| format!("expected a whole number for {name}, not {value:?}"))?;
    Params::default().set(name, value).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), value))
}

/// Prints the results, statistics if requested, and the total.
pub fn run(args: &Args) -> Done {
    let bench = Bench {
        depth: args.depth,
        threads: args.threads.or(args.threads_option).unwrap_or(1),
        deterministic: args.deterministic,
        hash_mib: args.hash.or(args.hash_option).unwrap_or(Engine::DEFAULT_HASH),
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
            written = writeln!(out, "{}", bench_line(entry));
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    if let Some(report) = report {
        if args.json {
            writeln!(out, "{:#}", bench_json(&report))?;
        } else {
            if let Some(counted) = &report.counted {
                writeln!(out, "{}\n{}", lbr_table(&counted.stats.lbr), lmr_table(counted))?;
            }
            writeln!(out, "{}", bench_summary(&report))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The document of a bench run.
fn bench_json(report: &BenchReport) -> Value {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let position = |BenchEntry { fen, best, nodes, elapsed, .. }: &BenchEntry| json!({ "fen": fen, "best": best, "nodes": nodes, "time_ms": ms(*elapsed) });
    let positions: Vec<Value> = report.entries.iter().map(position).collect();
    let bench = &report.bench;
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
        "time_ms": ms(report.elapsed()),
        "nps": nps(report.nodes(), report.elapsed()),
    });
    if let Some(counted) = &report.counted {
        let counts = counted.stats.lbr.rows().map(|(name, count)| (name.replace(' ', "_"), count.into()));
        document["lbr_stats"] = Value::Object(counts.collect());
        document["lmr_stats"] = lmr_json(counted);
    }
    document
}

fn lmr_json(report: &LmrReport) -> Value {
    let measure = |measure: &Measure| {
        json!({
            "name": measure.name,
            "value": measure.value,
            "unit": measure.unit,
            "healthy": measure.healthy.map(|(low, high)| [low, high]),
            "place": measure.place(),
        })
    };
    let rows = |rows: Vec<(String, Counts)>, key: &str| {
        let row = |(name, counts): (String, Counts)| {
            let [reduced, average, verified, confirmed] = counts.measures().map(|measure| measure.value);
            json!({
                key: name,
                "moves": counts.moves,
                "reduced_percent": reduced,
                "average_plies": average,
                "searched_again_percent": verified,
                "failed_high_again_percent": confirmed,
            })
        };
        rows.into_iter().map(row).collect::<Vec<_>>()
    };
    json!({
        "recipe": report.recipe,
        "depth": report.depth,
        "nodes": report.nodes,
        "nodes_without_reductions": report.nodes_off,
        "measures": report.measures().iter().map(measure).collect::<Vec<_>>(),
        "by_depth": rows(report.stats.lmr.by_depth(), "depth"),
        "by_number": rows(report.stats.lmr.by_number(), "number"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_included_if_requested() {
        let run = |stats| {
            let report = Bench { depth: 4, stats, ..Bench::default() }.run(|_| ControlFlow::Continue(()));
            report.expect("an engine").expect("not broken off")
        };
        let counted = run(true);
        let document = bench_json(&counted);
        let stats = &counted.counted.as_ref().expect("counted").stats;
        assert_eq!(document["lbr_stats"]["nodes"], stats.lbr.0[0]);
        assert_eq!(document["lmr_stats"]["by_number"][0]["number"], "1");
        assert_eq!(document["nodes"], counted.nodes());
        assert!(bench_json(&run(false)).get("lbr_stats").is_none());
    }
}
