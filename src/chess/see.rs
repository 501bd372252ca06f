//! Static exchange evaluation: who wins material when both sides take on one square as long as it pays.

use super::{Bitboard, Board, Move, PieceType, attacks};

/// What each kind of piece counts for in exchanges, in centipawns.
const VALUES: [i32; 6] = [100, 325, 340, 500, 975, 0];

impl PieceType {
    /// What this kind counts for in exchanges, in centipawns; the king is beyond price and counts nothing.
    #[inline(always)]
    pub const fn exchange_value(self) -> i32 {
        VALUES[self.index()]
    }
}

impl Board {
    /// Whether a legal move wins at least `threshold` centipawns of material (or loses no more than its negative) when
    /// both sides go on taking on its target square with their cheapest pieces. Pieces of the side to move that are pinned in
    /// this position take only along their pin; pins of the other side are not looked for. Castling counts as an even
    /// trade.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        // What the move wins at once, and what is lost if the piece is then taken for nothing.
        let (mut balance, mut at_risk) =
            (-threshold, self.piece_on(mv.from()).map_or(0, |piece| piece.kind().exchange_value()));
        if let Some(captured) = self.captured(mv) {
            balance += captured.kind().exchange_value();
        }
        if let Some(kind) = mv.promoted() {
            at_risk = kind.exchange_value();
            balance += at_risk - VALUES[0];
        }
        if balance < 0 {
            return false;
        }
        balance -= at_risk;
        if balance >= 0 {
            return true;
        }
        // Where the other side attacks neither square nobody takes back: a piece that leaves its square opens lines through it only.
        let threats = self.threats;
        if !threats.has(mv.to()) && !threats.has(mv.from()) && !mv.is_en_passant() {
            return true;
        }
        self.exchange_holds(mv, balance)
    }

    /// What a legal move wins by exchanges on its target square, in centipawns: the greatest threshold that
    /// [`see_ge`](Self::see_ge) holds for.
    pub fn see(&self, mv: Move) -> i32 {
        // No move loses more than a queen, or wins more than a queen and another one by promotion.
        let (mut holds, mut fails) = (-VALUES[4], 2 * VALUES[4] + 1);
        while fails - holds > 1 {
            let middle = holds + (fails - holds) / 2;
            if self.see_ge(mv, middle) {
                holds = middle;
            } else {
                fails = middle;
            }
        }
        holds
    }

    /// The swap loop after the first capture; `balance` is the mover's if its piece is taken and nothing else happens.
    fn exchange_holds(&self, mv: Move, mut balance: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let (diagonal, straight) = (self.diagonal_sliders(), self.straight_sliders());
        let mut occupied = (self.occupied() ^ from.bitboard()) | to.bitboard();
        if mv.is_en_passant() {
            occupied ^= mv.capture_square().bitboard();
        }
        let mut attackers = self.attackers_to(to, occupied) & occupied;
        let mut side = !self.side;
        let mut mover_wins = true;
        loop {
            let mut mine = attackers & self.color(side);
            if side == self.side {
                let king = self.king(side);
                // The pins known are those of the side to move; a pinned piece may take along its pin.
                mine &= !self.pinned | attacks::line(king, to);
            }
            let Some((kind, taker)) = self.cheapest(mine) else { break };
            mover_wins = !mover_wins;
            if kind == PieceType::King {
                // A king may take last only.
                if (attackers & self.color(!side)).any() {
                    mover_wins = !mover_wins;
                }
                break;
            }
            occupied ^= taker;
            balance = -balance - 1 - kind.exchange_value();
            if balance >= 0 {
                break;
            }
            if matches!(kind, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(kind, PieceType::Rook | PieceType::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
            attackers &= occupied;
            side = !side;
        }
        mover_wins
    }

    /// The cheapest piece of a set, as a kind and a set of one.
    #[inline(always)]
    fn cheapest(&self, pieces: Bitboard) -> Option<(PieceType, Bitboard)> {
        PieceType::ALL.into_iter().find_map(|kind| {
            let square = (pieces & self.kind(kind)).first()?;
            Some((kind, square.bitboard()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position, move, and the exact value of the exchange worked out by hand.
    const EXCHANGES: [(&str, &str, i32); 16] = [
        ("4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100),
        ("4k3/8/2p5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 100 - 500),
        ("4k3/8/2p5/3p4/4P3/8/8/3RK3 w - - 0 1", "e4d5", 100),
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
        ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 100 - 500),
        ("4k3/3r4/8/3p4/8/3R4/3R4/4K3 w - - 0 1", "d3d5", 100),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", 0),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 975 - 100),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", -100),
        ("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", 500 + 975 - 100),
        ("4k3/8/8/8/3n4/8/1B6/Q3K3 w - - 0 1", "b2d4", 325),
        ("4k3/8/5p2/4n3/8/2B5/1Q6/4K3 w - - 0 1", "c3e5", 325 - 340 + 100),
        ("3k4/8/8/3r4/4K3/8/8/8 w - - 0 1", "e4d5", 500),
        ("4k3/8/8/8/8/5n2/8/3QK3 w - - 0 1", "d1f3", 325),
    ];

    #[test]
    fn exact_values_separate_the_thresholds() {
        for (fen, text, value) in EXCHANGES {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(text, false).unwrap_or_else(|| panic!("{fen} {text}"));
            assert!(board.see_ge(mv, value), "{fen} {text} is worth {value}");
            assert!(!board.see_ge(mv, value + 1), "{fen} {text} is worth no more than {value}");
            assert_eq!(board.see(mv), value, "{fen} {text}");
        }
    }

    /// The shortcut of `see_ge` says what the exchange says.
    #[test]
    fn nobody_takes_on_a_square_that_is_not_attacked() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut safe, mut taken) = (0, 0);
        for _ in 0..100 {
            let mut board = Board::start();
            while let Some(mv) = random.choice(board.legal_moves()) {
                for mv in board.legal_moves().into_iter().filter(|mv| !mv.is_castle() && !mv.is_en_passant()) {
                    // Whoever takes wins.
                    let holds = board.exchange_holds(mv, -10_000);
                    let attacked = board.threats().has(mv.to()) || board.threats().has(mv.from());
                    assert!(holds || attacked, "{board:?} {mv:?}");
                    (safe, taken) = (safe + usize::from(!attacked), taken + usize::from(!holds));
                }
                if board.halfmove_clock() > 60 {
                    break;
                }
                board.play(mv);
            }
        }
        assert!(safe > 1000 && taken > 1000, "{safe} {taken}");
    }
}
