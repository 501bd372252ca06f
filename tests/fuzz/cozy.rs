//! cozy-chess as a reference, in UCI notation.

use cozy_chess::{Board, Move, Square};

/// A position in cozy-chess.
#[derive(Clone)]
pub struct CozyBoard(Board);

impl CozyBoard {
    /// Converts a position; `None` if cozy-chess refuses it.
    pub fn new(board: &lento::chess::Board) -> Option<Self> {
        Board::from_fen(&board.fen(true), true).ok().map(Self)
    }

    /// All legal moves with their notation.
    fn moves(&self, chess960: bool) -> Vec<(String, Move)> {
        let mut moves = Vec::new();
        self.0.generate_moves(|set| {
            moves.extend(set.into_iter().map(|mv| (self.text(mv, chess960), mv)));
            false
        });
        moves
    }

    /// Notations of all legal moves.
    pub fn texts(&self, chess960: bool) -> Vec<String> {
        self.moves(chess960).into_iter().map(|(text, _)| text).collect()
    }

    fn text(&self, mv: Move, chess960: bool) -> String {
        let castles = self.0.color_on(mv.to) == Some(self.0.side_to_move());
        let file = if mv.to.file() > mv.from.file() { cozy_chess::File::G } else { cozy_chess::File::C };
        // If the king moves at most one square, castling is written as king takes rook.
        let steps = (file as usize).abs_diff(mv.from.file() as usize);
        if !castles || chess960 || steps <= 1 {
            return mv.to_string();
        }
        format!("{}{}", mv.from, Square::new(file, mv.from.rank()))
    }

    /// Plays the move with this notation, if it is legal.
    pub fn play(&mut self, text: &str, chess960: bool) -> bool {
        let Some((_, mv)) = self.moves(chess960).into_iter().find(|(spelled, _)| spelled == text) else { return false };
        self.0.play_unchecked(mv);
        true
    }

    pub fn into_board(self) -> Board {
        self.0
    }
}

impl From<Board> for CozyBoard {
    fn from(board: Board) -> Self {
        Self(board)
    }
}

/// The position with colors swapped and ranks mirrored, derived from its FEN.
pub fn mirror_image(board: &lento::chess::Board) -> lento::chess::Board {
    let fen = board.fen(true);
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap_case = |text: &str| -> String {
        let swap = |c: char| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        text.chars().map(swap).collect()
    };
    let ranks: Vec<String> = fields[0].rsplit('/').map(swap_case).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = if fields[3].ends_with('3') { fields[3].replace('3', "6") } else { fields[3].replace('6', "3") };
    let rest = fields[4..].join(" ");
    let text = format!("{} {side} {} {en_passant} {rest}", ranks.join("/"), swap_case(fields[2]));
    lento::chess::Board::from_fen(&text).expect("a position has a mirror image")
}
