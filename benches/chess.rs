//! Speed of move generation, make, legality and check tests, SEE and perft.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lento::chess::movegen::MoveList;
use lento::chess::perft::perft;
use lento::chess::{Board, Move};
use lento::internals::bench::POSITIONS;
use std::hint::black_box;

fn boards() -> Vec<Board> {
    POSITIONS.iter().map(|fen| Board::from_fen(fen).expect("the bench positions are valid")).collect()
}

/// The bench positions, each with its legal moves for which `wanted` holds.
fn moves(wanted: impl Fn(Move) -> bool) -> Vec<(Board, Vec<Move>)> {
    let list = |board: Board| {
        let moves = board.legal_moves().into_iter().filter(|&mv| wanted(mv)).collect();
        (board, moves)
    };
    boards().into_iter().map(list).collect()
}

/// Benchmarks a function of board and move, per move.
fn each_move<T>(c: &mut Criterion, name: &str, list: &[(Board, Vec<Move>)], test: impl Fn(&Board, Move) -> T) {
    let mut group = c.benchmark_group("chess");
    group.throughput(Throughput::Elements(list.iter().map(|(_, moves)| moves.len() as u64).sum()));
    group.bench_function(name, |b| {
        b.iter(|| {
            for (board, moves) in list {
                for &mv in moves {
                    black_box(test(board, black_box(mv)));
                }
            }
        });
    });
    group.finish();
}

fn generation(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("chess");
    let mut generate = |name: &str, add: fn(&Board, &mut MoveList)| {
        let count = |board: &Board| {
            let mut list = MoveList::new();
            add(board, &mut list);
            list.len() as u64
        };
        group.throughput(Throughput::Elements(boards.iter().map(count).sum()));
        group.bench_function(name, |b| b.iter(|| boards.iter().map(|board| count(black_box(board))).sum::<u64>()));
    };
    generate("legal moves", |board, list| *list = board.legal_moves());
    generate("noisy moves", |board, list| board.generate::<true, false>(list));
    generate("quiet moves", |board, list| board.generate::<false, true>(list));
    group.finish();
}

fn single_moves(c: &mut Criterion) {
    let (all, noisy) = (moves(|_| true), moves(|mv| !mv.is_quiet()));
    each_move(c, "make", &all, Board::after);
    each_move(c, "is_legal", &all, Board::is_legal);
    each_move(c, "gives_check", &all, Board::gives_check);
    each_move(c, "see_ge of noisy moves", &noisy, |board, mv| board.see_ge(mv, 0));
    each_move(c, "see_ge of all moves", &all, |board, mv| board.see_ge(mv, -100));
}

fn counting(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    group.sample_size(20);
    for (name, fen) in [("start, depth 5", POSITIONS[0]), ("middlegame, depth 4", POSITIONS[5])] {
        let board = Board::from_fen(fen).expect("the bench positions are valid");
        let depth = if name.starts_with("start") { 5 } else { 4 };
        group.throughput(Throughput::Elements(perft(&board, depth)));
        group.bench_function(name, |b| b.iter(|| perft(black_box(&board), depth)));
    }
    group.finish();
}

criterion_group!(benches, generation, single_moves, counting);
criterion_main!(benches);
