//! The compiled part of the Python package: opens, reads, writes and checks without the GIL.
//!
//! Users import the package `nnz` (in `nnz/`). It converts indices, names and tables of Python to the plain arrays
//! and lists that this module accepts and returns.

mod arrays;
mod arrow;
mod batches;
mod bytes;
mod columns;
mod command;
mod compute;
mod error;
mod fragments;
mod numpy_api;
mod open;
mod options;
mod part;
mod plot;
mod reading;
mod select;
mod source;
mod stats;
mod storage;
mod summary;
mod table;
mod task;
mod tensor;
mod verbs;
mod view;
mod writer;

use pyo3::prelude::*;

/// Ends the command with a message where the system has no memory; in other programs it is the system's allocator.
#[global_allocator]
static ALLOCATOR: nnz_cli::Allocator = nnz_cli::Allocator;

/// Compiled part of the package nnz.
#[pymodule(gil_used = false)]
mod _nnz {
    use super::*;
    #[pymodule_export]
    use crate::batches::BlockReader;
    #[pymodule_export]
    use crate::bytes::Stored;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::fragments::{
        FragmentSource, becomes_text, diff_fragments, holds_fragments, import_fragments,
        merge_fragments, read_names, write_fragments,
    };
    #[pymodule_export]
    use crate::numpy_api::load_numpy;
    #[pymodule_export]
    use crate::open::{from_binsparse, full_group, open, open_axes, open_listed};
    #[pymodule_export]
    use crate::plot::{density, lengths, report, spy_svg, value_counts};
    #[pymodule_export]
    use crate::source::Source;
    #[pymodule_export]
    use crate::storage::{
        Storage, group_of, is_url, set_storage_options, set_temporary_directory, within,
        without_secrets,
    };
    #[pymodule_export]
    use crate::table::{TableSource, write_stream, write_table};
    #[pymodule_export]
    use crate::tensor::TensorSource;
    #[pymodule_export]
    use crate::writer::PartsWriter;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add_submodule(&crate::verbs::module(module.py())?)
    }
}
