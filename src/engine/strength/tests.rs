use super::*;
use crate::chess::Game;
use crate::score::{Score, mate_in, mated_in};
use crate::search::observer::Observer;
use crate::search::report::PvLine;

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn lines(board: &Board, scores: &[Score]) -> Vec<Info> {
    let line = |((&mv, &score), multipv)| Info { score, multipv, pv: PvLine::from_iter([mv]), ..Info::default() };
    board.legal_moves().iter().zip(scores).zip(1..).map(line).collect()
}

/// How often each line is played in a thousand games.
fn played(elo: u64, scores: &[Score]) -> Vec<usize> {
    let root = Board::start();
    let all = lines(&root, scores);
    let mut counts = vec![0; scores.len()];
    for seed in 0..1000 {
        let mut lines = all.clone();
        Handicap::new(elo, seed, 1).choose(&root, &mut lines);
        assert_eq!((lines.len(), lines[0].multipv), (1, 1));
        counts[all.iter().position(|line| line.pv == lines[0].pv).expect("one of the lines")] += 1;
    }
    counts
}

#[test]
fn better_moves_are_played_more_often() {
    for elo in [ELO.0, 1500, 2000, ELO.1] {
        let counts = played(elo, &[30, 20, -10, -400]);
        assert!(counts[0] > counts[1] && counts[1] >= counts[2] && counts[3] == 0, "{elo}: {counts:?}");
    }
    assert!(played(ELO.0, &[30, 0])[1] > played(1800, &[30, 0])[1]);
    assert_eq!(played(ELO.1, &[30, 20])[1], 0);
}

#[test]
fn mates_are_played_and_avoided() {
    assert_eq!(played(ELO.0, &[mate_in(1), mate_in(3), 500]), [1000, 0, 0]);
    assert_eq!(played(ELO.0, &[-20, mated_in(2)])[1], 0);
    assert_eq!(played(ELO.0, &[mated_in(8), mated_in(2)]), [1000, 0]);
}

#[test]
fn played_move_comes_first_in_multipv() {
    let root = Board::start();
    for seed in 0..50 {
        let mut chosen = lines(&root, &[5, 4, 3, 2, 1]);
        Handicap::new(ELO.0, seed, 3).choose(&root, &mut chosen);
        assert_eq!(chosen.iter().map(|line| line.multipv).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(chosen[1..].is_sorted_by_key(|line| -line.score), "{chosen:?}");
    }
}

#[test]
fn errors_depend_only_on_the_seed() {
    let boards = [Board::start(), board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")];
    let values = |elo, seed| boards.each_ref().map(|board| Handicap::new(elo, seed, 1).evaluated(board, 10));
    let seen = |elo, seed| {
        let player = Handicap::new(elo, seed, 1);
        boards.each_ref().map(|board| board.legal_moves().iter().filter(|&&mv| player.sees(board, mv, 9)).count())
    };
    let (one, other) = (1, 2);
    assert_eq!((values(1000, one), seen(1000, one)), (values(1000, one), seen(1000, one)));
    assert_ne!(values(1000, one), values(1000, other));
    assert_ne!(random_seed(), random_seed());
    assert!(values(ELO.1, one).iter().all(|value| (value - 10).abs() < 10));
}

/// A position overrated for one side is underrated for the other.
#[test]
fn errors_do_not_depend_on_the_side_to_move() {
    let player = Handicap::new(1000, 7, 1);
    // Only the noise by position changes with the side to move.
    let (mut same, mut all) = (0, 0);
    let mut game = Game::start();
    for _ in 0..40 {
        let board = game.board().clone();
        let other = board.fen(false).replace(" w ", " x ").replace(" b ", " w ").replace(" x ", " b ");
        if let Ok(other) = Board::from_fen(&other) {
            all += 1;
            same += i32::from((player.evaluated(&board, 0) < 0) != (player.evaluated(&other, 0) < 0));
        }
        let moves = board.legal_moves();
        game.play(moves[board.key() as usize % moves.len()]);
    }
    assert!(all > 20 && same * 10 > all * 6, "{same} of {all}");
}

#[test]
fn obvious_moves_are_overlooked_less_often() {
    // A recapture, checks, a long move back.
    let board = board("6k1/8/8/3p4/Q3P3/8/6P1/R3K2R w KQ - 0 1");
    let missed = |elo, text: &str, ply| {
        let mv = board.parse_uci(text, false).expect(text);
        (0..2000).filter(|&seed| !Handicap::new(elo, seed, 1).sees(&board, mv, ply)).count()
    };
    assert!(missed(800, "e4d5", 3) < missed(800, "a4b3", 3), "captures");
    assert!(missed(800, "a4e8", 3) < missed(800, "a4b3", 3), "checks");
    assert!(
        missed(800, "a4b3", 0) < missed(800, "a4b3", 2) && missed(800, "a4b3", 2) < missed(800, "a4b3", 5),
        "plies"
    );
    assert!(missed(1800, "a4b3", 3) < missed(800, "a4b3", 3), "levels");
    assert!(missed(1800, "e4d5", 1) <= 40 && missed(2200, "e4d5", 1) <= 5, "a hanging piece");
    assert!(missed(ELO.1, "a4b3", 5) < 100);
}

#[test]
fn pauses_respect_the_clock() {
    for (soft, hard) in [(None, 3), (Some(100), 400), (Some(400), 400), (Some(1), 1)] {
        let [soft, hard] = [soft, Some(hard)].map(|time| time.map(Duration::from_millis));
        let bounds = Bounds { soft, hard: hard.expect("a bound") };
        for seed in 0..200 {
            let handicap = Handicap::new(1200, seed, 1);
            for count in [0, 1, 2] {
                let pause = handicap.pause(&Board::start(), &lines(&Board::start(), &[9; 2][..count]), bounds);
                assert!(pause <= bounds.hard && soft.is_none_or(|soft| pause <= soft), "{pause:?} of {bounds:?}");
                assert!(!pause.is_zero());
            }
        }
    }
}
