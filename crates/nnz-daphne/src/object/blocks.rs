//! Finding the blocks of an object without reading their contents.

use nnz_core::Result;

use super::header::{Header, value_type};
use super::{DataType, ObjectLayout, overlap};
use crate::block::{ALL, Arrays, RowLayout, RowPosition};
use crate::file::Window;
use crate::{Block, BlockType, Dialect};

/// Bytes that are read at once.
const WINDOW: usize = 64 << 10;

/// Parses header and blocks of a file in a dialect. The blocks must end at the end of the file.
pub(super) fn parse(file: &crate::file::DataFile, dialect: Dialect) -> Result<ObjectLayout> {
    let mut window = Window::of_headers(file, WINDOW);
    let header = Header::read(&mut window, dialect)?;
    let mut parser =
        BlockParser { window, dialect, header: &header, blocks: Vec::new(), without_elements: 0 };
    match (dialect, header.data_type) {
        (Dialect::Spec, _) => parser.sequence()?,
        (_, DataType::Frame) => parser.interleaved()?,
        _ => parser.single()?,
    }
    let BlockParser { mut blocks, without_elements, .. } = parser;
    blocks.sort_unstable_by_key(|block| (block.row, block.col, block.start));
    overlap::check(file, &blocks)?;
    Ok(ObjectLayout { header, blocks, without_elements })
}

struct BlockParser<'a> {
    window: Window<'a>,
    dialect: Dialect,
    header: &'a Header,
    blocks: Vec<Block>,
    without_elements: u64,
}

impl BlockParser<'_> {
    /// Reads blocks up to the end of the file.
    fn sequence(&mut self) -> Result<()> {
        let file = self.window.file;
        let mut at = self.header.body;
        let mut last: Option<Block> = None;
        while at < file.len() {
            let block = match self.block(at) {
                Ok(block) => block,
                Err(error) => {
                    // The bytes after a block that is shorter than its rows are not a block.
                    if let Some(last) = last.filter(|last| last.block_type == BlockType::Sparse) {
                        RowPosition::check_all(file, &last)?;
                    }
                    let left = file.len() - at;
                    if last.is_some() && left < self.dialect.block_header_len() {
                        let found = format!("{left} bytes after the last block");
                        return Err(file.mismatch(at, found, "the end of the file"));
                    }
                    return Err(error);
                }
            };
            at = block.end;
            if block.covers_no_elements() {
                self.without_elements += 1;
            } else {
                self.blocks.push(block);
            }
            last = Some(block);
        }
        if last.is_none() && !self.header.shape.is_empty() {
            let expected = format!("blocks, since the object is {}", self.header.shape);
            return Err(file.mismatch(at, "no block", expected));
        }
        Ok(())
    }

    /// Reads the single block that DAPHNE writes, which has the size of the object.
    fn single(&mut self) -> Result<()> {
        let file = self.window.file;
        let block = self.block(self.header.body)?;
        let (rows, cols) = (u64::from(block.rows), u64::from(block.cols));
        let shape = self.header.shape;
        if (rows, cols) != (shape.rows, shape.cols) || (block.row, block.col) != (0, 0) {
            let expected = format!("one block of {shape} at row 0, column 0");
            return Err(file.mismatch(block.start, block, expected));
        }
        let expected = match self.header.data_type {
            DataType::Csr => BlockType::Sparse,
            _ => BlockType::Dense,
        };
        if block.block_type != expected {
            let at = block.start + 24;
            return Err(file.mismatch(at, block, format_args!("a {expected} block")));
        }
        if let (Some(found), Some(column)) = (block.value_type, self.header.columns.first())
            && found != column.value_type
        {
            let at = self.header.body + self.dialect.block_header_len();
            return Err(file.mismatch(at, found, column.value_type));
        }
        if block.end != file.len() {
            let left = file.len() - block.end;
            let found = format!("{left} bytes after the block");
            return Err(file.mismatch(block.end, found, "the end of the file"));
        }
        if block.covers_no_elements() {
            self.without_elements += 1;
        } else {
            self.blocks.push(block);
        }
        Ok(())
    }

    /// Checks that the interleaved rows of DAPHNE's frames end at the end of the file.
    fn interleaved(&mut self) -> Result<()> {
        let file = self.window.file;
        let body = self.header.body;
        for at in [body, body + 8] {
            let found = self.window.u64(at, file.len())?;
            if found != 0 {
                return Err(file.mismatch(at, found, "0, the position of the only block"));
            }
        }
        let row: u128 = self.header.columns.iter().map(|c| c.value_type.size() as u128).sum();
        let expected = u128::from(self.header.shape.rows) * row;
        let found = u128::from(file.len() - body - 16);
        if found != expected {
            let found = format!("{found} bytes of rows");
            let expected =
                format!("{expected}, since there are {} rows of {row}", self.header.shape.rows);
            return Err(file.mismatch(body + 16, found, expected));
        }
        Ok(())
    }

    /// Reads the header of a block.
    fn block(&mut self, start: u64) -> Result<Block> {
        let (dialect, shape) = (self.dialect, self.header.shape);
        let window = &mut self.window;
        let file = window.file;
        let end = file.len();
        let row = window.u64(start, end)?;
        let col = window.u64(start + 8, end)?;
        let rows = window.u32(start + 16, end)?;
        let cols = window.u32(start + 20, end)?;
        let [code] = window.take(start + 24, end)?;
        let Some(block_type) = BlockType::from_code(code) else {
            let expected = "0 (empty), 1 (dense), 2 (sparse) or 3 (ultra-sparse)";
            return Err(file.mismatch(start + 24, format_args!("block type {code}"), expected));
        };
        let sides = [("row", row, rows, shape.rows, 0), ("column", col, cols, shape.cols, 8)];
        for (side, first, count, all, at) in sides {
            let inside = |first: u64| first <= all && (first < all || count == 0);
            let what = format!("{side}s {first} to {}", u128::from(first) + u128::from(count));
            let expected = format!("{side}s of the object, which ends at {side} {all}");
            if !inside(first) {
                return Err(file.mismatch(start + at, what, expected));
            }
            if u64::from(count) > all - first {
                return Err(file.mismatch(start + 16 + at / 2, what, expected));
            }
        }
        let at = start + dialect.block_header_len();
        let mut block = Block {
            row,
            col,
            rows,
            cols,
            block_type,
            value_type: None,
            stored: 0,
            start,
            data: at,
            end: at,
            layout: RowLayout::of(dialect),
        };
        if block_type == BlockType::Empty {
            return Ok(block);
        }
        block.value_type = Some(value_type(window, dialect, at)?);
        block.data = at + 1;
        let elements = u128::from(rows) * u128::from(cols);
        let (size, rows) = (block.size() as u128, u128::from(rows));
        let bytes = match block_type {
            BlockType::Empty => 0,
            BlockType::Dense => {
                block.stored = u64::try_from(elements).unwrap_or(u64::MAX);
                elements * size
            }
            BlockType::Sparse => {
                block.stored = window.u64(block.data, end)?;
                block.data += 8;
                block.layout.bytes(rows, block.stored.into(), size)
            }
            BlockType::UltraSparse => {
                block.stored = window.u32(block.data, end)?.into();
                block.data += 4;
                u128::from(block.stored) * block.coo_stride() as u128
            }
        };
        let claim = if block_type == BlockType::Dense { start + 16 } else { at + 1 };
        let left = end - block.data;
        match u64::try_from(bytes).ok().filter(|&bytes| bytes <= left) {
            Some(bytes) => block.end = block.data + bytes,
            None => {
                if block_type == BlockType::Sparse && dialect != Dialect::Daphne {
                    // Either the number of entries or the count of a row is wrong.
                    block.end = end;
                    RowPosition::check_counts(file, &block)?;
                }
                let found =
                    format!("{bytes} bytes for the {} entries of the {block}", block.stored);
                let expected = format_args!("at most {left}, the rest of the file");
                return Err(file.mismatch(claim, found, expected));
            }
        }
        if block.covers_no_elements() && block_type == BlockType::Sparse {
            self.check_no_entries(&block)?;
        }
        // For a sparse block with elements, the counts of its rows give the exact location.
        if block_type == BlockType::UltraSparse && u128::from(block.stored) > elements {
            let found = format!("{} entries", block.stored);
            let expected = format!("at most {elements}, the number of elements");
            return Err(file.mismatch(claim, found, expected));
        }
        Ok(block)
    }

    /// Checks that a sparse block without elements has no entries. Such a block is not read later.
    fn check_no_entries(&self, block: &Block) -> Result<()> {
        let file = self.window.file;
        if block.stored > 0 {
            let found = format!("{} entries", block.stored);
            return Err(file.mismatch(block.data - 8, found, "none in a block without elements"));
        }
        if block.layout == RowLayout::Arrays {
            let rows = block.rows.into();
            return Arrays::of(block).advance(file, block, 0, rows, ALL).map(drop);
        }
        RowPosition::check_all(file, block)
    }
}
