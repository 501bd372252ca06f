//! EPD: positions with operations. Accepts FEN.

use lento::chess::Board;

/// A line of EPD.
#[derive(Clone, Debug)]
pub struct Epd<'a> {
    /// The position, with counters from `hmvc` and `fmvn` or from a full FEN.
    pub board: Board,
    /// Opcodes and operands in order, quotes included.
    pub operations: Vec<(&'a str, &'a str)>,
}

impl<'a> Epd<'a> {
    /// Parses a line; FEN counters are accepted.
    ///
    /// # Errors
    /// The position is invalid, or a quotation mark is unterminated.
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let mut rest = line;
        for _ in 0..4 {
            rest = word(rest).1;
        }
        let fields = &line[..line.len() - rest.len()];
        let (halfmoves, rest) = number(rest);
        let (fullmoves, rest) = number(rest);
        let operations = operations(rest)?;
        let find = |code: &str| operations.iter().find(|(name, _)| *name == code).map(|&(_, operand)| operand);
        let fen = match (find("hmvc").or(halfmoves), find("fmvn").or(fullmoves)) {
            (None, None) => fields.to_owned(),
            (halfmoves, fullmoves) => {
                format!("{fields} {} {}", halfmoves.unwrap_or("0"), fullmoves.unwrap_or("1"))
            }
        };
        let board = Board::from_fen(&fen).map_err(|error| error.to_string())?;
        Ok(Self { board, operations })
    }

    /// Operand of the first operation with an opcode.
    pub fn operand(&self, name: &str) -> Option<&'a str> {
        self.operations.iter().find(|(opcode, _)| *opcode == name).map(|&(_, operand)| operand)
    }
}

/// Whether a line is neither empty nor a `#` comment.
pub fn has_content(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

/// Splits off the first word.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Splits off a leading number, if any.
fn number(text: &str) -> (Option<&str>, &str) {
    let (digits, rest) = word(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { (Some(digits), rest) } else { (None, text) }
}

/// Splits operations at semicolons outside quotation marks.
fn operations(text: &str) -> Result<Vec<(&str, &str)>, String> {
    let (mut list, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, c) in text.char_indices().chain([(text.len(), ';')]) {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                let operation = text[start..at].trim();
                let (name, operand) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
                if !name.is_empty() {
                    list.push((name, operand.trim()));
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    if quoted { Err("unterminated quotation mark".to_owned()) } else { Ok(list) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_operations_and_counters() {
        let epd = Epd::parse("4k3/8/8/8/8/8/8/R3K3 w Q - 3 40 bm Ra8+; id \"a; b\"; noop ;").unwrap();
        assert_eq!(epd.board.fen(false), "4k3/8/8/8/8/8/8/R3K3 w Q - 3 40");
        assert_eq!(epd.operations, [("bm", "Ra8+"), ("id", "\"a; b\""), ("noop", "")]);
        assert_eq!((epd.operand("id"), epd.operand("dm")), (Some("\"a; b\""), None));
        let epd = Epd::parse("4k3/8/8/8/8/8/8/R3K3 w - - hmvc 98; fmvn 120;").unwrap();
        assert_eq!(epd.board.fen(false), "4k3/8/8/8/8/8/8/R3K3 w - - 98 120");
        assert_eq!(Epd::parse("4k3/8/8/8/8/8/8/R3K3 w - - id \"x;").unwrap_err(), "unterminated quotation mark");
        assert!(Epd::parse("rubbish").unwrap_err().starts_with("invalid FEN \"rubbish\": "));
    }
}
