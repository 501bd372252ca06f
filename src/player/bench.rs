//! `lento bench`.

use lento::engine::Engine;
use lento::internals::bench::{self, BENCH_DEPTH, BenchEntry};
use lento::internals::statistics::{Counts, LBR_COUNTS, LmrReport, Measure, SearchStats};
use lento::named::Named;
use lento::search::lbr::Lbr;
use lento::search::limits::Determinism;
use lento::search::lmr::RecipeName;
use lento::search::params::Params;
use lento::search::report::nps;
use lento::tt::TtError;
use lento_console::Done;
use lento_console::setup::{self, EvaluatorArgs};
use lento_uci::format::{bench_line, bench_summary, lmr_table};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Depth of each search
    #[arg(default_value_t = BENCH_DEPTH, value_parser = clap::value_parser!(i32).range(1..))]
    depth: i32,
    /// Threads; with several, the node count is reproducible only with --deterministic
    #[arg(long, default_value_t = 1, value_parser = setup::threads)]
    threads: usize,
    /// Hash table in MiB
    #[arg(long, value_name = "MIB", default_value_t = Engine::DEFAULT_HASH, value_parser = setup::hash)]
    hash: usize,
    /// Search deterministically on several threads, like the option Deterministic
    #[arg(long)]
    deterministic: bool,
    #[command(flatten)]
    evaluator: EvaluatorArgs,
    /// Variant of Last Best Reply: off, reply, pair, two-plies, quiet, colour, or combined as in pair+quiet+colour
    #[arg(long, value_name = "NAME", default_value = Lbr::default().name(), value_parser = Lbr::from_name)]
    lbr: Lbr,
    /// Late move reduction recipe, as in the option LMR
    #[arg(long, value_name = "NAME", default_value = RecipeName::default().name(), value_parser = RecipeName::from_name)]
    lmr: RecipeName,
    /// Set a search parameter, such as history_one=0; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    set: Vec<(String, i32)>,
    /// Collect LBR and LMR statistics on one thread, and repeat the bench without reductions
    #[arg(long, conflicts_with = "threads")]
    stats: bool,
    /// Print one JSON document instead: depth, threads, hash_mib, evaluation, lbr, lmr, numbers (of --set), positions (fen,
    /// best, nodes, time_ms), nodes, time_ms, nps, and with --stats lbr_stats (nodes, first_matches, second_matches, best,
    /// cutoffs) and lmr_stats (recipe, depth, nodes, nodes_without_reductions, measures, by_depth, by_number)
    #[arg(long)]
    json: bool,
}

fn parameter(text: &str) -> Result<(String, i32), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as history_one=0")?;
    let value = value.parse().map_err(|_| format!("expected a whole number for {name}, not {value:?}"))?;
    Params::default().set(name, value).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), value))
}

/// Prints the results, statistics if requested, and the total.
pub(crate) fn run(args: &Args) -> Done {
    let mut engine = args.engine()?;
    let mut out = io::stdout();
    let mut entries = Vec::new();
    for entry in bench::run(&mut engine, args.depth)? {
        if !args.json {
            writeln!(out, "{}", bench_line(&entry))?;
        }
        entries.push(entry);
    }
    let report = if args.stats { Some(statistics(&engine, args.depth, &entries)?) } else { None };
    if args.json {
        writeln!(out, "{:#}", args.json(&engine, &entries, report.as_ref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(report) = &report {
        writeln!(out, "{}\n{}", lbr_table(report.stats.lbr), lmr_table(report))?;
    }
    writeln!(out, "{}", bench_summary(&entries))?;
    Ok(ExitCode::SUCCESS)
}

/// Formats Last Best Reply counts, each with its share of the previous one.
fn lbr_table(counts: [u64; 5]) -> String {
    let mut text = String::from("Last Best Reply");
    let mut previous = None;
    for (name, count) in LBR_COUNTS.into_iter().zip(counts) {
        let _ = write!(text, "\n  {name:<16} {count:>12}");
        if let Some(base) = previous.replace(count).filter(|&base| base > 0) {
            let _ = write!(text, " {:>6.2} %", 100.0 * count as f64 / base as f64);
        }
    }
    text
}

/// Sums the statistics, and counts the nodes of the bench without reductions.
fn statistics(engine: &Engine, depth: i32, entries: &[BenchEntry]) -> Result<LmrReport, TtError> {
    let mut off = engine.copy();
    off.settings.lmr.main = RecipeName::Off;
    let nodes_off = bench::run(&mut off, depth)?.map(|entry| entry.nodes).sum();
    let mut stats = SearchStats::default();
    entries.iter().filter_map(|entry| entry.stats.as_ref()).for_each(|one| stats.add(one));
    let nodes = bench::total(entries).0;
    Ok(LmrReport { recipe: engine.settings.lmr.main.name(), depth, nodes, nodes_off: Some(nodes_off), stats })
}

impl Args {
    fn engine(&self) -> Result<Engine, Box<dyn Error>> {
        let mut engine = Engine::new();
        engine.set_threads(self.threads)?;
        engine.set_hash(self.hash)?;
        engine.set_evaluation(self.evaluator.evaluation()?);
        let settings = &mut engine.settings;
        settings.search.lbr = self.lbr;
        settings.search.deterministic = if self.deterministic { Determinism::Rounds } else { Determinism::Off };
        settings.lmr.main = self.lmr;
        settings.lmr_statistics = self.stats;
        for (name, value) in &self.set {
            engine.set_param(name, *value)?;
        }
        Ok(engine)
    }

    fn json(&self, engine: &Engine, entries: &[BenchEntry], report: Option<&LmrReport>) -> Value {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let position = |BenchEntry { fen, best, nodes, elapsed, .. }: &BenchEntry| json!({ "fen": fen, "best": best, "nodes": nodes, "time_ms": ms(*elapsed) });
        let (nodes, elapsed) = bench::total(entries);
        let mut document = json!({
            "depth": self.depth,
            "threads": engine.threads(),
            "hash_mib": engine.hash_mib(),
            "evaluation": engine.evaluation().to_string(),
            "lbr": self.lbr.name(),
            "lmr": self.lmr.name(),
            "numbers": self.set.iter().cloned().collect::<BTreeMap<_, _>>(),
            "positions": entries.iter().map(position).collect::<Vec<_>>(),
            "nodes": nodes,
            "time_ms": ms(elapsed),
            "nps": nps(nodes, elapsed),
        });
        if let Some(report) = report {
            let counts = LBR_COUNTS.iter().zip(report.stats.lbr);
            document["lbr_stats"] = counts.map(|(name, count)| (name.replace(' ', "_"), count)).collect();
            document["lmr_stats"] = lmr_json(report);
        }
        document
    }
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
    fn shares_are_omitted_if_the_base_is_zero() {
        let text = lbr_table([8, 4, 3, 0, 0]);
        let lines: Vec<Vec<_>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["nodes", "8"]);
        assert_eq!(lines[3], ["second", "matches", "3", "75.00", "%"]);
        assert_eq!(lines[4], ["best", "0", "0.00", "%"]);
        assert_eq!(lines[5], ["cutoffs", "0"]);
    }
}
