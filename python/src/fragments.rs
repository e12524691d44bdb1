//! Genomic fragments.

mod options;
mod read;
mod regions;
mod shared;
mod source;
mod verbs;

pub(crate) use source::FragmentSource;
pub(crate) use verbs::{
    becomes_text, diff_fragments, holds_fragments, import_fragments, merge_fragments, read_names,
    write_fragments,
};
