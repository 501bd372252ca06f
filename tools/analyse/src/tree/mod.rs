//! `lento tree`: a tree of searched positions, in a file or on a server, that several processes may grow.

mod args;
mod export;
mod graph;
mod grow;
mod init;
mod look;
mod merge;
mod position;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod update;
mod verify;

pub use args::{Edit, TreeArgs};
pub use look::look;

use crate::database::Location;
use args::Task;
use graph::{Settings, Width};
use lento::chess::{Board, Move};
use lento::cli::Done;
use lento::cli::setup::Setup;
use position::Position;
use std::collections::HashMap;
use std::process::ExitCode;
use store::Store;
use update::{Changed, store_all};

/// An open tree.
pub struct Tree {
    store: Store,
    /// The root as it was given, with its move number.
    start: Board,
    root: i64,
    settings: Settings,
}

pub fn run(args: &TreeArgs) -> Done {
    match &args.task {
        Task::Init(args) => init::run(args),
        Task::Grow(args) => grow::run(args),
        Task::Show(args) => show::run(args),
        Task::Pin(edit) => mark(edit, true, false),
        Task::Exclude(edit) => mark(edit, false, true),
        Task::Unmark(edit) => mark(edit, false, false),
        Task::Note { tree, node, text } => note(tree, node, text),
        Task::Merge { into, from } => merge::run(into, from),
        Task::Export(args) => export::run(args),
        Task::Verify { tree } => verify::run(tree),
    }
}

impl Tree {
    pub fn open(location: &Location) -> Result<Self, String> {
        let store = Store::open(location)?;
        let without_root = || format!("{location}: a tree without root");
        let settings = settings(&store).map_err(|error| store.explain(error))?;
        let start = start(&store)?.ok_or_else(without_root)?;
        let root = store.find(&Position::new(&start).key).map_err(|error| store.explain(error))?;
        let root = root.ok_or_else(without_root)?;
        Ok(Self { store, start, root, settings })
    }

    pub fn root(&self) -> Position {
        Position::new(&self.start)
    }

    /// The node named by moves from the root, or by a FEN, and the moves.
    pub fn node(&self, name: &str) -> Result<(i64, Position, Vec<Move>), String> {
        if name.contains('/') {
            let board = Board::from_fen(name).map_err(|error| error.to_string())?;
            let position = Position::new(&board);
            let node = self.find(&position)?.ok_or_else(|| format!("{name:?} is not in the tree"))?;
            return Ok((node, position, Vec::new()));
        }
        let moves = Setup::default().moves(&self.start, name)?;
        let position = moves.iter().fold(self.root(), |position, &mv| position.after(mv));
        let node = self.find(&position)?.ok_or_else(|| format!("the position after {name:?} is not in the tree"))?;
        Ok((node, position, moves))
    }

    fn find(&self, position: &Position) -> Result<Option<i64>, String> {
        self.store.find(&position.key).map_err(|error| self.store.explain(error))
    }
}

/// The root as it was given; `None` in a new tree.
fn start(store: &Store) -> Result<Option<Board>, String> {
    let fen = store.setting("root").map_err(|error| store.explain(error))?;
    let start = fen.map(|fen| Board::from_fen(&fen)).transpose();
    start.map_err(|error| format!("{}: {error}", store.location()))
}

/// Names of the numbers among the settings, with their defaults; an absent one is no limit.
const NUMBERS: [(&str, Option<i64>); 8] = [
    ("ply_cost", Some(10_000)),
    ("max_ply", None),
    ("white_weight", Some(100)),
    ("white_within", None),
    ("white_best", None),
    ("black_weight", Some(100)),
    ("black_within", None),
    ("black_best", None),
];

fn settings(store: &Store) -> store::Done<Settings> {
    let texts: HashMap<String, String> = store.settings()?.into_iter().collect();
    let number = |name: &str| -> Option<i64> {
        let default = NUMBERS.iter().find(|(known, _)| *known == name).and_then(|(_, default)| *default);
        texts.get(name).and_then(|text| text.parse().ok()).or(default)
    };
    let width = |color: &str| Width {
        weight: number(&format!("{color}_weight")).unwrap_or(100),
        within: number(&format!("{color}_within")).map(|most| most as i32),
        best: number(&format!("{color}_best")),
    };
    Ok(Settings {
        ply_cost: number("ply_cost").unwrap_or(1).max(1),
        max_ply: number("max_ply"),
        sides: [width("white"), width("black")],
    })
}

/// Excludes the last move of a line, or unmarks it, or pins all of them, so that the way to the last one is grown, too.
pub fn mark(edit: &Edit, pinned: bool, excluded: bool) -> Done {
    let tree = Tree::open(&edit.tree)?;
    let moves = Setup::default().moves(&tree.start, &edit.moves)?;
    if moves.is_empty() {
        return Err(format!("{:?} names no move; expected moves from the root", edit.moves).into());
    }
    let set = |store: &Store| {
        let mut changed = Changed::default();
        let line = changed.line(store, tree.root, tree.root(), &moves)?;
        let parents: Vec<i64> = std::iter::once(tree.root).chain(line).collect();
        for (&parent, &mv) in parents.iter().zip(&moves).skip(if pinned { 0 } else { moves.len() - 1 }) {
            store.mark(parent, mv, pinned, excluded)?;
            changed.add([parent]);
        }
        changed.settle(store, &tree.settings)
    };
    tree.store.write(set).map_err(|error| tree.store.explain(error))?;
    Ok(ExitCode::SUCCESS)
}

fn note(location: &Location, name: &str, text: &str) -> Done {
    let tree = Tree::open(location)?;
    let (node, ..) = tree.node(name)?;
    tree.store.set_note(node, text.trim()).map_err(|error| tree.store.explain(error))?;
    Ok(ExitCode::SUCCESS)
}

/// Stores settings that were given, and computes the tree again if they changed it.
fn change_settings(tree: &mut Tree, given: &[(&str, Option<i64>)]) -> Result<(), String> {
    let store = &tree.store;
    let change = |store: &Store| {
        for (name, number) in given {
            if let Some(number) = number {
                store.set_setting(name, &number.to_string())?;
            }
        }
        let changed = settings(store)?;
        if changed != tree.settings {
            store_all(store, &changed)?;
        }
        Ok(changed)
    };
    tree.settings = store.write(change).map_err(|error| store.explain(error))?;
    Ok(())
}
