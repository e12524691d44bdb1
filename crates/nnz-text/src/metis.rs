//! METIS graphs: a line for each vertex, with its weights and its neighbours.
//!
//! `docs/formats/metis.md` describes what is read and written.

mod header;
mod pairs;
mod parse;
mod sink;
mod source;
mod weights;

pub use sink::{capabilities, create};
pub use source::{MetisSource, from_bytes, from_opened, open_stdin};

/// The annotation of the rows with the sizes of vertices.
pub const SIZE: &str = "size";

/// The annotation of the rows with the weights of vertices; `weight_0`, `weight_1`, ... if there are several.
pub const WEIGHT: &str = "weight";

/// The largest number of weights of a vertex.
const MOST_WEIGHTS: u64 = 1024;

/// Returns the names of the columns of weights.
fn weight_names(count: u64) -> Vec<String> {
    match count {
        1 => vec![WEIGHT.to_owned()],
        _ => (0..count).map(|at| format!("{WEIGHT}_{at}")).collect(),
    }
}
