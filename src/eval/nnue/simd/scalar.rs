//! Portable reference kernels. The updates are written for auto-vectorisation; other files compile them with their instructions.

use super::super::network::{LANES, QA};
use super::{CacheLine, HalfLine, Perspective, Rows};

/// Lines per block of threat updates.
const BLOCK: usize = 8;

#[inline(always)]
pub fn update<const A: usize, const S: usize>(out: &mut [CacheLine], from: &[CacheLine], adds: Rows<A>, subs: Rows<S>) {
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
pub fn apply(accumulator: &mut [CacheLine], rows: &[CacheLine], adds: &[u16], subs: &[u16]) {
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

pub fn screlu_dot(sides: [Perspective; 2], rows: &[HalfLine], threats: &[u8]) -> i32 {
    let mut sum = 0;
    for Perspective { neurons, weights, flip } in sides {
        for at in (0..neurons.len()).step_by(BLOCK) {
            let from = &neurons[at..neurons.len().min(at + BLOCK)];
            let mut block = [CacheLine::ZERO; BLOCK];
            let lines = &mut block[..from.len()];
            lines.copy_from_slice(from);
            for threat in threats {
                let row = &rows[usize::from(threat ^ flip) * neurons.len() + at..][..lines.len()];
                for (line, row) in lines.iter_mut().zip(row) {
                    for index in 0..LANES {
                        line.0[index] = line.0[index].wrapping_add(row.0[index].into());
                    }
                }
            }
            for (line, weights) in lines.iter().zip(&weights[at..]) {
                for (&neuron, &weight) in line.0.iter().zip(&weights.0) {
                    let neuron = i32::from(neuron).clamp(0, QA);
                    sum += neuron * neuron * i32::from(weight);
                }
            }
        }
    }
    sum
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
