//! Detecting the dialect of a file.

use nnz_core::Result;

use super::{DataType, ObjectLayout, ReadOptions, blocks, header};
use crate::file::DataFile;
use crate::{Dialect, Meta};

/// Detects the dialect of a file, and whether no other one is possible.
///
/// A DAPHNE file has exactly one length that matches its header. All value types with the same code
/// in two dialects differ in size, so no file with elements matches two dialects, with one
/// exception: the bytes after the elements of a matrix of the wrong type may look like blocks
/// without elements. So DAPHNE's dialects are tried first for matrices. A frame of DAPHNE has less
/// metadata than blocks, and is tried last.
pub(super) fn recognise(
    file: &DataFile,
    meta: Option<&Meta>,
    options: &ReadOptions,
) -> Result<(Dialect, ObjectLayout, bool)> {
    if let Some(dialect) = options.dialect {
        return blocks::parse(file, dialect).map(|parsed| (dialect, parsed, true));
    }
    let data_type = header::data_type(file)?;
    let daphne = [Dialect::Daphne, Dialect::Daphne2022];
    let [first, second] = daphne;
    let order = match data_type {
        DataType::Frame => [Dialect::Spec, first, second],
        _ => [first, second, Dialect::Spec],
    };
    let mut faults = Vec::new();
    let mut without_elements = Vec::new();
    for dialect in order {
        match blocks::parse(file, dialect) {
            Err(error) if error.is_system() => return Err(error),
            Err(error) => faults.push((dialect, error)),
            Ok(parsed) if parsed.header.shape.is_empty() => {
                without_elements.push((dialect, parsed))
            }
            Ok(parsed) => return Ok((dialect, parsed, true)),
        }
    }
    if !without_elements.is_empty() {
        let certain = without_elements.len() == 1;
        without_elements
            .sort_by_key(|(dialect, parsed)| (!fits(meta, parsed), *dialect != Dialect::Spec));
        let (dialect, parsed) = without_elements.swap_remove(0);
        let confirmed = meta.is_some() && fits(meta, &parsed);
        return Ok((dialect, parsed, certain || confirmed));
    }
    // With a `.meta` file, the file is more likely one of DAPHNE.
    let likely = if meta.is_some() { Dialect::Daphne } else { Dialect::Spec };
    let fault = faults.into_iter().find(|(dialect, _)| *dialect == likely);
    match fault {
        Some((_, error)) => Err(error),
        None => Err(file.mismatch(0, "an unknown layout", "a dialect of DAPHNE")),
    }
}

/// Returns whether a `.meta` file has the same types.
fn fits(meta: Option<&Meta>, parsed: &ObjectLayout) -> bool {
    let Some(meta) = meta else { return false };
    let found = parsed.header.columns.iter().map(|column| Some(column.value_type));
    match parsed.header.data_type {
        DataType::Frame => meta.column_types().eq(found),
        _ => found.eq([meta.matrix_type()]),
    }
}
