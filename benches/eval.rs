//! Speed of the evaluation, in positions per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lento::chess::Board;
use lento::eval::Classical;
use lento::internals::bench::POSITIONS;
use std::hint::black_box;

/// All positions one move after a bench position.
fn boards() -> Vec<Board> {
    let roots = POSITIONS.iter().map(|fen| Board::from_fen(fen).expect("the bench positions are good"));
    roots.flat_map(|root| root.legal_moves().into_iter().map(move |mv| root.after(mv))).collect()
}

fn evaluation(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("eval");
    group.throughput(Throughput::Elements(boards.len() as u64));
    let mut classical = Classical::default();
    group.bench_function("classical, pawn cache warm", |b| {
        b.iter(|| boards.iter().map(|board| classical.evaluate(black_box(board))).sum::<i32>());
    });
    group.bench_function("classical, pawn cache empty", |b| {
        b.iter_batched_ref(
            Classical::default,
            |classical| boards.iter().map(|board| classical.evaluate(black_box(board))).sum::<i32>(),
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
