//! Writes games as PGN in export format.

use super::{plain, san};
use crate::pgn::{Part, PgnGame, PgnMove, names_chess960, parts};
use lento::chess::{Board, Color};
use lento_common::columns::wrapped;

/// The seven tag roster with values for unknown.
pub const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Tags derived from the start position, written last.
const START: [&str; 3] = ["Variant", "SetUp", "FEN"];
/// Maximum line length in characters.
const WIDTH: usize = 79;
/// Maximum words of a comment, since readers truncate long ones.
const MAX_COMMENT: usize = 1000;
/// Maximum length of an unbroken comment command.
const MAX_PIECE: usize = WIDTH / 2;

/// A game with its tags, usually those of [`tags`], followed by an empty line.
pub fn pgn(game: &PgnGame) -> String {
    let mut words = Wrapped::default();
    words.comment(game.comment.as_deref());
    line(&game.start, &game.moves, &mut words);
    words.word(&game.result);
    let tags: String = game.tags.iter().map(|(name, value)| tag(name, value)).collect();
    format!("{tags}\n{}\n\n", wrapped(&words.words, WIDTH))
}

fn tag(name: &str, value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("[{name} \"{}\"]\n", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The tags of a game for export: the roster, others in order, then those of the start position.
pub fn tags(game: &PgnGame) -> Vec<(String, String)> {
    let roster = ROSTER.iter().map(|&(name, unknown)| match name {
        "Result" => (name, game.result.as_str()),
        _ => (name, game.tag(name).unwrap_or(unknown)),
    });
    let own = || ROSTER.iter().map(|(name, _)| *name).chain(START);
    let others = game.tags.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let others = others.filter(|(name, _)| !own().any(|own| own.eq_ignore_ascii_case(name)));
    // The variant must match the moves.
    let variant = game.tag("Variant").filter(|variant| names_chess960(variant) == game.chess960);
    let variant = variant.or(game.chess960.then_some("Chess960")).map(|variant| (START[0], variant));
    let fen = game.start.fen(game.chess960);
    let has_start = game.chess960 || game.start != Board::start();
    let start = [(START[1], "1"), (START[2], fen.as_str())].into_iter().filter(|_| has_start);
    let all = roster.chain(others).chain(variant).chain(start);
    all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Writes a line of play with its variations.
fn line(start: &Board, moves: &[PgnMove], words: &mut Wrapped) {
    let mut board = start.clone();
    for (at, played) in moves.iter().enumerate() {
        words.played(&board, played, at == 0);
        for variation in &played.remarks.variations {
            words.opens.push('(');
            words.comment(variation.comment.as_deref());
            line(&board, &variation.moves, words);
            words.close();
        }
        board = played.after(&board);
    }
}

/// The words of a comment, each command as one word; evaluations are dropped unless `with_values`.
pub fn comment_words(comment: Option<&str>, with_values: bool) -> Vec<String> {
    let mut words = Vec::new();
    for part in parts(comment.unwrap_or("")) {
        match part {
            Part::Text(text) => words.extend(text.split_whitespace().map(str::to_owned)),
            Part::Command(command) if with_values || !command.starts_with("eval") => {
                words.push(format!("[%{command}]"));
            }
            Part::Command(_) => {}
        }
    }
    words
}

/// Words for lines of at most [`WIDTH`] characters.
#[derive(Default)]
struct Wrapped {
    words: Vec<String>,
    /// Opening brackets before the next word.
    opens: String,
    /// Whether a comment or variation follows the last move, so that Black's next move needs its number.
    after_comment: bool,
}

impl Wrapped {
    /// Adds a word, never broken.
    fn word(&mut self, word: &str) {
        self.words.push(std::mem::take(&mut self.opens) + word);
    }

    /// Adds a move with its annotations, and with its number at the start of a line of play, for White, and after a comment.
    fn played(&mut self, board: &Board, PgnMove { mv, remarks }: &PgnMove, first: bool) {
        let numbered = first || board.side_to_move() == Color::White || self.after_comment;
        self.after_comment = false;
        self.word(&san(board, *mv, numbered));
        remarks.nags.iter().for_each(|nag| self.word(&format!("${nag}")));
        self.comment(remarks.comment.as_deref());
    }

    fn close(&mut self) {
        if let Some(last) = self.words.last_mut() {
            last.push(')');
        }
        self.after_comment = true;
    }

    /// Adds a comment in braces, unless empty; a long one as several, which readers join.
    fn comment(&mut self, text: Option<&str>) {
        comment_words(text, true).chunks(MAX_COMMENT).for_each(|words| self.braced(words));
    }

    fn braced(&mut self, words: &[String]) {
        let mut pieces: Vec<String> = Vec::new();
        // Braces do not nest. Words starting with `%` or `[` must not start a line: `%` would hide it, and `[` looks
        // like a tag.
        for word in words {
            let word = plain(&word.replace('{', "(").replace('}', ")"));
            let whole = word.chars().count() <= MAX_PIECE;
            for piece in if whole { vec![word.as_str()] } else { word.split(' ').collect() } {
                match pieces.last_mut() {
                    _ if piece.is_empty() => {}
                    // Starts another comment if both do not fit on a line.
                    Some(last) if piece.starts_with(['%', '[']) => {
                        if last.chars().count() + piece.chars().count() + 3 <= WIDTH {
                            *last += &format!(" {piece}");
                        } else {
                            last.push('}');
                            pieces.push(format!("{{{piece}"));
                        }
                    }
                    _ => pieces.push(piece.to_owned()),
                }
            }
        }
        let Some(last) = pieces.len().checked_sub(1) else { return };
        pieces[0].insert(0, '{');
        pieces[last].push('}');
        pieces.iter().for_each(|piece| self.word(piece));
        self.after_comment = true;
    }
}
