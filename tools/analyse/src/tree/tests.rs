//! Random trees: incremental updates equal a full computation, and merging is a union.

use super::graph::{Cost, Graph, NEVER, Next, Settings, Width};
use super::grow::choose;
use super::init::make;
use super::merge::take;
use super::opening::Opening;
use super::position::{FULL, HALF, Position, Value, centipawns, value};
use super::show::look;
use super::store::{Search, Store};
use super::update::{Changed, store_all};
use super::{Tree, settings, verify};
use crate::cases::cases;
use crate::database::{EngineId, Location};
use crate::sql::values;
use lento::chess::{Board, Move};
use lento_console::setup::Setup;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};

/// A change: its kind, two nodes, a move, a number.
type Change = (u8, usize, usize, u16, i32);

const NODES: usize = 10;
const WIDTH: Width = Width { weight: 70, within: Some(150), best: Some(3) };
const SETTINGS: Settings =
    Settings { ply_cost: 10_000, max_ply: Some(5), sides: [WIDTH, Width { weight: 100, within: None, best: None }] };

fn changes(max: usize) -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((0_u8..9, 0..NODES, 0..NODES, 1_u16..6, 0..=FULL), 1..max)
}

/// A store with nodes but no moves. The first is the root. Moves lead to nodes of the same layer or, irreversibly, of a later
/// one.
fn store() -> Store {
    let store = Store::in_memory();
    store.set_setting("root", &Board::start().fen(false)).unwrap();
    for at in 0..NODES {
        let key = if at == 0 { Position::new(&Board::start()).key } else { format!("node {at}") };
        let fixed = (at == NODES - 1).then_some(0);
        store.add_raw(&key, at % 2 == 0, 5, fixed).unwrap();
    }
    store.set_ply(1, Some(0)).unwrap();
    store_all(&store, &SETTINGS).unwrap();
    store
}

/// Applies a change and what follows from it.
fn apply(store: &Store, (kind, from, to, mv, number): Change) {
    let (node, child) = (from as i64 + 1, to as i64 + 1);
    let mut changed = Changed::default();
    let layer = |at: usize| at / 4;
    match kind {
        0..=3 if from != NODES - 1 && from != to && layer(from) <= layer(to) => {
            // The move is a function of both ends, as in chess.
            let mv = to as u16 + 1;
            changed.edge(store, node, mv, child, layer(from) < layer(to)).unwrap();
        }
        4..=6 if from != NODES - 1 => {
            let (depth, nodes) = (i64::from(mv), i64::from(number % 7));
            let (avoided, pv) = (vec![mv; usize::from(kind - 4)], vec![(number % NODES as i32) as u16 + 1]);
            let search = Search { depth, nodes, value: number, avoided, pv, ..Search::default() };
            store.add_search(node, 1, &search).unwrap();
            changed.add([node]);
        }
        7 => {
            store.mark(node, Move::from_word(to as u16 + 1).unwrap(), number % 2 == 0, number % 3 == 0).unwrap();
            store.set_note(child, &format!("note {mv}\nanother line")).unwrap();
            changed.add([node]);
        }
        8 => {
            if number % 2 == 0 {
                store.execute_claim(node)
            } else {
                store.release(node).unwrap();
            }
            changed.add([node]);
        }
        _ => {}
    }
    changed.update(store, &SETTINGS).unwrap();
}

/// The value of every node if the game is drawn after 2 * [`NODES`] plies; `None` if unknown.
fn values(store: &Store) -> Vec<Option<Value>> {
    let graph = store.load_all().unwrap();
    let mut values: Vec<Option<Value>> = vec![None; NODES];
    let round = |values: &[Option<Value>], at: usize| -> Option<Value> {
        if graph.nodes[at].fixed.is_some() {
            return graph.nodes[at].fixed;
        }
        let edge = |mv: u16| graph.nodes[at].edges.iter().find(|edge| edge.mv.word() == mv);
        let searched = store.searches(at as i64 + 1).unwrap().into_iter().find(|search| {
            edge(search.pv[0]).is_none_or(|edge| !edge.excluded && values[edge.child as usize].is_none())
        });
        let children =
            graph.nodes[at].edges.iter().filter(|edge| !edge.excluded).filter_map(|edge| values[edge.child as usize]);
        children.map(|value| FULL - value).chain(searched.map(|search| search.value)).max()
    };
    for _ in 0..NODES {
        let known: Vec<bool> = (0..NODES).map(|at| round(&values, at).is_some()).collect();
        known.iter().enumerate().filter(|(_, known)| **known).for_each(|(at, _)| values[at] = Some(HALF));
    }
    for _ in 0..2 * NODES {
        values = (0..NODES).map(|at| round(&values, at)).collect();
    }
    values
}

/// Cost of the cheapest place to grow, over all paths from a node without repetition.
fn cheapest(graph: &Graph, own: &[Cost], at: usize, path: &mut Vec<usize>) -> Cost {
    let mut least = own[at];
    path.push(at);
    let node = &graph.nodes[at];
    let width = SETTINGS.sides[usize::from(!node.white)];
    let live = graph.nodes[at].edges.iter().filter(|edge| !edge.excluded);
    let mut known: Vec<Value> = live.clone().filter_map(|edge| graph.move_value(edge)).collect();
    known.extend(graph.search(at).map(|found| found.value));
    for edge in live {
        let child = edge.child as usize;
        let value = graph.move_value(edge).filter(|_| !edge.pinned);
        let best = node.value.unwrap_or(HALF);
        let allowed = value.is_none_or(|value| {
            width.best.is_none_or(|max| (known.iter().filter(|&&other| other > value).count() as i64) < max)
                && width.within.is_none_or(|max| centipawns(best) - centipawns(value) <= max)
        });
        if allowed && !path.contains(&child) {
            let loss = value.map_or(0, |value| i64::from(best - value) * width.weight / 100);
            let below = cheapest(graph, own, child, path);
            if below < NEVER {
                least = least.min(if edge.pinned { 1 } else { SETTINGS.ply_cost } + loss + below);
            }
        }
    }
    path.pop();
    least
}

fn position(store: &Store, node: i64) -> String {
    store.texts(&[node]).unwrap()[&node].0.clone()
}

/// Everything that merging must keep, by position.
fn dump(store: &Store) -> BTreeMap<String, String> {
    let graph = store.load_all().unwrap();
    let settings = settings(store).unwrap();
    let mut dump: BTreeMap<String, String> = BTreeMap::from([("settings".into(), format!("{settings:?}"))]);
    for node in &graph.nodes {
        let mut searches = store.searches(node.id).unwrap();
        searches.sort();
        let moves = store.moves(node.id).unwrap().into_iter();
        let moves: Vec<_> =
            moves.map(|edge| (edge.mv, position(store, edge.child), edge.pinned, edge.excluded)).collect();
        let note = store.note(node.id).unwrap();
        let text = format!("{:?} {} {:?} {note:?} {moves:?} {searches:?}", node.value, node.cost, node.ply);
        dump.insert(position(store, node.id), text);
    }
    dump
}

fn merged(trees: &[&Store]) -> Store {
    let store = Store::in_memory();
    for tree in trees {
        store.write(|store| take(store, tree)).unwrap();
    }
    store_all(&store, &SETTINGS).unwrap();
    store
}

fn grown(changes: &[Change]) -> Store {
    let store = store();
    store.engine(&EngineId(values!["a", "b", "c", "d", "e", "f"].into())).unwrap();
    changes.iter().filter(|change| change.0 != 8).for_each(|&change| apply(&store, change));
    store
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn incremental_updates_equal_full_computation(changes in changes(60)) {
        let store = store();
        for change in changes {
            apply(&store, change);
            let graph = store.load_all().unwrap();
            let kept: Vec<Option<Value>> = graph.nodes.iter().map(|node| node.value).collect();
            prop_assert_eq!(kept, values(&store), "after {:?}", change);
            let plies: Vec<Option<i64>> = graph.nodes.iter().map(|node| node.ply).collect();
            prop_assert_eq!(plies, verify::plies(&graph, 1));
            // Without costs of children, only the node's own cost remains.
            let mut alone = graph.clone();
            alone.nodes.iter_mut().for_each(|node| node.cost = NEVER);
            let own: Vec<Cost> = (0..NODES).map(|at| alone.next(at, &SETTINGS).0).collect();
            for node in 0..NODES {
                let least = cheapest(&graph, &own, node, &mut Vec::new());
                prop_assert_eq!(graph.nodes[node].cost, least, "node {}, {:?}", node, change);
            }
            follow(&store);
        }
    }

    #[test]
    fn merging_is_a_union(a in changes(30), b in changes(30), c in changes(30)) {
        let [a, b, c] = [&a, &b, &c].map(|changes| grown(changes));
        let ab = merged(&[&a, &b]);
        prop_assert_eq!(dump(&ab), dump(&merged(&[&b, &a])));
        prop_assert_eq!(dump(&ab), dump(&merged(&[&a, &b, &a, &b])));
        let other = merged(&[&b, &c]);
        prop_assert_eq!(dump(&merged(&[&ab, &c])), dump(&merged(&[&a, &other])));
        prop_assert_eq!(dump(&a), dump(&merged(&[&a])));
    }
}

/// The cheapest path from the root ends at a place to grow, and its cost is that of the root.
fn follow(store: &Store) {
    let graph = store.load_all().unwrap();
    let (mut at, mut left, mut seen) = (0, graph.nodes[0].cost, HashSet::new());
    loop {
        assert!(seen.insert(at), "a cycle");
        let (cost, next) = graph.next(at, &SETTINGS);
        assert_eq!(cost, left);
        match next {
            Next::Child(edge) => (at, left) = (edge.child as usize, graph.nodes[edge.child as usize].cost),
            Next::Nothing => return assert_eq!(left, NEVER),
            Next::Search | Next::Expand(_) => return,
        }
    }
}

/// A cycle is a draw if both sides prefer it; a side with a better move leaves it.
#[test]
fn cycles_are_draws_unless_a_side_leaves_them() {
    let exits = |one: Value, other: Value| {
        let store = store();
        for (node, value) in [(1, one), (2, other)] {
            apply(&store, (4, node - 1, 0, 1, value / 10 * 10 + 8));
        }
        apply(&store, (0, 0, 1, 0, 0));
        apply(&store, (0, 1, 0, 0, 0));
        let graph = store.load_all().unwrap();
        (graph.nodes[0].value.unwrap() / 10, graph.nodes[1].value.unwrap() / 10)
    };
    assert_eq!(exits(300_000, 200_000), (HALF / 10, HALF / 10), "both repeat");
    assert_eq!(exits(700_000, 200_000), (70_000, 29_999), "the first leaves");
    assert_eq!(exits(700_000, 600_000), (70_000, 60_000), "both leave");
}

/// A position reached by two paths is searched by one process at a time, and an interrupted search leaves no node.
#[test]
fn processes_search_different_positions() {
    let folder = lento_testing::Folder::new("tree");
    let place = Location::File(folder.at("a.tree"));
    let (store, start) = (Store::create(&place).unwrap(), Board::start());
    let (opening, root) = (Opening::new(start.clone(), Vec::new()), Position::new(&start));
    let read = |text: &str| Setup::default().moves(&start, text).unwrap();
    let engine = EngineId(values!["a", "b", "c", "d", "e", "f"].into());
    let fill = |store: &Store| {
        make(store, &opening, &["Nf3 Nf6", "g3 Nf6"].map(read), &[], &[])?;
        for line in ["a3", "Nf3 a6", "g3 a6", "Nf3 Nf6 g3", "g3 Nf6 Nf3"] {
            let moves = read(line);
            let (mv, path) = moves.split_last().unwrap();
            let position = path.iter().fold(root.clone(), |position, &mv| position.after(mv));
            let score = if path.len() == 2 { 0 } else { -300 };
            let search = Search::new(&position.board, 1, 100, Default::default(), score, &[*mv]);
            let node = store.find(&position.key)?.unwrap();
            store.add_search(node, store.engine(&engine)?, &search)?;
        }
        store_all(store, &settings(store)?)
    };
    store.write(fill).unwrap();
    let new = |tree: &Tree| {
        let chosen = choose(tree, (Some(100), None)).unwrap().unwrap();
        chosen.child.map(|(_, position)| position.key)
    };
    let trees = [0, 1].map(|_| Tree::open(&place).unwrap());
    for tree in &trees {
        tree.store.begin_run(Default::default()).unwrap();
    }
    let both = Some(root.after(read("Nf3")[0]).after(read("Nf3 Nf6")[1]).after(read("g3")[0]).key);
    assert_eq!(new(&trees[0]), both);
    assert_ne!(new(&trees[1]), both);
    assert_eq!(merged(&[&store]).count().unwrap(), (5, 5));
    trees[0].store.release_own().unwrap();
    assert_eq!(new(&trees[1]), both);
    trees[1].store.release_own().unwrap();
    assert_eq!(store.count().unwrap(), (5, 5));
}

/// A process uses the settings that another one has changed.
#[test]
fn settings_of_other_processes_apply() {
    let folder = lento_testing::Folder::new("tree");
    let place = Location::File(folder.at("a.tree"));
    let (store, start) = (Store::create(&place).unwrap(), Board::start());
    let line = Setup::default().moves(&start, "e4 e5").unwrap();
    store.write(|store| make(store, &Opening::new(start, Vec::new()), &[], &[], &[])).unwrap();
    let tree = Tree::open(&place).unwrap();
    let narrow = |store: &Store| {
        store.set_setting("max_ply", "1")?;
        store_all(store, &settings(store)?)
    };
    store.write(narrow).unwrap();
    tree.update(|store, changed| changed.line(store, tree.root, tree.root(), &line)).unwrap();
    assert_eq!(verify::check(&Tree::open_to_read(&place).unwrap()).unwrap(), [""; 0]);
}

#[test]
fn centipawns_follow_values() {
    let board = Board::start();
    assert_eq!((centipawns(HALF), centipawns(value(&board, 0))), (0, 0));
    let mut last = i32::MIN;
    for score in (-3000..3000).step_by(50) {
        let shown = centipawns(value(&board, score));
        assert!(shown >= last, "{score}");
        assert_eq!(shown, -centipawns(FULL - value(&board, score)));
        last = shown;
    }
}

#[test]
fn halfmove_clocks_matter_from_twenty_plies() {
    let key = |fen: &str| Position::new(&Board::from_fen(fen).unwrap()).key;
    let fen = |clock: u32| format!("4k3/8/8/8/8/8/8/R3K3 w Q - {clock} 40");
    assert_eq!(key(&fen(0)), key(&fen(19)));
    assert_ne!(key(&fen(0)), key(&fen(20)));
    assert_ne!(key(&fen(21)), key(&fen(20)));
    let position = Position::new(&Board::from_fen(&fen(98)).unwrap());
    let after = position.after(position.board.parse_san("Ra2").unwrap());
    assert_eq!((after.fixed(), after.board.halfmove_clock()), (None, 99));
    assert_eq!(after.after(after.board.parse_san("Kd8").unwrap()).fixed(), Some(HALF));
}

/// The page of `lento serve` numbers moves by `start` and `fen`.
#[test]
fn documents_for_the_page_have_move_numbers() {
    let folder = lento_testing::Folder::new("tree");
    let place = Location::File(folder.at("a.tree"));
    let start = Board::start();
    let opening = Opening::new(start.clone(), Setup::default().moves(&start, "e4 e5 Nf3").unwrap());
    let (store, line) = (Store::create(&place).unwrap(), Setup::default().moves(&opening.root, "Nc6").unwrap());
    store.write(|store| make(store, &opening, &[line], &[], &[])).unwrap();
    for name in ["Nc6", "e4 e5 Nf3 Nc6"] {
        let document = look(&place, name).unwrap();
        let ends = |field: &str, end: &str| document[field].as_str().unwrap().ends_with(end);
        assert!(ends("start960", " b HAha - 1 2"), "{document:#}");
        assert!(ends("start", " b KQkq - 1 2") && ends("fen", " w KQkq - 2 3"), "{document:#}");
        assert_eq!(document["path_san"], serde_json::json!(["Nc6"]));
    }
}

/// Costs of a version with other centipawns are computed again.
#[test]
fn costs_of_other_versions_are_not_followed() {
    let folder = lento_testing::Folder::new("tree");
    let place = Location::File(folder.at("a.tree"));
    let (store, start) = (Store::create(&place).unwrap(), Board::start());
    let line = Setup::default().moves(&start, "e4 e5").unwrap();
    store.write(|store| make(store, &Opening::new(start, Vec::new()), &[line], &[], &[])).unwrap();
    let tree = Tree::open(&place).unwrap();
    tree.store.begin_run(Default::default()).unwrap();
    let costs = |store: &Store| -> Vec<Cost> { store.load_all().unwrap().nodes.iter().map(|node| node.cost).collect() };
    store.write(|store| store_all(store, &settings(store)?)).unwrap();
    let before = costs(&store);
    rusqlite::Connection::open(folder.at("a.tree")).unwrap().execute("UPDATE node SET cost = 7", []).unwrap();
    assert!(choose(&tree, (Some(100), None)).unwrap().is_some());
    tree.update(|store, changed| store.release_own().map(|nodes| changed.add(nodes))).unwrap();
    assert_eq!(costs(&store), before);
}
