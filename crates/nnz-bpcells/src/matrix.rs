//! Matrices.

mod ahead;
mod members;
mod pointers;
mod positions;
mod reader;
mod scattered;
mod sink;
mod source;
mod validate;
mod within;

pub use members::MEMBERS;
pub use sink::{CAPABILITIES, MatrixSink, SinkOptions};
pub use source::MatrixSource;
pub use validate::validate;
