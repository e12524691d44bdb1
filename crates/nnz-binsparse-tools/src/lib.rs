//! Functions shared by the tools of the Binsparse reference suite.
//!
//! Each tool is a program with the same name, arguments and exit status as in the reference suite.

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
