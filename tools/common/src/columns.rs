//! Plain text in columns and lines.

/// Joins words by spaces in lines of at most `width` characters, unless a word is longer.
pub fn wrapped<T: AsRef<str>>(words: &[T], width: usize) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words.iter().map(AsRef::as_ref) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// Formats rows in columns: the first left-aligned, the others right-aligned.
pub fn columns<T: AsRef<str>>(rows: &[Vec<T>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.as_ref().chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{:<width$}", cell.as_ref()),
            _ => format!("  {:>width$}", cell.as_ref()),
        });
        text += cells.collect::<String>().trim_end();
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_the_widest_cell() {
        let rows = [["n", "speed"], ["1", "12345"], ["16", "1"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(columns(&rows), "n   speed\n1   12345\n16      1\n");
    }
}
