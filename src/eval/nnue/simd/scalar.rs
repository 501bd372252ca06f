//! Plain Rust, which the other instruction sets are compared with. The updates are written so that the compiler vectorises them; the other
//! files compile the same lines for their instructions.

use super::super::network::{LOT, QA};
use super::super::threats::{Men, Threats};
use super::{Line, Rows, ShortLine, Side};

/// So many lines take their threats together.
const BLOCK: usize = 8;

#[inline(always)]
pub fn update<const A: usize, const S: usize>(out: &mut [Line], from: &[Line], adds: Rows<A>, subs: Rows<S>) {
    for (index, out) in out.iter_mut().enumerate() {
        let mut line = from[index];
        for row in adds.0 {
            add(&mut line, &row[index]);
        }
        for row in subs.0 {
            subtract(&mut line, &row[index]);
        }
        *out = line;
    }
}

#[inline(always)]
pub fn apply(accumulator: &mut [Line], rows: &[Line], adds: &[u16], subs: &[u16]) {
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

pub fn find_threats(men: &Men, threats: &mut Threats) {
    threats.find::<[u64; 8]>(men);
}

pub fn weigh<const N: usize>(parts: [(&[Line], &[Line]); N]) -> i32 {
    let mut sum = 0;
    for (neurons, weights) in parts {
        for (neurons, weights) in neurons.iter().zip(weights) {
            for (&neuron, &weight) in neurons.0.iter().zip(&weights.0) {
                let neuron = i32::from(neuron).clamp(0, QA);
                sum += neuron * neuron * i32::from(weight);
            }
        }
    }
    sum
}

pub fn weigh_threatened(sides: [Side; 2], rows: &[ShortLine], threats: &[u8]) -> i32 {
    let mut sum = 0;
    for Side { neurons, weights, turn } in sides {
        for at in (0..neurons.len()).step_by(BLOCK) {
            let from = &neurons[at..neurons.len().min(at + BLOCK)];
            let mut block = [Line::ZERO; BLOCK];
            let lines = &mut block[..from.len()];
            lines.copy_from_slice(from);
            for threat in threats {
                let row = &rows[usize::from(threat ^ turn) * neurons.len() + at..][..lines.len()];
                for (line, row) in lines.iter_mut().zip(row) {
                    for index in 0..LOT {
                        line.0[index] = line.0[index].wrapping_add(row.0[index].into());
                    }
                }
            }
            sum += weigh([(&*lines, &weights[at..][..lines.len()])]);
        }
    }
    sum
}

#[inline(always)]
fn add(line: &mut Line, row: &Line) {
    for index in 0..LOT {
        line.0[index] = line.0[index].wrapping_add(row.0[index]);
    }
}

#[inline(always)]
fn subtract(line: &mut Line, row: &Line) {
    for index in 0..LOT {
        line.0[index] = line.0[index].wrapping_sub(row.0[index]);
    }
}
