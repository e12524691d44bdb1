//! Reading and writing text of lines.
//!
//! [`Input`] decompresses, [`Lines`] returns lines or blocks of whole lines with their
//! numbers, through buffers of fixed size. [`Tar`] reads the files of an archive. [`digits`] parses digits eight bytes
//! at a time, [`number`] parses numbers, and [`decimal`] finds the nearest floats. An [`Output`] writes to a
//! [`TextTarget`]: a file that appears when it is complete, or a stream.

mod compression;
pub mod decimal;
pub mod digits;
mod encoding;
mod input;
mod lines;
pub mod number;
mod output;
mod tar;
mod target;
mod zip;

pub use compression::{Compression, Members, is_damage, refuse_compressed};
pub use encoding::not_text_error;
pub use input::Input;
pub use lines::{Block, Comments, LONGEST_LINE, Lines, OwnedBlock, newlines, read_error};
pub use output::Output;
pub use tar::{Tar, TarEntry, is_tar};
pub use target::TextTarget;
pub use zip::ZipMembers;
