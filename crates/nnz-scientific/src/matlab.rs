//! MAT-files of MATLAB: version 4, version 5 (also 6 and 7), and version 7.3, which is HDF5.
//!
//! A file has named variables. Sparse matrices and dense numeric arrays are read; cells, characters,
//! objects and the like are listed only. The fields of a struct are variables with a path, such as
//! `Problem/A`. `docs/formats/matlab.md` describes the layouts.

mod class;
mod numbers;
mod open;
mod sink;
mod source;
mod v4;
mod v5;
mod v73;
mod variable;

pub use class::Class;
pub use open::{MatlabData, MatlabTensor};
pub use sink::{DENSE_CAPABILITIES, SinkOptions, create, sparse_capabilities};
pub use source::MatlabSource;
pub use v4::{MatFile4, is_v4};
pub use v5::{MatFile, is_v5};
pub use v73::{UnsupportedMember, is_octave, is_v73, open, unsupported, variables};
pub use variable::{Variable, is_variable_name, variable_name};

/// Message for files in Octave's own formats: text, binary and HDF5.
pub const OCTAVE: &str =
    "a file in Octave's own format, which is not supported: save -v7 FILE writes a MAT-file";

/// The largest depth of structs in structs that are listed.
const MAX_DEPTH: usize = 32;

/// The largest number of dimensions.
const MAX_DIMENSIONS: usize = 64;
