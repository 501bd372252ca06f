//! Whether somebody is mated in so many moves at all. Who asks for a mate gets it, however well it is hidden from a search that
//! reduces; and who asks for one that there is not need not wait for ever.

use super::observer::Observer;
use super::report::PvLine;
use super::root::{RootResult, Scope};
use super::worker::Search;
use super::{MAX_PLY, Stopped};
use crate::chess::{Board, Move};
use crate::score::{Bound, mate_in};

/// Looks for a mate in so many moves by trying everything, a little longer each time.
pub struct MateProof {
    /// Moves of the side that mates.
    moves: usize,
    /// Whether it is still worth to look.
    open: bool,
    /// What averted a mate in so many moves the last time.
    averts: [Option<Move>; Self::MOST + 1],
    /// When `nodes` of the search reaches this, it takes too long.
    end: u64,
}

impl MateProof {
    /// Of longer mates nothing could be said in any time, in moves.
    const MOST: usize = 16;
    /// A first look may take so many nodes.
    const FIRST_LOOK: u64 = 20_000;

    /// Of a mate in so many moves.
    pub fn new(moves: u32) -> Self {
        let moves = moves as usize;
        Self { moves, open: moves <= Self::MOST, averts: [None; Self::MOST + 1], end: 0 }
    }
}

impl<O: Observer> Search<'_, O> {
    /// Whether it is certain that the side to move mates in the moves that were asked for, which is then the result, or that neither
    /// side does. That may take as many nodes as the search has taken; if it would take more, nothing is certain yet.
    pub(super) fn settles_mate(&mut self, proof: &mut MateProof) -> bool {
        if !proof.open {
            return false;
        }
        proof.end = self.nodes() + self.nodes().max(MateProof::FIRST_LOOK);
        self.try_to_settle(proof).unwrap_or(false)
    }

    fn try_to_settle(&mut self, proof: &mut MateProof) -> Result<bool, Stopped> {
        let board = self.job.game.board().clone();
        let job = self.job;
        for moves in 1..=proof.moves {
            if let Some(mv) = self.mate(&board, moves, proof, &job.root_moves)? {
                // Draws by the rules were left out: the line must not come near one.
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
        // If so, the search finds it.
        proof.open = !mated;
        Ok(!mated)
    }

    /// The move by which the side to move mates in so many moves, at least one, if it is among these. Draws by the rules are left
    /// out: they would avert even more.
    fn mate(
        &mut self,
        board: &Board,
        moves: usize,
        proof: &mut MateProof,
        among: &[Move],
    ) -> Result<Option<Move>, Stopped> {
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

    /// Whether the side to move, with these moves, is mated at once or after so many moves.
    fn is_mated(
        &mut self,
        board: &Board,
        moves: usize,
        proof: &mut MateProof,
        among: &[Move],
    ) -> Result<bool, Stopped> {
        self.enter(2 * (proof.moves - moves))?;
        if self.nodes() >= proof.end {
            return Err(Stopped);
        }
        if among.is_empty() || moves == 0 {
            return Ok(among.is_empty() && board.in_check());
        }
        let averts = proof.averts[moves].filter(|mv| among.contains(mv));
        for mv in averts.into_iter().chain(among.iter().copied().filter(|&mv| Some(mv) != averts)) {
            let after = board.after(mv);
            if self.mate(&after, moves, proof, &after.legal_moves())?.is_none() {
                proof.averts[moves] = Some(mv);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line of a mate in so many moves and no fewer, behind its first move: each reply averts it as long as it can.
    fn mating_line(&mut self, board: &Board, mv: Move, moves: usize, proof: &mut MateProof) -> Result<PvLine, Stopped> {
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

    /// Makes a mate that was proved the result.
    fn take_mate(&mut self, mv: Move, moves: usize, line: &PvLine) {
        let plies = (2 * moves - 1).min(MAX_PLY);
        let (depth, seldepth) = (self.iteration, plies as i32);
        let result = RootResult { score: mate_in(plies), bound: Bound::Exact, depth, seldepth, line };
        self.root.scope = Scope::All;
        self.root.record(mv, 0, Some(result));
        self.root.sort();
        self.lines = self.root.all()[..self.job.lines()].to_vec();
        self.publish();
    }
}
