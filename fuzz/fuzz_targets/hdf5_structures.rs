//! HDF5 files whose structures are changed field by field, with valid checksums: everything in them is read.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use nnz_fuzz::scratch::Scratch;
use nnz_hdf5::lookup3;
use nnz_testing::hdf5;
use nnz_testing::random::Random;

#[path = "../../crates/nnz-hdf5/tests/it/everything.rs"]
mod everything;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    // Some of the changes are those of any file.
    if seed.is_multiple_of(8) {
        return fuzzer_mutate(data, size, max_size);
    }
    let bytes = &mut data[..size];
    let structures = hdf5::structures(bytes);
    let checked = hdf5::checked(bytes, lookup3);
    hdf5::mutate(bytes, &structures, &mut Random::new(seed.into()));
    hdf5::seal(bytes, &checked, lookup3);
    size
});

fuzz_target!(|input: &[u8]| {
    let _ = everything::read(&SCRATCH.write("m.h5", input));
});
