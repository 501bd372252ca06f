//! `lento tree verify`: recomputes everything.

use super::graph::{Graph, NEVER};
use super::position::Position;
use super::store::{Entry, Search, Step};
use super::{Tree, settings};
use crate::database::Location;
use crate::sql;
use lento::chess::{Board, Move};
use lento_console::Done;
use lento_console::notice::printable;
use lento_console::units::counted;
use std::collections::{HashMap, VecDeque};
use std::fmt::Debug;
use std::io::{Write, stdout};
use std::process::ExitCode;

const MAX_PROBLEMS: usize = 100;

pub fn run(location: &Location) -> Done {
    let tree = Tree::open_to_read(location)?;
    let problems = tree.store.read(|_| check(&tree))?;
    let mut out = stdout();
    for problem in problems.iter().take(MAX_PROBLEMS) {
        writeln!(out, "{}", printable(problem))?;
    }
    writeln!(out, "{}: {}", tree.store.size()?, counted(problems.len() as u64, "problem"))?;
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(value: Option<impl Debug>) -> String {
    value.map_or_else(|| "none".into(), |value| format!("{value:?}"))
}

pub fn check(tree: &Tree) -> sql::Result<Vec<String>> {
    let mut graph = tree.store.load_all()?;
    let stored = graph.solve(&settings(&tree.store)?);
    let mut problems = Vec::new();
    for (node, (value, cost)) in graph.nodes.iter().zip(stored) {
        if value != node.value {
            problems.push(format!("node {}: value {}, expected {}", node.id, shown(value), shown(node.value)));
        }
        if cost != node.cost || cost > NEVER {
            problems.push(format!("node {}: cost {cost}, expected {}", node.id, node.cost));
        }
    }
    for (node, ply) in graph.nodes.iter().zip(plies(&graph, tree.root)) {
        if node.ply != ply {
            problems.push(format!("node {}: ply {}, expected {}", node.id, shown(node.ply), shown(ply)));
        }
    }
    let mut after = 0;
    loop {
        let page = tree.store.page(after)?;
        let Some(last) = page.last() else { return Ok(problems) };
        after = last.id;
        let ids: Vec<i64> = page.iter().map(|entry| entry.id).collect();
        let (mut moves, mut searches) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        tree.store.moves_of(&ids)?.into_iter().for_each(|(id, step)| moves.entry(id).or_default().push(step));
        let found = tree.store.searches_of(&ids)?.into_iter();
        found.for_each(|(id, _, search)| searches.entry(id).or_default().push(search));
        let children: Vec<i64> = moves.values().flatten().map(|step| step.child).collect();
        let keys = tree.store.texts(&children)?;
        for Entry { id, key, .. } in page {
            let of_node = |step: &Step| (*step, keys.get(&step.child).map_or("", |(key, _)| key.as_str()));
            let moves: Vec<_> = moves.get(&id).into_iter().flatten().map(of_node).collect();
            let searches = searches.get(&id).map_or(&[][..], Vec::as_slice);
            if let Err(problem) = check_node(&graph, id, &key, &moves, searches) {
                problems.push(format!("node {id}: {problem}"));
            }
        }
    }
}

pub fn plies(graph: &Graph, root: i64) -> Vec<Option<i64>> {
    let mut plies = vec![None; graph.nodes.len()];
    let mut waiting = VecDeque::new();
    if let Some(root) = graph.nodes.iter().position(|node| node.id == root) {
        plies[root] = Some(0);
        waiting.push_back(root);
    }
    while let Some(at) = waiting.pop_front() {
        for edge in &graph.nodes[at].edges {
            let child = edge.child as usize;
            if plies[child].is_none() {
                plies[child] = plies[at].map(|ply| ply + 1);
                waiting.push_back(child);
            }
        }
    }
    plies
}

fn check_node(graph: &Graph, id: i64, key: &str, steps: &[(Step, &str)], searches: &[Search]) -> Result<(), String> {
    let position = Position::from_key(key.to_owned())?;
    if Position::new(&position.board).key != key {
        return Err(format!("{key:?} is not a normalised position"));
    }
    let moves = position.board.legal_moves();
    let node = graph.nodes.binary_search_by_key(&id, |node| node.id).ok().map(|at| &graph.nodes[at]);
    let facts = node.map(|node| (node.white, node.moves, node.fixed));
    if facts != Some((position.white(), moves.len(), position.fixed())) {
        return Err(format!("side, moves and end of the game are {facts:?} for {key}"));
    }
    for (edge, child) in steps {
        if !moves.contains(&edge.mv) {
            return Err(format!("illegal move {} in {key}", position.board.uci(edge.mv, true)));
        }
        let expected = position.after(edge.mv).key;
        if *child != expected || edge.irreversible != position.is_irreversible(edge.mv) {
            return Err(format!("{} leads to {child}, expected {expected}", position.board.san(edge.mv)));
        }
    }
    for search in searches {
        if search.pv.first().is_none_or(|mv| search.avoided.contains(mv)) || !is_line(&position.board, &search.pv) {
            return Err(format!("a search with an illegal line in {key}"));
        }
    }
    Ok(())
}

fn is_line(board: &Board, words: &[u16]) -> bool {
    let mut board = board.clone();
    words.iter().all(|&word| {
        let mv = Move::from_word(word).filter(|&mv| board.is_legal(mv));
        mv.map(|mv| board.play(mv)).is_some()
    })
}
