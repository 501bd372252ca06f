//! `lento tree export`.

mod page;
mod pgn;

use super::args::Export;
use super::position::{Position, centipawns};
use super::show::{Row, best_line, own_search, rows};
use super::{Named, Tree};
use lento::chess::Move;
use lento::internals::files::{Draft, write};
use lento_common::{outputs, polyglot};
use lento_console::Done;
use lento_console::document::notation;
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// Weight of best moves, halved for every [`HALF_LOSS`] centipawns lost.
const WEIGHT: f64 = 1000.0;
const HALF_LOSS: f64 = 15.0;

pub fn run(args: &Export) -> Done {
    let files: Vec<&Path> =
        [&args.pgn, &args.polyglot, &args.epd, &args.html].into_iter().flatten().map(|file| &**file).collect();
    if files.is_empty() {
        return Err("nothing to write; expected --pgn, --polyglot, --epd or --html".into());
    }
    outputs::check(files, args.at.tree.file())?;
    let tree = Tree::open_to_read(&args.at.tree)?;
    let named = tree.node(&args.at.node)?;
    if let Some(file) = &args.pgn {
        write(file, pgn::game(&tree, &named, args)?.as_bytes())?;
    }
    if let Some(file) = &args.polyglot {
        write(file, &book(&tree, &named, args)?)?;
    }
    if let Some(file) = &args.epd {
        epd(&tree, &named, file)?;
    }
    if let Some(file) = &args.html {
        write(file, page::page(&tree, &named, args)?.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Visit {
    node: i64,
    position: Position,
    /// The move to it, if known.
    last: Option<Move>,
    /// The moves to follow, best first.
    rows: Vec<Row>,
}

/// Visits nodes below a node breadth-first, each once, without excluded moves and those that `select` drops.
fn walk(
    tree: &Tree,
    first: &Named,
    select: impl Fn(&mut Vec<Row>),
    mut visit: impl FnMut(Visit) -> Result<bool, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let mut seen = HashSet::from([first.node]);
    let mut waiting = VecDeque::from([(first.node, first.position.clone(), first.line.last().copied())]);
    while let Some((node, position, last)) = waiting.pop_front() {
        let mut rows = rows(tree, node)?;
        rows.retain(|row| !row.excluded);
        select(&mut rows);
        for row in &rows {
            if let Some(child) = row.child.filter(|&child| seen.insert(child)) {
                waiting.push_back((child, position.after(row.mv), Some(row.mv)));
            }
        }
        if !visit(Visit { node, position, last, rows })? {
            break;
        }
    }
    Ok(())
}

/// Drops moves that lose more than `within` or are not among the best, except pinned ones.
fn narrow(rows: &mut Vec<Row>, within: i64, best: usize) {
    let max = rows.iter().filter_map(|row| row.value).max();
    let mut rank = 0;
    rows.retain(|row| {
        rank += 1;
        let (Some(max), Some(value)) = (max, row.value) else { return row.pinned };
        row.pinned || (rank <= best && i64::from(centipawns(max) - centipawns(value)) <= within)
    });
}

/// Writes searched positions as EPD: `ce`, `pm` and `pv` are value, move and line in the tree; `acd`, `acn` and `acs` are from the
/// node's own search.
fn epd(tree: &Tree, first: &Named, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut draft = Draft::create(file)?;
    let all = |_: &mut Vec<Row>| ();
    walk(tree, first, all, |visit| {
        if let (Some(own), Some(best)) = (own_search(tree, visit.node)?, visit.rows.first()) {
            let fen = visit.position.board.fen(false);
            let fields: Vec<&str> = fen.split(' ').collect();
            let line = best_line(tree, visit.node)?;
            let (_, pv) = notation(&visit.position.board, &line, false);
            let pm = visit.position.board.san(best.mv);
            let ce = best.value.map_or(0, centipawns);
            let (acd, acn, acs) = (own.depth, own.nodes, own.time_ms / 1000);
            let (fen, clock, pv) = (fields[..4].join(" "), fields[4], pv.join(" "));
            let text = format!("{fen} hmvc {clock}; acd {acd}; acn {acn}; acs {acs}; ce {ce}; pm {pm}; pv {pv};\n");
            draft.write(text.as_bytes())?;
        }
        Ok(true)
    })?;
    Ok(draft.finish(&[])?)
}

/// The moves to and below a node as a Polyglot opening book.
fn book(tree: &Tree, first: &Named, args: &Export) -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut entries, mut board, mut last) = (Vec::new(), first.start.clone(), None);
    for &mv in &first.line {
        entries.push(polyglot::Entry::new(polyglot::key(&board, last), mv, WEIGHT as u16));
        board.play(mv);
        last = Some(mv);
    }
    let select = |rows: &mut Vec<Row>| {
        // A best move that is not in the tree would hide worse ones that are.
        rows.retain(|row| row.child.is_some());
        narrow(rows, args.within, args.best);
    };
    walk(tree, first, select, |visit| {
        let key = polyglot::key(&visit.position.board, visit.last);
        let best = visit.rows.iter().filter_map(|row| row.value).max();
        for row in &visit.rows {
            let (Some(best), Some(value)) = (best, row.value) else { continue };
            let loss = f64::from(centipawns(best) - centipawns(value));
            let weight = (WEIGHT * (-loss / HALF_LOSS).exp2()).round().max(1.0) as u16;
            entries.push(polyglot::Entry::new(key, row.mv, weight));
        }
        Ok(true)
    })?;
    entries.sort_unstable_by_key(|entry| (entry.key, Reverse(entry.weight), entry.mv));
    entries.dedup();
    Ok(entries.into_iter().flat_map(polyglot::Entry::bytes).collect())
}
