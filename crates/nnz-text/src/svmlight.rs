//! SVMlight, also called libsvm: a line for each row, with labels, and the index and value of each entry.
//!
//! `docs/formats/svmlight.md` describes what is read and written.

mod first;
mod kept;
mod labels;
mod parse;
mod sink;
mod source;
mod survey;

pub use sink::{WriteOptions, capabilities, create, has_weights};
pub use source::{ReadOptions, SvmlightSource, from_bytes, from_opened, open_stdin};

/// The annotation of the rows with their labels.
pub const LABEL: &str = "label";

/// The annotation of the rows with their weights.
pub const WEIGHT: &str = "weight";

/// The annotation of the rows with the numbers of their queries.
pub const QUERY: &str = "qid";
