//! The result as text, CSV and JSON.

use super::Args;
use super::figures::Figures;
use serde_json::{Map, Value, json};

/// Heads and rows of a table.
struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn table(figures: &[Figures]) -> Table {
    let cells: Vec<Vec<(String, String)>> = figures.iter().map(Figures::cells).collect();
    let heads = cells.first().map_or_else(Vec::new, |row| row.iter().map(|(head, _)| head.clone()).collect());
    let rows = cells.into_iter().map(|row| row.into_iter().map(|(_, cell)| cell).collect());
    Table { heads, rows: rows.collect() }
}

/// The table for a terminal.
pub fn text(figures: &[Figures]) -> String {
    let Table { heads, rows } = table(figures);
    let wide = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].chars().count()]).max().unwrap_or(0)
    };
    let wide: Vec<usize> = (0..heads.len()).map(wide).collect();
    let line = |cells: &Vec<String>| {
        let padded = cells.iter().zip(&wide).enumerate().map(|(column, (cell, &wide))| match column {
            0 => format!("{cell:wide$}"),
            _ => format!("{cell:>wide$}"),
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    [&heads].into_iter().chain(&rows).map(line).collect()
}

/// The table for a page.
pub fn markdown_table(figures: &[Figures]) -> String {
    let Table { heads, rows } = table(figures);
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&heads);
    text += &format!("|---|{}\n", "---:|".repeat(heads.len().saturating_sub(1)));
    for mut row in rows {
        row[0] = format!("`{}`", row[0]);
        text += &line(&row);
    }
    text
}

/// A line for each variant, after one with the names of the columns. What is not known is empty.
pub fn csv(figures: &[Figures]) -> String {
    let rows: Vec<Vec<(String, Value)>> = figures.iter().map(Figures::fields).collect();
    let line = |cells: Vec<String>| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n";
    let heads = rows.first().map(|row| line(row.iter().map(|(name, _)| name.clone()).collect()));
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lines = rows.iter().map(|row| line(row.iter().map(|(_, value)| cell(value)).collect()));
    heads.into_iter().chain(lines).collect()
}

/// A cell of CSV, in quotation marks where it has to be.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

/// Everything for programs.
pub fn json(args: &Args, figures: &[Figures]) -> Value {
    let variants = figures.iter().map(|figures| figures.fields().into_iter().collect::<Map<String, Value>>());
    json!({ "conditions": args.json(), "variants": variants.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_are_quoted_where_they_have_to_be() {
        assert_eq!(["plain; text", "a,b", "say \"x\""].map(quoted), ["plain; text", "\"a,b\"", "\"say \"\"x\"\"\""]);
    }
}
