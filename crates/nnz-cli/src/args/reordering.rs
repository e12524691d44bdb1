//! `--reorder`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args as Group, ValueEnum};
use nnz::engine::Reordering;
use nnz::{Axis, Error, Header, Location};

use super::selecting::AxisArg;
use super::values::{TextOrFile, listed, read_list};

/// New orders of rows and columns.
#[derive(Debug, Group)]
pub(crate) struct Reorderings {
    /// Order of rows, cols, cells or features in DST, with their names and annotations: AXIS=frequency (most entries
    /// first, which packs best for the axis that SRC is not stored by), AXIS=@FILE or AXIS=LIST with all names or
    /// positions, or AXIS=original, which undoes a reordering [may be repeated]
    #[arg(long, value_name = "AXIS=ORDER", value_parser = reordering())]
    reorder: Vec<AxisOrder>,
}

#[derive(Clone, Debug)]
struct AxisOrder {
    axis: AxisArg,
    order: Order,
}

#[derive(Clone, Debug)]
enum Order {
    Text(Reordering),
    File(PathBuf),
}

/// Parses an axis and its order; the name of a file need not be UTF-8.
fn reordering() -> impl TypedValueParser<Value = AxisOrder> {
    OsStringValueParser::new().try_map(|text| parsed(&text))
}

fn parsed(text: &OsStr) -> Result<AxisOrder, String> {
    let bytes = text.as_encoded_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=');
    let axis = at.and_then(|at| AxisArg::from_str(str::from_utf8(&bytes[..at]).ok()?, false).ok());
    let (Some(at), Some(axis)) = (at, axis) else {
        let expected =
            "expected rows=, cols=, cells= or features=, and frequency, original, @FILE or a list";
        return Err(expected.to_owned());
    };
    let order = nnz_storage::os_str_from_bytes(&bytes[at + 1..]);
    let order = match listed(&order)? {
        TextOrFile::Text(text) => Order::Text(text.parse()?),
        TextOrFile::File(path) => Order::File(path),
    };
    Ok(AxisOrder { axis, order })
}

impl Reorderings {
    /// Returns the orders of rows and columns.
    pub(crate) fn of_axes(
        &self,
        source: &Location,
        header: impl Fn() -> Result<Header, Error>,
    ) -> Result<[Reordering; 2], Error> {
        let mut orders = [Reordering::Unchanged, Reordering::Unchanged];
        for AxisOrder { axis, order } in &self.reorder {
            let axis = axis.axis(source, &header)?;
            let place = &mut orders[usize::from(axis == Axis::Cols)];
            if *place != Reordering::Unchanged {
                return Err(Error::argument(format!("--reorder is given twice for the {axis}")));
            }
            *place = match order {
                Order::Text(order) => order.clone(),
                Order::File(path) => Reordering::Listed(read_list(path, true)?),
            };
        }
        Ok(orders)
    }
}
