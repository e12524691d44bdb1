//! The functions that R calls.

use crate::args::Args;
use crate::error::Failure;
use crate::value::Value;
use crate::{annotations, command, compute, memory, open, read, sources, stats};

/// A function of the arguments in a list, by position.
pub(crate) type Function = fn(&Args<'_>) -> Result<Value, Failure>;

/// Finds a function by its name.
pub(crate) fn find(name: &str) -> Option<Function> {
    let function: Function = match name {
        "annotations" => annotations::annotations,
        "aggregate" => compute::aggregated,
        "from_slots" => memory::from_slots,
        "close" => open::close,
        "command" => command::run,
        "computed" => compute::computed,
        "count" => stats::count,
        "dense" => read::dense,
        "factors" => compute::factors,
        "find_names" => annotations::find_names,
        "header" => open::header,
        "highly_variable" => compute::variable,
        "markers" => compute::marked,
        "names" => annotations::names,
        "open" => open::open,
        "pca" => compute::components,
        "product" => compute::product,
        "select" => open::select,
        "session" => sources::session,
        "sparse" => read::sparse,
        "stats" => stats::stats,
        "transposed" => open::transposed,
        "write" => command::write,
        _ => return None,
    };
    Some(function)
}
