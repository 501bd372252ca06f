//! Requests about positions.

use super::openings::{self, Opening};
use super::request::{Answer, Fields, RequestError, at_most};
use crate::pgn::{PgnMove, parse_move};
use crate::report::san;
use lento::chess::{Board, Color, Game, Move, PieceType, Square, Verdict};
use lento::tb::{Tables, Wdl};
use lento_console::setup::words;
use lento_uci::words::quoted;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Maximum moves of a place.
const MAX_MOVES: usize = 2048;
/// Maximum moves of a line.
const MAX_LINE: usize = 256;
/// Maximum time for the tablebase results of all moves. On slow storage none is shown.
const TABLEBASE_TIME: Duration = Duration::from_secs(1);

/// A position with the moves that led to it.
pub struct Place {
    pub start: Board,
    /// `None` for null moves.
    pub moves: Vec<Option<Move>>,
    /// The position after the moves.
    pub game: Game,
    pub chess960: bool,
    /// Origin and target of the last move.
    last: Option<[Square; 2]>,
    /// The last named opening along the moves.
    pub opening: Option<Opening>,
}

impl Place {
    pub fn parse(fields: Fields) -> Result<Self, RequestError> {
        let (start, chess960) = (start(fields)?, fields.flag("chess960")?);
        let (opening, game) = (openings::named(&start), Game::from(start.clone()));
        let mut place = Self { start, moves: Vec::new(), game, chess960, last: None, opening };
        place.play(fields, "moves", MAX_MOVES)?;
        Ok(place)
    }

    /// Plays the moves of a field, in UCI notation or SAN, or null moves.
    fn play(&mut self, fields: Fields, field: &str, max: usize) -> Result<(), RequestError> {
        let moves = fields.texts(field)?;
        at_most("too-many-moves", fields.name(field), moves.len(), max, "moves")?;
        for (number, text) in (1..).zip(moves) {
            let board = self.game.board();
            let mv = board.read_move(text, self.chess960).ok();
            self.last = mv.map(|mv| [mv.from(), targets(board, mv, self.chess960).0]);
            let refuse = |error| RequestError::new("bad-move", fields.name(field), format!("move {number} {error}"));
            match mv {
                Some(mv) => self.game.play(mv),
                None => self.game.play_text(text, self.chess960).map_err(refuse)?,
            }
            self.moves.push(mv);
            self.opening = openings::named(self.game.board()).or(self.opening);
        }
        Ok(())
    }
}

/// The start position of a place or a document.
pub fn start(fields: Fields) -> Result<Board, RequestError> {
    let start = fields.text("start")?.map_or_else(|| Ok(Board::start()), Board::from_fen);
    start.map_err(|error| RequestError::new("bad-fen", fields.name("start"), error))
}

/// The displayed target of a move, and another one on which a castling king may be dropped.
fn targets(board: &Board, mv: Move, chess960: bool) -> (Square, Option<Square>) {
    if !mv.is_castle() {
        return (mv.to(), None);
    }
    let (king, rook) = (mv.castling_side().king_target(board.side_to_move()), mv.to());
    // As in UCI notation.
    if !chess960 && king.file().index().abs_diff(mv.from().file().index()) > 1 {
        return (king, Some(rook));
    }
    let is_free = |mv: &Move| mv.is_castle() || mv.to() != king;
    let own = |mv: &Move| mv.from() == board.king(board.side_to_move());
    let can_drop = king != rook && king != mv.from() && board.legal_moves().iter().filter(|mv| own(mv)).all(is_free);
    (rook, can_drop.then_some(king))
}

fn legal(board: &Board, mv: Move, chess960: bool) -> Value {
    let (to, also) = targets(board, mv, chess960);
    let mut legal = json!({
        "uci": board.uci(mv, chess960),
        "san": board.san(mv),
        "fen": board.after(mv).fen(chess960),
        "from": mv.from().to_string(),
        "to": to.to_string(),
    });
    if let Some(also) = also {
        legal["also"] = json!([also.to_string()]);
    }
    if let Some(piece) = mv.promoted() {
        legal["promotion"] = piece.letter().to_string().into();
    }
    legal
}

/// The result of a finished game, and why.
fn over(game: &Game) -> Option<Value> {
    let (result, why) = match game.verdict()? {
        Verdict::Checkmate if game.board().side_to_move() == Color::White => ("0-1", "checkmate"),
        Verdict::Checkmate => ("1-0", "checkmate"),
        Verdict::Stalemate => ("1/2-1/2", "stalemate"),
        Verdict::Fifty => ("1/2-1/2", "fifty moves"),
        Verdict::Threefold => ("1/2-1/2", "repetition"),
        Verdict::Insufficient => ("1/2-1/2", "insufficient material"),
    };
    Some(json!({ "result": result, "why": why }))
}

/// The tablebase result of a move for the side that plays it: win, cursed (a win prevented by the fifty-move rule), draw, blessed
/// or loss; and the plies to the next capture or pawn move after it.
fn verdict(tables: &Tables, game: &Game, mv: Move, in_time: &dyn Fn() -> bool) -> Option<Value> {
    let after = game.board().after(mv);
    if after.occupied().count() > tables.summary().max_pieces || !game.board().castling().is_empty() {
        return None;
    }
    let wdl = match tables.rank_by_distance(game, mv, in_time)?.wdl {
        Wdl::Win => "win",
        Wdl::CursedWin => "cursed",
        Wdl::Draw => "draw",
        Wdl::BlessedLoss => "blessed",
        Wdl::Loss => "loss",
    };
    // Nothing follows mate or stalemate.
    let dtz = if after.has_legal_move() { tables.dtz(&after)?.abs() } else { 0 };
    Some(json!({ "wdl": wdl, "dtz": dtz }))
}

pub fn position(fields: Fields, tables: Option<&Tables>) -> Answer {
    let place = Place::parse(fields)?;
    let (board, chess960) = (place.game.board(), place.chess960);
    let turn = board.side_to_move();
    let (began, moves) = (Instant::now(), board.legal_moves());
    let in_time = || began.elapsed() < TABLEBASE_TIME;
    let verdicts: Vec<_> = moves.iter().map(|&mv| verdict(tables?, &place.game, mv, &in_time)).collect();
    let is_complete = in_time();
    let described = moves.iter().zip(verdicts).map(|(&mv, verdict)| {
        let mut legal = legal(board, mv, chess960);
        if let Some(verdict) = verdict.filter(|_| is_complete) {
            legal["tablebase"] = verdict;
        }
        legal
    });
    Ok(json!({
        "fen": board.fen(chess960),
        "turn": if turn == Color::White { "w" } else { "b" },
        "number": board.fullmove_number(),
        "check": board.in_check().then(|| board.king(turn).to_string()),
        "last": place.last.map(|squares| squares.map(|square| square.to_string())),
        "legal": described.collect::<Vec<_>>(),
        "over": over(&place.game),
        "opening": place.opening.map(|(eco, name)| json!({ "eco": eco, "name": name })),
    }))
}

/// Parses a typed move leniently.
fn typed(board: &Board, text: &str, chess960: bool) -> Option<Move> {
    let text: String = words(text).collect();
    let text = text.trim_end_matches(['!', '?']);
    parse_move(board, text, chess960).or_else(|| {
        // Lower-case piece letters; pawn moves have been tried.
        let piece = text.chars().next().filter(|c| "nbrqk".contains(*c))?;
        parse_move(board, &format!("{}{}", piece.to_ascii_uppercase(), &text[1..]), chess960)
    })
}

pub fn play(fields: Fields) -> Answer {
    let place = Place::parse(fields)?;
    let text = fields.need("text", "a move such as Nf3", fields.text("text")?)?;
    let (board, chess960) = (place.game.board(), place.chess960);
    let Some(mv) = typed(board, text, chess960) else {
        let expected = match board.legal_moves().first() {
            Some(&mv) => format!("a legal move such as {}", board.san(mv)),
            None => "none, the game is over".into(),
        };
        let text = format!("{} is not a legal move in {}; expected {expected}", quoted(text), board.fen(chess960));
        return Err(RequestError::new("bad-move", "text", text));
    };
    Ok(legal(board, mv, chess960))
}

pub fn line(fields: Fields) -> Answer {
    let mut place = Place::parse(fields)?;
    let (mut board, before) = (place.game.board().clone(), place.moves.len());
    place.play(fields, "pv", MAX_LINE)?;
    let (mut fens, mut sans, mut ucis) = (Vec::new(), Vec::new(), Vec::new());
    for &mv in &place.moves[before..] {
        ucis.push(mv.map_or_else(|| "0000".into(), |mv| board.uci(mv, place.chess960)));
        sans.push(san(&board, mv, false));
        board = PgnMove::from(mv).after(&board);
        fens.push(board.fen(place.chess960));
    }
    Ok(json!({ "fens": fens, "san": sans, "uci": ucis }))
}

pub fn setup(fields: Fields) -> Answer {
    if let Some(number) = fields.number("number", 0..=959)? {
        return Ok(json!({ "fen": chess960_start(number as usize).fen(true), "chess960": true, "problems": [] }));
    }
    let fen = fields.need("fen", "a FEN, or \"number\" from 0 to 959", fields.text("fen")?)?;
    let asked = fields.flag("chess960")?;
    Ok(match Board::from_fen(fen) {
        Ok(board) => {
            let chess960 = asked || board.needs_chess960();
            json!({ "fen": board.fen(chess960), "chess960": chess960, "problems": oddities(&board, fen) })
        }
        Err(error) => json!({ "fen": null, "chess960": asked, "problems": [error.to_string()] }),
    })
}

/// The start position of Chess960 with this number.
fn chess960_start(number: usize) -> Board {
    let mut files = [' '; 8];
    files[2 * (number % 4) + 1] = 'B';
    files[2 * (number / 4 % 4)] = 'B';
    // The places of both knights among the five files that are free after the queen; the second one's shifts after the first.
    let pairs: Vec<[usize; 2]> = (0..5).flat_map(|a| (a + 1..5).map(move |b| [a, b])).collect();
    let [first, second] = pairs[number / 96];
    for (piece, nth) in [('Q', number / 16 % 6), ('N', first), ('N', second - 1), ('R', 0), ('K', 0), ('R', 0)] {
        if let Some(file) = files.iter_mut().filter(|file| **file == ' ').nth(nth) {
            *file = piece;
        }
    }
    let row = String::from_iter(files);
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{row} w KQkq - 0 1", row.to_lowercase());
    Board::from_fen(&fen).expect("a valid position")
}

/// Unusual features of a valid position.
fn oddities(board: &Board, fen: &str) -> Vec<String> {
    let mut odd = Vec::new();
    for (color, name) in Color::ALL.into_iter().zip(["White", "Black"]) {
        let count = |kind| board.pieces(color, kind).count();
        let pawns = count(PieceType::Pawn);
        let pieces = [(PieceType::Queen, 1), (PieceType::Rook, 2), (PieceType::Bishop, 2), (PieceType::Knight, 2)];
        let promoted: u32 = pieces.into_iter().map(|(kind, own)| count(kind).saturating_sub(own)).sum();
        if pawns > 8 {
            odd.push(format!("{name} has {pawns} pawns; expected up to 8"));
        } else if pawns + promoted > 8 {
            odd.push(format!("{name} has {pawns} pawns and {promoted} promoted pieces; expected up to 8 together"));
        }
    }
    if board.checkers().count() > 2 {
        odd.push(format!("{} pieces give check; expected up to 2", board.checkers().count()));
    }
    let wanted = fen.split_whitespace().nth(2).unwrap_or("-");
    let rights = board.fen(false);
    let rights = rights.split(' ').nth(2).unwrap_or("-");
    if wanted != "-" && wanted.len() != rights.trim_matches('-').len() {
        odd.push(format!("castling rights {}: only {rights} is possible", quoted(wanted)));
    }
    odd
}
