//! `lento tree grow`: searches and adds positions, in parallel with other processes.

use super::args::Grow;
use super::graph::Next;
use super::position::Position;
use super::show::percent;
use super::store::{Search, Store};
use super::update::{Changed, store_all};
use super::{Tree, change_settings, settings};
use crate::database::{EngineId, retry};
use crate::sql;
use lento::chess::{Game, Move};
use lento::engine::{Engine, Output};
use lento::search::limits::{Determinism, Limits};
use lento_console::Done;
use lento_console::document::notation;
use lento_console::interrupt::Stop;
use lento_console::notice::notice;
use lento_console::progress::Progress;
use lento_console::search::search_with_score;
use lento_console::table::numbered;
use lento_console::units;
use lento_player::analyse;
use serde_json::json;
use std::error::Error;
use std::io::{Write, stdout};
use std::mem;
use std::time::Duration;

/// Nodes of a search without a limit.
const DEFAULT_NODES: u64 = 100_000;
/// Poll interval while other processes search all wanted positions.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Nodes or milliseconds of each search.
type Limit = (Option<u64>, Option<i64>);

pub struct Place {
    node: i64,
    position: Position,
    /// The moves from the root.
    path: Vec<Move>,
    /// The move to add and the position after it; `None` to search the node itself.
    pub child: Option<(Move, Position)>,
    /// Whether that position was not in the tree.
    is_new: bool,
    needs_search: bool,
}

struct Work<'a> {
    args: &'a Grow,
    tree: Tree,
    engine: Engine,
    /// The id of the engine.
    by: i64,
    stop: Stop,
    progress: Progress,
    nodes: u64,
    searches: u64,
    added: u64,
}

pub fn run(args: &Grow) -> Done {
    let tree = Tree::open(&args.tree)?;
    change_settings(&tree.store, &args.growth)?;
    let mut engine = engine(args)?;
    let id = EngineId::new(&mut engine);
    let by = tree.store.write(|store| store.engine(&id))?;
    tree.store.begin_run(args.lease)?;
    let (stop, progress) = (Stop::on_ctrl_c()?, Progress::start());
    let mut work = Work { args, tree, engine, by, stop, progress, nodes: 0, searches: 0, added: 0 };
    let done = work.work();
    // Without the server, the lease expires.
    let released = work.query(|tree| tree.update(|store, changed| store.release_own().map(|nodes| changed.add(nodes))));
    done.and(released)?;
    work.summary()?;
    Ok(work.stop.exit_code())
}

fn engine(args: &Grow) -> Result<Engine, Box<dyn Error>> {
    let mut engine = Engine::new();
    engine.set_threads(args.threads)?;
    engine.set_hash(args.hash)?;
    if args.search_time.is_none() && args.threads > 1 {
        engine.settings.search.deterministic = Determinism::Rounds;
    }
    engine.set_tables(args.syzygy.as_deref().map(analyse::tables).transpose()?);
    Ok(engine)
}

/// Claims the cheapest place and its new position. Skips places whose new position another process is searching; they stay claimed
/// until the next call.
pub fn choose(tree: &Tree, limit: Limit) -> sql::Result<Option<Place>> {
    tree.update(|store, changed| store.release_all().map(|nodes| changed.add(nodes)))?;
    loop {
        let (place, is_free) = tree.update(|store, changed| {
            let Some(mut place) = cheapest(tree)? else { return Ok((None, true)) };
            store.claim(place.node)?;
            changed.add([place.node]);
            let mut is_free = true;
            if let Some((_, next)) = &place.child {
                place.is_new = store.find(&next.key)?.is_none();
                if !is_known(store, next, limit)? {
                    let (new, _) = store.add_node(next)?;
                    is_free = store.claim(new)?;
                    changed.add([new]);
                    place.needs_search = true;
                }
            }
            Ok((Some(place), is_free))
        })?;
        if is_free {
            return Ok(place);
        }
    }
}

fn cheapest(tree: &Tree) -> sql::Result<Option<Place>> {
    let settings = settings(&tree.store)?;
    let (mut node, mut position, mut path) = (tree.root, tree.root(), Vec::new());
    let mut is_computed = false;
    let mv = loop {
        let graph = tree.store.load(&[node])?;
        let (cost, next) = graph.next(0, &settings);
        // Costs of a version with other centipawns.
        if cost != graph.nodes[0].cost && !mem::replace(&mut is_computed, true) {
            store_all(&tree.store, &settings)?;
            (node, position, path) = (tree.root, tree.root(), Vec::new());
            continue;
        }
        match next {
            Next::Nothing => return Ok(None),
            Next::Search => break None,
            Next::Expand(mv) => break Some(mv),
            Next::Child(edge) => {
                node = graph.nodes[edge.child as usize].id;
                position = position.after(edge.mv);
                path.push(edge.mv);
            }
        }
    };
    let child = mv.map(|mv| (mv, position.after(mv)));
    Ok(Some(Place { node, position, path, child, is_new: false, needs_search: false }))
}

/// Whether a position needs no search with this limit.
fn is_known(store: &Store, position: &Position, (nodes, ms): Limit) -> sql::Result<bool> {
    if position.fixed().is_some() {
        return Ok(true);
    }
    let Some(node) = store.find(&position.key)? else { return Ok(false) };
    let searches = store.searches(node)?;
    let suffices = |search: &Search| {
        nodes.is_some_and(|nodes| search.nodes.max(search.asked_nodes) >= nodes as i64)
            || ms.is_some_and(|ms| search.time_ms.max(search.asked_ms) >= ms)
    };
    Ok(searches.iter().any(|search| search.avoided.is_empty() && suffices(search)))
}

impl Work<'_> {
    fn work(&mut self) -> Result<(), Box<dyn Error>> {
        while !self.stop.is_requested() && !self.is_over() {
            let limit = self.limit();
            let Some(place) = self.query(|tree| choose(tree, limit))? else { break };
            if let Some(place) = place {
                self.grow(&place)?;
            } else if self.query(|tree| tree.store.has_claims())? == Some(true) {
                let _ = self.stop.waiter().recv_timeout(POLL_INTERVAL);
            } else if !self.stop.is_requested() {
                self.progress.clear();
                notice(match self.tree.root().fixed() {
                    Some(_) => "nothing to grow: the game is over at the root",
                    None => "nothing to grow; increase the width or depth",
                });
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.args.time.is_some_and(|time| self.progress.elapsed() >= time)
            || self.args.nodes.is_some_and(|max| self.nodes >= max)
            || self.args.positions.is_some_and(|max| self.added >= max)
    }

    /// Searches the new child, if any, and the node without moves that have children.
    fn grow(&mut self, place: &Place) -> Result<(), Box<dyn Error>> {
        let Place { node, position, path, child, is_new, needs_search } = place;
        let by = self.by;
        if let (Some((mv, next)), true) = (child, *needs_search) {
            let Some(search) = self.search(next, &[], &[path, &[*mv][..]].concat())? else { return Ok(()) };
            let is_stored = self.store(|store, changed| {
                // Another process may have removed the node after the lease had ended.
                let (new, _) = store.add_node(next)?;
                changed.link(store, new, next)?;
                store.add_search(new, by, &search)?;
                store.release(new)?;
                changed.add([new]);
                Ok(())
            })?;
            if !is_stored {
                return Ok(());
            }
        }
        let Some(known) = self.query(|tree| tree.store.moves(*node))? else { return Ok(()) };
        let mut avoided: Vec<u16> = known.iter().map(|edge| edge.mv.word()).collect();
        avoided.extend(child.as_ref().map(|(mv, _)| mv.word()).filter(|mv| !avoided.contains(mv)));
        avoided.sort_unstable();
        let search = if avoided.len() < position.board.legal_moves().len() {
            let Some(search) = self.search(position, &avoided, path)? else { return Ok(()) };
            Some(search)
        } else {
            None
        };
        let is_stored = self.store(|store, changed| {
            if let Some(search) = &search {
                store.add_search(*node, by, search)?;
            }
            if let Some((mv, next)) = child {
                let child = changed.node(store, next)?;
                changed.edge(store, *node, mv.word(), child, position.is_irreversible(*mv))?;
            }
            store.release(*node)?;
            changed.add([*node]);
            Ok(())
        })?;
        self.added += u64::from(is_stored && *is_new);
        Ok(())
    }

    fn limit(&self) -> Limit {
        let ms = self.args.search_time.map(|time| time.as_millis() as i64);
        // The tree has signed integers.
        let nodes = self.args.search_nodes.map(|nodes| nodes.min(i64::MAX as u64));
        (nodes.or(ms.is_none().then_some(DEFAULT_NODES)), ms)
    }

    /// Stores a result and updates the tree, in one transaction. Returns false after Ctrl-C while the server is away.
    fn store(&mut self, mut work: impl FnMut(&Store, &mut Changed) -> sql::Result<()>) -> Result<bool, Box<dyn Error>> {
        let stored = self.query(|tree| tree.update(&mut work))?;
        if stored.is_none() {
            notice("the last search is not stored");
        }
        Ok(stored.is_some())
    }

    /// Runs a query, again after reconnecting if the connection is lost. Returns `None` after Ctrl-C meanwhile.
    fn query<T>(&mut self, mut run: impl FnMut(&Tree) -> sql::Result<T>) -> Result<Option<T>, Box<dyn Error>> {
        let Self { tree, progress, stop, .. } = self;
        Ok(retry(tree, |tree| tree.store.reconnect(), stop, progress, |tree| run(tree))?)
    }

    /// Searches a position without some moves. `None` after Ctrl-C.
    fn search(
        &mut self,
        position: &Position,
        avoided: &[u16],
        path: &[Move],
    ) -> Result<Option<Search>, Box<dyn Error>> {
        let (nodes, movetime) = self.limit();
        let board = &position.board;
        let mut moves = board.legal_moves().to_vec();
        moves.retain(|mv| avoided.binary_search(&mv.word()).is_err());
        self.engine.game = Game::from(board.clone());
        let limits = Limits { nodes, movetime, ..Limits::default() };
        let name = numbered(&self.tree.opening.root, path).join(" ");
        let found = search_with_score(&mut self.engine, &limits, &moves, &self.stop, |output| {
            if let Some(Output::Note(text)) = output {
                self.progress.clear();
                notice(text);
            }
            let (searches, added) = (units::counted(self.searches, "search"), self.added);
            self.progress.line(|elapsed| format!("{searches}, {added} added, {}: {name}", units::time(elapsed)));
            Ok(())
        })?;
        let Some(found) = found.filter(|_| !self.stop.is_requested()) else { return Ok(None) };
        let Some(line) = found.best().filter(|line| !line.pv.is_empty()) else {
            return Err(format!("the search of {} found no move", position.key).into());
        };
        let search = Search {
            asked_nodes: nodes.unwrap_or(0) as i64,
            asked_ms: movetime.unwrap_or(0),
            avoided: avoided.to_vec(),
            ..Search::new(board, line.depth, found.nodes(), found.elapsed, line.score, &line.pv)
        };
        self.nodes += found.nodes();
        self.searches += 1;
        self.print(path, &search)?;
        Ok(Some(search))
    }

    fn print(&mut self, path: &[Move], search: &Search) -> std::io::Result<()> {
        self.progress.clear();
        let (board, root) = (self.tree.after(path), &self.tree.opening.root);
        let pv = search.line();
        if self.args.jsonl {
            let (path, _) = notation(root, path, false);
            let without: Vec<String> =
                search.avoided.iter().filter_map(|&mv| Move::from_word(mv)).map(|mv| board.uci(mv, false)).collect();
            let line = json!({
                "fen": board.fen(false), "path": path, "without": without, "depth": search.depth, "nodes": search.nodes,
                "time_ms": search.time_ms, "expected": f64::from(search.value) / 1e6, "best": board.uci(pv[0], false),
            });
            return writeln!(stdout(), "{line}");
        }
        let without = if search.avoided.is_empty() { "" } else { " (other moves)" };
        let (value, line) = (percent(search.value), numbered(&board, &pv[..pv.len().min(8)]).join(" "));
        let path = if path.is_empty() { "root".into() } else { numbered(root, path).join(" ") };
        writeln!(stdout(), "{path}{without}: {value}, depth {}, {line}", search.depth)
    }

    fn summary(&mut self) -> Result<(), Box<dyn Error>> {
        let Some((positions, _)) = self.query(|tree| tree.store.count())? else { return Ok(()) };
        let (searches, nodes) = (units::counted(self.searches, "search"), units::counted(self.nodes, "node"));
        let [added, positions] = [self.added, positions].map(|count| units::counted(count, "position"));
        let time = units::time(self.progress.elapsed());
        let text = format!("{searches}, {added} added, {nodes} in {time}; the tree has {positions}");
        if self.args.jsonl {
            eprintln!("{text}")
        } else {
            writeln!(stdout(), "{text}")?
        }
        Ok(())
    }
}
