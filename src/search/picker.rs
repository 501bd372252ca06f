//! Staged move generation and ordering.

use super::history::{Context, Histories};
use super::ranking::Ranking;
use crate::chess::movegen::{self, MoveList, Sink};
use crate::chess::{Bitboard, Board, CheckSquares, Move, MoveKind, Piece, PieceType, Square};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    MakeNoisy,
    GoodNoisy,
    MakeQuiets,
    Quiets,
    BadNoisy,
    Done,
}

/// Inputs of move ordering besides the histories' values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hints {
    /// Rows of continuation history.
    pub context: Context,
    /// The killer of this ply and its bonus.
    pub killer: (Option<Move>, i32),
    /// The last best reply and its bonus.
    pub reply: (Option<Move>, i32),
    /// Squares from which pieces give check, if checks are ordered, and the bonus of a check that loses no material.
    pub checks: Option<(CheckSquares, i32)>,
    /// Bonus of an escape from an attack by a cheaper piece, per centipawn of the piece, and malus of a move into one.
    pub threats: i32,
    /// Margin of the SEE threshold of captures by history, in 1/1024.
    pub see_by_history: i32,
}

/// Maximum loss of a check to count as an even exchange, in centipawns; minor pieces differ by less.
const EVEN_EXCHANGE: i32 = 50;

impl Hints {
    /// History context only.
    #[inline(always)]
    pub(super) const fn of(context: Context) -> Self {
        Self { context, killer: (None, 0), reply: (None, 0), checks: None, threats: 0, see_by_history: 0 }
    }

    #[inline(always)]
    fn is_check(&self, board: &Board, mv: Move) -> bool {
        self.checks.as_ref().is_some_and(|(squares, _)| squares.gives_check(board, mv))
    }

    /// Squares on which a piece gives check without promotion, if checks are ordered.
    #[inline(always)]
    fn checks_of(&self, piece: Piece, from: Square) -> Bitboard {
        self.checks.as_ref().map_or(Bitboard::EMPTY, |(squares, _)| squares.of_piece(piece.kind(), from))
    }

    /// Bonus of a quiet move on top of its history.
    #[inline(always)]
    fn bonus(&self, board: &Board, mv: Move, gives_check: bool) -> i32 {
        let mut sum = match self.checks {
            Some((_, bonus)) if gives_check && board.see_ge(mv, -EVEN_EXCHANGE) => bonus,
            _ => 0,
        };
        for (hint, bonus) in [self.killer, self.reply] {
            if hint == Some(mv) {
                sum += bonus;
            }
        }
        sum
    }
}

/// The quiet moves still to be yielded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quiets {
    All,
    /// Those that give check, if checks are ordered.
    Checks,
    None,
}

/// Yields the legal moves of a node: TT move, good captures, quiet moves by history, losing captures. Each stage is generated
/// on demand.
#[derive(Clone)]
pub(super) struct Picker {
    stage: Stage,
    tt_move: Option<Move>,
    /// Noisy moves, later quiet moves, and their scores.
    list: MoveList,
    ranking: Ranking,
    /// Losing captures and the number of those yielded.
    losing: MoveList,
    losing_yielded: usize,
    /// Minimum SEE of good captures, in centipawns.
    threshold: i32,
    pub quiets: Quiets,
    with_losing: bool,
}

impl Picker {
    /// All moves. `tt_move` must be legal.
    #[inline]
    pub(super) fn new(tt_move: Option<Move>) -> Self {
        Self {
            stage: if tt_move.is_some() { Stage::TtMove } else { Stage::MakeNoisy },
            tt_move,
            list: MoveList::new(),
            ranking: Ranking::new(),
            losing: MoveList::new(),
            losing_yielded: 0,
            threshold: 0,
            quiets: Quiets::All,
            with_losing: true,
        }
    }

    /// Captures and promotions with SEE of at least `threshold` centipawns only.
    #[inline]
    pub(super) fn winning(tt_move: Option<Move>, threshold: i32) -> Self {
        Self { threshold, quiets: Quiets::None, with_losing: false, ..Self::new(tt_move) }
    }

    /// The first move, unless its SEE is too low. Must be called before [`next`](Self::next).
    #[inline]
    pub(super) fn first(&mut self, board: &Board, histories: &Histories) -> Option<Move> {
        if self.stage == Stage::MakeNoisy {
            self.stage = Stage::GoodNoisy;
            self.make_noisy(board, histories);
        }
        self.tt_move.or_else(|| self.ranking.peek(&self.list))
    }

    #[inline]
    pub(super) fn ahead(&mut self) -> Option<Move> {
        match self.stage {
            Stage::GoodNoisy => self.ranking.peek(&self.list),
            Stage::Quiets if self.quiets == Quiets::All => self.ranking.peek(&self.list),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn next(&mut self, board: &Board, histories: &Histories, hints: &Hints) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::MakeNoisy;
                    return self.tt_move;
                }
                Stage::MakeNoisy => {
                    self.stage = Stage::GoodNoisy;
                    self.make_noisy(board, histories);
                }
                Stage::GoodNoisy => match self.ranking.take_best(&mut self.list) {
                    None => self.stage = Stage::MakeQuiets,
                    Some(mv) if Some(mv) == self.tt_move => {}
                    Some(mv) if self.is_good(board, histories, hints, mv) => return Some(mv),
                    Some(mv) => self.losing.push(mv),
                },
                Stage::MakeQuiets => {
                    self.stage = Stage::Quiets;
                    self.list.clear();
                    if self.quiets != Quiets::None {
                        self.make_quiets(board, histories, hints);
                    }
                }
                Stage::Quiets => match self.take_quiet(board, hints) {
                    None => {
                        self.stage = if self.with_losing { Stage::BadNoisy } else { Stage::Done };
                    }
                    Some(mv) if Some(mv) == self.tt_move => {}
                    Some(mv) => return Some(mv),
                },
                Stage::BadNoisy => match self.losing.get(self.losing_yielded) {
                    None => self.stage = Stage::Done,
                    mv => {
                        self.losing_yielded += 1;
                        return mv.copied();
                    }
                },
                Stage::Done => return None,
            }
        }
    }

    /// Generates captures and promotions. Not inlined, like [`make_quiets`](Self::make_quiets), so that [`next`](Self::next)
    /// saves fewer registers.
    #[inline(never)]
    fn make_noisy(&mut self, board: &Board, histories: &Histories) {
        board.generate::<true, false>(&mut self.list);
        self.ranking.rank(&self.list, |mv| noisy_score(board, histories, mv));
    }

    #[inline(never)]
    fn make_quiets(&mut self, board: &Board, histories: &Histories, hints: &Hints) {
        if histories.recipe.orders {
            return self.make_quiets_by_recipe(board, histories, hints);
        }
        let Self { list, ranking, .. } = self;
        let attacked =
            if hints.threats > 0 { board.attacked_by_cheaper(board.side_to_move()) } else { Default::default() };
        ranking.clear();
        board.generate::<false, true>(&mut RankedQuiets { list, ranking, board, histories, hints, attacked });
        ranking.close();
    }

    /// Generates quiet moves and ranks them by the LMR recipe's own history.
    #[cold]
    fn make_quiets_by_recipe(&mut self, board: &Board, histories: &Histories, hints: &Hints) {
        board.generate::<false, true>(&mut self.list);
        let score = |mv| histories.recipe.get(board, mv) + hints.bonus(board, mv, hints.is_check(board, mv));
        self.ranking.rank(&self.list, score);
    }

    /// Whether a capture or promotion comes before quiet moves: its SEE reaches the threshold, which good history lowers.
    #[inline(always)]
    fn is_good(&self, board: &Board, histories: &Histories, hints: &Hints, mv: Move) -> bool {
        board.see_ge(mv, self.threshold - histories.noisy(board, mv) * hints.see_by_history / 1024)
    }

    /// Takes the next quiet move that is not skipped.
    #[inline(always)]
    fn take_quiet(&mut self, board: &Board, hints: &Hints) -> Option<Move> {
        match self.quiets {
            Quiets::All => self.ranking.take_best(&mut self.list),
            Quiets::Checks => self.ranking.take_any(&self.list, |mv| hints.is_check(board, mv)),
            Quiets::None => None,
        }
    }
}

/// Score of a capture or promotion: most valuable victim first, then by history; underpromotions last.
#[inline(always)]
fn noisy_score(board: &Board, histories: &Histories, mv: Move) -> i32 {
    let victim = board.captured(mv).map_or(0, |piece| piece.kind().exchange_value());
    let promotion = match mv.promoted() {
        None => 0,
        Some(PieceType::Queen) => PieceType::Queen.exchange_value(),
        Some(_) => -PieceType::Queen.exchange_value(),
    };
    (victim + promotion) * 16 + histories.noisy(board, mv) / 2
}

/// Ranks quiet moves during generation, with one lookup of the histories per piece.
struct RankedQuiets<'a> {
    list: &'a mut MoveList,
    ranking: &'a mut Ranking,
    board: &'a Board,
    histories: &'a Histories,
    hints: &'a Hints,
    /// By type of piece, the squares that cheaper ones attack.
    attacked: [Bitboard; 6],
}

impl RankedQuiets<'_> {
    #[inline(always)]
    fn add(&mut self, mv: Move, history: i32, gives_check: bool) {
        self.list.push(mv);
        self.ranking.push(history + self.hints.bonus(self.board, mv, gives_check));
    }
}

impl Sink for RankedQuiets<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, quiets: Bitboard, _captures: Bitboard) {
        let Some(piece) = self.board.piece_on(from) else { return };
        let history = self.histories.of_piece(self.board, piece, from, &self.hints.context);
        let checks = self.hints.checks_of(piece, from);
        let (attacked, value) =
            (self.attacked[piece.kind().index()], piece.kind().exchange_value() * self.hints.threats);
        let escape = if attacked.has(from) { value } else { 0 };
        for to in quiets {
            let threat = if attacked.has(to) { -value } else { escape };
            self.add(Move::new(from, to, MoveKind::Quiet), history.get(to) + threat, checks.has(to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, offset: i32, kind: MoveKind) {
        let pawn = Piece::new(self.board.side_to_move(), PieceType::Pawn);
        for to in targets {
            let from = movegen::origin(to, offset);
            let history = self.histories.of_piece(self.board, pawn, from, &self.hints.context);
            self.add(Move::new(from, to, kind), history.get(to), self.hints.checks_of(pawn, from).has(to));
        }
    }

    /// Promotions are not quiet.
    #[inline(always)]
    fn promotions(&mut self, _targets: Bitboard, _offset: i32, _capture: bool) {}

    #[inline(always)]
    fn single(&mut self, mv: Move) {
        let history = self.histories.quiet(self.board, mv, &self.hints.context);
        self.add(mv, history, self.hints.is_check(self.board, mv));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::movegen::MoveList;
    use crate::search::history::Continuations;
    use crate::search::stack::Stack;

    fn hints() -> Hints {
        Hints::of(Context::at(&Stack::default(), 0))
    }

    /// The moves of a picker, the same with and without `first` and `ahead`.
    fn all(board: &Board, picker: Picker, hints: &Hints) -> Vec<Move> {
        let histories = Histories::new(Continuations::default());
        let mut plain = picker.clone();
        let moves: Vec<Move> = std::iter::from_fn(|| plain.next(board, &histories, hints)).collect();
        let mut peeked = picker;
        assert!(peeked.tt_move.is_none() || peeked.first(board, &histories) == peeked.tt_move);
        peeked.first(board, &histories);
        let next = || {
            peeked.ahead();
            peeked.next(board, &histories, hints)
        };
        assert_eq!(std::iter::from_fn(next).collect::<Vec<_>>(), moves);
        moves
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn yields_every_legal_move_once() {
        for fen in [KIWIPETE, "rnbqkb1r/pp1p1pPp/8/2p1pP2/1P1P4/7P/P1P1P3/RNBQKBNR w KQkq e6 0 1"] {
            let board = Board::from_fen(fen).unwrap();
            let mut expected: Vec<u16> = board.legal_moves().iter().map(|mv| mv.word()).collect();
            expected.sort_unstable();
            for tt_move in board.legal_moves().into_iter().map(Some).chain([None]) {
                let found = all(&board, Picker::new(tt_move), &hints());
                assert!(tt_move.is_none() || found[0] == tt_move.unwrap());
                let mut found: Vec<u16> = found.iter().map(|mv| mv.word()).collect();
                found.sort_unstable();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn order_is_good_captures_quiets_losing_captures() {
        let board = Board::from_fen("4k3/8/2p5/3p3n/8/8/8/3RK2R w K - 0 1").unwrap();
        let mv = |text| board.parse_uci(text, false).unwrap();
        let killer = Hints { killer: (Some(mv("e1f2")), 100), reply: (Some(mv("d1d2")), 50), ..hints() };
        let found = all(&board, Picker::new(None), &killer);
        assert_eq!(found[..3], [mv("h1h5"), mv("e1f2"), mv("d1d2")]);
        assert_eq!(*found.last().unwrap(), mv("d1d5"));
        let winning: MoveList = all(&board, Picker::winning(None, 0), &hints()).into_iter().collect();
        assert_eq!(winning[..], [mv("h1h5")]);
    }
}
