//! Text tables of bench and search statistics.

use crate::bench::{self, BenchEntry, POSITIONS};
use crate::search::report::nps;
use crate::search::statistics::{Counts, LbrStats, LmrReport};
use std::fmt::Write;

/// Formats the result of a bench position.
pub fn bench_line(entry: &BenchEntry) -> String {
    let BenchEntry { number, fen, best, nodes, elapsed, .. } = entry;
    format!("{number:>2}/{} {nodes:>10} nodes {:>6} ms  {best:<7} {fen}", POSITIONS.len(), elapsed.as_millis())
}

/// Formats the bench total in the form testing frameworks parse.
pub fn bench_summary(entries: &[BenchEntry]) -> String {
    let (nodes, elapsed) = bench::total(entries);
    format!("{nodes} nodes {} nps", nps(nodes, elapsed))
}

/// Formats Last Best Reply counts, each with its share of the previous one.
pub fn lbr_table(stats: &LbrStats) -> String {
    let mut text = String::from("Last Best Reply");
    let mut whole = None;
    for (name, count) in stats.rows() {
        let _ = write!(text, "\n  {name:<16} {count:>12}");
        if let Some(whole) = whole.replace(count).filter(|&whole| whole > 0) {
            let _ = write!(text, " {:>6.2} %", 100.0 * count as f64 / whole as f64);
        }
    }
    text
}

/// Formats LMR statistics: totals, by depth and by move number.
pub fn lmr_table(report: &LmrReport) -> String {
    let LmrReport { recipe, depth, nodes, .. } = report;
    let mut text = format!("recipe {recipe} to depth {depth}: {nodes} nodes");
    let _ = match report.nodes_off {
        Some(off) => writeln!(text, ", {off} without reductions"),
        None => writeln!(text),
    };
    for measure in report.measures() {
        let value = measure.value.map_or("-".into(), |value| format!("{value:.2} {}", measure.unit));
        let _ = write!(text, "{:<18}{value:>12}", measure.name);
        if let (Some((low, high)), Some(place)) = (measure.healthy, measure.place()) {
            let _ = write!(text, "   {place} the healthy range, {low} to {high}");
        }
        text.push('\n');
    }
    lmr_rows(&mut text, "depth", &report.stats.lmr.by_depth());
    text.push('\n');
    lmr_rows(&mut text, "move", &report.stats.lmr.by_number());
    text
}

fn lmr_rows(text: &mut String, first: &str, rows: &[(String, Counts)]) {
    let _ = write!(text, "\n{first:>6}");
    for head in ["moves", "reduced %", "plies", "again %", "high %"] {
        let _ = write!(text, " {head:>10}");
    }
    for (name, counts) in rows {
        let _ = write!(text, "\n{name:>6} {:>10}", counts.moves);
        for measure in counts.measures() {
            let value = measure.value.map_or("-".into(), |value| format!("{value:.2}"));
            let _ = write!(text, " {value:>10}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::observer::{Observer, SearchedMove};
    use crate::search::statistics::SearchStats;

    fn words(text: &str) -> Vec<Vec<&str>> {
        text.lines().map(|line| line.split_whitespace().collect()).collect()
    }

    #[test]
    fn shares_are_shown_unless_the_base_is_zero() {
        let stats = LbrStats([8, 4, 3, 0, 0]);
        let text = lbr_table(&stats);
        let lines = words(&text);
        assert_eq!(lines[1], ["nodes", "8"]);
        assert_eq!(lines[3], ["second", "matches", "3", "75.00", "%"]);
        assert_eq!(lines[4], ["best", "0", "0.00", "%"]);
        assert_eq!(lines[5], ["cutoffs", "0"]);
    }

    #[test]
    fn reductions_are_shown_by_depth_and_move_number() {
        let mut stats = SearchStats::default();
        for (reduction, verified) in [(2, false), (1, true)] {
            stats.searched(SearchedMove { depth: 5, number: 6, reduction, researched: verified, confirmed: false });
        }
        let text = lmr_table(&LmrReport { recipe: "tuned", depth: 9, nodes: 25, nodes_off: Some(100), stats });
        assert!(text.contains("nodes saved            75.00 %   above the healthy range, 40 to 60\n"), "{text}");
        assert!(words(&text).contains(&vec!["5-6", "2", "100.00", "1.50", "50.00", "0.00"]), "{text}");
    }
}
