//! NetCDF files, classic and HDF5: those that open are listed and read.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_container::NamedArrays;
use nnz_container::netcdf::NetCdfGroup;
use nnz_fuzz::container;
use nnz_fuzz::scratch::Scratch;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

fuzz_target!(
    init: {
        // The library catches panics of the crate that parses HDF5 metadata.
        std::panic::set_hook(Box::new(|_| {}));
    },
    |input: &[u8]| -> Corpus {
        let path = SCRATCH.write("m.nc", input);
        let open = || NetCdfGroup::open(&path, "", 1).map(NamedArrays::new);
        let (Ok(one), Ok(two)) = (open(), open()) else { return Corpus::Reject };
        container::read([&one, &two], input.len() as u64);
        container::matrix(&path);
        Corpus::Keep
    }
);
