//! What data of others' formats, which have no checksums, cannot say if they are whole.

use super::convert::to_viri_board;
use super::game::HEADER;
use bulletformat::ChessBoard;
use lento::chess::{Bitboard, Board, Color, PieceType, Rank, Square, attacks};
use lento::score::MATE;
use lento_common::play::record::GameResult;
use viriformat::dataformat::Game as ViriGame;

/// No score goes beyond that of a mate on the board.
pub const MAX_SCORE: i32 = MATE;

/// Refuses what is no score, in centipawns.
pub fn score(score: i32) -> Result<(), String> {
    if score.abs() > MAX_SCORE {
        return Err(format!("score {score}, expected {} to {MAX_SCORE}", -MAX_SCORE));
    }
    Ok(())
}

/// Refuses a first position of viriformat that another program would have written otherwise: castling rights without king or
/// rook, an en-passant square without a pawn, codes behind the last piece.
pub fn start(header: &[u8; HEADER], board: &Board) -> Result<(), String> {
    crowd(board)?;
    let mut again = Vec::with_capacity(HEADER + 4);
    let viri = to_viri_board(board).map_err(|error| error.to_string())?;
    ViriGame::new(&viri).serialise_into(&mut again).map_err(|error| error.to_string())?;
    const SIDE_AND_EN_PASSANT: usize = 24;
    let differs = |&index: &usize| header[index] != again[index];
    let same_side = (header[SIDE_AND_EN_PASSANT] ^ again[SIDE_AND_EN_PASSANT]) & 0x80 == 0;
    match (0..28).find(differs) {
        // Some write the square behind every pawn that has moved two steps, we only where it can be taken.
        Some(SIDE_AND_EN_PASSANT) if same_side && is_behind_pawn(header[SIDE_AND_EN_PASSANT] & 0x7F, board) => Ok(()),
        Some(index) => Err(format!(
            "byte {index} of the first position is {:#04x}, but \"{}\" has {:#04x} there",
            header[index],
            board.fen(true),
            again[index]
        )),
        None => Ok(()),
    }
}

/// Whether a pawn of the side that has just moved may have passed this square in two steps.
fn is_behind_pawn(square: u8, board: &Board) -> bool {
    if square >= 64 {
        return false;
    }
    let (square, mover) = (Square::from_index(square.into()), !board.side_to_move());
    let (rank, to, from) = match mover {
        Color::White => (Rank::Third, square.index() + 8, square.index().wrapping_sub(8)),
        Color::Black => (Rank::Sixth, square.index().wrapping_sub(8), square.index() + 8),
    };
    let pawn = |piece: lento::chess::Piece| piece.color() == mover && piece.kind() == PieceType::Pawn;
    square.rank() == rank
        && board.piece_on(square).is_none()
        && board.piece_on(Square::from_index(from)).is_none()
        && board.piece_on(Square::from_index(to)).is_some_and(pawn)
}

/// Refuses a result that the last position of the game rules out.
pub fn ending(board: &Board, result: GameResult) -> Result<(), String> {
    if !board.legal_moves().is_empty() {
        return Ok(());
    }
    let expected = match (board.in_check(), board.side_to_move()) {
        (false, _) => GameResult::Draw,
        (true, Color::White) => GameResult::BlackWins,
        (true, Color::Black) => GameResult::WhiteWins,
    };
    if result == expected {
        return Ok(());
    }
    let (fen, said, expected) = (board.fen(true), result.text(), expected.text());
    Err(format!("result {said}, but the game ends with \"{fen}\", which is {expected}"))
}

/// Refuses more pieces of a side than promotions explain. They can be played from, but data that begin with them are damaged.
pub fn crowd(board: &Board) -> Result<(), String> {
    for color in Color::ALL {
        let count = |kind| (board.kind(kind) & board.color(color)).count();
        pieces_of(if color == Color::White { "White" } else { "Black" }, PieceType::ALL.map(count))?;
    }
    Ok(())
}

fn pieces_of(side: &str, counts: [u32; 6]) -> Result<(), String> {
    let [pawns, knights, bishops, rooks, queens, _] = counts;
    let promoted = [(knights, 2), (bishops, 2), (rooks, 2), (queens, 1)];
    let promoted: u32 = promoted.into_iter().map(|(count, first)| count.saturating_sub(first)).sum();
    if pawns + promoted > 8 {
        return Err(format!(
            "{side} has {pawns} pawns and {promoted} pieces that were pawns, expected at most 8 together"
        ));
    }
    Ok(())
}

/// Refuses a position of bulletformat that cannot be: too many pieces or pawns of a side, pawns on the first or last rank, a
/// king that could be taken, codes behind the last piece. The side to move is White there. Kings have been looked at.
pub fn packed(position: &ChessBoard) -> Result<(), String> {
    score(position.score.into())?;
    let pieces = position.occ.count_ones() as usize;
    let code = |index: usize| position.pcs[index / 2] >> (4 * (index % 2)) & 15;
    if let Some(index) = (pieces..32).find(|&index| code(index) != 0) {
        return Err(format!("a code for piece {} of {pieces}", index + 1));
    }
    let mut kinds = [[Bitboard(0); 6]; 2];
    for (code, square) in *position {
        kinds[usize::from(code >> 3)][usize::from(code & 7)].0 |= 1 << square;
    }
    let [own, other] = kinds;
    for (side, kinds) in [("the side to move", own), ("the other side", other)] {
        pieces_of(side, kinds.map(|kind| kind.count()))?;
        if kinds[0].0 & 0xFF00_0000_0000_00FF != 0 {
            return Err("a pawn stands on the first or last rank".to_owned());
        }
    }
    let (king, occupied) = (Square::from_index(usize::from(position.opp_ksq ^ 56)), Bitboard(position.occ));
    let [pawns, knights, bishops, rooks, queens, own_king] = own.map(|kind| kind.0);
    let attackers = attacks::pawn(Color::Black, king).0 & pawns
        | attacks::knight(king).0 & knights
        | attacks::bishop(king, occupied).0 & (bishops | queens)
        | attacks::rook(king, occupied).0 & (rooks | queens)
        | attacks::king(king).0 & own_king;
    if attackers != 0 {
        return Err("the side not to move is in check".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::formats::{Position, Shards, packed};
    use crate::sample;
    use lento_common::scratch::Folder;

    /// Whatever bit is flipped: what is still read says just these bytes, and nothing panics.
    #[test]
    fn games_with_flipped_bits() {
        let folder = Folder::new("plausible-games");
        let games: Vec<_> = sample::games(40, 9).into_iter().filter(|game| game.plies.len() < 60).take(2).collect();
        let whole = sample::bytes(&games);
        let length = |index: usize| 32 + 4 * (games[index].plies.len() + 1);
        let mut accepted = 0;
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut shards = Shards::new(vec![folder.write("flipped.vf", &bytes)]);
            let mut read = Vec::new();
            let mut failed = None;
            for game in shards.by_ref() {
                match game.and_then(|game| game.walk(|_| {}).map(|_| game)) {
                    Ok(game) => read.push(game),
                    Err(error) => failed = failed.or(Some(error.to_string())),
                }
            }
            if let Some(error) = failed {
                assert!(error.contains("flipped.vf: game ") && error.contains(" at byte "), "bit {bit}: {error}");
                continue;
            }
            if !shards.torn().is_empty() {
                continue;
            }
            accepted += 1;
            // A score, a result, a counter, a piece that does nothing, or another legal move that fits all that follow.
            let sizes: Vec<usize> = read.iter().map(|game| 32 + 4 * (game.plies.len() + 1)).collect();
            assert_eq!(sizes, [length(0), length(1)], "bit {bit}");
            let at = if bit / 8 < length(0) { bit / 8 } else { bit / 8 - length(0) };
            let is_shown = at < 8 || at == 24;
            assert!(!is_shown, "byte {at} of a game, bit {}", bit % 8);
        }
        assert!(accepted * 2 < 8 * whole.len(), "{accepted} of {} are taken", 8 * whole.len());
    }

    /// A side to move that may be either is the only thing of a first position that nobody can see.
    #[test]
    fn positions_with_flipped_bits() {
        let folder = Folder::new("plausible-positions");
        let path = folder.write("games.vf", &sample::bytes(&sample::games(6, 78)));
        for game in Shards::new(vec![path]) {
            let visit = |position: &Position| {
                let good = packed::to_bytes(&packed::pack(&position.board, position.score, position.result));
                packed::from_bytes(&good).unwrap();
                for bit in 0..8 * packed::RECORD {
                    let mut bytes = good;
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    let Ok(read) = packed::from_bytes(&bytes) else { continue };
                    let board = packed::board(&read).unwrap_or_else(|error| panic!("bit {bit}: {error}"));
                    let again = packed::to_bytes(&packed::pack(&board, read.score.into(), packed::result(&read)));
                    assert_eq!(again[..29], bytes[..29], "bit {bit}");
                }
            };
            game.unwrap().walk(visit).unwrap();
        }
    }
}
