//! bzip2 decompression.
//!
//! A stream has blocks of up to 900 000 bytes, which are transformed (Burrows-Wheeler,
//! move-to-front), run-length coded and Huffman coded with up to six tables.

use std::io::{self, BufRead, Read};

/// The maximum number of symbols: 256 bytes, two kinds of run, and the end.
const SYMBOLS: usize = 258;
/// The number of symbols that are coded with the same table.
const GROUP: usize = 50;
/// The maximum length of a code in bits.
const MAX_LEN: usize = 20;

const BLOCK_MAGIC: u64 = 0x3141_5926_5359;
const END_MAGIC: u64 = 0x1772_4538_5090;

/// Decompresses concatenated streams.
pub(super) struct BzDecoder<R> {
    bits: Bits<R>,
    /// Maximum size of a block; 0 between streams.
    block_size: usize,
    /// Whether a stream has been completely read.
    any: bool,
    block: Block,
    stream_crc: u32,
}

fn bad(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("bzip2: {what}"))
}

impl<R: BufRead> BzDecoder<R> {
    pub(super) fn new(reader: R) -> Self {
        let bits = Bits { reader, held: 0, count: 0 };
        Self { bits, block_size: 0, any: false, block: Block::default(), stream_crc: 0 }
    }

    /// Decodes the next block; `false` at the end of the last stream.
    fn next_block(&mut self) -> io::Result<bool> {
        loop {
            if self.block_size == 0 && !self.start_stream()? {
                return Ok(false);
            }
            match (self.bits.read(24)? << 24) | self.bits.read(24)? {
                BLOCK_MAGIC => {
                    self.block.decode(&mut self.bits, self.block_size)?;
                    return Ok(true);
                }
                END_MAGIC => {
                    if self.bits.read(32)? != u64::from(self.stream_crc) {
                        return Err(bad("the checksum of the stream is wrong"));
                    }
                    self.bits.align();
                    self.block_size = 0;
                    self.any = true;
                }
                _ => return Err(bad("neither a block nor the end of the stream")),
            }
        }
    }

    fn start_stream(&mut self) -> io::Result<bool> {
        if self.any && self.bits.at_end()? {
            return Ok(false);
        }
        if self.bits.read(24)? != 0x42_5a_68 {
            return Err(bad("data after the end of the stream"));
        }
        let level = self.bits.read(8)?.wrapping_sub(u64::from(b'0'));
        if !(1..=9).contains(&level) {
            return Err(bad("the size of a block is invalid"));
        }
        self.block_size = usize::try_from(level).unwrap_or(0) * 100_000;
        self.stream_crc = 0;
        Ok(true)
    }
}

impl<R: BufRead> Read for BzDecoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let written = self.block.produce(out);
            if written > 0 {
                return Ok(written);
            }
            if let Some(stored) = self.block.expected.take() {
                let found = !self.block.crc;
                if stored != found {
                    return Err(bad("the checksum of a block is wrong"));
                }
                self.stream_crc = self.stream_crc.rotate_left(1) ^ found;
            }
            if !self.next_block()? {
                return Ok(0);
            }
        }
    }
}

/// Bits, from the highest of each byte.
struct Bits<R> {
    reader: R,
    held: u64,
    count: u32,
}

impl<R: BufRead> Bits<R> {
    /// Reads up to 32 bits.
    fn read(&mut self, count: u32) -> io::Result<u64> {
        while self.count < count {
            let byte = match self.reader.fill_buf()? {
                [] => return Err(io::ErrorKind::UnexpectedEof.into()),
                [byte, ..] => *byte,
            };
            self.reader.consume(1);
            self.held = (self.held << 8) | u64::from(byte);
            self.count += 8;
        }
        self.count -= count;
        Ok((self.held >> self.count) & ((1 << count) - 1))
    }

    fn bit(&mut self) -> io::Result<bool> {
        Ok(self.read(1)? == 1)
    }

    /// Skips the rest of a byte.
    fn align(&mut self) {
        self.count -= self.count % 8;
    }

    fn at_end(&mut self) -> io::Result<bool> {
        Ok(self.count == 0 && self.reader.fill_buf()?.is_empty())
    }
}

/// A Huffman table, by length of codes.
struct Table {
    /// For each length, the last code plus one.
    limit: [u32; MAX_LEN + 1],
    /// For each length, the offset from codes to symbols.
    base: [u32; MAX_LEN + 1],
    symbols: Vec<u16>,
}

impl Table {
    fn new(lengths: &[u8]) -> io::Result<Self> {
        let mut table =
            Self { limit: [0; MAX_LEN + 1], base: [0; MAX_LEN + 1], symbols: Vec::new() };
        let mut code = 0_u32;
        for length in 1..=MAX_LEN {
            let first = u32::try_from(table.symbols.len()).unwrap_or(0);
            table.base[length] = code.wrapping_sub(first);
            for (symbol, _) in (0_u16..).zip(lengths).filter(|(_, of)| usize::from(**of) == length)
            {
                table.symbols.push(symbol);
                code += 1;
            }
            if code > 1 << length {
                return Err(bad("a table has more codes than fit"));
            }
            table.limit[length] = code;
            code <<= 1;
        }
        Ok(table)
    }

    fn symbol<R: BufRead>(&self, bits: &mut Bits<R>) -> io::Result<u16> {
        let mut code = 0_u32;
        for length in 1..=MAX_LEN {
            code = (code << 1) | u32::from(bits.bit()?);
            if code < self.limit[length] {
                let at = code.wrapping_sub(self.base[length]);
                let found = self.symbols.get(at as usize);
                return found.copied().ok_or_else(|| bad("a code without a symbol"));
            }
        }
        Err(bad("a code without a symbol"))
    }
}

/// A block, and the position in its output.
#[derive(Default)]
struct Block {
    /// Each byte, with the index of the next one in the upper bits.
    chain: Vec<u32>,
    /// The next element of the chain, and the number of remaining ones.
    at: u32,
    left: usize,
    /// The last byte and the length of its run.
    last: u8,
    run: u8,
    /// The number of remaining repetitions of the last byte.
    repeat: u8,
    crc: u32,
    expected: Option<u32>,
}

impl Block {
    fn decode<R: BufRead>(&mut self, bits: &mut Bits<R>, size: usize) -> io::Result<()> {
        self.expected = u32::try_from(bits.read(32)?).ok();
        if bits.bit()? {
            return Err(bad("a randomised block, which is obsolete"));
        }
        let origin = usize::try_from(bits.read(24)?).unwrap_or(usize::MAX);
        let mut used = used_bytes(bits)?;
        let symbols = used.len() + 2;
        let tables = usize::try_from(bits.read(3)?).unwrap_or(0);
        if used.is_empty() || !(2..=6).contains(&tables) {
            return Err(bad("a block without symbols or tables"));
        }
        let selectors = selectors(bits, tables)?;
        let tables: Vec<Table> =
            (0..tables).map(|_| Table::new(&lengths(bits, symbols)?)).collect::<io::Result<_>>()?;

        self.chain.clear();
        let mut counts = [0_usize; 256];
        let end = u16::try_from(symbols - 1).unwrap_or(0);
        let (mut run, mut weight) = (0_usize, 1_usize);
        'block: for selector in selectors {
            let Some(table) = tables.get(usize::from(selector)) else {
                return Err(bad("a table that does not exist"));
            };
            for _ in 0..GROUP {
                let symbol = table.symbol(bits)?;
                if symbol <= 1 {
                    // Run lengths have digits one and two.
                    run += weight << symbol;
                    weight <<= 1;
                    if run > size {
                        return Err(bad("a block longer than its maximum size"));
                    }
                    continue;
                }
                let front = used.first().copied().unwrap_or(0);
                self.push(front, run, size, &mut counts)?;
                (run, weight) = (0, 1);
                if symbol == end {
                    break 'block;
                }
                let position = usize::from(symbol - 1);
                let Some(head) = used.get_mut(..=position) else {
                    return Err(bad("an unused byte"));
                };
                head.rotate_right(1);
                let byte = head.first().copied().unwrap_or(0);
                self.push(byte, 1, size, &mut counts)?;
            }
        }
        if origin >= self.chain.len() {
            return Err(bad("a block that starts past its end"));
        }
        self.link(&counts);
        self.at = self.chain[origin] >> 8;
        self.left = self.chain.len();
        (self.run, self.repeat, self.crc) = (0, 0, u32::MAX);
        Ok(())
    }

    fn push(
        &mut self,
        byte: u8,
        count: usize,
        size: usize,
        counts: &mut [usize; 256],
    ) -> io::Result<()> {
        if count > size.saturating_sub(self.chain.len()) {
            return Err(bad("a block longer than its maximum size"));
        }
        self.chain.resize(self.chain.len() + count, u32::from(byte));
        counts[usize::from(byte)] += count;
        Ok(())
    }

    /// Inverts the sorting: stores the index of the next byte with each byte.
    fn link(&mut self, counts: &[usize; 256]) {
        let mut starts = [0_usize; 256];
        let mut sum = 0;
        for (start, count) in starts.iter_mut().zip(counts) {
            *start = sum;
            sum += count;
        }
        for index in 0..self.chain.len() {
            let [byte, ..] = self.chain[index].to_le_bytes();
            let start = &mut starts[usize::from(byte)];
            self.chain[*start] |= u32::try_from(index).unwrap_or(0) << 8;
            *start += 1;
        }
    }

    /// Writes bytes. Four equal ones are followed by the number of further repetitions.
    fn produce(&mut self, out: &mut [u8]) -> usize {
        let mut written = 0;
        while written < out.len() {
            if self.repeat > 0 {
                self.repeat -= 1;
                out[written] = self.last;
                self.crc = crc(self.crc, self.last);
                written += 1;
                continue;
            }
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let element = self.chain[self.at as usize];
            self.at = element >> 8;
            let [byte, ..] = element.to_le_bytes();
            if self.run == 4 {
                self.repeat = byte;
                self.run = 0;
                continue;
            }
            self.run = if self.run > 0 && byte == self.last { self.run + 1 } else { 1 };
            self.last = byte;
            out[written] = byte;
            self.crc = crc(self.crc, byte);
            written += 1;
        }
        written
    }
}

/// Reads the bytes that a block uses.
fn used_bytes<R: BufRead>(bits: &mut Bits<R>) -> io::Result<Vec<u8>> {
    let rows = bits.read(16)?;
    let mut used = Vec::with_capacity(256);
    for row in 0..16_u8 {
        if rows & (0x8000 >> row) == 0 {
            continue;
        }
        let bytes = bits.read(16)?;
        used.extend((0..16).filter(|byte| bytes & (0x8000 >> byte) != 0).map(|b| row * 16 + b));
    }
    Ok(used)
}

/// Reads the table of each group of symbols.
fn selectors<R: BufRead>(bits: &mut Bits<R>, tables: usize) -> io::Result<Vec<u8>> {
    let count = bits.read(15)?;
    let mut order = [0, 1, 2, 3, 4, 5];
    let mut selectors = Vec::new();
    for _ in 0..count {
        let mut position = 0;
        while bits.bit()? {
            position += 1;
            if position >= tables {
                return Err(bad("a table that does not exist"));
            }
        }
        order[..=position].rotate_right(1);
        selectors.push(order[0]);
    }
    Ok(selectors)
}

/// Reads the lengths of the codes of a table.
fn lengths<R: BufRead>(bits: &mut Bits<R>, symbols: usize) -> io::Result<Vec<u8>> {
    let mut length = bits.read(5)?;
    let mut lengths = Vec::with_capacity(SYMBOLS);
    for _ in 0..symbols {
        loop {
            if !(1..=MAX_LEN as u64).contains(&length) {
                return Err(bad("a code with an invalid length"));
            }
            if !bits.bit()? {
                break;
            }
            length = if bits.bit()? { length - 1 } else { length + 1 };
        }
        lengths.push(u8::try_from(length).unwrap_or(0));
    }
    Ok(lengths)
}

const CRC: [u32; 256] = {
    let mut table = [0_u32; 256];
    let mut index = 0;
    while index < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let mut value = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            value = (value << 1) ^ if value & 0x8000_0000 != 0 { 0x04c1_1db7 } else { 0 };
            bit += 1;
        }
        table[index] = value;
        index += 1;
    }
    table
};

fn crc(crc: u32, byte: u8) -> u32 {
    let [.., high] = crc.to_le_bytes();
    (crc << 8) ^ CRC[usize::from(high ^ byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        BzDecoder::new(bytes).read_to_end(&mut out).map(|_| out)
    }

    /// `printf 'hello hello hello\n' | bzip2`
    const HELLO: &[u8] = &[
        0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0xe5, 0xb5, 0xf3, 0x09, 0x00,
        0x00, 0x04, 0x51, 0x00, 0x00, 0x10, 0x40, 0x00, 0x02, 0x44, 0xa0, 0x00, 0x21, 0xb5, 0x18,
        0x0c, 0x02, 0x90, 0x69, 0xc2, 0xa3, 0x0b, 0xb9, 0x22, 0x9c, 0x28, 0x48, 0x72, 0xda, 0xf9,
        0x84, 0x80,
    ];

    #[test]
    fn concatenated_streams_are_read() {
        assert_eq!(decompress(HELLO).unwrap(), b"hello hello hello\n");
        let twice = [HELLO, HELLO].concat();
        assert_eq!(decompress(&twice).unwrap(), b"hello hello hello\nhello hello hello\n");
        assert!(decompress(&[HELLO, b"x"].concat()).is_err());
    }

    #[test]
    fn changed_bytes_are_detected() {
        for at in 0..HELLO.len() {
            for bit in 0..8 {
                let mut changed = HELLO.to_vec();
                changed[at] ^= 1 << bit;
                if let Ok(text) = decompress(&changed) {
                    // The block size and the padding bits do not affect the text.
                    assert_eq!(text, b"hello hello hello\n");
                }
            }
            assert!(decompress(&HELLO[..at]).is_err());
        }
    }
}
