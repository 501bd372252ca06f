//! Loading parts of a tree.

use super::super::graph::{Edge, Found, Graph, Node};
use super::{Done, PAGE, Step, Store};
use crate::sql::{self, Error, values};
use std::collections::BTreeSet;

impl Store {
    fn nodes(&self, condition: &str, values: &[sql::Value]) -> Done<Vec<Node>> {
        let sql =
            format!("SELECT id, white, moves, fixed, ply, value, cost, claim IS NOT NULL FROM node WHERE {condition}");
        self.all(&sql, values, |row| {
            Ok(Node {
                id: row.get(0)?,
                white: row.get(1)?,
                moves: row.get(2)?,
                fixed: row.get(3)?,
                ply: row.get(4)?,
                value: row.get(5)?,
                cost: row.get(6)?,
                claimed: row.get(7)?,
                inside: false,
            })
        })
    }

    /// Loads these nodes, sorted, with their moves, searches and children.
    pub fn load(&self, ids: &[i64]) -> Done<Graph> {
        let moves = self.moves_of(ids)?;
        let children: BTreeSet<i64> = moves.iter().map(|(_, step)| step.child).collect();
        let children: Vec<i64> = children.into_iter().filter(|child| ids.binary_search(child).is_err()).collect();
        let at = |id: i64| {
            let child = |_| children.binary_search(&id).map(|at| ids.len() + at);
            ids.binary_search(&id).or_else(child).ok()
        };
        let all = [ids, &children].concat();
        let mut nodes = self.nodes("id = ANY($1)", &values![&all[..]])?;
        if nodes.len() != all.len() {
            return Err(self.lost());
        }
        nodes.sort_by_key(|node| at(node.id));
        nodes[..ids.len()].iter_mut().for_each(|node| node.inside = true);
        let mut graph = Graph { nodes, edge_start: vec![0], found_start: vec![0], ..Graph::default() };
        self.connect_nodes(&mut graph, ids, &moves, at)?;
        graph.edge_start.resize(graph.nodes.len() + 1, graph.edges.len() as u32);
        graph.found_start.resize(graph.nodes.len() + 1, graph.found.len() as u32);
        Ok(graph)
    }

    /// Loads the whole tree.
    pub fn load_all(&self) -> Done<Graph> {
        let mut graph = Graph { edge_start: vec![0], found_start: vec![0], ..Graph::default() };
        loop {
            let after = graph.nodes.last().map_or(0, |node| node.id);
            let page = self.nodes("id > $1 ORDER BY id LIMIT $2", &values![after, PAGE])?;
            if page.is_empty() {
                break;
            }
            graph.nodes.extend(page);
        }
        graph.nodes.iter_mut().for_each(|node| node.inside = true);
        let ids: Vec<i64> = graph.nodes.iter().map(|node| node.id).collect();
        for page in ids.chunks(PAGE) {
            let moves = self.moves_of(page)?;
            self.connect_nodes(&mut graph, page, &moves, |id| ids.binary_search(&id).ok())?;
        }
        Ok(graph)
    }

    /// Adds moves and searches of the next nodes, in the order of the graph.
    fn connect_nodes(
        &self,
        graph: &mut Graph,
        ids: &[i64],
        moves: &[(i64, Step)],
        at: impl Fn(i64) -> Option<usize>,
    ) -> Done<()> {
        let sql =
            "SELECT node, mv, value FROM search WHERE node = ANY($1) ORDER BY node, nodes DESC, depth DESC, mv, value";
        let found = self
            .all(sql, &values![ids], |row| Ok((row.get::<i64>(0)?, Found { mv: row.get(1)?, value: row.get(2)? })))?;
        let (mut moves, mut found) = (moves.iter().peekable(), found.into_iter().peekable());
        for &id in ids {
            while let Some((_, step)) = moves.next_if(|(parent, _)| *parent == id) {
                let child = at(step.child).ok_or_else(|| self.lost())? as u32;
                let (pinned, excluded) = (step.pinned, step.excluded);
                graph.edges.push(Edge { mv: step.mv.word(), child, pinned, excluded });
            }
            while let Some((_, found)) = found.next_if(|(node, _)| *node == id) {
                graph.found.push(found);
            }
            graph.edge_start.push(graph.edges.len() as u32);
            graph.found_start.push(graph.found.len() as u32);
        }
        Ok(())
    }

    /// A row that others refer to is missing.
    fn lost(&self) -> Error {
        self.location.error("a node is missing")
    }
}
