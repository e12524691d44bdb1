//! npz archives: those that open are listed and read.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_container::NamedArrays;
use nnz_container::npz::Npz;
use nnz_fuzz::container;
use nnz_fuzz::scratch::Scratch;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

fuzz_target!(|input: &[u8]| -> Corpus {
    let path = SCRATCH.write("m.npz", input);
    let open = || Npz::open(&path).map(NamedArrays::new);
    let (Ok(one), Ok(two)) = (open(), open()) else { return Corpus::Reject };
    container::read([&one, &two], input.len() as u64);
    container::matrix(&path);
    Corpus::Keep
});
