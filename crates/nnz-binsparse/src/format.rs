//! The named formats.

use std::fmt;

use nnz_core::Order;

use crate::layout::{Layout, Level, LevelKind};

macro_rules! formats {
    ($($variant:ident, $name:literal, $doc:literal;)*) => {
        /// A layout with a name in the specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format { $(#[doc = $doc] $variant,)* }

        impl Format {
            /// Every format.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name, such as `CSR`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

formats! {
    Dvec, "DVEC", "A dense vector.";
    Dmatr, "DMATR", "A dense matrix by row.";
    Dmatc, "DMATC", "A dense matrix by column.";
    Cvec, "CVEC", "A sparse vector.";
    Csr, "CSR", "Compressed sparse rows.";
    Csc, "CSC", "Compressed sparse columns.";
    Dcsr, "DCSR", "Doubly compressed sparse rows: empty rows are not stored.";
    Dcsc, "DCSC", "Doubly compressed sparse columns: empty columns are not stored.";
    Coor, "COOR", "Coordinates, sorted by row.";
    Cooc, "COOC", "Coordinates, sorted by column.";
}

impl Format {
    /// Finds a format by its name or an alias.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "DMAT" => Some(Self::Dmatr),
            "COO" => Some(Self::Coor),
            _ => Self::ALL.iter().copied().find(|format| format.name() == name),
        }
    }

    /// Returns the levels of the format.
    #[must_use]
    pub fn layout(self) -> Layout {
        use LevelKind::{Dense, Sparse};
        let levels: &[(LevelKind, usize)] = match self {
            Self::Dvec => &[(Dense, 1)],
            Self::Cvec => &[(Sparse, 1)],
            Self::Dmatr | Self::Dmatc => &[(Dense, 1), (Dense, 1)],
            Self::Csr | Self::Csc => &[(Dense, 1), (Sparse, 1)],
            Self::Dcsr | Self::Dcsc => &[(Sparse, 1), (Sparse, 1)],
            Self::Coor | Self::Cooc => &[(Sparse, 2)],
        };
        let levels = levels.iter().map(|&(kind, rank)| Level { kind, rank }).collect();
        let by_column = matches!(self, Self::Dmatc | Self::Csc | Self::Dcsc | Self::Cooc);
        // These levels are always valid.
        Layout::new(levels, by_column.then(|| vec![1, 0])).unwrap_or_else(Layout::element)
    }

    /// Returns the storage order; a vector is one column.
    #[must_use]
    pub fn order(self) -> Order {
        match self {
            Self::Dmatr | Self::Csr | Self::Dcsr | Self::Coor => Order::Row,
            _ => Order::Col,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
