//! Tables of numbers as text: comma-, tab-, semicolon- or blank-separated values, and GCT.
//!
//! A text has a header with the names of the columns, and in each row one or more names before the
//! numbers. [`open`] detects the separator and which names there are, as far as the text decides it,
//! and reads everything once, on all cores: so the shape, the type of the values and the names are
//! known, and the whole text is valid. If the numbers take little memory they are kept, otherwise the
//! text is read again.

mod annotations;
mod blocks;
mod fault;
mod field;
mod gct;
mod layout;
mod number;
mod options;
mod rows;
mod scan;
mod sniff;
mod source;
mod spool;
mod units;
mod write;

pub use blocks::LONGEST_RECORD;
pub use options::{Decimal, ReadOptions, Separator};
pub use sniff::looks_like_gct;
pub use source::{TableSource, from_reader, open};
pub use write::{CAPABILITIES, TableKind, WriteOptions, create, min_bytes};
