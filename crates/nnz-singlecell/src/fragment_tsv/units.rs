//! Finding the pieces of a text.

use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nnz_core::{At, Error, Place, Result, Unit, UnitReader};

use super::bgzf::{self, Beginning, LARGEST_BLOCK};
use super::block::TsvBlock;
use super::pieces::{Inflater, read_blocks, read_text};
use super::scan::Shared;
use super::spare::{Reused, Spares};
use nnz_lines::Members;
use nnz_lines::read_error;

/// Bytes of text, or of BGZF blocks, that are read at once, and the smallest number, which is the
/// length of the longest block.
pub(super) const CAPACITY: usize = 512 << 10;
pub(super) const LEAST_CAPACITY: usize = LARGEST_BLOCK;
/// The largest number of blocks that are inflated together.
const BLOCKS: usize = 1024;

/// Iterates over pieces of text.
pub(super) struct Pieces {
    path: PathBuf,
    shared: Arc<Shared>,
    from: From,
    /// Bytes that are read at once.
    capacity: usize,
    buffers: Arc<Spares<Vec<u8>>>,
    inflaters: Arc<Spares<Inflater>>,
}

/// The source of the next piece.
enum From {
    Text(Box<dyn Read + Send>),
    Blocks(Blocks),
    Ended,
}

/// BGZF blocks of a file.
struct Blocks {
    reader: Box<dyn Read + Send>,
    /// Bytes read ahead.
    ahead: Reused<Vec<u8>>,
    /// Their position in the file.
    byte: u64,
    /// Whether the last block was an empty one.
    ended: bool,
}

enum TextPiece {
    Text(Reused<Vec<u8>>),
    /// Blocks, and their position in the file.
    Blocks(Reused<Vec<u8>>, u64),
    End,
}

struct PieceUnit {
    piece: TextPiece,
    path: PathBuf,
    shared: Arc<Shared>,
    inflaters: Arc<Spares<Inflater>>,
}

impl Pieces {
    /// Starts with text, or with what may be BGZF blocks.
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        gzip: bool,
        path: &Path,
        shared: Arc<Shared>,
        capacity: usize,
    ) -> Self {
        let buffers = Arc::<Spares<Vec<u8>>>::default();
        let from = if gzip {
            From::Blocks(Blocks { reader, ahead: buffers.get(), byte: 0, ended: false })
        } else {
            From::Text(reader)
        };
        let inflaters = Arc::default();
        Self { path: path.to_path_buf(), shared, from, capacity, buffers, inflaters }
    }

    fn next_piece(&mut self) -> Result<Option<TextPiece>> {
        loop {
            match std::mem::replace(&mut self.from, From::Ended) {
                From::Ended => return Ok(None),
                From::Text(mut reader) => {
                    let mut text = self.buffers.get();
                    text.clear();
                    fill(&mut reader, &mut text, self.capacity)
                        .map_err(|error| read_error(&self.path, error))?;
                    if text.is_empty() {
                        return Ok(Some(TextPiece::End));
                    }
                    self.from = From::Text(reader);
                    return Ok(Some(TextPiece::Text(text)));
                }
                From::Blocks(blocks) => {
                    if let Some(piece) = self.next_blocks(blocks)? {
                        return Ok(Some(piece));
                    }
                }
            }
        }
    }

    /// Returns the next blocks, or `None` if the next bytes are not a block.
    fn next_blocks(&mut self, mut blocks: Blocks) -> Result<Option<TextPiece>> {
        fill(&mut blocks.reader, &mut blocks.ahead, self.capacity)
            .map_err(|error| Error::io(&self.path, error))?;
        let first_byte = blocks.byte;
        let place = || Place::path(&self.path).at(At::Byte(first_byte));
        if blocks.ahead.is_empty() {
            if !blocks.ended {
                let found = "no empty block at the end, so the file may be truncated";
                let expected = "one, as bgzip writes; if the file is complete, the output of \
                                \"bgzip -dc\" can be read";
                return Err(Error::mismatch(place(), found, expected));
            }
            return Ok(Some(TextPiece::End));
        }
        // The text of blocks that are inflated together.
        let most_text = 2 * self.capacity as u64;
        let mut end = 0;
        let mut text = 0;
        let mut count = 0;
        let other = loop {
            let rest = &blocks.ahead[end..];
            if rest.is_empty() || text >= most_text || count >= BLOCKS {
                break None;
            }
            match bgzf::beginning(rest) {
                Beginning::Block { len, .. } => {
                    let Some(block) = rest.get(..len) else { break Some(Beginning::Short) };
                    let len = bgzf::stated_len(block);
                    blocks.ended = len == 0;
                    text += u64::from(len);
                    count += 1;
                    end += block.len();
                }
                other => break Some(other),
            }
        };
        if end == 0 {
            return match other {
                Some(Beginning::Gzip) => {
                    // Other gzip members are inflated sequentially from here on.
                    let ahead = Cursor::new(std::mem::take(&mut *blocks.ahead));
                    let all = BufReader::with_capacity(128 << 10, ahead.chain(blocks.reader));
                    self.from = From::Text(Box::new(Members::new(all)));
                    Ok(None)
                }
                // As many bytes as the longest block has were read.
                Some(Beginning::Short) if blocks.ahead.first() != Some(&0) => {
                    let found = "truncated compressed data";
                    Err(Error::mismatch(place(), found, "whole BGZF blocks"))
                }
                _ if blocks.ended && self.only_zeros(&mut blocks)? => Ok(Some(TextPiece::End)),
                _ => Err(Error::mismatch(
                    place(),
                    "other bytes",
                    "a gzip member or the end of the file",
                )),
            };
        }
        let byte = blocks.byte;
        blocks.byte += end as u64;
        let mut ahead = self.buffers.get();
        ahead.clear();
        ahead.extend_from_slice(&blocks.ahead[end..]);
        let mut whole = std::mem::replace(&mut blocks.ahead, ahead);
        whole.truncate(end);
        self.from = From::Blocks(blocks);
        Ok(Some(TextPiece::Blocks(whole, byte)))
    }
}

impl Pieces {
    /// Skips zeros after the end, which are padding on tapes; returns whether there was nothing
    /// else.
    fn only_zeros(&self, blocks: &mut Blocks) -> Result<bool> {
        loop {
            if blocks.ahead.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            if blocks.ahead.is_empty() {
                return Ok(true);
            }
            blocks.ahead.clear();
            fill(&mut blocks.reader, &mut blocks.ahead, self.capacity)
                .map_err(|error| Error::io(&self.path, error))?;
        }
    }
}

/// Reads until there are `len` bytes, or the end.
fn fill(reader: &mut dyn Read, bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
    let missing = len.saturating_sub(bytes.len());
    bytes.reserve(missing);
    reader.take(missing as u64).read_to_end(bytes).map(drop)
}

impl UnitReader<'static, TsvBlock> for Pieces {
    fn next_unit(&mut self) -> Result<Option<Box<dyn Unit<TsvBlock> + 'static>>> {
        let Some(piece) = self.next_piece()? else {
            return Ok(None);
        };
        Ok(Some(Box::new(PieceUnit {
            piece,
            path: self.path.clone(),
            shared: Arc::clone(&self.shared),
            inflaters: Arc::clone(&self.inflaters),
        })))
    }
}

impl Unit<TsvBlock> for PieceUnit {
    fn decode(self: Box<Self>, block: &mut TsvBlock) -> Result<()> {
        block.clear();
        match &self.piece {
            TextPiece::Text(text) => read_text(text, &self.shared, block),
            TextPiece::Blocks(blocks, byte) => {
                let mut inflater = self.inflaters.get();
                read_blocks(blocks, *byte, &self.path, &self.shared, &mut inflater, block)?;
            }
            TextPiece::End => block.last = true,
        }
        Ok(())
    }
}
