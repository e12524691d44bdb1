//! Decisions before the first entry.

use nnz_core::{At, Error, Header, Order, Place, Result, Scalar, Structure, ValueType};

use super::{capabilities, duplicate};
use crate::Layout;
use crate::layout::LevelKind;

/// The properties that every entry is checked against.
pub(super) struct Plan {
    /// The lengths of the dimensions: only one for a vector.
    pub(super) shape: Vec<u64>,
    pub(super) order: Order,
    pub(super) majors: u64,
    pub(super) minors: u64,
    /// The largest possible number of entries, if it is known.
    pub(super) most: Option<u64>,
    /// Whether every element of a stored major vector is stored.
    pub(super) dense: bool,
    /// Whether the majors of stored vectors are listed.
    pub(super) listed: bool,
    /// Whether major and minor of each entry are stored.
    pub(super) pairs: bool,
    /// Whether there is only one major vector.
    pub(super) vector: bool,
    pub(super) value_type: ValueType,
    pub(super) iso: bool,
    pub(super) fill: Option<Scalar>,
    pub(super) structure: Structure,
}

impl Plan {
    pub(super) fn new(header: &Header, layout: &Layout) -> Result<Self> {
        let capabilities = capabilities(layout)?;
        let vector = layout.rank() == 1;
        let shape = header.shape;
        if !capabilities.orders.contains(&header.order) {
            let what = format!("{layout} cannot be stored by {}", header.order);
            return Err(Error::argument(what));
        }
        if vector && shape.cols != 1 {
            let what = format!("a vector has one column, this matrix is {shape}");
            return Err(Error::unsupported(Place::default(), what));
        }
        if header.structure != Structure::General {
            check_structure(header, layout, capabilities.structure)?;
        }
        let (majors, minors) = (shape.major(header.order), shape.minor(header.order));
        let merged = layout.merged();
        let levels = merged.levels();
        let first_sparse = levels.first().is_some_and(|level| level.kind == LevelKind::Sparse);
        if let Some(fill) = header.fill.filter(|fill| fill.value_type() != header.value_type) {
            let what = format!("a fill of type {} for {}", fill.value_type(), header.value_type);
            return Err(Error::argument(what));
        }
        let elements = u64::try_from(shape.elements()).ok();
        if elements.is_none() && capabilities.dense {
            let what = format!("{shape} has more than 2^64 - 1 elements");
            return Err(Error::unsupported(Place::default(), what));
        }
        let ends_dense = levels.last().is_some_and(|level| level.kind == LevelKind::Dense);
        Ok(Self {
            shape: if vector { vec![shape.rows] } else { vec![shape.rows, shape.cols] },
            order: header.order,
            majors,
            minors,
            most: match (header.nnz, elements) {
                (Some(stored), Some(elements)) => Some(stored.min(elements)),
                (stored, elements) => stored.or(elements),
            },
            dense: ends_dense,
            listed: first_sparse && levels.len() == 2,
            pairs: first_sparse && levels.len() == 1 && !vector,
            vector,
            value_type: header.value_type,
            iso: header.iso && !ends_dense,
            fill: header.fill,
            structure: header.structure,
        })
    }

    /// Returns the location of an entry, for messages.
    pub(super) fn place(&self, major: u64, minor: u64) -> Place {
        let (row, col) = self.order.row_col(major, minor);
        Place::default().at(At::Entry { row, col })
    }

    /// Returns the error for an entry that is not after the previous one.
    pub(super) fn out_of_order(&self, before: (u64, u64), entry: (u64, u64)) -> Error {
        let place = self.place(entry.0, entry.1);
        if before == entry {
            return duplicate(place);
        }
        let (row, col) = self.order.row_col(before.0, before.1);
        let found = "an entry out of order";
        Error::mismatch(place, found, format!("one after row {row}, column {col}"))
    }
}

fn check_structure(header: &Header, layout: &Layout, can_hold: bool) -> Result<()> {
    let what = if !can_hold {
        format!("{layout} cannot be written with one triangle only")
    } else if header.shape.rows != header.shape.cols {
        format!("a matrix of {} is not square, and cannot be {}", header.shape, header.structure)
    } else if matches!(header.structure, Structure::Hermitian(_)) && !header.value_type.is_complex()
    {
        format!("a {} matrix has complex values, not {}", header.structure, header.value_type)
    } else {
        return Ok(());
    };
    Err(Error::unsupported(Place::default(), what))
}
