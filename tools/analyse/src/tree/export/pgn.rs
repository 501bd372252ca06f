//! The tree as a game with variations.

use super::super::args::Export;
use super::super::position::{FULL, centipawns};
use super::super::show::{Row, rows};
use super::super::{Named, Tree};
use super::narrow;
use crate::report::{ROSTER, Wrapped};
use crate::sql;
use lento::chess::{Board, Color};
use std::collections::HashSet;

struct Writer<'a> {
    tree: &'a Tree,
    args: &'a Export,
    text: Wrapped,
    /// Nodes whose moves have been written.
    written: HashSet<i64>,
}

/// The moves of a node as variations of the game that leads to it.
pub fn game(tree: &Tree, Named { node, start, line, .. }: &Named, args: &Export) -> sql::Result<String> {
    let mut tags = ROSTER.map(|(name, unknown)| (name, unknown.to_owned())).to_vec();
    tags[0].1 = format!("Tree {}", tree.store.location().name());
    let chess960 = start.needs_chess960();
    tags.extend(chess960.then(|| ("Variant", "Chess960".into())));
    if *start != Board::start() {
        tags.extend([("SetUp", "1".into()), ("FEN", start.fen(chess960))]);
    }
    let mut writer = Writer { tree, args, text: Wrapped::default(), written: HashSet::new() };
    let mut board = start.clone();
    for (at, &mv) in line.iter().enumerate() {
        writer.text.played(&board, mv, at == 0, &[]);
        board.play(mv);
    }
    writer.note(*node, None)?;
    writer.line(*node, board, line.is_empty())?;
    Ok(writer.text.game(&tags, "*"))
}

impl Writer<'_> {
    /// Writes the best line from a node, with the other moves as variations. A variation that transposes to the line ends there.
    fn line(&mut self, mut node: i64, mut board: Board, mut first: bool) -> sql::Result<()> {
        let mut steps = Vec::new();
        while self.written.insert(node) {
            let mut moves = rows(self.tree, node)?;
            moves.retain(|row| !row.excluded && row.child.is_some());
            narrow(&mut moves, self.args.within, self.args.best);
            let Some(best) = moves.first() else { break };
            let after = board.after(best.mv);
            node = best.child.unwrap_or(node);
            steps.push((std::mem::replace(&mut board, after), moves));
        }
        for (board, moves) in steps {
            let Some((best, others)) = moves.split_first() else { continue };
            self.played(&board, best, first)?;
            for other in others {
                self.text.open();
                self.played(&board, other, true)?;
                if let Some(child) = other.child {
                    self.line(child, board.after(other.mv), false)?;
                }
                self.text.close();
            }
            first = false;
        }
        Ok(())
    }

    fn played(&mut self, board: &Board, row: &Row, first: bool) -> sql::Result<()> {
        self.text.played(board, row.mv, first, &[]);
        let Some(child) = row.child else { return Ok(()) };
        let white = board.side_to_move() == Color::White;
        let value = row.value.map(|value| centipawns(if white { value } else { FULL - value }));
        let depth = row.search.as_ref().map_or_else(String::new, |search| format!(",{}", search.depth));
        self.note(child, value.map(|value| format!("[%eval {:.2}{depth}]", f64::from(value) / 100.0)))
    }

    /// Writes the evaluation and the note of a node, if any.
    fn note(&mut self, node: i64, evaluation: Option<String>) -> sql::Result<()> {
        let note = self.tree.store.note(node)?;
        let words: Vec<String> = evaluation.into_iter().chain(note.split_whitespace().map(str::to_owned)).collect();
        self.text.comment(&words);
        Ok(())
    }
}
