//! Start positions of games.

use super::endgame;
use super::limit::Limit;
use super::player::Player;
use crate::epd::{Epd, has_content};
use crate::{inputs, mix, number, polyglot};
use fastrand::Rng;
use lento::chess::{Board, Game, Move};
use lento_uci::genfens::random_walk;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Opening options on the command line.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Openings")]
pub struct OpeningArgs {
    /// Start from the positions of this file, one FEN or EPD per line, in random order, or after moves drawn by weight from a
    /// Polyglot book, a file ending in .bin [default: random plies]
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Maximum plies from a Polyglot book [default: 16]
    #[arg(long, value_name = "PLIES", requires = "book", value_parser = clap::value_parser!(u32).range(1..=200))]
    pub book_plies: Option<u32>,
    /// Random plies from the start or book position; half of the games get one more [default: 8, 0 with a book]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(..=40))]
    pub random_plies: Option<u32>,
    /// Share of games that start from double Fischer random positions, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number::share)]
    pub dfrc: f64,
    /// Share of games that start from random quiet positions of 5 to 12 pieces including pawns, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = number::share)]
    pub endings: f64,
    /// Maximum advantage of a side after random plies or moves of a Polyglot book and in random endings, in internal centipawns
    #[arg(long, value_name = "CP", default_value_t = 250, value_parser = clap::value_parser!(i32).range(1..))]
    pub max_imbalance: i32,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl OpeningArgs {
    /// Maximum plies from the book, if it is a Polyglot book.
    pub fn polyglot_plies(&self) -> Option<u32> {
        let path = self.book.as_deref()?;
        polyglot::Book::is_named(path).then(|| self.book_plies.unwrap_or(16))
    }
}

/// Openings by number.
#[derive(Debug)]
pub struct Openings {
    /// The arguments.
    pub args: OpeningArgs,
    /// The book.
    pub book: Book,
}

/// Where games start.
#[derive(Debug)]
pub enum Book {
    /// The start position.
    None,
    /// FENs in the order of the games, as text because books may be large.
    Positions(Vec<String>),
    /// Moves from the start position.
    Polyglot(polyglot::Book),
}

impl Openings {
    /// The search that judges a random position.
    const CHECK_LIMIT: Limit = Limit::Nodes(2000);
    /// Attempts to find a balanced position.
    const ATTEMPTS: u32 = 200;

    /// Reads the book, if any.
    pub fn from_args(args: &OpeningArgs) -> Result<Self, String> {
        if args.dfrc + args.endings > 1.0 {
            return Err(format!("--dfrc {} --endings {}: expected a sum up to 1", args.dfrc, args.endings));
        }
        let book = match &args.book {
            Some(path) if polyglot::Book::is_named(path) => {
                let book = polyglot::Book::read(path)?;
                if book.moves(&Board::start(), None).is_empty() {
                    let problem = "no move with a weight for the start position; expected another Polyglot book";
                    return Err(inputs::in_file(path, problem));
                }
                Book::Polyglot(book)
            }
            Some(path) if args.book_plies.is_some() => {
                return Err(inputs::in_file(path, "--book-plies expects a Polyglot book, a file ending in .bin"));
            }
            Some(path) => {
                let mut positions = read_book(path)?;
                Rng::with_seed(args.seed).shuffle(&mut positions);
                Book::Positions(positions)
            }
            None => Book::None,
        };
        Ok(Self { args: args.clone(), book })
    }

    /// A player for [`get`](Self::get), on one of the threads of [`ordered::run`](crate::ordered::run).
    pub fn checker() -> Result<Player, String> {
        Player::of_limit(&[], 1, Self::CHECK_LIMIT)
    }

    /// The opening with a number. Positions of a file are reused. Rejects unbalanced positions after random plies and moves of a
    /// Polyglot book, and endings that are unbalanced or not quiet.
    pub fn get(&self, number: u64, checker: &mut Player) -> Game {
        let mut rng = Rng::with_seed(mix::seed(self.args.seed, number));
        if self.args.endings > 0.0 && rng.f64() < self.args.endings {
            let mut draws = (0..Self::ATTEMPTS).map(|_| Game::from(endgame::draw(&mut rng)));
            if let Some(game) = draws.find(|game| self.balanced_move(game, checker).is_some_and(Move::is_quiet)) {
                return game;
            }
        }
        let plies = match self.random_plies() {
            0 => 0,
            plies => plies + u32::from(rng.bool()),
        };
        // A share of all games; this one does not start from an ending. Drawn once, as more of these positions are unbalanced.
        let is_dfrc = rng.f64() * (1.0 - self.args.endings) < self.args.dfrc;
        let base_position = |rng: &mut Rng| if is_dfrc { double_fischer(rng) } else { self.book_position(number, rng) };
        if plies == 0 && !matches!(self.book, Book::Polyglot(_)) {
            return Game::from(base_position(&mut rng));
        }
        for _ in 0..Self::ATTEMPTS {
            let board = base_position(&mut rng);
            let Some(game) = random_walk(board, plies as usize, &mut |count| rng.usize(..count.max(1))) else {
                continue;
            };
            if self.balanced_move(&game, checker).is_some() {
                return game;
            }
        }
        // The position of the book may be unbalanced.
        Game::from(base_position(&mut rng))
    }

    /// Random plies from the start or book position.
    pub(super) fn random_plies(&self) -> u32 {
        self.args.random_plies.unwrap_or(if matches!(self.book, Book::None) { 8 } else { 0 })
    }

    /// The best move of a short search; `None` if the game is over or unbalanced.
    fn balanced_move(&self, game: &Game, checker: &mut Player) -> Option<Move> {
        if game.verdict().is_some() {
            return None;
        }
        checker.engine.new_game();
        let ply = checker.search(game, Self::CHECK_LIMIT, Duration::ZERO, &[]);
        (ply.score.abs() <= self.args.max_imbalance).then_some(ply.mv)
    }

    /// The start position or that of the book.
    fn book_position(&self, number: u64, rng: &mut Rng) -> Board {
        match &self.book {
            Book::None => Board::start(),
            Book::Positions(fens) => {
                let at = (number % fens.len() as u64) as usize;
                Board::from_fen(&fens[at]).expect("the book has been checked")
            }
            Book::Polyglot(book) => book.draw(self.args.polyglot_plies().unwrap_or_default(), rng),
        }
    }
}

/// Reads the positions of a file, one FEN or EPD a line, as FEN with counters.
///
/// # Errors
/// I/O errors, no position, a line with an invalid or finished position, or a Polyglot book by its name.
pub fn read_book(path: &Path) -> Result<Vec<String>, String> {
    let name = path.display();
    if polyglot::Book::is_named(path) {
        return Err(format!("{name}: a Polyglot book; expected positions, one FEN or EPD a line"));
    }
    let text = inputs::read_text(path)?;
    let mut book = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| has_content(line)) {
        let board = Epd::parse(line).map_err(|error| format!("{name}:{}: {error}", number + 1))?.board;
        let fen = board.fen(false);
        if Game::from(board).verdict().is_some() {
            return Err(format!("{name}:{}: the game is over in {fen:?}", number + 1));
        }
        book.push(fen);
    }
    if book.is_empty() { Err(format!("{name}: no position in this file")) } else { Ok(book) }
}

/// A random double Fischer random position: each side has its own order of pieces.
pub fn double_fischer(rng: &mut Rng) -> Board {
    let [white, black] = [(); 2].map(|()| back_rank(rng));
    let fen = format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_lowercase(), white);
    Board::from_fen(&fen).expect("every order of Chess960 is a position")
}

/// A random order of Chess960: bishops on squares of different colors, the king between the rooks.
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
    use crate::arguments::parse;
    use lento::engine::Engine;
    use lento_testing::Folder;
    use std::collections::{HashMap, HashSet};

    fn args() -> OpeningArgs {
        OpeningArgs { seed: 1, ..parse(["openings"]).unwrap() }
    }

    /// A rank with a pawn on this file.
    fn pawn(file: char) -> String {
        ('a'..='h').map(|other| if other == file { 'P' } else { '1' }).collect()
    }

    fn fens(args: &OpeningArgs, numbers: std::ops::Range<u64>) -> Vec<String> {
        let openings = Openings::from_args(args).unwrap();
        let mut checker = Player::new(Engine::new(), &[], 1).unwrap();
        numbers.map(|number| openings.get(number, &mut checker).board().fen(true)).collect()
    }

    #[test]
    fn random_openings_repeat_for_a_seed_and_differ_within_it() {
        let openings = fens(&args(), 0..20);
        assert_eq!(openings[10..], fens(&args(), 10..20));
        assert_ne!(openings, fens(&OpeningArgs { seed: 2, ..args() }, 0..20));
        assert_eq!(openings.iter().collect::<HashSet<_>>().len(), 20);
        // Half of them have one random ply more.
        let black = openings.iter().filter(|fen| fen.contains(" b ")).count();
        assert!((3..=17).contains(&black), "{black}");
    }

    #[test]
    fn unbalanced_openings_are_rejected() {
        let mut checker = Player::new(Engine::new(), &[], 1).unwrap();
        let mut worst = |max_imbalance| {
            let openings = Openings::from_args(&OpeningArgs { max_imbalance, ..args() }).unwrap();
            let scores = (0..20).map(|number| {
                let game = openings.get(number, &mut checker);
                checker.engine.new_game();
                checker.search(&game, Openings::CHECK_LIMIT, Duration::ZERO, &[]).score.abs()
            });
            scores.max().unwrap()
        };
        assert!(worst(40) <= 40);
        assert!(worst(100_000) > 250);
    }

    #[test]
    fn a_book_is_played_in_a_drawn_order_and_starts_over() {
        let folder = Folder::new("book");
        let lines: Vec<String> = ('a'..='h')
            .map(|file| match file {
                'a'..='d' => format!("4k3/8/8/8/8/{}/8/4K3 w - - 3 9 id \"{file}\";", pawn(file)),
                _ => format!("4k3/8/8/8/8/{}/8/4K3 w - - hmvc 3; fmvn 9;", pawn(file)),
            })
            .collect();
        let path = folder.write("book", lines.join("\n").as_bytes());
        let with_book = OpeningArgs { book: Some(path), ..args() };
        let all = fens(&with_book, 0..16);
        assert_eq!(all[..8], all[8..]);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 8);
        assert!(all.iter().all(|fen| fen.ends_with(" w - - 3 9")));
        assert_ne!(all[..8], fens(&OpeningArgs { seed: 2, ..with_book.clone() }, 0..8));

        folder.write("book", b"4k3/8/8/8/8/8/8/4K3 w - -\n\nnot a position\n");
        let error = Openings::from_args(&with_book).unwrap_err();
        assert!(error.contains(":1: the game is over"), "{error}");
        folder.write("book", b"4k3/8/8/8/8/8/8/R3K3 w - -\n\n# comment\nnot a position\n");
        let error = Openings::from_args(&with_book).unwrap_err();
        assert!(error.contains(":4:"), "{error}");

        // Random plies cannot balance this one.
        folder.write("book", b"4k3/8/8/8/8/8/8/QR2K3 w - - 0 1\n");
        let lost = OpeningArgs { random_plies: Some(2), ..with_book.clone() };
        assert_eq!(fens(&lost, 0..1), ["4k3/8/8/8/8/8/8/QR2K3 w - - 0 1"]);
    }

    #[test]
    fn a_share_of_double_fischer_games() {
        let mixed = OpeningArgs { dfrc: 0.5, random_plies: Some(0), ..args() };
        let standard = fens(&mixed, 0..40).iter().filter(|fen| fen.starts_with("rnbqkbnr/")).count();
        assert!((8..=32).contains(&standard), "{standard}");
        // Most of the others are unbalanced.
        let kinds = |max_imbalance| -> Vec<bool> {
            let mixed = OpeningArgs { dfrc: 0.5, random_plies: Some(1), max_imbalance, ..args() };
            fens(&mixed, 0..30).iter().map(|fen| fen.contains(" HAha ")).collect()
        };
        assert_eq!(kinds(20), kinds(100_000));
        let no_others = OpeningArgs { endings: 0.5, ..mixed };
        assert!(
            fens(&no_others, 0..20).iter().all(|fen| !fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR "))
        );
    }

    #[test]
    fn a_share_of_quiet_and_balanced_endings() {
        assert!(Openings::from_args(&OpeningArgs { dfrc: 0.7, endings: 0.7, ..args() }).is_err());
        let mixed = OpeningArgs { endings: 0.4, max_imbalance: 100, ..args() };
        let openings = Openings::from_args(&mixed).unwrap();
        let mut checker = Player::new(Engine::new(), &[], 1).unwrap();
        let mut endings = 0;
        for number in 0..60 {
            let game = openings.get(number, &mut checker);
            if game.board().occupied().count() <= 12 {
                endings += 1;
                checker.engine.new_game();
                let ply = checker.search(&game, Openings::CHECK_LIMIT, Duration::ZERO, &[]);
                assert!(ply.mv.is_quiet() && ply.score.abs() <= 100, "{}", game.board().fen(false));
            }
        }
        assert!((12..=36).contains(&endings), "{endings}");
        assert_eq!(fens(&mixed, 10..20), fens(&mixed, 0..20)[10..]);
    }

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
