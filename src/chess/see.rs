//! Static exchange evaluation (SEE), and hanging pieces.

use super::{Bitboard, Board, Color, Move, Piece, PieceType, attacks};

/// Piece values for SEE, in centipawns.
const VALUES: [i32; 6] = [100, 325, 340, 500, 975, 0];

impl PieceType {
    /// SEE value in centipawns, 0 for the king.
    pub const fn exchange_value(self) -> i32 {
        VALUES[self.index()]
    }
}

impl Board {
    /// Whether the SEE of a legal move is at least `threshold` centipawns. Respects pins of the side to move as of this
    /// position, but not of the opponent. Castling has SEE 0.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        // Immediate gain, and the loss if the moved piece is recaptured.
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
        // No recapture if neither square is attacked: leaving the origin opens only lines through it.
        let threats = self.threats;
        if !threats.has(mv.to()) && !threats.has(mv.from()) && !mv.is_en_passant() {
            return true;
        }
        self.exchange_holds(mv, balance)
    }

    /// Sum of the SEE values of a color's pieces.
    pub(crate) fn exchange_value(&self, color: Color) -> i32 {
        let value = |kind: PieceType| self.pieces(color, kind).count() as i32 * kind.exchange_value();
        PieceType::ALL.into_iter().map(value).sum()
    }

    /// SEE of a legal move in centipawns: the greatest threshold with [`see_ge`](Self::see_ge).
    pub fn see(&self, mv: Move) -> i32 {
        // The extremes are losing a queen, and winning a queen with a promotion to a queen.
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

    /// Swap loop after the first capture; `balance` is the mover's if the exchange ends with the recapture.
    fn exchange_holds(&self, mv: Move, mut balance: i32) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let (diagonal, straight) = (self.diagonal_sliders(), self.orthogonal_sliders());
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
                // Only pins of the side to move are known; a pinned piece may capture along its pin ray.
                mine &= !self.pinned | attacks::line(king, to);
            }
            let Some((kind, taker)) = self.least_valuable(mine) else { break };
            mover_wins = !mover_wins;
            if kind == PieceType::King {
                // The king cannot capture a defended piece.
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

    /// The least valuable piece of a set: its type and square.
    #[inline(always)]
    fn least_valuable(&self, pieces: Bitboard) -> Option<(PieceType, Bitboard)> {
        PieceType::ALL.into_iter().find_map(|kind| {
            let square = (pieces & self.kind(kind)).first()?;
            Some((kind, square.bitboard()))
        })
    }

    /// The squares on which a piece of this color and of each type is attacked by a cheaper one; none for pawns and kings.
    pub fn attacked_by_cheaper(&self, color: Color) -> [Bitboard; 6] {
        let (them, occupied) = (!color, self.occupied());
        let attacked = |kind| {
            let sets = self.pieces(them, kind).map(|square| attacks::of(Piece::new(them, kind), square, occupied));
            sets.fold(Bitboard::EMPTY, |all, set| all | set)
        };
        let by_pawns = self.pieces(them, PieceType::Pawn).pawn_attacks(them);
        let by_minors = by_pawns | attacked(PieceType::Knight) | attacked(PieceType::Bishop);
        let by_rooks = by_minors | attacked(PieceType::Rook);
        [Bitboard::EMPTY, by_pawns, by_pawns, by_minors, by_rooks, Bitboard::EMPTY]
    }

    /// The knights, bishops, rooks and queens of a color that are attacked by a cheaper piece, or attacked and undefended.
    pub fn hanging(&self, color: Color) -> Bitboard {
        let (occupied, cheaper) = (self.occupied(), self.attacked_by_cheaper(color));
        let undefended = self.attacked_by(!color, occupied) & !self.attacked_by(color, occupied);
        let kinds = [PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
        let hanging = kinds.map(|kind| self.pieces(color, kind) & (undefended | cheaper[kind.index()]));
        hanging.into_iter().fold(Bitboard::EMPTY, |all, set| all | set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position, move and SEE.
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
    fn see_of_known_exchanges() {
        for (fen, text, value) in EXCHANGES {
            let board = Board::from_fen(fen).unwrap();
            let mv = board.parse_uci(text, false).unwrap_or_else(|| panic!("{fen} {text}"));
            assert!(board.see_ge(mv, value), "{fen} {text}: SEE below {value}");
            assert!(!board.see_ge(mv, value + 1), "{fen} {text}: SEE above {value}");
            assert_eq!(board.see(mv), value, "{fen} {text}");
        }
    }

    #[test]
    fn no_recapture_on_unattacked_squares() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut safe, mut taken) = (0, 0);
        for _ in 0..100 {
            let mut board = Board::start();
            while let Some(mv) = random.choice(board.legal_moves()) {
                for mv in board.legal_moves().into_iter().filter(|mv| !mv.is_castle() && !mv.is_en_passant()) {
                    // With this balance any recapture refutes the move.
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

    #[test]
    fn attacked_by_cheaper_piece_or_undefended() {
        for (fen, color, expected) in [
            ("4k3/8/8/8/6n1/7P/8/4K3 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/7p/6n1/7P/8/4K3 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/7p/6n1/8/8/4K1R1 b - - 0 1", Color::Black, ""),
            ("4k3/8/8/8/6n1/8/8/4K1R1 b - - 0 1", Color::Black, "g4"),
            ("4k3/8/8/3n4/8/2R5/1P6/4K3 w - - 0 1", Color::White, "c3"),
            ("4k3/8/8/3n4/8/2B5/1P6/4K3 w - - 0 1", Color::White, ""),
            ("4k3/3r4/8/8/3Q4/4P3/8/4K3 w - - 0 1", Color::White, "d4"),
            ("4k3/3q4/8/8/3Q4/4P3/8/4K3 w - - 0 1", Color::White, ""),
            ("4k3/8/8/8/6p1/7P/8/4K3 b - - 0 1", Color::Black, ""),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let squares: Vec<String> = board.hanging(color).map(|square| square.to_string()).collect();
            assert_eq!(squares.join(" "), expected, "{fen}");
        }
    }
}
