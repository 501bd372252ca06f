//! JSON of bench results and search statistics.

use crate::bench::BenchReport;
use crate::search::report::nps;
use crate::search::statistics::{Counts, LbrStats, LmrReport, Measure};
use serde_json::{Map, Value, json};

/// The document of a bench run.
pub fn bench_json(report: &BenchReport) -> Value {
    let position = |entry: &crate::bench::BenchEntry| {
        let ms = entry.elapsed.as_secs_f64() * 1e3;
        json!({ "fen": entry.fen, "best": entry.best, "nodes": entry.nodes, "time_ms": ms })
    };
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
        "time_ms": report.elapsed().as_secs_f64() * 1e3,
        "nps": nps(report.nodes(), report.elapsed()),
    });
    if let Some(counted) = &report.counted {
        let LbrStats { nodes, first_matches, second_matches, best, cutoffs } = counted.stats.lbr;
        document["lbr_stats"] = json!({
            "nodes": nodes,
            "first_matches": first_matches,
            "second_matches": second_matches,
            "best": best,
            "cutoffs": cutoffs,
        });
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
            let mut row = counts_json(&counts);
            row[key] = name.into();
            row
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

fn counts_json(counts: &Counts) -> Value {
    let [reduced, average, verified, confirmed] = counts.measures().map(|measure| measure.value);
    json!({
        "moves": counts.moves,
        "reduced_percent": reduced,
        "average_plies": average,
        "searched_again_percent": verified,
        "failed_high_again_percent": confirmed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Bench;
    use std::ops::ControlFlow;

    #[test]
    fn statistics_are_included_if_requested() {
        let run = |stats| {
            let report = Bench { depth: 4, stats, ..Bench::default() }.run(|_| ControlFlow::Continue(()));
            report.expect("an engine").expect("not broken off")
        };
        let counted = run(true);
        let document = bench_json(&counted);
        let stats = &counted.counted.as_ref().expect("counted").stats;
        assert_eq!(document["lbr_stats"]["nodes"], stats.lbr.nodes);
        assert_eq!(document["lmr_stats"]["by_number"][0]["number"], "1");
        assert_eq!(document["nodes"], counted.nodes());
        assert!(bench_json(&run(false)).get("lbr_stats").is_none());
    }
}
