//! A web page to navigate the tree.

use super::super::args::Export;
use super::super::position::{Value, centipawns};
use super::super::show::own_search;
use super::super::store::Search;
use super::super::{Named, Tree};
use super::{narrow, walk};
use crate::report::LINE_PLIES;
use crate::report::html::{NAME, PIECES, board, data, escape, fill, script, style};
use lento::chess::Color;
use lento_console::document::notation;
use lento_console::table::numbered;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::error::Error;

pub fn page(tree: &Tree, named: &Named, args: &Export) -> Result<String, Box<dyn Error>> {
    let mut visits = Vec::new();
    let select = |rows: &mut Vec<_>| narrow(rows, args.within, args.best);
    walk(tree, named, select, |visit| {
        visits.push(visit);
        Ok(visits.len() < args.max_positions)
    })?;
    let index: HashMap<i64, usize> = visits.iter().enumerate().map(|(at, visit)| (visit.node, at)).collect();
    let mut nodes = Vec::new();
    for visit in &visits {
        let board = &visit.position.board;
        let shown = |value: Option<Value>| {
            value.map_or(Json::Null, |value| json!([f64::from(value) / 1e4, f64::from(centipawns(value)) / 100.0]))
        };
        let rows = visit.rows.iter().map(|row| {
            let target = row.child.and_then(|child| index.get(&child));
            let depth = row.search.as_ref().map(|search| search.depth);
            let marks = u8::from(row.pinned) + 2 * u8::from(row.child.is_some());
            // Origin and target, of the king when castling.
            let squares = &board.uci(row.mv, false)[..4];
            json!([board.san(row.mv), squares, target, shown(row.value), shown(row.own), depth, marks, row.note])
        });
        let rows: Vec<Json> = rows.collect();
        let own = own_search(tree, visit.node)?;
        let (_, line) = notation(board, &own.as_ref().map(Search::line).unwrap_or_default(), false);
        let line = line[..line.len().min(LINE_PLIES)].join(" ");
        let (fen, white, note) = (board.fen(false), u8::from(visit.position.white()), tree.store.note(visit.node)?);
        let value = shown(own.as_ref().map(|search| search.value));
        let effort = own.map(|search| json!([search.depth, search.nodes]));
        nodes.push(json!([fen.split(' ').next(), white, rows, value, effort, line, note]));
    }
    let name = tree.store.location().name();
    let start = numbered(&named.start, &named.line).join(" ");
    let first = named.board.fullmove_number() * 2 + u32::from(named.board.side_to_move() == Color::Black);
    Ok(fill(
        include_str!("page.html"),
        &[
            ("name", &NAME),
            ("title", &escape(&name)),
            ("style", &style(include_str!("../../report/html/report.css"))),
            ("pieces", &PIECES),
            ("board", &board(&named.position.board)),
            ("start", &escape(&start)),
            ("first", &first),
            ("data", &data(&json!(nodes))),
            ("script", &script(include_str!("page.js"))),
        ],
    ))
}
