//! The errors of metadata. The caller adds the location.

use std::fmt::Display;

use nnz_core::{Error, ErrorKind, Place};

/// Creates the error that a file is not valid.
pub(crate) fn invalid(what: impl Display) -> Error {
    Error::new(ErrorKind::Unrecognized(format!("invalid HDF5: {what}")), Place::default())
}

/// Creates the error that a file is valid, but not supported.
pub(crate) fn unsupported(what: impl Display) -> Error {
    Error::unsupported(Place::default(), format!("HDF5 {what}"))
}
