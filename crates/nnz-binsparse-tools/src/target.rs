//! Locations for Binsparse output.

use std::path::Path;

use clap::builder::TypedValueParser;
use nnz::Location;
use nnz::formats::Registry;

use crate::place::place;

/// Parses a location to which Binsparse can be written.
pub fn target() -> impl TypedValueParser<Value = Location> {
    place().try_map(|place| match &place {
        Location::Path { path, .. } if may_hold_binsparse(path)? => Ok(place),
        _ => {
            Err("expected a name that ends in .h5, .hdf5, .nc, .nc4, .zarr, .npz or .bsp"
                .to_owned())
        }
    })
}

fn may_hold_binsparse(path: &Path) -> Result<bool, String> {
    let format = Registry::default().find("binsparse");
    let may = format.map_or(Ok(false), |format| format.may_write_to(path));
    may.map_err(|error| error.to_string())
}
