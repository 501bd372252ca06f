//! `lento tree`: a tree of searched positions in a file or on a server. Several processes may grow it.

mod args;
mod export;
mod graph;
mod grow;
mod init;
mod merge;
mod opening;
mod position;
mod show;
mod store;
#[cfg(test)]
mod tests;
mod update;
mod verify;

pub use args::{Edit, TreeArgs};
pub use show::look;

use crate::database::Location;
use crate::sql;
use args::{Growth, Task};
use graph::{Settings, Width};
use lento::chess::{Board, Move};
use lento_console::Done;
use lento_console::setup::{self, Setup};
use lento_console::table::numbered;
use opening::Opening;
use position::Position;
use std::collections::BTreeMap;
use std::process::ExitCode;
use store::Store;
use update::{Changed, store_all};

/// A node named by the user.
pub struct Named {
    node: i64,
    position: Position,
    /// With its move number.
    board: Board,
    /// The start of the game; the node itself if a FEN names it.
    start: Board,
    /// The moves from the start.
    line: Vec<Move>,
    /// The moves from the root.
    path: Vec<Move>,
}

pub struct Tree {
    store: Store,
    opening: Opening,
    root: i64,
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
    pub fn open(location: &Location) -> sql::Result<Self> {
        Store::open(location).and_then(Self::load)
    }

    pub fn open_to_read(location: &Location) -> sql::Result<Self> {
        Store::open_to_read(location).and_then(Self::load)
    }

    fn load(store: Store) -> sql::Result<Self> {
        let without_root = || store.location().error("the tree has no root");
        let opening = Opening::load(&store)?.ok_or_else(without_root)?;
        let root = store.find(&Position::new(&opening.root).key)?;
        let root = root.ok_or_else(without_root)?;
        Ok(Self { store, opening, root })
    }

    pub fn root(&self) -> Position {
        Position::new(&self.opening.root)
    }

    /// The node named by moves or a FEN.
    pub fn node(&self, name: &str) -> Result<Named, String> {
        if name.contains('/') {
            let board = Board::from_fen(name).map_err(|error| error.to_string())?;
            let position = Position::new(&board);
            let node = self.store.find(&position.key)?.ok_or_else(|| format!("{name:?} is not in the tree"))?;
            return Ok(Named { node, position, start: board.clone(), board, line: Vec::new(), path: Vec::new() });
        }
        let path = self.moves(name)?;
        let position = path.iter().fold(self.root(), |position, &mv| position.after(mv));
        let node =
            self.store.find(&position.key)?.ok_or_else(|| format!("the position after {name:?} is not in the tree"))?;
        let (start, line) = (self.opening.start.clone(), [&self.opening.moves[..], &path].concat());
        Ok(Named { node, position, board: self.after(&path), start, line, path })
    }

    /// Changes the tree and updates values, in one transaction.
    fn update<T>(&self, work: impl FnOnce(&Store, &mut Changed) -> sql::Result<T>) -> sql::Result<T> {
        self.store.write(|store| {
            let mut changed = Changed::default();
            let done = work(store, &mut changed)?;
            // Another process may have changed the settings.
            changed.update(store, &settings(store)?).map(|()| done)
        })
    }

    /// The position after moves from the root, with its move number.
    fn after(&self, path: &[Move]) -> Board {
        path.iter().fold(self.opening.root.clone(), |board, &mv| board.after(mv))
    }

    /// Parses moves from the root, or from the start of the game.
    pub fn moves(&self, text: &str) -> Result<Vec<Move>, String> {
        let (setup, Opening { start, moves, root }) = (Setup::default(), &self.opening);
        let words: Vec<&str> = setup::words(text).collect();
        let head = words.get(..moves.len()).map(|head| setup.moves(start, &head.join(" ")));
        let is_whole = head.is_some_and(|head| head.as_ref() == Ok(moves));
        let rest = if is_whole { &words[moves.len()..] } else { &words[..] };
        setup.moves(root, &rest.join(" ")).map_err(|error| {
            if is_whole { error } else { format!("{error}; the root is after {}", numbered(start, moves).join(" ")) }
        })
    }
}

/// A numeric setting: name, default, and value on the command line. A missing one is no limit.
type Number = (&'static str, Option<i64>, fn(&Growth) -> Option<i64>);

const NUMBERS: [Number; 8] = [
    ("ply_cost", Some(10_000), |growth| growth.ply_cost),
    ("max_ply", None, |growth| growth.max_ply),
    ("white_weight", Some(100), |growth| growth.white_weight),
    ("white_within", None, |growth| growth.white_within),
    ("white_best", None, |growth| growth.white_best),
    ("black_weight", Some(100), |growth| growth.black_weight),
    ("black_within", None, |growth| growth.black_within),
    ("black_best", None, |growth| growth.black_best),
];

/// The stored value of a numeric setting, or its default.
fn number(stored: &BTreeMap<String, String>, name: &str) -> Option<i64> {
    let default = NUMBERS.iter().find(|(known, ..)| *known == name).and_then(|(_, default, _)| *default);
    stored.get(name).and_then(|text| text.parse().ok()).or(default)
}

fn settings(store: &Store) -> sql::Result<Settings> {
    let stored = store.settings()?;
    let number = |name: &str| number(&stored, name);
    let width = |color: &str| Width {
        weight: number(&format!("{color}_weight")).unwrap_or(100),
        within: number(&format!("{color}_within")).map(|max| max as i32),
        best: number(&format!("{color}_best")),
    };
    Ok(Settings {
        ply_cost: number("ply_cost").unwrap_or(1).max(1),
        max_ply: number("max_ply"),
        sides: [width("white"), width("black")],
    })
}

/// Excludes or unmarks the last move of a line, or pins all its moves, so that the path to the last one is grown. Pinning adds
/// missing moves, excluding only the last one.
pub fn mark(edit: &Edit, pinned: bool, excluded: bool) -> Done {
    let tree = Tree::open(&edit.tree)?;
    let moves = tree.moves(&edit.moves)?;
    if moves.is_empty() {
        return Err(format!("{:?} has no moves; expected moves of the tree", edit.moves).into());
    }
    let known = if pinned { 0 } else { moves.len() - usize::from(excluded) };
    let mut position = tree.root();
    for (at, &mv) in moves.iter().enumerate() {
        let line = || numbered(&tree.opening.root, &moves[..=at]).join(" ");
        if position.fixed().is_some() {
            return Err(format!("{}: the game is over before the last move", line()).into());
        }
        position = position.after(mv);
        if at < known && tree.store.find(&position.key)?.is_none() {
            return Err(format!("{} is not in the tree; `lento tree pin` adds it", line()).into());
        }
    }
    tree.update(|store, changed| {
        let line = changed.line(store, tree.root, tree.root(), &moves)?;
        let parents: Vec<i64> = std::iter::once(tree.root).chain(line).collect();
        for (&parent, &mv) in parents.iter().zip(&moves).skip(if pinned { 0 } else { moves.len() - 1 }) {
            store.mark(parent, mv, pinned, excluded)?;
            changed.add([parent]);
        }
        Ok(())
    })?;
    Ok(ExitCode::SUCCESS)
}

fn note(location: &Location, name: &str, text: &str) -> Done {
    let tree = Tree::open(location)?;
    tree.store.set_note(tree.node(name)?.node, text.trim())?;
    Ok(ExitCode::SUCCESS)
}

/// Stores given settings, and recomputes the tree if they have changed.
fn change_settings(store: &Store, growth: &Growth) -> sql::Result<()> {
    store.write(|store| {
        let before = settings(store)?;
        for (name, _, given) in NUMBERS {
            if let Some(number) = given(growth) {
                store.set_setting(name, &number.to_string())?;
            }
        }
        let changed = settings(store)?;
        if changed == before { Ok(()) } else { store_all(store, &changed) }
    })
}
