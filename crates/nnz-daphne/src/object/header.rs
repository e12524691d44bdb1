//! The header of an object.

use nnz_core::{Error, ErrorKind, Result, Shape, ValueType};

use super::DataType;
use crate::file::{DataFile, Window};
use crate::{Column, Dialect};

/// The content of the header.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) data_type: DataType,
    pub(crate) shape: Shape,
    /// The type of a matrix, or of each column of a frame.
    pub(crate) columns: Vec<Column>,
    /// The first byte after the header.
    pub(crate) body: u64,
}

/// Reads version and data type.
pub(super) fn data_type(file: &DataFile) -> Result<DataType> {
    let mut window = Window::of_headers(file, 2);
    let [version] = window.take(0, file.len())?;
    if version != 1 {
        return Err(file.mismatch(0, format_args!("version {version}"), "version 1"));
    }
    let [code] = window.take(1, file.len())?;
    DataType::from_code(code).ok_or_else(|| {
        let expected = "1 (DenseMatrix), 2 (CSRMatrix) or 3 (Frame)";
        file.mismatch(1, format_args!("data type {code}"), expected)
    })
}

impl Header {
    /// Reads the header of a file in a dialect.
    pub(crate) fn read(window: &mut Window<'_>, dialect: Dialect) -> Result<Self> {
        let file = window.file;
        let end = file.len();
        let data_type = data_type(file)?;
        let start = dialect.header_len() - 16;
        let rows = window.u64(start, end)?;
        let cols = window.u64(start + 8, end)?;
        let shape = Shape { rows, cols };
        let at = dialect.header_len();
        if data_type == DataType::Frame {
            return Self::read_columns(window, dialect, shape);
        }
        let value_type = value_type(window, dialect, at)?;
        let columns = vec![Column { label: String::new(), value_type }];
        Ok(Self { data_type, shape, columns, body: at + 1 })
    }

    /// Reads the types and labels of a frame.
    fn read_columns(window: &mut Window<'_>, dialect: Dialect, shape: Shape) -> Result<Self> {
        let file = window.file;
        let end = file.len();
        let mut at = dialect.header_len();
        // At least a type and the length of a label for each.
        if shape.cols.checked_mul(3).is_none_or(|least| least > end - at) {
            let found = format_args!("{} columns, and {} bytes after them", shape.cols, end - at);
            let expected = "at least three bytes per column";
            return Err(file.mismatch(at - 8, found, expected));
        }
        let mut columns = Vec::new();
        for _ in 0..shape.cols {
            let value_type = value_type(window, dialect, at)?;
            columns.push(Column { label: String::new(), value_type });
            at += 1;
        }
        for (number, column) in columns.iter_mut().enumerate() {
            let len = u16::from_le_bytes(window.take(at, end)?);
            if u64::from(len) > end - at - 2 {
                let found = format_args!("a label of {len} bytes");
                let expected = format_args!("at most {}, the rest of the file", end - at - 2);
                return Err(file.mismatch(at, found, expected));
            }
            let label = &window.at(at + 2, len.into(), end)?[..len.into()];
            column.label = if dialect == Dialect::Spec {
                let text = std::str::from_utf8(label).map_err(|error| {
                    let found = format!("the label {:?}", String::from_utf8_lossy(label));
                    file.mismatch(at, found, "UTF-8").with_source(error)
                })?;
                text.to_owned()
            } else {
                // DAPHNE writes uninitialized memory in place of the text.
                default_label(number)
            };
            at += 2 + u64::from(len);
        }
        Ok(Self { data_type: DataType::Frame, shape, columns, body: at })
    }
}

/// Returns the name that DAPHNE uses for a column without a label.
pub(super) fn default_label(number: usize) -> String {
    format!("col_{number}")
}

/// Reads the code of a value type.
pub(super) fn value_type(window: &mut Window<'_>, dialect: Dialect, at: u64) -> Result<ValueType> {
    let [code] = window.take(at, window.file.len())?;
    dialect.value_type(code).ok_or_else(|| {
        let names: Vec<&str> = dialect.value_types().iter().map(|t| t.name()).collect();
        let what = format!(
            "found value type {code}, expected a type of the dialect {dialect}: {}",
            names.join(", ")
        );
        Error::new(ErrorKind::Unrecognized(what), window.file.at(at))
    })
}
