//! The formats that have a short name.

use std::fmt;

use nnz_core::Order;

use crate::layout::{Layout, Level, LevelKind};

macro_rules! formats {
    ($($variant:ident, $name:literal, $doc:literal;)*) => {
        /// Names a layout that the specification has a short name for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format { $(#[doc = $doc] $variant,)* }

        impl Format {
            /// Every format.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the short name, such as `CSR`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

formats! {
    Dvec, "DVEC", "A dense vector.";
    Dmatr, "DMATR", "A dense matrix, row after row.";
    Dmatc, "DMATC", "A dense matrix, column after column.";
    Cvec, "CVEC", "A sparse vector.";
    Csr, "CSR", "The entries of each row.";
    Csc, "CSC", "The entries of each column.";
    Dcsr, "DCSR", "The entries of each row that has any.";
    Dcsc, "DCSC", "The entries of each column that has any.";
    Coor, "COOR", "Row and column of each entry, row after row.";
    Cooc, "COOC", "Row and column of each entry, column after column.";
}

impl Format {
    /// Finds a format by its short name or an alias of it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "DMAT" => Some(Self::Dmatr),
            "COO" => Some(Self::Coor),
            _ => Self::ALL.iter().copied().find(|format| format.name() == name),
        }
    }

    /// Returns the levels the format stands for.
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
        // Nothing here breaks what a layout has to keep to.
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
