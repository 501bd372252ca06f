//! Updates values, costs, distances and components when the tree changes.

use super::graph::{Cost, Graph, NEVER, Node, Settings};
use super::position::{Position, Value};
use super::store::Store;
use crate::sql::Result;
use lento::chess::Move;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet, VecDeque};

/// Nodes whose values must be recomputed.
#[derive(Debug, Default)]
pub struct Changed(BTreeSet<i64>);

impl Changed {
    pub fn add(&mut self, nodes: impl IntoIterator<Item = i64>) {
        self.0.extend(nodes);
    }

    /// Recomputes these nodes and, as long as values change, their parents.
    pub fn update(self, store: &Store, settings: &Settings) -> Result<()> {
        // Deepest first, so that few nodes are computed twice.
        let nodes: Vec<i64> = self.0.into_iter().collect();
        let mut waiting: BTreeSet<_> = store.places(&nodes)?.into_iter().collect();
        while let Some((_, node, component)) = waiting.pop_first() {
            let unit = component.map_or_else(|| Ok(vec![node]), |component| store.members(component))?;
            let mut graph = store.load(&unit)?;
            let before = graph.solve(settings);
            for node in &graph.nodes[..unit.len()] {
                waiting.remove(&(Reverse(node.ply), node.id, component));
            }
            let changed = set_changed(store, &before, &graph)?;
            if !changed.is_empty() {
                let parents = store.parents(&changed)?.into_iter();
                waiting.extend(parents.filter(|(_, parent, _)| unit.binary_search(parent).is_err()));
            }
        }
        Ok(())
    }

    /// Finds or adds a position, with moves to positions in the tree.
    pub fn node(&mut self, store: &Store, position: &Position) -> Result<i64> {
        let (node, is_new) = store.add_node(position)?;
        if is_new {
            self.link(store, node, position)?;
        }
        Ok(node)
    }

    /// Adds the moves to positions in the tree.
    pub fn link(&mut self, store: &Store, node: i64, position: &Position) -> Result<()> {
        if position.fixed().is_some() {
            return Ok(());
        }
        let moves: Vec<(Move, String)> =
            position.board.legal_moves().into_iter().map(|mv| (mv, position.after(mv).key)).collect();
        let known = store.find_all(moves.iter().map(|(_, key)| key.as_str()))?;
        for (mv, key) in moves {
            if let Some(&child) = known.get(&key) {
                self.edge(store, node, mv.word(), child, position.is_irreversible(mv))?;
            }
        }
        Ok(())
    }

    /// Adds the positions of a line from a node, up to the end of the game. Returns the nodes after each move.
    pub fn line(&mut self, store: &Store, mut node: i64, mut at: Position, moves: &[Move]) -> Result<Vec<i64>> {
        let mut line = Vec::new();
        for &mv in moves {
            if at.fixed().is_some() {
                break;
            }
            let next = at.after(mv);
            let child = self.node(store, &next)?;
            self.edge(store, node, mv.word(), child, at.is_irreversible(mv))?;
            line.push(child);
            (node, at) = (child, next);
        }
        Ok(line)
    }

    pub fn edge(&mut self, store: &Store, parent: i64, mv: u16, child: i64, irreversible: bool) -> Result<()> {
        if !store.add_edge(parent, mv, child, irreversible)? {
            return Ok(());
        }
        self.add([parent]);
        if !irreversible {
            self.join(store, parent, child)?;
        }
        self.update_plies(store, parent, child)
    }

    fn update_plies(&mut self, store: &Store, parent: i64, child: i64) -> Result<()> {
        let mut waiting = VecDeque::from([(parent, child)]);
        while let Some((parent, child)) = waiting.pop_front() {
            let Some(ply) = store.ply(parent)?.map(|ply| ply + 1) else { continue };
            if store.ply(child)?.is_some_and(|known| known <= ply) {
                continue;
            }
            store.set_ply(child, Some(ply))?;
            self.add([child]);
            waiting.extend(store.moves(child)?.into_iter().map(|next| (child, next.child)));
        }
        Ok(())
    }

    /// Joins the nodes on cycles closed by a new move into a component.
    fn join(&mut self, store: &Store, parent: i64, child: i64) -> Result<()> {
        if let [(_, _, Some(one)), (_, _, Some(other))] = store.places(&[parent, child])?[..]
            && one == other
        {
            return Ok(());
        }
        // Alternates between both ends, so that the smaller side shows that there is no cycle.
        let (mut below, mut above) = (Reach::new(child), Reach::new(parent));
        while below.grow(store, false)? && above.grow(store, true)? {}
        if !below.seen.contains(&parent) && !above.seen.contains(&child) {
            return Ok(());
        }
        while below.grow(store, false)? || above.grow(store, true)? {}
        let members: BTreeSet<i64> = below.seen.intersection(&above.seen).copied().collect();
        let component = members.first().copied().unwrap_or(parent);
        // Members of earlier components are on cycles with these, so all are included.
        store.set_component(&members.into_iter().collect::<Vec<_>>(), component)?;
        self.add([component]);
        Ok(())
    }
}

/// The nodes reachable from one end of a move.
struct Reach {
    seen: HashSet<i64>,
    waiting: VecDeque<i64>,
}

impl Reach {
    fn new(node: i64) -> Self {
        Self { seen: HashSet::from([node]), waiting: VecDeque::from([node]) }
    }

    /// Visits a few more nodes. Returns false at the end.
    fn grow(&mut self, store: &Store, parents: bool) -> Result<bool> {
        let nodes: Vec<i64> = self.waiting.drain(..self.waiting.len().min(32)).collect();
        if nodes.is_empty() {
            return Ok(false);
        }
        let reached = store.reversible(&nodes, parents)?.into_iter();
        self.waiting.extend(reached.filter(|&next| self.seen.insert(next)));
        Ok(true)
    }
}

/// Stores values and costs that have changed. Returns their nodes.
fn set_changed(store: &Store, before: &[(Option<Value>, Cost)], graph: &Graph) -> Result<Vec<i64>> {
    let both = graph.nodes.iter().zip(before);
    let changed: Vec<&Node> =
        both.filter(|(node, before)| (node.value, node.cost) != **before).map(|(node, _)| node).collect();
    store.set_results(&changed)?;
    Ok(changed.into_iter().map(|node| node.id).collect())
}

/// Recomputes the whole tree and stores the changes.
pub fn store_all(store: &Store, settings: &Settings) -> Result<()> {
    let mut graph = store.load_all()?;
    let before = graph.solve(settings);
    set_changed(store, &before, &graph)?;
    debug_assert!(graph.nodes.iter().all(|node| node.cost <= NEVER), "costs up to NEVER");
    Ok(())
}
