//! The verbs of the command, on paths.

mod check;
mod list;
mod write;

pub(crate) use check::{diff, validate};
pub(crate) use list::{MemberTuple, default_memory, formats, groups, listed, members};
pub(crate) use write::{concat, convert, filter, repair, slice, split};
