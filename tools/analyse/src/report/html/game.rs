//! The HTML of a game.

use super::super::accuracy::Mark;
use super::super::{Study, san, san_words};
use super::{data, escape, fill};
use crate::pgn::Comment;
use lento::chess::Color;
use std::fmt::Write;

/// The section of a game; `number` starts at 1.
pub fn section(study: &Study, number: usize) -> String {
    let [white, black] = Color::ALL.map(|color| escape(study.player(color)));
    let end = study.boards.len() - 1;
    let share = study.values[end].map_or(0.5, |value| value.expected);
    let value = study.values[end].map_or_else(String::new, |value| value.text());
    fill(
        include_str!("game.html"),
        &[
            ("number", &number),
            ("white", &white),
            ("black", &black),
            ("result", &escape(&study.game.result)),
            ("facts", &facts(study)),
            ("seat of black", &seat(study, Color::Black)),
            ("share", &format_args!("{share:.3}")),
            ("board", &data::board(&study.boards[end])),
            ("seat of white", &seat(study, Color::White)),
            ("value", &value),
            ("summary", &summary(study, [&white, &black])),
            ("graph", &graph(study)),
            ("moves", &moves(study, number)),
            ("data", &data::document(study)),
        ],
    )
}

fn facts(study: &Study) -> String {
    let known = ["Event", "Site", "Date", "Round", "ECO", "Opening"].into_iter().filter_map(|name| study.tag(name));
    // Dates may be incomplete: `1997.??.??`.
    let facts: Vec<String> = known.map(|value| escape(value.trim_end_matches(".??"))).collect();
    if facts.is_empty() { String::new() } else { format!("<p><bdi>{}</bdi></p>", facts.join("</bdi> · <bdi>")) }
}

/// A player with the final clock, if known.
fn seat(study: &Study, color: Color) -> String {
    let clocks: Vec<(Color, String)> = (0..study.game.moves.len())
        .filter_map(|at| Some((study.boards[at].side_to_move(), study.clock(at)?)))
        .collect();
    if clocks.is_empty() {
        return String::new();
    }
    let clock = clocks.iter().rfind(|(side, _)| *side == color).map_or("–", |(_, clock)| clock);
    let class = if color == Color::White { "w" } else { "b" };
    let name = escape(study.player(color));
    format!("<div class=\"seat {class}\"><bdi>{name}</bdi><span class=\"clock\">{clock}</span></div>")
}

fn summary(study: &Study, names: [&str; 2]) -> String {
    if study.sides.iter().all(Option::is_none) {
        return String::new();
    }
    let mut text = String::from(
        "<table class=\"summary\"><thead><tr><td></td><th>Accuracy</th><th title=\"average loss in centipawns\">Loss, cp</th>\
         <th title=\"dubious moves\">?!</th><th title=\"mistakes\">?</th><th title=\"blunders\">??</th></tr></thead><tbody>",
    );
    for (side, name) in study.sides.into_iter().zip(names) {
        let cells = side.map_or(["–", "–", "", "", ""].map(String::from), |side| {
            let [dubious, mistakes, blunders] = side.marks.map(|count| count.to_string());
            [format!("{:.1} %", side.accuracy), format!("{:.0}", side.centipawns), dubious, mistakes, blunders]
        });
        let _ = write!(text, "<tr><th><bdi>{name}</bdi></th><td>{}</td></tr>", cells.join("</td><td>"));
    }
    text + "</tbody></table>\n"
}

/// The evaluation graph: one unit of width per move, White's expected score in percent, with gaps where positions were not
/// analysed.
fn graph(study: &Study) -> String {
    let width = (study.boards.len() - 1).max(1);
    let y = |at: usize| study.values[at].map(|value| 100.0 * (1.0 - value.expected));
    let mut area = String::new();
    for at in 0..study.boards.len() {
        let Some(y) = y(at) else { continue };
        let begins = at == 0 || study.values[at - 1].is_none();
        let _ = write!(area, "{}{at} {y:.1}", if begins { format!("M{at} 100L") } else { "L".into() });
        if study.values.get(at + 1).is_none_or(Option::is_none) {
            area.push_str("V100Z");
        }
    }
    let mut gaps = String::new();
    let is_gap = |&at: &usize| study.values[at].is_none() || study.values.get(at + 1).is_none_or(Option::is_none);
    let moves: Vec<usize> = (0..width).collect();
    for gap in moves.chunk_by(|one, next| is_gap(one) == is_gap(next)).filter(|run| is_gap(&run[0])) {
        let _ = write!(gaps, "<rect class=\"gap\" x=\"{}\" width=\"{}\" height=\"100\"/>", gap[0], gap.len());
    }
    let mut marks = String::new();
    for (at, judged) in study.moves.iter().enumerate() {
        let mark = judged.and_then(|judged| judged.mark).filter(|mark| matches!(mark, Mark::Mistake | Mark::Blunder));
        if let (Some(mark), Some(y)) = (mark, y(at + 1)) {
            let _ = write!(marks, "<path class=\"q{}\" d=\"M{} {y:.1}h0\"/>", mark as u8, at + 1);
        }
    }
    format!(
        "<svg class=\"graph\" viewBox=\"0 0 {width} 100\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"White's expected score over the game\">{gaps}<path class=\"area\" d=\"{area}\"/>\
         <path class=\"half\" d=\"M0 50H{width}\"/>{marks}<path class=\"now\" d=\"\"/></svg>\n"
    )
}

const EMPTY: &str = "<span class=\"empty\">…</span>";

/// The moves in two columns, with notes between.
fn moves(study: &Study, game: usize) -> String {
    let mut text = String::new();
    let comment = study.game.comment.as_deref().map_or_else(String::new, |comment| escape(&Comment::new(comment).text));
    if !comment.is_empty() {
        let _ = write!(text, "<p class=\"comment\"><bdi>{comment}</bdi></p>");
    }
    for (at, ply) in study.game.moves.iter().enumerate() {
        let board = &study.boards[at];
        let white = board.side_to_move() == Color::White;
        let broken = at > 0 && !note(study, at - 1).is_empty();
        if white || at == 0 || broken {
            let _ = write!(text, "<span class=\"index\">{}.</span>", board.fullmove_number());
        }
        if !white && (at == 0 || broken) {
            text.push_str(EMPTY);
        }
        let (mark, signs) = signs(study, at);
        let value = study.values[at + 1]
            .map_or_else(String::new, |value| format!("<span class=\"eval\">{}</span>", value.text()));
        let (place, san) = (at + 1, san(board, ply.mv, false));
        let link = format!(r##"id="g{game}-{place}" href="#g{game}-{place}""##);
        let _ = write!(text, "<a class=\"move\"{mark} {link}>{san}{signs}{value}</a>");
        let note = note(study, at);
        if !note.is_empty() {
            // Fills the cell of Black's move, which follows in its own row.
            let _ = write!(text, "{}<p class=\"comment\">{note}</p>", if white { EMPTY } else { "" });
        }
    }
    text + &format!("<p class=\"result\">{}</p>", escape(&study.game.result))
}

/// The mark attribute and the glyphs of a move.
fn signs(study: &Study, at: usize) -> (String, String) {
    let nags = super::super::annotate::nags(study, at);
    let quality = nags.iter().find(|nag| (1..=6).contains(*nag));
    let mark = quality.map_or_else(String::new, |nag| format!(" data-nag=\"{nag}\""));
    let signs: Vec<String> = nags.iter().filter_map(|&nag| sign(nag)).collect();
    (mark, if signs.is_empty() { String::new() } else { format!("<span class=\"glyphs\">{}</span>", signs.join(" ")) })
}

/// The text of a numeric annotation glyph.
fn sign(nag: u8) -> Option<String> {
    const QUALITY: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];
    const BALANCE: [&str; 10] = ["=", "=", "=", "∞", "⩲", "⩱", "±", "∓", "+−", "−+"];
    match nag {
        0 => None,
        1..=6 => Some(QUALITY[usize::from(nag) - 1].into()),
        10..=19 => Some(BALANCE[usize::from(nag) - 10].into()),
        _ => Some(format!("${nag}")),
    }
}

/// The note of a move: the file's comment, and the engine's better line.
fn note(study: &Study, at: usize) -> String {
    let comment = escape(&study.comment(at).text);
    let mut parts = Vec::new();
    if !comment.is_empty() {
        parts.push(format!("<bdi>{comment}</bdi>"));
    }
    if let Some(line) = study.better_line(at) {
        let words = san_words(&study.boards[at], line);
        if !words.is_empty() {
            let value = study.values[at].map_or_else(String::new, |value| value.text());
            parts.push(format!("<em>Better: {} ({value})</em>", words.join(" ")));
        }
    }
    parts.join(" ")
}
