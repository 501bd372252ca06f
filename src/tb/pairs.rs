//! The values of a table, compressed: a sequence of symbols, each for a pair of symbols or for a value, in a canonical Huffman
//! code (recursive pairing: Larsson and Moffat, 1999).

use super::source::Source;
use super::table::Damage;

/// Takes the head of a file apart, from the front.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Begins at a place.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Where the next byte is.
    pub fn place(&self) -> usize {
        self.at
    }

    /// So many bytes.
    ///
    /// # Errors
    /// There are fewer.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let end = self.at.checked_add(count).ok_or(Damage::Head)?;
        let taken = self.bytes.get(self.at..end).ok_or(Damage::Head)?;
        self.at = end;
        Ok(taken)
    }

    /// The next byte.
    ///
    /// # Errors
    /// There is none.
    pub fn u8(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// The next two bytes as a number.
    ///
    /// # Errors
    /// There are fewer.
    pub fn u16(&mut self) -> Result<u16, Damage> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// The next four bytes as a number.
    ///
    /// # Errors
    /// There are fewer.
    pub fn u32(&mut self) -> Result<u32, Damage> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Goes on to an even place.
    pub fn align(&mut self) {
        self.at += self.at & 1;
    }
}

/// A symbol: a pair of symbols, or a value.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    /// The first of the pair, or the value.
    left: u16,
    right: u16,
    /// For how many values it stands, less one; 0 for a value.
    more: u8,
}

/// The second of a pair that is none.
const NO_PAIR: u16 = 0xFFF;

/// The values of one part of a table.
#[derive(Debug)]
pub enum Pairs {
    /// All are the same.
    Constant(u16),
    /// They lie in blocks.
    Packed(Packed),
}

/// Values that lie in blocks.
#[derive(Debug)]
pub struct Packed {
    /// Binary logarithms of the size of a block and of the distance between two entries of the index.
    block_bits: u32,
    span_bits: u32,
    /// How many blocks there are, and how many lengths of blocks.
    blocks: u32,
    lengths: u64,
    /// How many entries the index has.
    entries: u64,
    /// Where in the file these begin: index, lengths, blocks.
    index_at: u64,
    lengths_at: u64,
    blocks_at: u64,
    /// The fewest bits of a symbol, and for each number of bits from there the first code, to the left, and its symbol.
    least_bits: u32,
    first_codes: Box<[(u64, u16)]>,
    symbols: Box<[Symbol]>,
}

/// The longest code, in bits.
const MOST_BITS: u32 = 32;
/// The largest block: far beyond all that exist.
const MOST_BLOCK_BITS: u32 = 20;
/// Bytes that are read at once.
const WINDOW: usize = 64;
/// All values of a part are this one.
const CONSTANT: u8 = 0x80;

impl Pairs {
    /// Reads the head of a part with so many values; what it says about where things are is still missing. Also gives its
    /// flags.
    ///
    /// # Errors
    /// It makes no sense.
    pub fn read(reader: &mut Reader, size: u64) -> Result<(Self, u8), Damage> {
        let flags = reader.u8()?;
        if flags & CONSTANT != 0 {
            return Ok((Self::Constant(reader.u8()?.into()), flags));
        }
        let (block_bits, span_bits) = (u32::from(reader.u8()?), u32::from(reader.u8()?));
        let padding = u64::from(reader.u8()?);
        let blocks = reader.u32()?;
        let (most, least) = (u32::from(reader.u8()?), u32::from(reader.u8()?));
        if !(2..=MOST_BLOCK_BITS).contains(&block_bits)
            || span_bits >= 32
            || least == 0
            || !(least..=MOST_BITS).contains(&most)
        {
            return Err(Damage::Head);
        }
        let lowest: Vec<u16> = (least..=most).map(|_| reader.u16()).collect::<Result<_, _>>()?;
        let first_codes = first_codes(&lowest, least)?;
        let count = usize::from(reader.u16()?);
        let symbols = symbols(reader.take(3 * count)?)?;
        reader.align();
        let (lengths, entries) = (u64::from(blocks) + padding, size.div_ceil(1 << span_bits));
        let (index_at, lengths_at, blocks_at) = (0, 0, 0);
        let packed = Packed {
            block_bits,
            span_bits,
            blocks,
            lengths,
            entries,
            index_at,
            lengths_at,
            blocks_at,
            least_bits: least,
            first_codes,
            symbols,
        };
        Ok((Self::Packed(packed), flags))
    }

    /// Says where the index begins, and returns where it ends.
    pub fn set_index(&mut self, at: u64) -> u64 {
        let Self::Packed(packed) = self else { return at };
        packed.index_at = at;
        at + 6 * packed.entries
    }

    /// Says where the lengths of blocks begin, and returns where they end.
    pub fn set_lengths(&mut self, at: u64) -> u64 {
        let Self::Packed(packed) = self else { return at };
        packed.lengths_at = at;
        at + 2 * packed.lengths
    }

    /// Says where the blocks begin at the earliest, and returns where they end.
    pub fn set_blocks(&mut self, at: u64) -> u64 {
        let Self::Packed(packed) = self else { return at };
        packed.blocks_at = at.next_multiple_of(64);
        packed.blocks_at + (u64::from(packed.blocks) << packed.block_bits)
    }

    /// The value with this number, which is below the size that was given.
    ///
    /// # Errors
    /// The file cannot be read, or makes no sense.
    pub fn value(&self, source: &Source, number: u64) -> Result<u16, Damage> {
        match self {
            Self::Constant(value) => Ok(*value),
            Self::Packed(packed) => packed.value(source, number),
        }
    }
}

/// The first code of each length, from the left of a word, and its symbol. Longer codes are smaller.
fn first_codes(lowest: &[u16], least: u32) -> Result<Box<[(u64, u16)]>, Damage> {
    let mut codes = vec![(0, 0); lowest.len()];
    let mut code = 0_u64;
    for index in (0..lowest.len()).rev() {
        let bits = least + index as u32;
        if let Some(&longer) = lowest.get(index + 1) {
            code = (code + u64::from(lowest[index])).checked_sub(longer.into()).ok_or(Damage::Head)? / 2;
        }
        if code >> bits != 0 {
            return Err(Damage::Head);
        }
        codes[index] = (code << (64 - bits), lowest[index]);
    }
    if codes.is_sorted_by(|(shorter, _), (longer, _)| shorter >= longer) { Ok(codes.into()) } else { Err(Damage::Head) }
}

/// The symbols, three bytes each: two of twelve bits.
fn symbols(bytes: &[u8]) -> Result<Box<[Symbol]>, Damage> {
    let parse = |bytes: &[u8]| {
        let [low, middle, high] = [0, 1, 2].map(|index| u16::from(bytes[index]));
        Symbol { left: (middle & 15) << 8 | low, right: high << 4 | middle >> 4, more: 0 }
    };
    let mut symbols: Box<[Symbol]> = bytes.chunks_exact(3).map(parse).collect();
    let mut known = vec![Known::No; symbols.len()];
    for index in 0..symbols.len() {
        measure(&mut symbols, &mut known, index)?;
    }
    Ok(symbols)
}

/// Whether the length of a symbol is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    No,
    /// It is asked for: should it be needed for itself, the symbols run in a circle.
    Soon,
    Yes,
}

/// For how many values a symbol stands, less one.
fn measure(symbols: &mut [Symbol], known: &mut [Known], index: usize) -> Result<u32, Damage> {
    let symbol = *symbols.get(index).ok_or(Damage::Head)?;
    match known[index] {
        Known::Yes => return Ok(symbol.more.into()),
        Known::Soon => return Err(Damage::Head),
        Known::No => known[index] = Known::Soon,
    }
    if symbol.right != NO_PAIR {
        let more = measure(symbols, known, symbol.left.into())? + measure(symbols, known, symbol.right.into())? + 1;
        symbols[index].more = u8::try_from(more).map_err(|_| Damage::Head)?;
    }
    known[index] = Known::Yes;
    Ok(symbols[index].more.into())
}

impl Packed {
    fn value(&self, source: &Source, number: u64) -> Result<u16, Damage> {
        let (block, offset) = self.locate(source, number)?;
        let start = self.blocks_at + (u64::from(block) << self.block_bits);
        let mut bits = Bits::new(source, start, start + (1 << self.block_bits))?;
        let (mut left, mut symbol) = (offset, self.next_symbol(&mut bits)?);
        while left > u32::from(symbol.more) {
            left -= u32::from(symbol.more) + 1;
            symbol = self.next_symbol(&mut bits)?;
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

    /// The block with the value of this number, and how many values lie before it in the block.
    fn locate(&self, source: &Source, number: u64) -> Result<(u32, u32), Damage> {
        let span = 1_u64 << self.span_bits;
        let mut entry = [0; 6];
        source.read(self.index_at + 6 * (number / span), &mut entry)?;
        let mut block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        // The entry is about the value in the middle of its span.
        let mut offset =
            i64::from(u16::from_le_bytes([entry[4], entry[5]])) + (number % span) as i64 - (span / 2) as i64;
        let length = |block: u32| -> Result<i64, Damage> {
            if u64::from(block) >= self.lengths {
                return Err(Damage::Values);
            }
            Ok(i64::from(source.u16(self.lengths_at + 2 * u64::from(block))?) + 1)
        };
        while offset < 0 {
            block = block.checked_sub(1).ok_or(Damage::Values)?;
            offset += length(block)?;
        }
        loop {
            let values = length(block)?;
            if offset < values {
                break;
            }
            offset -= values;
            block += 1;
        }
        if block >= self.blocks { Err(Damage::Values) } else { Ok((block, offset as u32)) }
    }

    fn next_symbol(&self, bits: &mut Bits) -> Result<Symbol, Damage> {
        let word = bits.peek()?;
        // The longest codes begin at zero.
        let longer = self.first_codes.iter().take_while(|&&(code, _)| word < code).count();
        let &(code, first) = self.first_codes.get(longer).ok_or(Damage::Values)?;
        let length = self.least_bits + longer as u32;
        let nth = (word - code) >> (64 - length);
        bits.skip(length)?;
        self.symbol(u16::try_from(nth + u64::from(first)).map_err(|_| Damage::Values)?)
    }

    fn symbol(&self, index: u16) -> Result<Symbol, Damage> {
        self.symbols.get(usize::from(index)).copied().ok_or(Damage::Values)
    }
}

/// Reads a block bit by bit, most significant bits first.
struct Bits<'a> {
    source: &'a Source,
    window: [u8; WINDOW],
    /// Where the window begins, and where the block ends.
    start: u64,
    end: u64,
    /// Bits of the window that have been read.
    used: usize,
}

impl<'a> Bits<'a> {
    fn new(source: &'a Source, start: u64, end: u64) -> Result<Self, Damage> {
        let mut bits = Self { source, window: [0; WINDOW], start, end, used: 0 };
        bits.source.read(start, &mut bits.window)?;
        Ok(bits)
    }

    /// The next bits; what lies beyond 57 of them may be zero.
    fn peek(&mut self) -> Result<u64, Damage> {
        if self.used / 8 + 8 > WINDOW {
            self.start += (self.used / 8) as u64;
            self.used %= 8;
            self.source.read(self.start, &mut self.window)?;
        }
        let at = self.used / 8;
        let mut word = [0; 8];
        word.copy_from_slice(&self.window[at..at + 8]);
        Ok(u64::from_be_bytes(word) << (self.used % 8))
    }

    /// Goes on by so many bits.
    fn skip(&mut self, count: u32) -> Result<(), Damage> {
        self.used += count as usize;
        let ends_at = self.start + self.used.div_ceil(8) as u64;
        if ends_at > self.end { Err(Damage::Values) } else { Ok(()) }
    }
}
