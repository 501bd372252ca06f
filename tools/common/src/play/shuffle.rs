//! Start positions of Chess960 and double Fischer random.

use fastrand::Rng;
use lento::chess::Board;

/// A random start position in which both sides have their pieces in orders of their own (double Fischer random).
pub fn double_fischer(rng: &mut Rng) -> Board {
    let [white, black] = [(); 2].map(|()| back_rank(rng));
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_lowercase(), white);
    Board::from_fen(&fen).expect("every order of Chess960 is a position")
}

/// One of the 960 orders: bishops on squares of different colors, the king between the rooks.
fn back_rank(rng: &mut Rng) -> String {
    let mut files = [None; 8];
    files[2 * rng.usize(..4)] = Some('B');
    files[2 * rng.usize(..4) + 1] = Some('B');
    for piece in ['Q', 'N', 'N'] {
        let free: Vec<usize> = (0..8).filter(|&file| files[file].is_none()).collect();
        files[free[rng.usize(..free.len())]] = Some(piece);
    }
    let mut rest = ['R', 'K', 'R'].into_iter();
    files.into_iter().filter_map(|piece| piece.or_else(|| rest.next())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_order_comes_up_about_equally_often() {
        let mut rng = Rng::with_seed(7);
        let mut seen: HashMap<String, u32> = HashMap::new();
        for _ in 0..96_000 {
            *seen.entry(back_rank(&mut rng)).or_default() += 1;
        }
        assert_eq!(seen.len(), 960);
        assert!(seen.values().all(|count| (50..160).contains(count)), "{:?}", seen.values().max());
    }

    #[test]
    fn positions_have_all_castling_rights() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..100 {
            let fen = double_fischer(&mut rng).fen(true);
            assert_eq!(fen.split(' ').nth(2).map(str::len), Some(4), "{fen}");
        }
    }
}
