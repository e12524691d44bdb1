//! Types that describe matrices and carry their data.
//!
//! [`Header`](crate::Header) consists of [`AxisKind`], [`Duplicates`], [`Storage`] and [`Structure`]. Names
//! are read by a [`StringReader`] or stored in a [`StringList`]. A [`Batch`](crate::Batch) has [`Majors`],
//! [`Minors`] and [`Values`](crate::Values). A source yields [`UnitReader`]s, whose units any thread decodes;
//! a [`MatrixSink`] returns [`BatchEncoder`]s.

pub use nnz_engine::IndexPointers;

pub use nnz_core::{
    About, ArrayAbout, At, AxisKind, BatchEncoder, BatchReader, BatchUnits, Bint8, CopyEntries,
    Duplicates, Element, Encoded, Entries, Majors, MatrixSink, Metadata, Minors, Names, Placed,
    SequentialReader, SinkCapabilities, Storage, StringList, StringReader, Structure, Triangle,
    Unit, UnitReader, Unscaled, Wrapped, Written,
};
