//! Plain text tables.

/// Formats rows below a head, each column as wide as its widest cell.
pub fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).chain([head[at].len()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |words: &mut dyn Iterator<Item = &str>| {
        let padded = words.zip(&widths).map(|(word, &width)| format!("{word:>width$}"));
        padded.collect::<Vec<_>>().join("  ") + "\n"
    };
    let mut text = line(&mut head.iter().copied());
    rows.iter().for_each(|row| text += &line(&mut row.iter().map(String::as_str)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_their_widest_cell() {
        let rows = [vec!["1".into(), "12345".into()], vec!["16".into(), "1".into()]];
        assert_eq!(columns(&["n", "speed"], &rows), " n  speed\n 1  12345\n16      1\n");
    }
}
