//! Text in: what any format of lines is read with.
//!
//! [`Input`] inflates what is gzipped, [`Lines`] gives lines or blocks of whole lines through buffers of a
//! fixed size, and knows their numbers. [`digits`] reads numbers eight bytes at a time. A [`Target`]
//! is where a text is written: a file that appears when it is complete, or a stream.

pub mod digits;
mod input;
mod lines;
mod target;

pub use input::{Input, Members};
pub use lines::{Block, Comments, LONGEST_LINE, Lines, OwnedBlock, newlines, read_error};
pub use target::Target;
