//! `lento tree merge`: the union of trees. What it makes does not depend on the order of the trees.

use super::position::Position;
use super::store::{self, Store};
use super::update::{Changed, store_all};
use super::{NUMBERS, Tree, settings};
use lento::cli::Done;
use lento::cli::units::grouped;
use std::collections::{BTreeSet, HashMap};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(into: &Path, from: &[PathBuf]) -> Done {
    let trees = from.iter().map(|path| Tree::open(path)).collect::<Result<Vec<_>, _>>()?;
    let root = if into.exists() { Tree::open(into)?.root().key } else { trees[0].root().key };
    if let Some((path, tree)) = from.iter().zip(&trees).find(|(_, tree)| tree.root().key != root) {
        let other = tree.root().key;
        return Err(format!("{}: its root is {other}, expected {root}", path.display()).into());
    }
    let store = Store::create(into)?;
    for (path, tree) in from.iter().zip(&trees) {
        let taken = store.write(|store| take(store, &tree.store));
        let taken = taken.map_err(|error| format!("{} into {}", path.display(), store.explain(error)))?;
        writeln!(stdout(), "{}: {} searches taken", path.display(), grouped(taken))?;
    }
    store.write(|store| store_all(store, &settings(store)?)).map_err(|error| store.explain(error))?;
    let (nodes, searches) = store.count().map_err(|error| store.explain(error))?;
    writeln!(
        stdout(),
        "{}: {} positions, {} searches",
        into.display(),
        grouped(nodes as u64),
        grouped(searches as u64)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Takes what another tree has. Returns the number of searches taken.
pub fn take(store: &Store, other: &Store) -> store::Done<u64> {
    take_settings(store, other)?;
    let mut engines = HashMap::new();
    for (id, fields) in other.engines()? {
        engines.insert(id, store.engine_of(&fields)?);
    }
    let (mut after, mut ids, mut taken) = (0, HashMap::new(), 0);
    loop {
        let batch = other.batch(after)?;
        let Some((last, ..)) = batch.last() else { break };
        after = *last;
        for (id, key, note) in batch {
            let node = match store.find(&key)? {
                Some(node) => node,
                None => other.copy_node(id, &key, store)?,
            };
            ids.insert(id, node);
            let known = store.note(node)?;
            let notes: BTreeSet<&str> = known.lines().chain(note.lines()).collect();
            let notes = notes.into_iter().collect::<Vec<_>>().join("\n");
            if notes != known {
                store.set_note(node, &notes)?;
            }
            for (engine, search) in other.searches(id)? {
                taken += u64::from(store.add_search(node, engines[&engine], &search)?);
            }
        }
    }
    let mut changed = Changed::default();
    if let Some(fen) = store.setting("root")? {
        let root = lento::chess::Board::from_fen(&fen).ok().map(|board| Position::new(&board).key);
        if let Some(root) = store.find(&root.unwrap_or_default())? {
            store.set_ply(root, Some(0))?;
        }
    }
    for (id, node) in &ids {
        for edge in other.moves(*id)? {
            let child = ids[&edge.child];
            changed.edge(store, *node, edge.mv.word(), child, edge.irreversible)?;
            if edge.pinned || edge.excluded {
                let known = store.moves(*node)?.into_iter().find(|known| known.mv == edge.mv);
                let (pinned, excluded) = known.map_or((false, false), |known| (known.pinned, known.excluded));
                store.mark(*node, edge.mv, pinned || edge.pinned, excluded || edge.excluded)?;
            }
        }
    }
    Ok(taken)
}

/// Of two settings the wider one holds: a limit that one tree lacks is dropped, of two numbers the greater is kept.
fn take_settings(store: &Store, other: &Store) -> store::Done<()> {
    let Some(root) = store.setting("root")? else {
        for (name, value) in other.settings()? {
            store.set_setting(&name, &value)?;
        }
        return Ok(());
    };
    // The move number of the root may differ.
    let theirs = other.setting("root")?.unwrap_or_default();
    store.set_setting("root", &root.max(theirs))?;
    for (name, default) in NUMBERS {
        let number = |store: &Store| -> store::Done<Option<i64>> {
            Ok(store.setting(name)?.and_then(|text| text.parse().ok()).or(default))
        };
        match (number(store)?, number(other)?) {
            (Some(one), Some(two)) => store.set_setting(name, &one.max(two).to_string())?,
            _ => store.remove_setting(name)?,
        };
    }
    Ok(())
}
