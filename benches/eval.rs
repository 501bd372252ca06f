//! Speed of the evaluation, in positions per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lento::chess::Board;
use lento::eval::Evaluation;
use lento::internals::bench::POSITIONS;
use lento::search::params::Params;
use std::hint::black_box;

/// All successors of the bench positions.
fn boards() -> Vec<Board> {
    let roots = POSITIONS.iter().map(|fen| Board::from_fen(fen).expect("the bench positions are valid"));
    roots.flat_map(|root| root.legal_moves().into_iter().map(move |mv| root.after(mv))).collect()
}

fn evaluation(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("eval");
    group.throughput(Throughput::Elements(boards.len() as u64));
    let (evaluation, scaling) = (Evaluation::default(), Params::default().scaling());
    group.bench_function("network, full refresh", |b| {
        b.iter(|| boards.iter().map(|board| evaluation.value(black_box(board), scaling)).sum::<i32>());
    });
    group.finish();
}

criterion_group!(benches, evaluation);
criterion_main!(benches);
