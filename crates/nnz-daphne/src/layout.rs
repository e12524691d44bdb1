//! Encoding headers.

use nnz_core::{Error, ErrorKind, Place, Result, Shape, ValueType};

use crate::{BlockType, Column, DataType, Dialect};

/// The longest label for which DAPHNE has a buffer; longer ones overflow it.
const LONGEST_LABEL_OF_DAPHNE: usize = 32;

/// The header of a block to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockHead {
    pub(crate) row: u64,
    pub(crate) col: u64,
    pub(crate) rows: u32,
    pub(crate) cols: u32,
    pub(crate) block_type: BlockType,
    pub(crate) value_type: ValueType,
    /// The number of entries, if the type of block has it.
    pub(crate) stored: u64,
}

impl BlockHead {
    /// Appends the bytes before rows, entries or elements.
    pub(crate) fn put(&self, dialect: Dialect, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.row.to_le_bytes());
        out.extend_from_slice(&self.col.to_le_bytes());
        out.extend_from_slice(&self.rows.to_le_bytes());
        out.extend_from_slice(&self.cols.to_le_bytes());
        out.push(self.block_type.code());
        out.resize(out.len() + dialect.padding_after_block_type(), 0);
        if self.block_type == BlockType::Empty {
            return Ok(());
        }
        out.push(code(dialect, self.value_type)?);
        match self.block_type {
            BlockType::Sparse => out.extend_from_slice(&self.stored.to_le_bytes()),
            BlockType::UltraSparse => {
                let stored = u32::try_from(self.stored).map_err(|_| {
                    let expected = format!("at most {} in an ultra-sparse block", u32::MAX);
                    Error::mismatch(Place::default(), format!("{} entries", self.stored), expected)
                })?;
                out.extend_from_slice(&stored.to_le_bytes());
            }
            BlockType::Dense | BlockType::Empty => {}
        }
        Ok(())
    }
}

/// Appends the header of an object.
pub(crate) fn put_header(
    dialect: Dialect,
    data_type: DataType,
    shape: Shape,
    columns: &[Column],
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend_from_slice(&[1, data_type.code()]);
    out.resize(out.len() + dialect.padding_after_type(), 0);
    out.extend_from_slice(&shape.rows.to_le_bytes());
    out.extend_from_slice(&shape.cols.to_le_bytes());
    for column in columns {
        out.push(code(dialect, column.value_type)?);
    }
    if data_type == DataType::Frame {
        for column in columns {
            put_label(dialect, &column.label, out)?;
        }
    }
    Ok(())
}

fn put_label(dialect: Dialect, label: &str, out: &mut Vec<u8>) -> Result<()> {
    // Labels that are not safe for DAPHNE are only in the `.meta` file.
    let safe = dialect == Dialect::Spec || label.len() <= LONGEST_LABEL_OF_DAPHNE;
    let label = if safe { label } else { "" };
    let len = u16::try_from(label.len()).map_err(|_| {
        let found = format!("a label of {} bytes", label.len());
        Error::mismatch(Place::default(), found, format!("at most {}", u16::MAX))
    })?;
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(label.as_bytes());
    Ok(())
}

/// Returns the code of a value type.
pub(crate) fn code(dialect: Dialect, value_type: ValueType) -> Result<u8> {
    dialect.code(value_type).ok_or_else(|| {
        let what = format!("the dialect {dialect} has no code for {value_type}");
        Error::new(ErrorKind::Unsupported(what), Place::default())
    })
}
