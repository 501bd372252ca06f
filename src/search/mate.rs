//! Full-width proof or refutation for `go mate N`.

use super::observer::Observer;
use super::report::PvLine;
use super::worker::Search;
use super::{MAX_PLY, Searched, Stopped};
use crate::chess::{Board, Move};
use crate::score::{Bound, mate_in};

/// State of the proof, which is retried with a growing node budget after each iteration.
pub(super) struct MateProof {
    /// Moves of the side that mates.
    moves: usize,
    open: bool,
    /// The last move that refuted a mate, by number of moves.
    refutations: [Option<Move>; Self::MAX_MOVES + 1],
    /// Node count at which this attempt stops.
    end: u64,
}

impl MateProof {
    /// Maximum length of a mate to prove, in moves.
    const MAX_MOVES: usize = 16;
    /// Node budget of the first attempt.
    const FIRST_NODES: u64 = 20_000;

    /// A proof of a mate in this number of moves.
    pub(super) fn new(moves: u32) -> Self {
        let moves = moves as usize;
        Self { moves, open: moves <= Self::MAX_MOVES, refutations: [None; Self::MAX_MOVES + 1], end: 0 }
    }
}

impl<O: Observer> Search<'_, O> {
    /// Tries to prove a mate by the side to move, which becomes the result, or that neither side mates. Returns whether it succeeded. Uses
    /// at most as many nodes as the search so far.
    pub(super) fn settles_mate(&mut self, proof: &mut MateProof) -> bool {
        if !proof.open {
            return false;
        }
        proof.end = self.nodes + self.nodes.max(MateProof::FIRST_NODES);
        self.try_to_settle(proof).unwrap_or(false)
    }

    fn try_to_settle(&mut self, proof: &mut MateProof) -> Searched<bool> {
        let board = self.job.game.board().clone();
        let job = self.job;
        for moves in 1..=proof.moves {
            if let Some(mv) = self.mate(&board, moves, proof, &job.root_moves)? {
                // The proof ignores draws by rule, so the line must stay clear of them.
                let clock = board.halfmove_clock();
                let fresh = clock == 0 || job.game.earlier_keys().is_empty();
                if !fresh || clock as usize + 2 * moves > 100 {
                    proof.open = false;
                    return Ok(false);
                }
                let line = self.mating_line(&board, mv, moves, proof)?;
                self.take_mate(mv, moves, &line);
                return Ok(true);
            }
        }
        let mated = self.is_mated(&board, proof.moves, proof, &job.root_moves)?;
        // If the side to move is mated, the search finds the line.
        proof.open = !mated;
        Ok(!mated)
    }

    /// Returns a move that mates in `moves`, at least one, ignoring draws by rule.
    fn mate(&mut self, board: &Board, moves: usize, proof: &mut MateProof, among: &[Move]) -> Searched<Option<Move>> {
        let checks = board.check_squares();
        for &mv in among {
            if moves > 1 || checks.gives_check(board, mv) {
                let after = board.after(mv);
                if self.is_mated(&after, moves - 1, proof, &after.legal_moves())? {
                    return Ok(Some(mv));
                }
            }
        }
        Ok(None)
    }

    /// Whether the side to move, whose legal moves are given, is mated within `moves`.
    fn is_mated(&mut self, board: &Board, moves: usize, proof: &mut MateProof, among: &[Move]) -> Searched<bool> {
        self.enter(2 * (proof.moves - moves))?;
        if self.nodes >= proof.end {
            return Err(Stopped);
        }
        if among.is_empty() || moves == 0 {
            return Ok(among.is_empty() && board.in_check());
        }
        let first = proof.refutations[moves].filter(|mv| among.contains(mv));
        for mv in first.into_iter().chain(among.iter().copied().filter(|&mv| Some(mv) != first)) {
            let after = board.after(mv);
            if self.mate(&after, moves, proof, &after.legal_moves())?.is_none() {
                proof.refutations[moves] = Some(mv);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line of a shortest mate after its first move, with the longest defence.
    fn mating_line(&mut self, board: &Board, mv: Move, moves: usize, proof: &mut MateProof) -> Searched<PvLine> {
        let mut line = PvLine::new();
        let mut board = board.after(mv);
        for left in (1..moves).rev() {
            let mut found = None;
            for reply in board.legal_moves() {
                let after = board.after(reply);
                let legal = after.legal_moves();
                if left == 1 || self.mate(&after, left - 1, proof, &legal)?.is_none() {
                    found = self.mate(&after, left, proof, &legal)?.map(|next| (reply, next));
                    break;
                }
            }
            let Some((reply, next)) = found else { break };
            line.extend([reply, next]);
            board = board.after(reply).after(next);
        }
        Ok(line)
    }

    fn take_mate(&mut self, mv: Move, moves: usize, line: &PvLine) {
        let plies = (2 * moves - 1).min(MAX_PLY);
        self.root.record(mv, 0, Some((mate_in(plies), Bound::Exact)), self.iteration, plies as i32, line);
        self.root.sort();
        self.lines = self.root.all()[..self.job.lines()].to_vec();
        self.publish();
    }
}
