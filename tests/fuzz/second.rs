//! The second opinion on the rules: cozy-chess, asked in UCI notation.

use cozy_chess::{Board, Move, Square};

/// A position that both libraries know.
#[derive(Clone)]
pub struct Second(Board);

impl Second {
    /// The position, if the other library takes it.
    pub fn new(board: &lento::chess::Board) -> Option<Self> {
        Board::from_fen(&board.fen(true), true).ok().map(Self)
    }

    /// Every legal move with its text.
    fn moves(&self, chess960: bool) -> Vec<(String, Move)> {
        let mut moves = Vec::new();
        self.0.generate_moves(|set| {
            moves.extend(set.into_iter().map(|mv| (self.text(mv, chess960), mv)));
            false
        });
        moves
    }

    /// The texts of all legal moves.
    pub fn texts(&self, chess960: bool) -> Vec<String> {
        self.moves(chess960).into_iter().map(|(text, _)| text).collect()
    }

    fn text(&self, mv: Move, chess960: bool) -> String {
        let castles = self.0.color_on(mv.to) == Some(self.0.side_to_move());
        let file = if mv.to.file() > mv.from.file() { cozy_chess::File::G } else { cozy_chess::File::C };
        // A king that stays or goes one square castles by taking its rook.
        let steps = (file as usize).abs_diff(mv.from.file() as usize);
        if !castles || chess960 || steps <= 1 {
            return mv.to_string();
        }
        format!("{}{}", mv.from, Square::new(file, mv.from.rank()))
    }

    /// Plays the move that the text means, if it is legal.
    pub fn play(&mut self, text: &str, chess960: bool) -> bool {
        let Some((_, mv)) = self.moves(chess960).into_iter().find(|(spelled, _)| spelled == text) else { return false };
        self.0.play_unchecked(mv);
        true
    }

    /// The other library's own form.
    pub fn into_board(self) -> Board {
        self.0
    }
}

impl From<Board> for Second {
    fn from(board: Board) -> Self {
        Self(board)
    }
}

/// The position with colors exchanged and ranks mirrored, made of the text of its FEN.
pub fn mirror_image(board: &lento::chess::Board) -> lento::chess::Board {
    let fen = board.fen(true);
    let fields: Vec<&str> = fen.split(' ').collect();
    let exchanged = |text: &str| -> String {
        let exchange = |c: char| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        text.chars().map(exchange).collect()
    };
    let ranks: Vec<String> = fields[0].rsplit('/').map(exchanged).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    let en_passant = if fields[3].ends_with('3') { fields[3].replace('3', "6") } else { fields[3].replace('6', "3") };
    let rest = fields[4..].join(" ");
    let text = format!("{} {side} {} {en_passant} {rest}", ranks.join("/"), exchanged(fields[2]));
    lento::chess::Board::from_fen(&text).expect("a position has a mirror image")
}
