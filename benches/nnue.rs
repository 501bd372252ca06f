//! Speed of the network per instruction set, against a lower bound: the memory that must be touched.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use lento::chess::{Board, Color, Move, MoveDelta};
use lento::eval::nnue::{Network, embedded};
use lento::internals::bench::POSITIONS;
use lento::internals::nnue::{Accumulators, CacheLine, Simd};
use std::hint::black_box;
use std::sync::Arc;

/// A position and its successors.
struct Family {
    root: Board,
    children: Vec<(Move, Board)>,
}

fn families() -> Vec<Family> {
    let roots = POSITIONS.iter().map(|fen| Board::from_fen(fen).expect("the bench positions are valid"));
    roots
        .map(|root| {
            let children = root.legal_moves().into_iter().map(|mv| (mv, root.after(mv))).collect();
            Family { root, children }
        })
        .collect()
}

/// Weight rows that differ between two positions, for both colors; empty if a king bucket changes, which needs the refresh cache.
fn rows(network: &Network, root: &Board, child: &Board) -> Vec<usize> {
    let kings = &network.architecture().kings;
    let mut rows = Vec::new();
    for color in Color::ALL {
        let view = kings.view(color, root.king(color));
        if view != kings.view(color, child.king(color)) {
            return Vec::new();
        }
        let features = |board: &Board| -> Vec<usize> {
            let pieces = board.occupied().into_iter().filter_map(|square| Some((board.piece_on(square)?, square)));
            pieces.map(|(piece, square)| view.feature(piece, square)).collect()
        };
        let (before, after) = (features(root), features(child));
        rows.extend(before.iter().filter(|feature| !after.contains(feature)));
        rows.extend(after.iter().filter(|feature| !before.contains(feature)));
    }
    rows
}

/// Reads one value per cache line.
fn touch(lines: &[CacheLine]) -> i32 {
    lines.iter().map(|line| i32::from(line.0[0])).sum()
}

fn network(c: &mut Criterion) {
    let network = embedded();
    let mut families = families();
    for family in &mut families {
        let Family { root, children } = family;
        children.retain(|(_, child)| !rows(&network, root, child).is_empty());
    }
    let count: usize = families.iter().map(|family| family.children.len()).sum();

    let mut group = c.benchmark_group("nnue");
    group.throughput(Throughput::Elements(count as u64));
    for simd in Simd::available() {
        let mut accumulators = Accumulators::new(Arc::clone(&network), simd, 2);
        group.bench_function(BenchmarkId::new("after a move", simd.name()), |b| {
            b.iter(|| {
                let mut sum = 0;
                for Family { root, children } in &families {
                    accumulators.start(root);
                    for (mv, child) in children {
                        accumulators.play(0, &MoveDelta::of(root, *mv));
                        sum += accumulators.evaluate(black_box(child), 1);
                    }
                }
                sum
            });
        });
        group.bench_function(BenchmarkId::new("from the refresh cache", simd.name()), |b| {
            b.iter(|| {
                let mut sum = 0;
                for (_, child) in families.iter().flat_map(|family| &family.children) {
                    accumulators.start(black_box(child));
                    sum += accumulators.evaluate(child, 0);
                }
                sum
            });
        });
    }
    // For both colors: accumulators before and after, changed rows, and output weights.
    let needed: Vec<Vec<usize>> = families
        .iter()
        .flat_map(|family| family.children.iter().map(|(_, child)| rows(&network, &family.root, child)))
        .collect();
    let lines = network.lines();
    let mut pair = vec![CacheLine::ZERO; 4 * lines];
    group.bench_function("memory touched", |b| {
        b.iter(|| {
            let mut sum = 0;
            for rows in &needed {
                sum += touch(&pair[..2 * lines]) + touch(&network.features()[..2 * lines]);
                sum += rows.iter().map(|&row| touch(network.feature(row))).sum::<i32>();
                pair[2 * lines..].iter_mut().for_each(|line| line.0[0] = sum as i16);
            }
            black_box(&pair);
            sum
        });
    });
    group.finish();
}

criterion_group!(benches, network);
criterion_main!(benches);
