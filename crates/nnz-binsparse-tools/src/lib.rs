//! What the tools of the Binsparse reference suite share.
//!
//! Each tool is a program of the name, arguments and exit status it has in the reference.

mod convert;
mod ending;
mod place;
mod target;
mod writing;

pub use convert::convert;
pub use ending::run;
pub use place::place;
pub use target::target;
pub use writing::Writing;
