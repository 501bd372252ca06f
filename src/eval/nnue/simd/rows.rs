//! Adding and subtracting rows of weights, written for auto-vectorisation: the instruction sets compile it with their instructions.

use super::{CacheLine, LANES, Rows};

#[inline(always)]
pub(super) fn update<const A: usize, const S: usize>(
    out: &mut [CacheLine],
    from: &[CacheLine],
    adds: Rows<A>,
    subs: Rows<S>,
) {
    for (index, out) in out.iter_mut().enumerate() {
        let mut line = from[index];
        for row in adds {
            add(&mut line, &row[index]);
        }
        for row in subs {
            subtract(&mut line, &row[index]);
        }
        *out = line;
    }
}

#[inline(always)]
pub(super) fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
    let lines = accumulator.len();
    for (index, out) in accumulator.iter_mut().enumerate() {
        let mut line = *out;
        for &row in adds {
            add(&mut line, &rows[usize::from(row) * lines + index]);
        }
        for &row in subs {
            subtract(&mut line, &rows[usize::from(row) * lines + index]);
        }
        *out = line;
    }
}

#[inline(always)]
fn add(line: &mut CacheLine, row: &CacheLine) {
    for index in 0..LANES {
        line.0[index] = line.0[index].wrapping_add(row.0[index]);
    }
}

#[inline(always)]
fn subtract(line: &mut CacheLine, row: &CacheLine) {
    for index in 0..LANES {
        line.0[index] = line.0[index].wrapping_sub(row.0[index]);
    }
}
