//! The tree as a game with variations.

use super::super::args::Export;
use super::super::position::{FULL, centipawns};
use super::super::show::{Row, rows};
use super::super::{Named, Tree};
use super::narrow;
use crate::pgn::{PgnGame, PgnMove, Remarks, Variation};
use crate::report::write;
use crate::sql;
use lento::chess::{Board, Color};
use std::collections::HashSet;

struct Writer<'a> {
    tree: &'a Tree,
    args: &'a Export,
    /// Nodes whose moves have been written.
    written: HashSet<i64>,
}

/// The moves of a node as variations of the game that leads to it.
pub fn game(tree: &Tree, Named { node, board, start, line, .. }: &Named, args: &Export) -> sql::Result<String> {
    let mut writer = Writer { tree, args, written: HashSet::new() };
    let mut moves: Vec<PgnMove> = line.iter().map(|&mv| Some(mv).into()).collect();
    let mut comment = None;
    let place = moves.last_mut().map_or(&mut comment, |last| &mut last.remarks.comment);
    *place = Some(tree.store.note(*node)?);
    moves.extend(writer.line(*node, board.clone())?);
    let tags = vec![("Event".into(), format!("Tree {}", tree.store.location().name()))];
    let (start, chess960) = (start.clone(), start.needs_chess960());
    let mut game = PgnGame { tags, chess960, start, comment, moves, result: "*".into() };
    game.tags = write::tags(&game);
    Ok(write::pgn(&game))
}

impl Writer<'_> {
    /// The best line from a node, with the other moves as variations. A variation that transposes to the line ends there.
    fn line(&mut self, mut node: i64, mut board: Board) -> sql::Result<Vec<PgnMove>> {
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
        let mut line = Vec::new();
        for (board, rows) in steps {
            let Some((best, others)) = rows.split_first() else { continue };
            let mut played = self.played(&board, best)?;
            for other in others {
                let mut moves = vec![self.played(&board, other)?];
                if let Some(child) = other.child {
                    moves.extend(self.line(child, board.after(other.mv))?);
                }
                played.remarks.variations.push(Variation { comment: None, moves });
            }
            line.push(played);
        }
        Ok(line)
    }

    /// A move with the evaluation and the note of its child.
    fn played(&self, board: &Board, row: &Row) -> sql::Result<PgnMove> {
        let mut comment = row.child.map_or(Ok(String::new()), |child| self.tree.store.note(child))?;
        if let Some(value) = row.value {
            let value = centipawns(if board.side_to_move() == Color::White { value } else { FULL - value });
            let depth = row.search.as_ref().map_or_else(String::new, |search| format!(",{}", search.depth));
            comment = format!("[%eval {:.2}{depth}] {comment}", f64::from(value) / 100.0);
        }
        Ok(PgnMove { mv: Some(row.mv), remarks: Remarks { comment: Some(comment), ..Remarks::default() } })
    }
}
