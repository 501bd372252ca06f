//! `lento tree show`: a position with its moves.

use super::args::Show;
use super::graph::{NEVER, Node};
use super::opening::Opening;
use super::position::{FULL, Value, centipawns};
use super::store::Search;
use super::{Named, Tree};
use crate::database::Location;
use crate::sql;
use lento::chess::{Board, Move};
use lento_console::Done;
use lento_console::document::notation;
use lento_console::notice::printable;
use lento_console::table::numbered;
use lento_console::units;
use serde_json::{Value as Json, json};
use std::io::{Write, stdout};
use std::process::ExitCode;

/// Maximum count of nodes below a move.
const MAX_BELOW: i64 = 1000;

/// A move of a node for display.
pub struct Row {
    pub mv: Move,
    /// The child; `None` for the best move without one.
    pub child: Option<i64>,
    /// The value for the side that plays it.
    pub value: Option<Value>,
    /// The value of the child's own search.
    pub own: Option<Value>,
    pub search: Option<Search>,
    pub pinned: bool,
    pub excluded: bool,
    pub note: String,
}

/// The moves of a node, best first, excluded ones last.
pub fn rows(tree: &Tree, node: i64) -> sql::Result<Vec<Row>> {
    let store = &tree.store;
    let graph = store.load(&[node])?;
    let children: Vec<i64> = graph.nodes[1..].iter().map(|node| node.id).collect();
    let (texts, searches) = (store.texts(&children)?, store.searches_of(&children)?);
    let mut rows = Vec::new();
    for edge in &graph.nodes[0].edges {
        let child = graph.nodes[edge.child as usize].id;
        let search = searches.iter().find(|(node, _, search)| *node == child && search.avoided.is_empty());
        let search = search.map(|(.., search)| search.clone());
        rows.push(Row {
            mv: edge.mv,
            child: Some(child),
            value: graph.move_value(edge),
            own: search.as_ref().map(|search| FULL - search.value),
            search,
            pinned: edge.pinned,
            excluded: edge.excluded,
            note: texts.get(&child).map_or_else(String::new, |(_, note)| note.clone()),
        });
    }
    if let Some(found) = graph.search(0) {
        let mut searches = store.searches(node)?.into_iter();
        let search = searches.find(|search| search.pv.first() == Some(&found.mv.word()) && search.value == found.value);
        let (mv, value, note) = (found.mv, Some(found.value), String::new());
        match rows.iter_mut().find(|row| row.mv == mv) {
            Some(row) => (row.value, row.search) = (value, search),
            None => rows.push(Row { mv, child: None, value, own: value, search, pinned: false, excluded: false, note }),
        }
    }
    rows.sort_by_key(|row| (row.excluded, std::cmp::Reverse((row.value, row.own)), row.mv.word()));
    Ok(rows)
}

/// The most reliable search of all moves.
pub fn own_search(tree: &Tree, node: i64) -> sql::Result<Option<Search>> {
    Ok(tree.store.searches(node)?.into_iter().find(|search| search.avoided.is_empty()))
}

/// The best line: moves of the tree up to a repetition, continued by the last node's search.
pub fn best_line(tree: &Tree, mut node: i64) -> sql::Result<Vec<Move>> {
    let (mut line, mut seen) = (Vec::new(), vec![node]);
    loop {
        let rows = rows(tree, node)?;
        let Some(best) = rows.first().filter(|row| !row.excluded && row.value.is_some()) else { return Ok(line) };
        let Some(child) = best.child else {
            line.extend(best.search.iter().flat_map(Search::line));
            return Ok(line);
        };
        line.push(best.mv);
        if seen.contains(&child) {
            return Ok(line);
        }
        seen.push(child);
        node = child;
    }
}

/// A value in percent and centipawns.
pub fn percent(value: Value) -> String {
    let points = match value {
        FULL => "won".into(),
        0 => "lost".into(),
        value => format!("{:+.2}", f64::from(centipawns(value)) / 100.0),
    };
    format!("{:.1} % {points}", f64::from(value) / 1e4)
}

/// A node for display.
struct Shown {
    node: Node,
    /// The value of its own search.
    own: Option<Value>,
    note: String,
    rows: Vec<Row>,
    /// The number of nodes below each move.
    below: Vec<i64>,
    best: Vec<Move>,
}

fn shown(tree: &Tree, node: i64) -> sql::Result<Shown> {
    let store = &tree.store;
    let rows = rows(tree, node)?;
    let below = rows.iter().map(|row| row.child.map_or(Ok(0), |child| store.below(child, MAX_BELOW)));
    Ok(Shown {
        node: store.load(&[node])?.nodes.swap_remove(0),
        own: own_search(tree, node)?.map(|search| search.value),
        note: store.note(node)?,
        below: below.collect::<sql::Result<_>>()?,
        best: best_line(tree, node)?,
        rows,
    })
}

pub fn run(args: &Show) -> Done {
    let tree = Tree::open_to_read(&args.at.tree)?;
    let named = tree.node(&args.at.node)?;
    let shown = shown(&tree, named.node)?;
    let text = if args.json {
        format!("{:#}", document(&tree, &named.board, &named.path, &shown)?)
    } else {
        table(&named, &shown)
    };
    writeln!(stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}

/// A node for the page of `lento serve`: the document of `lento tree show --json`, with the root (`start`, `start960`) and lines
/// in SAN (`path_san`, `best_san`).
pub fn look(location: &Location, name: &str) -> Result<Json, String> {
    let tree = Tree::open_to_read(location)?;
    let Named { node, board, path, .. } = tree.node(name)?;
    let shown = shown(&tree, node)?;
    let mut document = document(&tree, &board, &path, &shown)?;
    document["start"] = tree.opening.root.fen(false).into();
    document["start960"] = tree.opening.root.fen(true).into();
    document["path_san"] = json!(notation(&tree.opening.root, &path, false).1);
    document["best_san"] = json!(notation(&board, &shown.best, false).1);
    Ok(document)
}

fn table(Named { board, start, line, .. }: &Named, shown: &Shown) -> String {
    let text = |value: Option<Value>| value.map_or_else(|| "–".into(), percent);
    let mut lines = vec![board.fen(false)];
    if !line.is_empty() {
        lines.push(numbered(start, line).join(" "));
    }
    lines.push(format!("tree {}, own search {}", text(shown.node.value), text(shown.own)));
    if !shown.note.is_empty() {
        lines.push(printable(&shown.note));
    }
    lines.push(format!(
        "\n{:<8} {:>14} {:>14} {:>5} {:>7} {:>6}",
        "move", "tree", "own search", "depth", "nodes", "below"
    ));
    for (row, &below) in shown.rows.iter().zip(&shown.below) {
        let (depth, nodes) = row.search.as_ref().map_or((0, 0), |search| (search.depth, search.nodes));
        let below = if below == MAX_BELOW { format!("{MAX_BELOW}+") } else { below.to_string() };
        let (san, value, own, nodes) = (board.san(row.mv), text(row.value), text(row.own), units::count(nodes as u64));
        let mut line = format!("{san:<8} {value:>14} {own:>14} {depth:>5} {nodes:>7} {below:>6}");
        for (is_set, word) in [(row.pinned, "pinned"), (row.excluded, "excluded")] {
            if is_set {
                line = line + "  " + word;
            }
        }
        if !row.note.is_empty() {
            line = line + "  " + &printable(&row.note.replace('\n', "; "));
        }
        lines.push(line);
    }
    if !shown.best.is_empty() {
        lines.push(format!("\nbest line: {}", numbered(board, &shown.best).join(" ")));
    }
    lines.join("\n")
}

fn document(tree: &Tree, board: &Board, path: &[Move], shown: &Shown) -> sql::Result<Json> {
    let points = |value: Value| f64::from(value) / 1e6;
    let moves = shown.rows.iter().zip(&shown.below).map(|(row, below)| {
        json!({
            "uci": board.uci(row.mv, false),
            "san": board.san(row.mv),
            "in_tree": row.child.is_some(),
            "expected": row.value.map(points),
            "own_expected": row.own.map(points),
            "depth": row.search.as_ref().map(|search| search.depth),
            "nodes": row.search.as_ref().map(|search| search.nodes),
            "below": below,
            "pinned": row.pinned,
            "excluded": row.excluded,
            "note": row.note,
        })
    });
    let words = |start, moves: &[Move]| notation(start, moves, false).0;
    let Opening { start, moves: before, root } = &tree.opening;
    let (positions, searches) = tree.store.count()?;
    Ok(json!({
        "fen": board.fen(false),
        "opening": { "fen": start.fen(false), "moves": words(start, before) },
        "path": words(root, path),
        "expected": shown.node.value.map(points),
        "own_expected": shown.own.map(points),
        "cost": Some(shown.node.cost).filter(|cost| *cost < NEVER).map(|cost| cost as f64 / 1e6),
        "ply": shown.node.ply,
        "note": shown.note,
        "moves": moves.collect::<Vec<_>>(),
        "best_line": words(board, &shown.best),
        "positions": positions,
        "searches": searches,
    }))
}
