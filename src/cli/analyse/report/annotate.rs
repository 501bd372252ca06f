//! An analysed game as PGN with comments, in export format.
//!
//! After each move stands what the position is worth, as `[%eval 0.35,24]`: pawns from White's view, and the depth of the search. Then
//! come the clock and the comment of the file. A move that is dubious or worse gets its sign, unless the file has one for it, and
//! the engine's line in its place as a variation of at most [`LINE_PLIES`](super::LINE_PLIES) plies.

use super::{Study, plain, san, san_words};
use crate::chess::{Board, Color};

/// Longest line of the moves, in characters.
const WIDTH: usize = 79;
/// The tags that each game has, in their order, and what stands for a value that is not known.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Tags that come last, most of them written from what they stand for, whatever the file says.
const OWN: [&str; 7] = ["FEN", "SetUp", "Variant", "PlyCount", "WhiteAccuracy", "BlackAccuracy", "Annotator"];
/// The glyphs that say how good a move is: `!`, `?`, `!!`, `??`, `!?`, `?!`.
const QUALITY: std::ops::RangeInclusive<u8> = 1..=6;

/// The game, and an empty line at the end.
pub fn pgn(study: &Study) -> String {
    let mut text: String = tags(study).iter().map(|(name, value)| tag(name, value)).collect();
    text.push('\n');
    let mut moves = Wrapped::default();
    for at in 0..study.game.plies.len() {
        ply(study, at, &mut moves);
    }
    moves.word(result(study));
    text + &moves.text + "\n\n"
}

fn tag(name: &str, value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The result as one of the four words that end a game.
fn result<'a>(study: &Study<'a>) -> &'a str {
    match study.game.result.as_str() {
        known @ ("1-0" | "0-1" | "1/2-1/2") => known,
        _ => "*",
    }
}

fn tags(study: &Study) -> Vec<(String, String)> {
    let game = study.game;
    let find =
        |name: &str| game.tags.iter().find(|(tag, _)| tag.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone());
    let mut tags = Vec::new();
    let mut add = |name: &str, value: String| tags.push((name.to_owned(), value));
    for (name, unknown) in ROSTER {
        add(name, if name == "Result" { result(study).into() } else { find(name).unwrap_or(unknown.into()) });
    }
    for (name, value) in &game.tags {
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let mut written = ROSTER.iter().map(|(own, _)| *own).chain(OWN);
        if is_word && !written.any(|own| own.eq_ignore_ascii_case(name)) {
            add(name, value.clone());
        }
    }
    if game.chess960 {
        add("Variant", "Chess960".into());
    } else if let Some(variant) = find("Variant") {
        add("Variant", variant);
    }
    if game.start != Board::start() || game.chess960 {
        add("SetUp", "1".into());
        add("FEN", game.start.fen(game.chess960));
    }
    add("PlyCount", game.plies.len().to_string());
    add("Annotator", find("Annotator").unwrap_or_else(|| concat!("Lento ", env!("CARGO_PKG_VERSION")).into()));
    for (name, side) in ["WhiteAccuracy", "BlackAccuracy"].into_iter().zip(&study.sides) {
        if let Some(side) = side {
            add(name, format!("{:.1}", side.accuracy));
        }
    }
    tags
}

/// A move with all that is said of it.
fn ply(study: &Study, at: usize, words: &mut Wrapped) {
    let (board, ply) = (&study.boards[at], &study.game.plies[at]);
    let numbered = at == 0 || board.side_to_move() == Color::White || words.after_comment;
    words.after_comment = false;
    words.word(&san(board, ply.mv, numbered));
    for nag in nags(study, at) {
        words.word(&format!("${nag}"));
    }
    let depth = study.analysis(at + 1).map(|analysis| analysis.depth);
    let value = study.values[at + 1].and_then(|value| value.pgn());
    let mut comment = Vec::new();
    comment.extend(value.map(|value| match depth {
        Some(depth) => format!("[%eval {value},{depth}]"),
        None => format!("[%eval {value}]"),
    }));
    let is_clock =
        |text: &&String| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'));
    comment.extend(ply.clock.as_ref().filter(is_clock).map(|clock| format!("[%clk {clock}]")));
    comment.extend(ply.comment.as_deref().unwrap_or("").split_whitespace().map(str::to_owned));
    words.comment(&comment);
    if let Some(line) = study.better_line(at) {
        let value = study.values[at].and_then(|value| value.pgn());
        words.variation(san_words(board, line), value.map(|value| format!("{{[%eval {value}]}}")));
    }
}

/// The glyphs of the file and, if none of them says how good the move is, the engine's.
pub fn nags(study: &Study, at: usize) -> Vec<u8> {
    let mut nags = study.game.plies[at].nags.clone();
    if !nags.iter().any(|nag| QUALITY.contains(nag)) {
        let mark = study.moves[at].and_then(|judged| judged.mark);
        nags.splice(0..0, mark.map(|mark| mark.nag()));
    }
    nags
}

/// Text in lines of at most [`WIDTH`] characters.
#[derive(Default)]
struct Wrapped {
    text: String,
    column: usize,
    /// Whether something stood between the last move and here, so that a move of Black's needs its number.
    after_comment: bool,
}

impl Wrapped {
    /// Adds a word, which stays in one piece.
    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 && self.column + 1 + length > WIDTH {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += length;
    }

    /// Adds a comment in braces.
    fn comment(&mut self, words: &[String]) {
        let mut pieces: Vec<String> = Vec::new();
        // Braces do not nest. A line that begins with `%` would be skipped, and with `[` it looks like a tag to some programs, so
        // such words stay behind the one before.
        for word in
            words.iter().map(|word| plain(&word.replace('{', "(").replace('}', ")"))).filter(|word| !word.is_empty())
        {
            match pieces.last_mut() {
                Some(last) if word.starts_with(['%', '[']) => *last = format!("{last} {word}"),
                _ => pieces.push(word),
            }
        }
        let Some(last) = pieces.len().checked_sub(1) else { return };
        pieces[0].insert(0, '{');
        pieces[last].push('}');
        pieces.iter().for_each(|piece| self.word(piece));
        self.after_comment = true;
    }

    /// Adds a variation, if it has a move, and a comment at its end.
    fn variation(&mut self, mut words: Vec<String>, comment: Option<String>) {
        if words.is_empty() {
            return;
        }
        words.extend(comment);
        let last = words.len() - 1;
        words[0].insert(0, '(');
        words[last].push(')');
        words.iter().for_each(|word| self.word(word));
        self.after_comment = true;
    }
}
