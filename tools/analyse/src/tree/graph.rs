//! Values and costs of nodes, computed from searches, moves and settings.
//!
//! The value of a node is that of its best move (negamax): moves with children have the children's values, the best of the others
//! has the value of the search that excluded them. Endless play is a draw: values start at one half and are recomputed in rounds from
//! those of the previous round until none changes. After k rounds they are those of a game drawn after k plies, so forced results
//! are found in spite of cycles.
//!
//! The cost of a node is that of the cheapest place to grow below it. A move costs [`Settings::ply_cost`] plus its loss against
//! the best move (T. R. Lincke, "Strategies for the automatic construction of opening books", 2001).

use super::position::{FULL, HALF, Value, centipawns};
use lento::chess::Move;

/// Cost of growing, in millionths of a point.
pub type Cost = i64;
/// Cost if nothing is left to grow.
pub const NEVER: Cost = i64::MAX / 4;

/// Which moves are grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub ply_cost: Cost,
    /// Maximum distance of new nodes from the root.
    pub max_ply: Option<i64>,
    /// Of White's and Black's moves.
    pub sides: [Width; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Percentage of a loss that counts as cost.
    pub weight: i64,
    /// Maximum loss of grown moves in centipawns.
    pub within: Option<i32>,
    /// Maximum number of grown moves, the best ones.
    pub best: Option<i64>,
}

/// A loaded node.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub id: i64,
    pub white: bool,
    /// Legal moves.
    pub moves: usize,
    /// The value of a game that is over.
    pub fixed: Option<Value>,
    /// Distance from the root; `None` if there is no path.
    pub ply: Option<i64>,
    /// Whether a process is searching it.
    pub claimed: bool,
    pub value: Option<Value>,
    pub cost: Cost,
    /// Whether it is to be computed, not only a child of such a node. Only these have edges and searches.
    pub inside: bool,
    pub edges: Vec<Edge>,
    /// Most reliable first.
    pub found: Vec<Found>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub mv: Move,
    /// Index of the child.
    pub child: u32,
    pub pinned: bool,
    pub excluded: bool,
}

/// Best move and value of a search.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub mv: Move,
    pub value: Value,
}

/// Nodes with their moves and searches.
#[derive(Clone, Debug)]
pub struct Graph {
    pub nodes: Vec<Node>,
}

/// The cheapest way to grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// Search the node, excluding moves with children.
    Search,
    /// Add this move.
    Expand(Move),
    /// Continue at the child of this move.
    Child(Edge),
}

impl Graph {
    /// The search of moves without known children: the first whose best move has no child.
    pub fn search(&self, node: usize) -> Option<Found> {
        let counts = |found: &&Found| {
            let edge = self.nodes[node].edges.iter().find(|edge| edge.mv == found.mv);
            edge.is_none_or(|edge| !edge.excluded && self.nodes[edge.child as usize].value.is_none())
        };
        self.nodes[node].found.iter().find(counts).copied()
    }

    /// A move's value for the side that plays it.
    pub fn move_value(&self, edge: &Edge) -> Option<Value> {
        self.nodes[edge.child as usize].value.map(|value| FULL - value)
    }

    fn value(&self, node: usize) -> Option<Value> {
        let moves =
            self.nodes[node].edges.iter().filter(|edge| !edge.excluded).filter_map(|edge| self.move_value(edge));
        self.nodes[node].fixed.or_else(|| moves.chain(self.search(node).map(|found| found.value)).max())
    }

    /// The cheapest way to grow, and its cost.
    pub fn next(&self, at: usize, settings: &Settings) -> (Cost, Next) {
        let node = &self.nodes[at];
        let width = settings.sides[usize::from(!node.white)];
        let search = self.search(at);
        let included = || node.edges.iter().filter(|edge| !edge.excluded);
        let best = self.value(at).unwrap_or(HALF);
        let loses = |value: Value| Cost::from(best - value) * width.weight / 100;
        let is_wanted = |value: Value| {
            let better = included().filter_map(|edge| self.move_value(edge)).chain(search.map(|found| found.value));
            width.within.is_none_or(|max| centipawns(best) - centipawns(value) <= max)
                && width.best.is_none_or(|max| (better.filter(|&other| other > value).count() as i64) < max)
        };
        let mut next = (NEVER, Next::Nothing);
        let ply = node.ply.filter(|_| node.fixed.is_none() && !node.claimed);
        let room = |more: i64| ply.is_some_and(|ply| settings.max_ply.is_none_or(|max| ply + more <= max));
        match search {
            None if room(0) && node.edges.len() < node.moves => next = (0, Next::Search),
            Some(found) if room(1) && is_wanted(found.value) && !node.edges.iter().any(|edge| edge.mv == found.mv) => {
                next = (loses(found.value), Next::Expand(found.mv));
            }
            _ => {}
        }
        for edge in included() {
            let child = &self.nodes[edge.child as usize];
            let value = self.move_value(edge).filter(|_| !edge.pinned);
            if child.cost >= NEVER || value.is_some_and(|value| !is_wanted(value)) {
                continue;
            }
            // Pinned moves have a minimal cost, so that no cycle is free.
            let ply_cost = if edge.pinned { 1 } else { settings.ply_cost };
            let cost = ply_cost + value.map_or(0, loses) + child.cost;
            if cost < next.0 {
                next = (cost, Next::Child(*edge));
            }
        }
        next
    }

    /// Computes the values and costs of the nodes inside. Returns the previous ones of all nodes.
    pub fn solve(&mut self, settings: &Settings) -> Vec<(Option<Value>, Cost)> {
        let before = self.nodes.iter().map(|node| (node.value, node.cost)).collect();
        for node in self.nodes.iter_mut().filter(|node| node.inside) {
            (node.value, node.cost) = (None, NEVER);
        }
        let mut parents = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            node.edges.iter().for_each(|edge| parents[edge.child as usize].push(at as u32));
        }
        // Initialises all nodes that have a value at all as draws.
        let is_known = |graph: &Self, node| graph.value(node).map(|_| HALF);
        self.fixpoint(&parents, is_known, |node| &mut node.value);
        self.fixpoint(&parents, Self::value, |node| &mut node.value);
        self.fixpoint(&parents, |graph, node| graph.next(node, settings).0, |node| &mut node.cost);
        before
    }

    /// Computes a field of all nodes inside in rounds until nothing changes.
    fn fixpoint<T: Copy + PartialEq>(
        &mut self,
        parents: &[Vec<u32>],
        compute: impl Fn(&Self, usize) -> T,
        field: fn(&mut Node) -> &mut T,
    ) {
        let mut waiting: Vec<u32> = (0..self.nodes.len() as u32).filter(|&at| self.nodes[at as usize].inside).collect();
        while !waiting.is_empty() {
            let computed: Vec<T> = waiting.iter().map(|&at| compute(self, at as usize)).collect();
            let mut next = Vec::new();
            for (&at, value) in waiting.iter().zip(computed) {
                if std::mem::replace(field(&mut self.nodes[at as usize]), value) != value {
                    next.extend_from_slice(&parents[at as usize]);
                }
            }
            next.sort_unstable();
            next.dedup();
            waiting = next;
        }
    }
}
