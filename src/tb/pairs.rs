//! Decompression of table values: recursive pairing (Larsson and Moffat, 1999) with a canonical Huffman code.

use super::source::{Damage, Source};

/// Parses a file header front to back.
pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let end = self.at.checked_add(count).ok_or(Damage::Header)?;
        let taken = self.bytes.get(self.at..end).ok_or(Damage::Header)?;
        self.at = end;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Damage> {
        self.take(N)?.try_into().map_err(|_| Damage::Header)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, Damage> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn align(&mut self) {
        self.at += self.at & 1;
    }
}

/// A symbol: a pair of symbols or a value.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    /// The first of the pair, or the value.
    left: u16,
    right: u16,
    /// Number of values the symbol expands to, minus 1.
    more: u8,
}

/// `right` of a symbol that is a value.
const NO_PAIR: u16 = 0xFFF;

/// The values of one part of a table.
pub(super) enum Pairs {
    Constant(u16),
    Packed(Packed),
}

pub(super) struct Packed {
    /// Binary logarithms of the block size and of the values per index entry.
    block_bits: u32,
    span_bits: u32,
    /// Numbers of blocks and of block lengths.
    blocks: u32,
    lengths: u64,
    /// Number of index entries.
    entries: u64,
    index_at: u64,
    lengths_at: u64,
    blocks_at: u64,
    /// Shortest code in bits, and by length the first code, left-aligned, with its symbol.
    min_bits: u32,
    first_codes: Box<[(u64, u16)]>,
    symbols: Box<[Symbol]>,
}

const MAX_BITS: u32 = 32;
/// Maximum block size, far beyond existing files.
const MAX_BLOCK_BITS: u32 = 20;
/// Zeros appended to a block in memory, so that eight bytes can be read anywhere in it.
const PADDING: usize = 8;
/// Flag of a part with equal values.
const CONSTANT: u8 = 0x80;

impl Pairs {
    /// Parses the header of a part with `size` values, see [`set_offsets`]. Also returns its flags.
    pub(super) fn read(reader: &mut Reader, size: u64) -> Result<(Self, u8), Damage> {
        let flags = reader.u8()?;
        if flags & CONSTANT != 0 {
            return Ok((Self::Constant(reader.u8()?.into()), flags));
        }
        let [block_bits, span_bits, padding] = reader.array()?.map(u32::from);
        let blocks = u32::from_le_bytes(reader.array()?);
        let [longest, shortest] = reader.array()?.map(u32::from);
        if !(2..=MAX_BLOCK_BITS).contains(&block_bits)
            || span_bits >= 32
            || shortest == 0
            || !(shortest..=MAX_BITS).contains(&longest)
        {
            return Err(Damage::Header);
        }
        let lowest: Vec<u16> = (shortest..=longest).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        let first_codes = first_codes(&lowest, shortest)?;
        let count = usize::from(reader.u16()?);
        let symbols = symbols(reader.take(3 * count)?)?;
        reader.align();
        let packed = Packed {
            block_bits,
            span_bits,
            blocks,
            lengths: u64::from(blocks) + u64::from(padding),
            entries: size.div_ceil(1 << span_bits),
            index_at: 0,
            lengths_at: 0,
            blocks_at: 0,
            min_bits: shortest,
            first_codes,
            symbols,
        };
        Ok((Self::Packed(packed), flags))
    }

    /// The value at an index below `size`.
    pub(super) fn value(&self, source: &Source, number: u64) -> Result<u16, Damage> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Packed(packed) => packed.value(source, number),
        }
    }
}

/// Sets the offsets of all parts in a file: indices from `at` on, then block lengths, then blocks. Returns the end of the blocks.
pub(super) fn set_offsets<'a>(parts: impl Iterator<Item = &'a mut Pairs>, mut at: u64) -> u64 {
    let packed = |pairs: &'a mut Pairs| if let Pairs::Packed(packed) = pairs { Some(packed) } else { None };
    let mut parts: Vec<&mut Packed> = parts.filter_map(packed).collect();
    for part in &mut parts {
        part.index_at = at;
        at += 6 * part.entries;
    }
    for part in &mut parts {
        part.lengths_at = at;
        at += 2 * part.lengths;
    }
    for part in &mut parts {
        part.blocks_at = at.next_multiple_of(64);
        at = part.blocks_at + (u64::from(part.blocks) << part.block_bits);
    }
    at
}

/// By length the first code, left-aligned, and its symbol. Longer codes are smaller.
fn first_codes(lowest: &[u16], shortest: u32) -> Result<Box<[(u64, u16)]>, Damage> {
    let mut codes = vec![(0, 0); lowest.len()];
    let mut code = 0_u64;
    for index in (0..lowest.len()).rev() {
        let bits = shortest + index as u32;
        if let Some(&longer) = lowest.get(index + 1) {
            code = (code + u64::from(lowest[index])).checked_sub(longer.into()).ok_or(Damage::Header)? / 2;
        }
        if code >> bits != 0 {
            return Err(Damage::Header);
        }
        codes[index] = (code << (64 - bits), lowest[index]);
    }
    let sorted = codes.is_sorted_by(|(shorter, _), (longer, _)| shorter >= longer);
    if sorted { Ok(codes.into()) } else { Err(Damage::Header) }
}

/// Symbols of three bytes: two 12-bit halves.
fn symbols(bytes: &[u8]) -> Result<Box<[Symbol]>, Damage> {
    let parse = |bytes: &[u8]| {
        let [low, middle, high] = [0, 1, 2].map(|index| u16::from(bytes[index]));
        Symbol { left: (middle & 15) << 8 | low, right: high << 4 | middle >> 4, more: 0 }
    };
    let mut symbols: Box<[Symbol]> = bytes.chunks_exact(3).map(parse).collect();
    let mut known = vec![None; symbols.len()];
    for index in 0..symbols.len() {
        measure(&mut symbols, &mut known, index)?;
    }
    Ok(symbols)
}

/// Number of values a symbol expands to, minus 1; `known` holds those measured.
fn measure(symbols: &mut [Symbol], known: &mut [Option<u32>], index: usize) -> Result<u32, Damage> {
    let symbol = *symbols.get(index).ok_or(Damage::Header)?;
    if let Some(more) = known[index] {
        return Ok(more);
    }
    if symbol.right != NO_PAIR {
        // A symbol that contains itself is too long.
        known[index] = Some(1 << 16);
        let more = measure(symbols, known, symbol.left.into())? + measure(symbols, known, symbol.right.into())? + 1;
        symbols[index].more = u8::try_from(more).map_err(|_| Damage::Header)?;
    }
    known[index] = Some(symbols[index].more.into());
    Ok(symbols[index].more.into())
}

impl Packed {
    fn value(&self, source: &Source, number: u64) -> Result<u16, Damage> {
        let (block, offset) = self.locate(source, number)?;
        let start = self.blocks_at + (u64::from(block) << self.block_bits);
        let size = 1 << self.block_bits;
        let mut bytes = vec![0; size + PADDING];
        source.read(start, &mut bytes[..size])?;
        let mut at = 0;
        let (mut left, mut symbol) = (offset, self.next_symbol(&bytes, &mut at)?);
        while left > u32::from(symbol.more) {
            left -= u32::from(symbol.more) + 1;
            symbol = self.next_symbol(&bytes, &mut at)?;
        }
        while symbol.more > 0 {
            let first = self.symbol(symbol.left)?;
            if left <= u32::from(first.more) {
                symbol = first;
            } else {
                left -= u32::from(first.more) + 1;
                symbol = self.symbol(symbol.right)?;
            }
        }
        Ok(symbol.left)
    }

    /// The block of a value and the value's offset within it.
    fn locate(&self, source: &Source, number: u64) -> Result<(u32, u32), Damage> {
        let span = 1_u64 << self.span_bits;
        let [a, b, c, d, low, high] = source.array(self.index_at + 6 * (number / span))?;
        let mut block = u32::from_le_bytes([a, b, c, d]);
        // Entries refer to the middle of their span.
        let mut offset = i64::from(u16::from_le_bytes([low, high])) + (number % span) as i64 - (span / 2) as i64;
        let length = |block: u32| -> Result<i64, Damage> {
            if u64::from(block) >= self.lengths {
                return Err(Damage::Values);
            }
            Ok(i64::from(u16::from_le_bytes(source.array(self.lengths_at + 2 * u64::from(block))?)) + 1)
        };
        while offset < 0 {
            block = block.checked_sub(1).ok_or(Damage::Values)?;
            offset += length(block)?;
        }
        let mut values = length(block)?;
        while offset >= values {
            offset -= values;
            block += 1;
            values = length(block)?;
        }
        if block >= self.blocks { Err(Damage::Values) } else { Ok((block, offset as u32)) }
    }

    /// Decodes the symbol at a bit of a block, most significant bits first, and advances to the next one.
    fn next_symbol(&self, block: &[u8], at: &mut usize) -> Result<Symbol, Damage> {
        // The lowest seven bits may be missing.
        let &bytes = block[*at / 8..].first_chunk().ok_or(Damage::Values)?;
        let word = u64::from_be_bytes(bytes) << (*at % 8);
        // The longest codes start at zero.
        let longer = self.first_codes.iter().take_while(|&&(code, _)| word < code).count();
        let &(code, first) = self.first_codes.get(longer).ok_or(Damage::Values)?;
        let length = self.min_bits + longer as u32;
        let nth = (word - code) >> (64 - length);
        *at += length as usize;
        self.symbol(u16::try_from(nth + u64::from(first)).map_err(|_| Damage::Values)?)
    }

    fn symbol(&self, index: u16) -> Result<Symbol, Damage> {
        self.symbols.get(usize::from(index)).copied().ok_or(Damage::Values)
    }
}
