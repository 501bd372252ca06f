//! A game with variations, as edited on the page.

use super::notes::Notes;
use super::position::start;
use super::request::{Fields, RequestError, at_most};
use crate::report::san;
use lento::chess::{Board, Game, Move};
use lento_uci::words::quoted;
use serde_json::{Value, json};

pub const MAX_NODES: usize = 10_000;
/// Maximum nesting of variations, as in the PGN reader.
const MAX_NESTING: usize = 64;
pub const MAX_TAGS: usize = 1000;

pub const RESULTS: [&str; 4] = ["*", "1-0", "0-1", "1/2-1/2"];
/// Tags derived from other fields.
const DERIVED: [&str; 3] = ["FEN", "SetUp", "Result"];

#[derive(Clone, Debug)]
pub struct Document {
    pub tags: Vec<(String, String)>,
    pub chess960: bool,
    pub result: &'static str,
    /// The root, then other positions after their parents.
    pub nodes: Vec<Node>,
}

/// A position of a document.
#[derive(Clone, Debug)]
pub struct Node {
    parent: usize,
    /// The move to it; `None` for the root and null moves.
    pub mv: Option<Move>,
    pub board: Board,
    pub notes: Notes,
    /// Main line first.
    pub children: Vec<usize>,
    nesting: usize,
}

/// Why a move cannot be added.
pub enum Unfit {
    TooMany,
    TooDeep,
    Illegal,
}

impl Document {
    pub fn new(start: Board, chess960: bool) -> Self {
        let (notes, children) = (Notes::default(), Vec::new());
        let root = Node { parent: 0, mv: None, board: start, notes, children, nesting: 0 };
        Self { tags: Vec::new(), chess960, result: RESULTS[0], nodes: vec![root] }
    }

    /// Finds or adds the node after a legal move or null move.
    pub fn add(&mut self, parent: usize, mv: Option<Move>) -> Result<usize, Unfit> {
        let node = &self.nodes[parent];
        if let Some(&known) = node.children.iter().find(|&&child| self.nodes[child].mv == mv) {
            return Ok(known);
        }
        let nesting = node.nesting + usize::from(!node.children.is_empty());
        let board = match mv {
            _ if self.nodes.len() >= MAX_NODES => return Err(Unfit::TooMany),
            _ if nesting > MAX_NESTING => return Err(Unfit::TooDeep),
            Some(mv) => node.board.after(mv),
            None => Game::from(node.board.clone()).passed().map_err(|_| Unfit::Illegal)?.board().clone(),
        };
        let number = self.nodes.len();
        let (notes, children) = (Notes::default(), Vec::new());
        self.nodes.push(Node { parent, mv, board, notes, children, nesting });
        self.nodes[parent].children.push(number);
        Ok(number)
    }

    /// Moves comments before moves of the main line to the previous moves, since PGN does not distinguish them.
    pub fn normalise_comments(&mut self) {
        for at in 0..self.nodes.len() {
            let Some(&main) = self.nodes[at].children.first() else { continue };
            if let Some(before) = self.nodes[main].notes.before.take() {
                self.nodes[at].notes.add_comment(&before);
            }
        }
    }

    pub fn main_line(&self) -> Vec<Option<Move>> {
        let next = |&at: &usize| self.nodes[at].children.first().copied();
        std::iter::successors(Some(0), next).skip(1).map(|at| self.nodes[at].mv).collect()
    }

    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Adds a tag, unless derived from other fields. Returns whether it already has a different value.
    pub fn add_tag(&mut self, name: &str, value: &str) -> bool {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_+#=:-".contains(c);
        let name = if name.is_empty() { "_".into() } else { name.replace(|c: char| !is_plain(c), "_") };
        let value = value.replace(char::is_control, " ");
        if DERIVED.iter().any(|derived| derived.eq_ignore_ascii_case(&name)) {
            return false;
        }
        if let Some(known) = self.tag(&name) {
            return known != value;
        }
        self.tags.push((name, value));
        false
    }

    /// Reads a document of the page. Checks the moves; ignores positions and SAN.
    pub fn parse(value: &Value) -> Result<Self, RequestError> {
        let object = value.as_object().ok_or_else(|| RequestError::expected("document", value, "an object"))?;
        let fields = Fields::new(object, "document.");
        let mut document = Self::new(start(fields)?, fields.flag("chess960")?);
        document.parse_tags(fields)?;
        let result = |value: &Value| RESULTS.into_iter().find(|known| value == known);
        document.result = fields.read("result", "*, 1-0, 0-1 or 1/2-1/2", result)?.unwrap_or(RESULTS[0]);
        // Indices of the page's nodes here; nodes with the same move are merged.
        let mut places: Vec<usize> = Vec::new();
        for (at, node) in fields.list("nodes")?.iter().enumerate() {
            let prefix = format!("document.nodes[{at}].");
            let expected = || RequestError::expected(&prefix[..prefix.len() - 1], node, "an object");
            let node = Fields::new(node.as_object().ok_or_else(expected)?, &prefix);
            let place = if at == 0 { 0 } else { document.parse_move(node, &places)? };
            document.nodes[place].notes.parse(node)?;
            places.push(place);
        }
        document.normalise_comments();
        Ok(document)
    }

    fn parse_tags(&mut self, fields: Fields) -> Result<(), RequestError> {
        let tags = fields.list("tags")?;
        at_most("too-large", fields.name("tags"), tags.len(), MAX_TAGS, "tags")?;
        for tag in tags {
            let pair: Result<(String, String), _> = serde_json::from_value(tag.clone());
            let expected = |_| RequestError::expected(fields.name("tags"), tag, "pairs of a name and a value");
            let (name, value) = pair.map_err(expected)?;
            self.add_tag(&name, &value);
        }
        Ok(())
    }

    /// Plays the move of a page's node.
    fn parse_move(&mut self, node: Fields, places: &[usize]) -> Result<usize, RequestError> {
        let expected = "the index of an earlier node";
        let parent = node.need("parent", expected, node.number("parent", 0..=u64::MAX)?)? as usize;
        let Some(&parent) = places.get(parent) else {
            return Err(RequestError::expected(node.name("parent"), &parent.into(), expected));
        };
        let uci = node.need("uci", "a move such as e2e4", node.text("uci")?)?;
        let added = match self.nodes[parent].board.parse_uci(uci, self.chess960) {
            None if uci != "0000" => Err(Unfit::Illegal),
            mv => self.add(parent, mv),
        };
        added.map_err(|unfit| match unfit {
            Unfit::Illegal => {
                let fen = self.nodes[parent].board.fen(self.chess960);
                let text = format!("{} is not a legal move in {fen}", quoted(uci));
                RequestError::new("bad-move", node.name("uci"), text)
            }
            Unfit::TooMany => {
                RequestError::new("too-large", "document.nodes", format!("more than {MAX_NODES} nodes; expected fewer"))
            }
            Unfit::TooDeep => {
                let text = format!("variations nested more than {MAX_NESTING} deep; expected fewer");
                RequestError::new("too-large", node.name("parent"), text)
            }
        })
    }

    pub fn to_value(&self) -> Value {
        let nodes: Vec<Value> = self.nodes.iter().enumerate().map(|(at, node)| self.node(at, node)).collect();
        let root = &self.nodes[0].board;
        let start = (self.chess960 || *root != Board::start()).then(|| root.fen(self.chess960));
        json!({ "tags": self.tags, "start": start, "chess960": self.chess960, "result": self.result, "nodes": nodes })
    }

    fn node(&self, at: usize, node: &Node) -> Value {
        let mut value = json!({ "fen": node.board.fen(self.chess960) });
        if at > 0 {
            let before = &self.nodes[node.parent].board;
            value["parent"] = node.parent.into();
            value["uci"] = node.mv.map_or_else(|| "0000".into(), |mv| before.uci(mv, self.chess960)).into();
            value["san"] = san(before, node.mv, false).into();
        }
        node.notes.write(&mut value);
        value
    }
}
