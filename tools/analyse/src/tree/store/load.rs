//! Loads parts of a tree.

use super::super::graph::{Edge, Found, Graph, Node};
use super::{PAGE, Step, Store};
use crate::sql::{self, Error, Result, values};
use lento::chess::Move;
use std::collections::{BTreeSet, HashMap};

impl Store {
    fn nodes(&self, condition: &str, values: &[sql::Value]) -> Result<Vec<Node>> {
        let sql =
            format!("SELECT id, white, moves, fixed, ply, value, cost, claim IS NOT NULL FROM node WHERE {condition}");
        self.db().query(&sql, values, |row| {
            let (id, white, moves, fixed) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            let (ply, value, cost, claimed) = (row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?);
            Ok(Node { id, white, moves, fixed, ply, value, cost, claimed, inside: true, ..Node::default() })
        })
    }

    /// Loads these nodes, sorted, with their moves, searches and children.
    pub fn load(&self, ids: &[i64]) -> Result<Graph> {
        let moves = self.moves_of(ids)?;
        let all: BTreeSet<i64> = moves.iter().map(|(_, step)| step.child).chain(ids.iter().copied()).collect();
        let all: Vec<i64> = all.into_iter().collect();
        let mut nodes = self.nodes("id = ANY($1)", &values![&all[..]])?;
        if nodes.len() != all.len() {
            return Err(self.missing("a node"));
        }
        nodes.iter_mut().for_each(|node| node.inside = ids.binary_search(&node.id).is_ok());
        nodes.sort_by_key(|node| (!node.inside, node.id));
        let index: HashMap<i64, usize> = nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        self.connect_nodes(&mut nodes, ids, &moves, |id| index.get(&id).copied())?;
        Ok(Graph { nodes })
    }

    pub fn load_all(&self) -> Result<Graph> {
        let mut nodes: Vec<Node> = Vec::new();
        loop {
            let after = nodes.last().map_or(0, |node| node.id);
            let page = self.nodes("id > $1 ORDER BY id LIMIT $2", &values![after, PAGE])?;
            if page.is_empty() {
                break;
            }
            nodes.extend(page);
        }
        let ids: Vec<i64> = nodes.iter().map(|node| node.id).collect();
        for page in ids.chunks(PAGE) {
            self.connect_nodes(&mut nodes, page, &self.moves_of(page)?, |id| ids.binary_search(&id).ok())?;
        }
        Ok(Graph { nodes })
    }

    /// Adds moves and searches to some of the nodes.
    fn connect_nodes(
        &self,
        nodes: &mut [Node],
        ids: &[i64],
        moves: &[(i64, Step)],
        at: impl Fn(i64) -> Option<usize>,
    ) -> Result<()> {
        let at = |id| at(id).ok_or_else(|| self.missing("a node"));
        for &(parent, Step { mv, child, pinned, excluded, .. }) in moves {
            let edge = Edge { mv, child: at(child)? as u32, pinned, excluded };
            nodes[at(parent)?].edges.push(edge);
        }
        for (node, _, search) in self.searches_of(ids)? {
            if let Some(mv) = search.pv.first().and_then(|&word| Move::from_word(word)) {
                nodes[at(node)?].found.push(Found { mv, value: search.value });
            }
        }
        Ok(())
    }

    /// The error for a missing row that others refer to, such as `a node`.
    pub fn missing(&self, row: &str) -> Error {
        self.location.error(format!("{row} is missing"))
    }
}
