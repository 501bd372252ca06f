//! `lento tree merge`: the union of trees, independent of their order.

use super::opening::Opening;
use super::position::Position;
use super::store::{PAGE, Store};
use super::update::{Changed, store_all};
use super::{NUMBERS, Tree, number, settings};
use crate::database::Location;
use crate::sql;
use lento_console::Done;
use lento_console::units::counted;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Write, stdout};
use std::process::ExitCode;

pub fn run(into: &Location, from: &[Location]) -> Done {
    let trees = from.iter().map(Tree::open_to_read).collect::<Result<Vec<_>, _>>()?;
    // Creates a file only if the trees match.
    let known = match into.file() {
        Some(path) if !path.exists() => None,
        _ => Opening::load(&Store::create(into)?)?,
    };
    let root = known.map_or_else(|| trees[0].root().key, |opening| Position::new(&opening.root).key);
    if let Some((place, tree)) = from.iter().zip(&trees).find(|(_, tree)| tree.root().key != root) {
        let other = tree.root().key;
        return Err(format!("{place}: its root is {other}, expected {root}").into());
    }
    let store = Store::create(into)?;
    for (place, tree) in from.iter().zip(&trees) {
        // One transaction, so that an interrupted merge leaves a valid tree.
        let taken = store.write(|store| {
            let taken = tree.store.read(|other| take(store, other))?;
            store_all(store, &settings(store)?).map(|()| taken)
        });
        let taken = taken.map_err(|error| error.at(format!("{place} into {into}")))?;
        writeln!(stdout(), "{place}: {} taken", counted(taken, "search"))?;
    }
    writeln!(stdout(), "{into}: {}", store.size()?)?;
    Ok(ExitCode::SUCCESS)
}

/// Merges another tree. Returns the number of searches taken.
pub fn take(store: &Store, other: &Store) -> sql::Result<u64> {
    take_settings(store, other)?;
    let mut engines = HashMap::new();
    for (id, engine) in other.engines()? {
        engines.insert(id, store.engine(&engine)?);
    }
    let (mut after, mut ids, mut taken) = (0, BTreeMap::new(), 0);
    loop {
        let page = other.page(after)?;
        let Some(last) = page.last() else { break };
        after = last.id;
        let known = store.find_all(page.iter().map(|entry| entry.key.as_str()))?;
        for entry in &page {
            let node = match known.get(&entry.key) {
                Some(&node) => node,
                None => store.add_raw(&entry.key, entry.white, entry.moves, entry.fixed)?,
            };
            ids.insert(entry.id, node);
            if entry.note.is_empty() {
                continue;
            }
            let known = store.note(node)?;
            if known.is_empty() {
                store.set_note(node, &entry.note)?;
            } else if known != entry.note {
                // All lines of both, independent of the order of the trees.
                let lines: BTreeSet<&str> = known.lines().chain(entry.note.lines()).collect();
                store.set_note(node, &lines.into_iter().collect::<Vec<_>>().join("\n"))?;
            }
        }
        let page: Vec<i64> = page.iter().map(|entry| entry.id).collect();
        for (id, engine, search) in other.searches_of(&page)? {
            let engine = *engines.get(&engine).ok_or_else(|| other.missing("an engine"))?;
            taken += u64::from(store.add_search(ids[&id], engine, &search)?);
        }
    }
    let mut changed = Changed::default();
    if let Some(opening) = Opening::load(store)?
        && let Some(root) = store.find(&Position::new(&opening.root).key)?
    {
        store.set_ply(root, Some(0))?;
    }
    let all: Vec<i64> = ids.keys().copied().collect();
    for page in all.chunks(PAGE) {
        for (id, edge) in other.moves_of(page)? {
            let node = ids[&id];
            let child = *ids.get(&edge.child).ok_or_else(|| other.missing("a node"))?;
            changed.edge(store, node, edge.mv.word(), child, edge.irreversible)?;
            if edge.pinned || edge.excluded {
                let known = store.moves(node)?.into_iter().find(|known| known.mv == edge.mv);
                let (pinned, excluded) = known.map_or((false, false), |known| (known.pinned, known.excluded));
                store.mark(node, edge.mv, pinned || edge.pinned, excluded || edge.excluded)?;
            }
        }
    }
    Ok(taken)
}

/// Keeps the wider settings: drops limits that one tree lacks, and keeps the greater of two numbers.
fn take_settings(store: &Store, other: &Store) -> sql::Result<()> {
    let (ours, theirs) = (store.settings()?, other.settings()?);
    if !ours.contains_key("root") {
        return theirs.iter().try_for_each(|(name, value)| store.set_setting(name, value).map(drop));
    }
    // Keeps the opening with more moves, or the alphabetically later one.
    let opening = |settings: &BTreeMap<String, String>| {
        let [game, root] = ["game", "root"].map(|name| settings.get(name).cloned().unwrap_or_default());
        (game.split(' ').count(), game, root)
    };
    let longer = opening(&theirs);
    if longer > opening(&ours) {
        store.set_setting("game", &longer.1)?;
        store.set_setting("root", &longer.2)?;
    }
    for (name, ..) in NUMBERS {
        match (number(&ours, name), number(&theirs, name)) {
            (Some(one), Some(two)) if two > one => _ = store.set_setting(name, &two.to_string())?,
            (Some(_), None) => _ = store.remove_setting(name)?,
            _ => {}
        }
    }
    Ok(())
}
