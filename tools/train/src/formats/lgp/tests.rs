//! Games round-trip, and damaged files are errors.

use super::scores::rounded;
use super::shard::header;
use super::{Reader, pack};
use crate::formats::{GameFile, StoredGame};
use crate::tests::sample;
use fastrand::Rng;
use lento::chess::{Board, Color, Move};
use lento_common::inputs::MAX_BYTES;
use lento_common::play::{Ending, GameResult, Ply, Record};
use lento_testing::Folder;
use std::path::Path;

const STARTS: [&str; 8] = [
    lento::chess::fen::START,
    // Chess960, with some and all castling rights.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "1r2k1rr/ppppppp1/8/8/8/8/PPPPPP2/RR2K1RR w BGbg - 0 1",
    // En passant and promotions.
    "4k3/P6p/8/1pP5/8/6pP/p6P/4K3 w - b6 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    // Imminent mates and draws.
    "7k/5Q2/8/6K1/8/8/8/8 w - - 98 60000",
    "k7/8/KQ6/8/8/8/8/8 w - - 3 70",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
];

/// A random game with scores of every size.
fn game(random: &mut Rng, start: &str, length: usize) -> Record {
    let start = Board::from_fen(start).unwrap();
    let mut board = start.clone();
    let mut plies = Vec::new();
    let mut score = random.i32(-300..300);
    let result = loop {
        let moves = board.legal_moves();
        if moves.is_empty() {
            let lost = GameResult::lost_by(board.side_to_move());
            break if board.in_check() { lost } else { GameResult::Draw };
        }
        if plies.len() == length {
            break [GameResult::WhiteWins, GameResult::Draw, GameResult::BlackWins][random.usize(..3)];
        }
        let rare = moves.iter().find(|mv| mv.is_castle() || mv.is_en_passant() || mv.is_promotion());
        let mv = rare.copied().filter(|_| random.bool()).unwrap_or(moves[random.usize(..moves.len())]);
        score = match random.u8(..40) {
            0 => random.i32(-32_000..=32_000),
            1 => 32_000 - random.i32(0..600),
            2 => random.i32(0..600) - 32_000,
            3 => 0,
            _ => (-score + random.i32(-40..=40)).clamp(-32_000, 32_000),
        };
        plies.push(Ply { score, ..Ply::new(mv) });
        board.play(mv);
    };
    Record { start, plies, result, ending: Ending::Length }
}

/// Random games, some without moves.
fn games(seed: u64, count: usize) -> Vec<Record> {
    let mut random = Rng::with_seed(seed);
    (0..count)
        .map(|number| {
            let length = if random.u8(..8) == 0 { 0 } else { random.usize(1..120) };
            game(&mut random, STARTS[number % STARTS.len()], length)
        })
        .collect()
}

fn stored(folder: &Folder, bytes: &[u8]) -> Vec<StoredGame> {
    GameFile::open(&folder.write("games.vf", bytes)).unwrap().map(Result::unwrap).collect()
}

fn packed(games: &[StoredGame]) -> Vec<u8> {
    let games = games.iter().cloned().map(Ok);
    pack(Path::new("packed.lgp"), games).unwrap()
}

fn unpacked(folder: &Folder, bytes: &[u8]) -> Result<Vec<StoredGame>, String> {
    let path = folder.write("packed.lgp", bytes);
    GameFile::open(&path)?.collect()
}

#[test]
fn games_round_trip_with_rounded_scores() {
    let folder = Folder::new("lgp-round");
    let mut mates = 0;
    for seed in 0..12 {
        let records = [games(seed, 40), sample::games(5, seed)].concat();
        let before = stored(&folder, &sample::bytes(&records));
        let bytes = packed(&before);
        let after = unpacked(&folder, &bytes).unwrap();
        assert_eq!(after.len(), records.len());
        for (before, after) in before.iter().zip(&after) {
            assert_eq!((before.header, before.plies.len()), (after.header, after.plies.len()));
            let mut positions = Vec::new();
            let result = before.walk(|position| positions.push(position.clone())).unwrap();
            let mut rest = positions.iter();
            let again = after.walk(|position| {
                let before = rest.next().unwrap();
                assert_eq!((&position.board, position.mv), (&before.board, before.mv));
                assert_eq!(position.score, rounded(before.score));
            });
            assert_eq!(again.unwrap(), result);
            mates += usize::from(positions.last().is_some_and(|last| last.board.after(last.mv).in_check()));
        }
        // Packing again, from either form, changes nothing.
        assert!(packed(&after) == bytes, "packed games");
        let plain: Vec<u8> = after.iter().flat_map(StoredGame::to_bytes).collect();
        assert!(packed(&stored(&folder, &plain)) == bytes, "unpacked games");
    }
    assert!(mates > 10);
}

#[test]
fn scores_are_rounded_except_mates() {
    for (score, on_grid) in
        [(0, 0), (1, 0), (2, 2), (3, 4), (5, 4), (6, 6), (7, 8), (31_014, 31_014), (31_013, 31_012), (31_011, 31_012)]
    {
        assert_eq!((rounded(score), rounded(-score)), (on_grid, -on_grid));
    }
    for score in (31_015..=32_000).flat_map(|score| [score, -score]) {
        assert_eq!(rounded(score), score);
    }
    assert!((-32_000..=32_000).all(|score| rounded(rounded(score)) == rounded(score)));
}

#[test]
fn unused_bytes_round_trip() {
    let folder = Folder::new("lgp-unread");
    // No pawn can capture on e6, but other programs set the en passant square after every double push.
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
    let mut bytes = sample::bytes(&[game(&mut Rng::with_seed(4), fen, 30)]);
    bytes[24] = 44;
    // The score of the first position, and the last byte of its header.
    (bytes[28], bytes[29], bytes[31]) = (0x39, 0xFA, 0x77);
    let before = stored(&folder, &bytes);
    before[0].walk(|_| {}).unwrap();
    let after = unpacked(&folder, &packed(&before)).unwrap();
    assert_eq!(after[0].header, before[0].header);
}

#[test]
fn empty_files_are_valid() {
    let folder = Folder::new("lgp-empty");
    let bytes = packed(&[]);
    assert!(bytes.len() < 40 && unpacked(&folder, &bytes).unwrap().is_empty());
}

#[test]
fn files_too_large_for_readers_are_not_written() {
    let max_coded = MAX_BYTES - 20;
    assert_eq!(header(1 << 24, u32::MAX.into(), max_coded).map(|header| header.len()), Some(16));
    for (games, plies, coded) in [((1 << 24) + 1, 1, 1), (1, 1 << 32, 1), (1, 1, max_coded + 1)] {
        assert_eq!(header(games, plies, coded), None);
    }
}

/// The format is stable: a file of version 1 with 20 games of `datagen`.
#[test]
fn old_file_is_read_and_written_identically() {
    let golden = include_bytes!("golden.lgp");
    let reader = Reader::new(golden.to_vec(), Path::new("golden.lgp")).unwrap();
    let (games, plies) = (reader.games, reader.plies as usize);
    let games_read: Vec<StoredGame> = reader.map(Result::unwrap).collect();
    assert_eq!(games_read.len() as u64, games);
    assert_eq!(games_read.iter().map(|game| game.plies.len()).sum::<usize>(), plies);
    let white = games_read.iter().filter(|game| game.walk(|_| {}).unwrap() == GameResult::WhiteWins).count();
    assert!((1..games_read.len()).contains(&white));
    assert!(packed(&games_read) == golden, "changed models need a new version");
}

#[test]
fn flipped_bits_and_truncation_are_errors() {
    let folder = Folder::new("lgp-damaged");
    let bytes = packed(&stored(&folder, &sample::bytes(&games(5, 3))));
    let error = |bytes: &[u8], what: &str| {
        let error = unpacked(&folder, bytes).expect_err(what);
        assert!(error.contains("packed.lgp: "), "{what}: {error}");
        error
    };
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let error = error(&flipped, &format!("bit {bit}"));
        let expected = match bit / 8 {
            0..3 => "not packed games",
            3 => "version",
            12..16 => "truncated",
            _ => "damaged: checksum",
        };
        assert!(error.contains(expected), "bit {bit}: {error}");
    }
    for length in 0..bytes.len() {
        let error = error(&bytes[..length], &format!("{length} bytes"));
        assert!(error.contains("truncated"), "{length}: {error}");
    }
    error(&[&bytes[..], &[0]].concat(), "an extra byte");
    error(&[&bytes[..], &bytes].concat(), "two files");
    error(&sample::bytes(&games(5, 1)), "viriformat");
}

/// Invalid bytes with a valid checksum end in games or an error with the place.
#[test]
fn invalid_bytes_do_not_panic() {
    let folder = Folder::new("lgp-garbage");
    let bytes = packed(&stored(&folder, &sample::bytes(&games(6, 8))));
    let mut random = Rng::with_seed(7);
    let mut errors = 0;
    for round in 0..600 {
        let mut bytes = bytes.clone();
        let last = bytes.len() - 4;
        match round % 3 {
            0 => {
                let at = random.usize(4..last);
                bytes[at] ^= 1 << random.u8(..8);
            }
            1 => {
                let from = random.usize(16..last);
                bytes[from..last].iter_mut().for_each(|byte| *byte = random.u8(..));
            }
            _ => {
                bytes.truncate(16);
                let value = random.u8(..);
                let garbage =
                    (0..random.usize(..400)).map(|index| if round % 2 == 0 { value } else { (index * 7) as u8 });
                bytes.extend(garbage.collect::<Vec<u8>>());
                bytes[4..12].copy_from_slice(&[255, 255, 255, 0, 255, 255, 255, 255]);
                bytes.extend([0; 4]);
            }
        }
        let last = bytes.len() - 4;
        bytes[12..16].copy_from_slice(&((last - 16) as u32).to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..last]);
        bytes[last..].copy_from_slice(&checksum.to_le_bytes());
        let Ok(games) = Reader::new(bytes, Path::new("packed.lgp")) else { continue };
        for game in games {
            match game.and_then(|game| game.walk(|_| {})) {
                Ok(_) => {}
                Err(error) => {
                    assert!(error.contains("packed.lgp: game "), "{error}");
                    errors += 1;
                }
            }
        }
    }
    assert!(errors > 500, "{errors}");
}

#[test]
fn packing_is_color_symmetric() {
    // The same game with swapped colors needs the same bits except for the side to move.
    let folder = Folder::new("lgp-colors");
    let mut random = Rng::with_seed(2);
    let record = game(&mut random, "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1", 100);
    assert_eq!(record.start.side_to_move(), Color::White);
    // The ranks of origin and target.
    let flip = |mv: Move| Move::from_word(mv.word() ^ 0o7070).unwrap();
    let plies = record.plies.iter().map(|ply| Ply { score: ply.score, ..Ply::new(flip(ply.mv)) }).collect();
    let result = GameResult::of_half_points(2 - record.result.half_points() as u8).unwrap();
    let flipped = Record { start: record.start.flipped(), plies, result, ending: Ending::Length };
    let [original, mirrored] = [record, flipped].map(|record| {
        let games = stored(&folder, &sample::bytes(&[record]));
        packed(&games).len()
    });
    assert!(original.abs_diff(mirrored) < 2, "{original} {mirrored}");
}
