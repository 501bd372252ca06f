//! `lento tree init`.

use super::args::Init;
use super::opening::{MOVES, Opening};
use super::position::Position;
use super::store::{Search, Store};
use super::update::{Changed, store_all};
use super::{change_settings, settings};
use crate::database::{Analysis, Database, Known};
use crate::pgn::{PgnMove, Reader};
use crate::sql;
use lento::chess::{Board, Move};
use lento_common::polyglot::Book;
use lento_console::Done;
use lento_console::notice::notice;
use lento_console::units::counted;
use std::collections::{HashSet, VecDeque};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Write, stdout};
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &Init) -> Done {
    let exists = || format!("{}: exists; expected a new name", args.tree);
    if args.tree.file().is_some_and(Path::exists) {
        return Err(exists().into());
    }
    // Moves after a FEN are also part of the opening.
    let (mut setup, mut moves) = (args.setup.clone(), args.moves.clone());
    if let Some((fen, behind)) = args.setup.fen.as_deref().and_then(|fen| fen.split_once(MOVES)) {
        (setup.fen, moves) = (Some(fen.into()), format!("{behind} {moves}"));
    }
    let start = setup.game("")?.board().clone();
    let moves = setup.moves(&start, &moves)?;
    let opening = Opening::new(start, moves);
    let root = Position::new(&opening.root);
    let mut lines = Vec::new();
    for path in &args.pgn {
        lines.extend(games(path, &root, args.pgn_plies)?);
    }
    let mut plays = Vec::new();
    for path in &args.book {
        plays.extend(read_book(path, &root, args.book_positions)?);
    }
    let mut known = Vec::new();
    for place in &args.analysis {
        known.extend(Database::open_to_read(place)?.without_history()?);
    }
    if let Some(path) = args.tree.file() {
        // Another process may have created a tree meanwhile, which stays.
        File::create_new(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(),
            _ => format!("{}: {error}", args.tree),
        })?;
    }
    let made = || -> Result<String, Box<dyn Error>> {
        let store = Store::create(&args.tree)?;
        if !store.write(|store| make(store, &opening, &lines, &plays, &known))? {
            return Err(exists().into());
        }
        change_settings(&store, &args.growth)?;
        Ok(store.size()?)
    };
    let size = made().inspect_err(|_| {
        for end in ["", "-wal", "-shm"].iter().filter(|_| args.tree.file().is_some()) {
            let _ = std::fs::remove_file(format!("{}{end}", args.tree));
        }
    })?;
    writeln!(stdout(), "{}: {size}", args.tree)?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the root, moves of games from the root, book positions with their moves, parents first, and analyses. Returns false if
/// there is a root already.
pub fn make(
    store: &Store,
    opening: &Opening,
    lines: &[Vec<Move>],
    plays: &[(Position, Vec<Move>)],
    known: &[Known],
) -> sql::Result<bool> {
    if store.settings()?.contains_key("root") {
        return Ok(false);
    }
    let root = Position::new(&opening.root);
    opening.store(store)?;
    let (node, _) = store.add_node(&root)?;
    store.set_ply(node, Some(0))?;
    let mut positions = Vec::new();
    for (engine, board, Analysis { depth, nodes, time, lines, .. }) in known {
        let Some(line) = lines.first().filter(|line| !line.pv.is_empty()) else { continue };
        let position = Position::new(board);
        let (node, is_new) = store.add_node(&position)?;
        let search = Search::new(board, *depth, *nodes, *time, line.score, &line.pv);
        store.add_search(node, store.engine(engine)?, &search)?;
        if is_new {
            positions.push((node, position));
        }
    }
    // Values are computed at the end.
    let mut changed = Changed::default();
    changed.link(store, node, &root)?;
    for (node, position) in &positions {
        changed.link(store, *node, position)?;
    }
    for line in lines {
        changed.line(store, node, root.clone(), line)?;
    }
    for (position, moves) in plays {
        let node = changed.node(store, position)?;
        for &mv in moves {
            changed.line(store, node, position.clone(), &[mv])?;
        }
    }
    store_all(store, &settings(store)?).map(|()| true)
}

/// The moves of a book in positions that it reaches from the root, breadth-first, each position once.
fn read_book(path: &Path, root: &Position, max: usize) -> Result<Vec<(Position, Vec<Move>)>, String> {
    let book = Book::read(path)?;
    let (mut plays, mut is_truncated) = (Vec::new(), false);
    let (mut seen, mut waiting) = (HashSet::from([root.key.clone()]), VecDeque::from([(root.clone(), None)]));
    while let Some((position, last)) = waiting.pop_front() {
        if position.fixed().is_some() {
            continue;
        }
        let mut moves = Vec::new();
        for (mv, _) in book.moves(&position.board, last) {
            let next = position.after(mv);
            if !seen.contains(&next.key) {
                if seen.len() >= max {
                    is_truncated = true;
                    continue;
                }
                seen.insert(next.key.clone());
                waiting.push_back((next, Some(mv)));
            }
            moves.push(mv);
        }
        plays.push((position, moves));
    }
    if seen.len() == 1 && !is_truncated {
        notice(format_args!("{}: no move for the root", path.display()));
    }
    if is_truncated {
        notice(format_args!("{}: has more than {max} positions, see --book-positions", path.display()));
    }
    Ok(plays)
}

/// The moves of games after they reach the root, a line for each variation.
fn games(path: &Path, root: &Position, plies: usize) -> Result<Vec<Vec<Move>>, String> {
    let refuse = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut reader = Reader::new(BufReader::new(File::open(path).map_err(refuse)?));
    let (mut lines, mut read, mut without) = (Vec::new(), 0, 0);
    while let Some(reading) = reader.next_game().map_err(refuse)? {
        reading.problems.iter().for_each(|problem| notice(format_args!("{}: {problem}", path.display())));
        let Some(game) = reading.game else { continue };
        let before = lines.len();
        add_lines(root, plies, game.start, &game.moves, None, &mut lines);
        read += 1;
        without += usize::from(lines.len() == before);
    }
    if read == 0 {
        return Err(format!("{}: no game; expected games in PGN", path.display()));
    }
    if without > 0 {
        let games = counted(read, "game");
        notice(format_args!("{}: the root is not reached in {without} of {games}", path.display()));
    }
    Ok(lines)
}

/// Adds the line of these moves and those of its variations. `line` has the moves from the root; `None` before it.
fn add_lines(
    root: &Position,
    plies: usize,
    mut board: Board,
    moves: &[PgnMove],
    mut line: Option<Vec<Move>>,
    lines: &mut Vec<Vec<Move>>,
) {
    let is_root = |board: &Board| Position::new(board).key == root.key;
    for played in moves {
        line = line.or_else(|| is_root(&board).then(Vec::new));
        for variation in &played.remarks.variations {
            add_lines(root, plies, board.clone(), &variation.moves, line.clone(), lines);
        }
        match (&mut line, played.mv) {
            (Some(line), Some(mv)) if line.len() < plies => line.push(mv),
            (Some(_), _) => break,
            (None, _) => {}
        }
        board = played.after(&board);
    }
    lines.extend(line.or_else(|| is_root(&board).then(Vec::new)));
}
