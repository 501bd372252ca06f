//! A single table file.

use super::checksum;
use super::material::{Kind, Material};
use super::numbering::{Numbering, PerPiece};
use super::pairs::{self, Pairs, Reader};
use super::source::{Damage, Source};
use super::wdl::Wdl;
use crate::chess::{Bitboard, Board, Color, PieceType};
use crate::files;
use std::fs::OpenOptions;
use std::path::Path;

/// Upper bound of a header: 8 parts with 4,095 symbols each, and the maps.
const MAX_HEADER: u64 = 256 << 10;
/// Maximum size of a file kept in memory.
const SMALL: u64 = 1 << 20;
/// Bytes of the checksum after the last block.
const CHECKSUM: u64 = 16;

/// Flags of a table.
const SPLIT: u8 = 1;
const PAWNS: u8 = 2;

/// Flags of a part: side to move, mapped values, values in plies for wins and for losses, 16-bit map.
const BLACK: u8 = 1;
const MAPPED: u8 = 2;
const WIN_PLIES: u8 = 4;
const LOSS_PLIES: u8 = 8;
const WIDE: u8 = 16;

pub(super) struct Table {
    source: Source,
    material: Material,
    /// By file of the leading pawn, then by side to move if both are stored.
    parts: Box<[Part]>,
    /// Parts per file.
    sides: usize,
}

/// The part of a table for a side to move and a file of the leading pawn.
struct Part {
    numbering: Numbering,
    pairs: Pairs,
    flags: u8,
    /// Mapped values for wins, losses, cursed wins and blessed losses.
    map: [Box<[u16]>; 4],
}

impl Table {
    /// Opens a table of this material, verifying its checksum if it is kept in memory.
    pub(super) fn open(path: &Path, material: Material, kind: Kind) -> Result<Self, Damage> {
        let file = files::open_regular(path, OpenOptions::new().read(true))?;
        let size = file.metadata()?.len();
        let source = if size <= SMALL { Source::Memory(files::read(file, SMALL)?.into()) } else { Source::File(file) };
        let table = Self::new(source, size, material, kind)?;
        table.verify()?;
        Ok(table)
    }

    fn new(source: Source, size: u64, material: Material, kind: Kind) -> Result<Self, Damage> {
        let mut head = vec![0; size.min(MAX_HEADER) as usize];
        source.read(0, &mut head)?;
        let (parts, sides, end) = read_parts(&head, material, kind)?;
        let expected = end.next_multiple_of(64) + CHECKSUM;
        if size != expected {
            return Err(Damage::Size(size, expected));
        }
        Ok(Self { source, material, parts: parts.into(), sides })
    }

    /// Bytes kept in memory, if the whole file is.
    pub(super) fn held(&self) -> Option<u64> {
        match &self.source {
            Source::Memory(bytes) => Some(bytes.len() as u64),
            Source::File(_) => None,
        }
    }

    fn verify(&self) -> Result<(), Damage> {
        let Source::Memory(bytes) = &self.source else { return Ok(()) };
        let Some((body, sum)) = bytes.split_last_chunk() else { return Err(Damage::Header) };
        if checksum::of(body) == u128::from_le_bytes(*sum) { Ok(()) } else { Err(Damage::Checksum) }
    }

    /// Stored WDL for the side to move, not accounting for captures.
    pub(super) fn wdl(&self, board: &Board) -> Result<Wdl, Damage> {
        let (part, mut squares, _) = self.place(board);
        let value = part.pairs.value(&self.source, part.numbering.number(&mut squares))?;
        Wdl::ALL.get(usize::from(value)).copied().ok_or(Damage::Values)
    }

    /// Stored DTZ for the side to move, given its WDL: plies to the next capture or pawn move, at least 1, less 100 for cursed wins and
    /// blessed losses. `None` if the table is for the other side to move.
    pub(super) fn dtz(&self, board: &Board, wdl: Wdl) -> Result<Option<i32>, Damage> {
        let (part, mut squares, black) = self.place(board);
        let is_symmetric = self.material.is_symmetric() && self.material.pawns() == [0, 0];
        if (part.flags & BLACK != 0) != black && !is_symmetric {
            return Ok(None);
        }
        let mut value = part.pairs.value(&self.source, part.numbering.number(&mut squares))?;
        let (map, plies) = match wdl {
            Wdl::Win => (0, part.flags & WIN_PLIES != 0),
            Wdl::Loss => (1, part.flags & LOSS_PLIES != 0),
            Wdl::CursedWin => (2, false),
            _ => (3, false),
        };
        if part.flags & MAPPED != 0 {
            value = *part.map[map].get(usize::from(value)).ok_or(Damage::Values)?;
        }
        Ok(Some(i32::from(value) * if plies { 1 } else { 2 } + 1))
    }

    /// The part for a position, its squares in the part's order, and whether Black is to move in the table's view.
    fn place(&self, board: &Board) -> (&Part, PerPiece<usize>, bool) {
        let (_, black_is_greater) = Material::of(board);
        let black_to_move = board.side_to_move() == Color::Black;
        // In tables the greater side is White; with equal material the side to move is.
        let flipped = black_is_greater || self.material.is_symmetric() && black_to_move;
        let mirror = if flipped { 56 } else { 0 };
        let pieces = |code: u8| -> Bitboard {
            let color = if (code >= 8) == flipped { Color::White } else { Color::Black };
            board.pieces(color, PieceType::from_index(usize::from(code & 7).saturating_sub(1)))
        };
        let mut squares = PerPiece::<usize>::new();
        let mut file = 0;
        let leading = self.parts[0].numbering.pieces[0];
        if leading & 7 == 1 {
            squares.extend(pieces(leading).into_iter().map(|square| square.index() ^ mirror));
            file = Numbering::lead_file(&mut squares);
        }
        let black = black_to_move != flipped;
        let part = &self.parts[file * self.sides + if self.sides == 2 { usize::from(black) } else { 0 }];
        let mut previous = if squares.is_empty() { 0 } else { leading };
        for &code in &part.numbering.pieces {
            if code != previous {
                squares.extend(pieces(code).into_iter().map(|square| square.index() ^ mirror));
                previous = code;
            }
        }
        (part, squares, black)
    }
}

/// The parts of a table, the parts per file, and the end of the last one.
fn read_parts(head: &[u8], material: Material, kind: Kind) -> Result<(Vec<Part>, usize, u64), Damage> {
    let mut reader = Reader { bytes: head, at: 0 };
    let magic = reader.array()?;
    if magic != kind.magic() {
        return Err(Damage::Magic(magic, kind.magic()));
    }
    let bits = reader.u8()?;
    let has_pawns = material.pawns() != [0, 0];
    if (bits & PAWNS != 0) != has_pawns || (bits & SPLIT != 0) == material.is_symmetric() {
        return Err(Damage::Header);
    }
    let sides = if kind == Kind::Wdl && !material.is_symmetric() { 2 } else { 1 };
    let files = if has_pawns { 4 } else { 1 };
    let mut numberings = Vec::new();
    for file in 0..files {
        numberings.extend(read_numberings(&mut reader, material, file, sides)?);
    }
    reader.align();
    let mut parts = Vec::new();
    for numbering in numberings {
        let (pairs, flags) = Pairs::read(&mut reader, numbering.size)?;
        parts.push(Part { numbering, pairs, flags, map: Default::default() });
    }
    if kind == Kind::Dtz {
        for part in &mut parts {
            if part.flags & MAPPED != 0 {
                part.map = read_map(&mut reader, part.flags & WIDE != 0)?;
            }
        }
        reader.align();
    }
    let end = pairs::set_offsets(parts.iter_mut().map(|part| &mut part.pairs), reader.at as u64);
    Ok((parts, sides, end))
}

/// The numberings for one file of the leading pawn, one per side to move.
fn read_numberings(
    reader: &mut Reader,
    material: Material,
    file: usize,
    sides: usize,
) -> Result<Vec<Numbering>, Damage> {
    let [first, second] = material.pawns();
    let orders = [reader.u8()?, if first > 0 && second > 0 { reader.u8()? } else { 0xFF }];
    let codes = reader.take(material.pieces() as usize)?;
    let numbering = |side: usize| {
        let half = |byte: u8| byte >> (4 * side) & 15;
        let pieces: PerPiece<u8> = codes.iter().map(|&code| half(code)).collect();
        if !matches_material(material, &pieces) {
            return None;
        }
        Numbering::new(material, pieces, orders.map(half), file)
    };
    (0..sides).map(|side| numbering(side).ok_or(Damage::Header)).collect()
}

/// Whether the pieces match the material, are grouped by type, and start with the pawns of the side with fewer.
fn matches_material(material: Material, pieces: &PerPiece<u8>) -> bool {
    let count = |code: u8| pieces.iter().filter(|&&piece| piece == code).count() as u32;
    let together = pieces.chunk_by(|a, b| a == b).count();
    let kinds = (0..16).filter(|&code| count(code) > 0).count();
    let [first, second] = material.pawns();
    let lead = if first > 0 && (second == 0 || first <= second) { 1 } else { 9 };
    together == kinds && ([first, second] == [0, 0] || pieces[0] == lead) && material.has_codes(count)
}

/// The four maps of a part, each prefixed with its length.
fn read_map(reader: &mut Reader, wide: bool) -> Result<[Box<[u16]>; 4], Damage> {
    if wide {
        reader.align();
    }
    let mut maps: [Box<[u16]>; 4] = Default::default();
    let mut number = || if wide { reader.u16() } else { reader.u8().map(u16::from) };
    for map in &mut maps {
        *map = (0..number()?).map(|_| number()).collect::<Result<_, _>>()?;
    }
    Ok(maps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// KRvK.
    const TABLES: [(&str, Kind); 2] = [("KRvK.rtbw", Kind::Wdl), ("KRvK.rtbz", Kind::Dtz)];

    fn path(name: &str) -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy").join(name)
    }

    fn material() -> Material {
        Material::parse("KRvK").expect("material")
    }

    fn table(bytes: &[u8], kind: Kind) -> Result<Table, Damage> {
        Table::new(Source::Memory(bytes.into()), bytes.len() as u64, material(), kind)
    }

    fn boards() -> Vec<Board> {
        ["8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 b - - 0 1", "7K/8/8/8/2r5/8/1k6/8 w - - 0 1"]
            .map(|fen| Board::from_fen(fen).expect("a valid FEN"))
            .into()
    }

    #[test]
    fn memory_and_file_agree() {
        for (name, kind) in TABLES {
            let file = File::open(path(name)).expect("a table");
            let size = file.metadata().expect("a size").len();
            let read = Table::new(Source::File(file), size, material(), kind).expect("a valid table");
            let held = Table::open(&path(name), material(), kind).expect("a valid table");
            assert!(held.verify().is_ok() && held.held() == Some(size) && read.held().is_none());
            for board in boards() {
                let value = |table: &Table| match kind {
                    Kind::Wdl => i32::from(table.wdl(&board).expect("a result").value()),
                    Kind::Dtz => table.dtz(&board, Wdl::Win).expect("a distance").unwrap_or(0),
                };
                assert_eq!(value(&read), value(&held));
            }
        }
    }

    /// Without verifying the checksum: a corrupt byte yields wrong values at worst.
    #[test]
    fn corrupt_bytes_never_panic() {
        let mut random = fastrand::Rng::with_seed(8);
        let (mut good, mut bad) = (0, 0);
        for (name, kind) in TABLES {
            let whole = std::fs::read(path(name)).expect("a table");
            for round in 0..3000 {
                let mut bytes = whole.clone();
                for _ in 0..1 + round % 4 {
                    bytes[random.usize(4..whole.len())] = random.u8(..);
                }
                let Ok(table) = table(&bytes, kind) else {
                    bad += 1;
                    continue;
                };
                good += 1;
                for board in boards() {
                    let _ = (table.wdl(&board).is_ok(), table.dtz(&board, Wdl::Loss).is_ok());
                }
            }
        }
        assert!(good > 1000 && bad > 100, "{good} opened, {bad} refused");
    }

    #[test]
    fn rejects_wrong_size_kind_or_material() {
        let bytes = std::fs::read(path("KRvK.rtbw")).expect("a table");
        for size in 0..bytes.len() {
            assert!(table(&bytes[..size], Kind::Wdl).is_err(), "{size}");
        }
        let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        assert!(matches!(table(&longer, Kind::Wdl), Err(Damage::Size(209, 208))));
        assert!(matches!(table(&bytes, Kind::Dtz), Err(Damage::Magic(..))));
        let queen = Material::parse("KQvK").expect("material");
        let other = Table::new(Source::Memory(bytes.into()), 208, queen, Kind::Wdl);
        assert!(matches!(other, Err(Damage::Header)));
    }
}
