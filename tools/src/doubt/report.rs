//! What was found as text, page and JSON.

use super::Args;
use super::fact::Breakdown;
use super::tally::{Found, Tally, Verdicts};
use crate::common::summary::percent;
use lento::search::doubt::Rule;
use serde_json::{Map, Value, json};

/// A line of a table: what it is about, how often the rule cut if that is known, and the verdicts.
struct Row {
    names: Vec<String>,
    cuts: Option<u64>,
    tally: Tally,
}

/// A table with its title.
struct Table {
    title: String,
    /// What the first columns are.
    names: Vec<String>,
    rows: Vec<Row>,
}

/// Heads of the columns behind the names.
const WRONG: [&str; 4] = ["wrong", "wrong %", "from", "to"];

/// The number of wrong verdicts, and in per cent their share and where it may lie.
fn cells(verdicts: Verdicts) -> [String; 4] {
    let per_cent = |share: f64| format!("{:.2}", 100.0 * share);
    match verdicts.share().map(|shares| shares.map(per_cent)) {
        Some([share, low, high]) => [verdicts.wrong.to_string(), share, low, high],
        None => ["-", "-", "-", "-"].map(str::to_owned),
    }
}

impl Table {
    /// All rules.
    fn summary(args: &Args, found: &Found) -> Self {
        let row = |rule: Rule| {
            let (names, cuts) = (vec![rule.name().to_owned()], Some(found.cuts[rule as usize]));
            Row { names, cuts, tally: found.of(rule) }
        };
        let rows = args.rules().into_iter().map(row).collect();
        Self { title: "all rules".to_owned(), names: vec!["rule".to_owned()], rows }
    }

    /// A rule, broken down.
    fn broken_down(found: &Found, rule: Rule, breakdown: &Breakdown) -> Self {
        let rows = found.by(rule, breakdown).into_iter().map(|(buckets, tally)| {
            let names = buckets.into_iter().map(|bucket| bucket.label).collect();
            Row { names, cuts: None, tally }
        });
        Self {
            title: format!("{} by {breakdown}", rule.name()),
            names: breakdown.names().map(str::to_owned).collect(),
            rows: rows.collect(),
        }
    }

    /// Every rule broken down as asked. Where nobody asked for anything, what is the same for all cuts of a rule is left out.
    fn all_broken_down(args: &Args, found: &Found) -> Vec<Self> {
        let of = |rule| args.breakdowns().into_iter().map(move |by| Self::broken_down(found, rule, &by));
        let says_something = |table: &Self| table.rows.len() > usize::from(args.by.is_empty());
        args.rules().into_iter().flat_map(of).filter(says_something).collect()
    }

    /// Heads and lines of cells.
    fn lines(&self) -> Vec<Vec<String>> {
        let has_cuts = self.rows.iter().any(|row| row.cuts.is_some());
        let has_moves = self.rows.iter().any(|row| row.tally.by_moves.known > 0);
        let mut heads = self.names.clone();
        heads.extend(has_cuts.then(|| "cuts".to_owned()));
        heads.push("sampled".to_owned());
        heads.extend(WRONG.map(str::to_owned));
        if has_moves {
            heads.extend(WRONG.map(|head| format!("{head}, by moves")));
        }
        let line = |row: &Row| {
            let mut line = row.names.clone();
            line.extend(row.cuts.filter(|_| has_cuts).map(|cuts| cuts.to_string()));
            line.push(row.tally.sampled.to_string());
            line.extend(cells(row.tally.rule));
            if has_moves {
                line.extend(cells(row.tally.by_moves));
            }
            line
        };
        std::iter::once(heads).chain(self.rows.iter().map(line)).collect()
    }

    /// For a terminal.
    fn text(&self) -> String {
        let lines = self.lines();
        let wide = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let wide: Vec<usize> = (0..lines[0].len()).map(wide).collect();
        let padded = |line: &Vec<String>| {
            let cells = line.iter().zip(&wide).enumerate().map(|(column, (cell, &wide))| {
                if column < self.names.len() { format!("{cell:wide$}") } else { format!("{cell:>wide$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        lines.iter().map(padded).collect()
    }

    /// For a page.
    fn markdown(&self) -> String {
        let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
        let lines = self.lines();
        let numbers = lines[0].len() - self.names.len();
        let under = format!("|{}{}\n", "---|".repeat(self.names.len()), "---:|".repeat(numbers));
        line(&lines[0]) + &under + &lines[1..].iter().map(line).collect::<String>()
    }
}

/// What was searched, and what the doubts took.
fn course(found: &Found) -> String {
    let depth = found.mean_depth();
    let unfinished: u64 =
        Rule::ALL.iter().map(|&rule| found.of(rule)).map(|tally| tally.sampled - tally.rule.known).sum();
    format!(
        "{} positions, {} nodes, mean depth {depth:.1}; {} cuts searched again with {} nodes ({} of those of the search), {unfinished} of \
         them unfinished",
        found.positions,
        found.nodes,
        found.doubted.len(),
        found.nodes_again(),
        percent(found.nodes_again(), found.nodes),
    )
}

/// The tables for a terminal.
pub fn text(args: &Args, found: &Found) -> String {
    let mut text = format!("{}\n\n{}", course(found), Table::summary(args, found).text());
    for table in Table::all_broken_down(args, found) {
        text += &format!("\n{}\n{}", table.title, table.text());
    }
    text
}

/// The page.
pub fn markdown(args: &Args, found: &Found) -> String {
    let mut page = format!(
        "# How often the rules of the search are wrong\n\nA sample of what each rule cut was searched again without it. `from` and `to` \
         are where the share may lie, with 95 % confidence. This page is written by\n\n```sh\n{} --markdown doubt.md\n```\n\n{}.\n\n{}",
        args.command(),
        course(found),
        Table::summary(args, found).markdown(),
    );
    for table in Table::all_broken_down(args, found) {
        page += &format!("\n## {}\n\n{}", table.title, table.markdown());
    }
    page
}

/// Verdicts for programs.
fn verdicts(verdicts: Verdicts) -> Value {
    let [share, low, high] = verdicts.share().map_or([None; 3], |shares| shares.map(Some));
    json!({ "known": verdicts.known, "wrong": verdicts.wrong, "share": share, "low": low, "high": high })
}

/// A tally for programs.
fn tally(tally: &Tally) -> Value {
    json!({
        "sampled": tally.sampled,
        "nodes": tally.nodes,
        "without_rule": verdicts(tally.rule),
        "by_moves": (tally.by_moves.known > 0).then(|| verdicts(tally.by_moves)),
    })
}

/// Everything for programs.
pub fn json(args: &Args, found: &Found) -> Value {
    let by = |rule: Rule, breakdown: &Breakdown| {
        let rows = found.by(rule, breakdown).into_iter().map(|(buckets, found)| {
            let labels = breakdown.names().zip(buckets).map(|(name, bucket)| (name.to_owned(), bucket.label.into()));
            let mut row = tally(&found);
            row["where"] = labels.collect::<Map<String, Value>>().into();
            row
        });
        json!({ "by": breakdown.to_string(), "rows": rows.collect::<Vec<_>>() })
    };
    let rule = |rule: Rule| {
        let mut all = tally(&found.of(rule));
        all["rule"] = rule.name().into();
        all["cuts"] = found.cuts[rule as usize].into();
        all["breakdowns"] = args.breakdowns().iter().map(|breakdown| by(rule, breakdown)).collect();
        all
    };
    json!({
        "conditions": args.json(),
        "positions": found.positions,
        "nodes": found.nodes,
        "mean_depth": found.mean_depth(),
        "nodes_again": found.nodes_again(),
        "rules": args.rules().into_iter().map(rule).collect::<Vec<_>>(),
    })
}
