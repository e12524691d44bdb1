//! Reads and writes R's serialization format without R.
//!
//! An `.rds` file is an R object: a vector, a list or an S4 object, with attributes that are
//! objects too. [`read`] accepts versions 2 and 3 in all three encodings (XDR, native
//! little-endian, ASCII), uncompressed or compressed with gzip, bzip2 or xz. [`Writer`] writes
//! version 2 or 3 in XDR, the same bytes as `saveRDS` for the same object.
//!
//! Functions, environments, byte code and pointers are skipped. Memory is proportional to the size of
//! the stream, not to lengths that it states: a sequence that R stores as three numbers is kept as
//! three numbers. With [`read_spooled`], long vectors are not in memory: they stay in the file if it
//! is not compressed, and go to a temporary file otherwise.
//!
//! ```
//! use nnz_rds::{Limits, Value, Writer, Version, read};
//!
//! let mut file = Writer::new(Vec::new(), Version::V3)?;
//! file.start_list(2, true)?;
//! file.integer_vector(&[1, 2, 3])?;
//! file.text_vector(&["a", "b"])?;
//! file.attribute("names")?;
//! file.text_vector(&["numbers", "letters"])?;
//! file.end_attributes()?;
//! let bytes = file.finish()?;
//!
//! let document = read(&bytes[..], Limits::default())?;
//! let Value::List(members) = &document.object.value else { panic!() };
//! assert_eq!(members.len(), 2);
//! # Ok::<(), nnz_rds::Error>(())
//! ```

mod altrep;
mod budget;
mod codes;
mod error;
mod input;
mod numbers;
mod object;
mod output;
mod reader;
mod strings;
mod text;
mod writer;

pub use budget::Limits;
pub use error::{Error, ErrorKind, Result};
pub use input::{Compression, SkipRead, looks_like};
pub use numbers::{Integers, NA_INTEGER, NA_REAL_BITS, Outside, ReadAt, Reals};
pub use object::{Document, Entry, Object, Pairlist, Value};
pub use output::Output;
pub use reader::{Spool, read, read_spooled};
pub use strings::{Cursor, Strings};
pub use text::{Encoding, Symbol, Text, TextRef};
pub use writer::{VectorBits, VectorType, Version, Writer};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
