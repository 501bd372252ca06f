//! Tables as text, Markdown and JSON.

use crate::columns::columns;
use crate::notice::printable;
use serde_json::{Map, Value};

/// A row. All rows of a table have the same columns.
#[derive(Default)]
pub struct Row(Vec<Cell>);

struct Cell {
    /// Column head in text and Markdown; empty for JSON only.
    head: String,
    /// Key in JSON; empty for text only.
    key: String,
    text: String,
    value: Value,
}

impl Row {
    /// Appends a cell for all formats. Escapes control characters in text and Markdown.
    pub fn cell(&mut self, head: &str, key: &str, text: impl Into<String>, value: impl Into<Value>) {
        let (head, key) = (head.to_owned(), key.to_owned());
        self.0.push(Cell { head, key, text: printable(&text.into()), value: value.into() });
    }

    /// Appends a number with a number of decimals in text, or "-".
    pub fn number(&mut self, head: &str, key: &str, value: Option<f64>, decimals: usize) {
        self.cell(head, key, value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}")), value);
    }

    /// Appends a cell for text and Markdown only.
    pub fn text(&mut self, head: &str, text: impl Into<String>) {
        self.cell(head, "", text, Value::Null);
    }

    /// Appends a cell for JSON only.
    pub fn data(&mut self, key: &str, value: impl Into<Value>) {
        self.cell("", key, "", value);
    }

    fn shown(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().filter(|cell| !cell.head.is_empty())
    }

    /// The column heads.
    pub fn heads(&self) -> Vec<&str> {
        self.shown().map(|cell| cell.head.as_str()).collect()
    }

    /// The cells as text.
    pub fn texts(&self) -> Vec<&str> {
        self.shown().map(|cell| cell.text.as_str()).collect()
    }

    /// One line per nonempty cell: head and text.
    pub fn labelled(&self) -> String {
        let cells = self.shown().filter(|cell| !cell.text.is_empty());
        cells.map(|Cell { head, text, .. }| format!("{head:<15} {text}\n")).collect()
    }

    /// The row as an object.
    pub fn json(&self) -> Value {
        let cells = self.0.iter().filter(|cell| !cell.key.is_empty());
        cells.map(|cell| (cell.key.clone(), cell.value.clone())).collect::<Map<_, _>>().into()
    }
}

/// A line of text with column widths; negative widths align to the left.
pub fn line(cells: &[&str], widths: &[i32]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, &width)| match width.unsigned_abs() as usize {
        size if width < 0 => format!("{cell:size$}"),
        size => format!("{cell:>size$}"),
    });
    padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

/// The table as text, the first column left-aligned.
pub fn text(rows: &[Row]) -> String {
    let heads = rows.first().map_or_else(Vec::new, Row::heads);
    columns(&[heads].into_iter().chain(rows.iter().map(Row::texts)).collect::<Vec<_>>())
}

/// The table as Markdown.
pub fn markdown(rows: &[Row]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    let heads = rows.first().map_or_else(Vec::new, Row::heads);
    let rule = format!("|---|{}\n", "---:|".repeat(heads.len().saturating_sub(1)));
    [line(heads), rule].into_iter().chain(rows.iter().map(|row| line(row.texts()))).collect()
}

/// The table as an array of objects.
pub fn json(rows: &[Row]) -> Value {
    rows.iter().map(Row::json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<Row> {
        let row = |name: &str, value| {
            let mut row = Row::default();
            row.cell("Name", "name", name, name);
            row.data("settings", "a, \"b\"");
            row.number("Depth", "depth", value, 1);
            row
        };
        vec![row("one", Some(12.25)), row("other", None)]
    }

    #[test]
    fn formats_contain_their_cells() {
        assert_eq!(text(&rows()), "Name   Depth\none     12.2\nother      -\n");
        assert_eq!(markdown(&rows()), "| Name | Depth |\n|---|---:|\n| one | 12.2 |\n| other | - |\n");
        assert_eq!(json(&rows())[1], json!({"name": "other", "settings": "a, \"b\"", "depth": null}));
        assert_eq!(rows()[0].labelled(), "Name            one\nDepth           12.2\n");
        assert_eq!(text(&[]), "\n");
    }
}
