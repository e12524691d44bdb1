//! HDF5 files: those that open are listed and read, with one thread and with two, in bounded
//! memory.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_container::NamedArrays;
use nnz_container::hdf5::{Hdf5Group, groups_with};
use nnz_fuzz::container;
use nnz_fuzz::scratch::Scratch;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

fuzz_target!(
    init: {
        // The library catches panics of the crate that parses metadata; the hook of the fuzzer
        // would abort the process first.
        std::panic::set_hook(Box::new(|_| {}));
    },
    |input: &[u8]| -> Corpus {
        let path = SCRATCH.write("m.h5", input);
        let Ok(found) = groups_with(&path, &["version", "encoding-type"]) else {
            return Corpus::Reject;
        };
        let mut groups: Vec<String> = found.into_iter().map(|found| found.group).collect();
        groups.push(String::new());
        groups.sort();
        groups.dedup();
        for group in groups.iter().take(8) {
            read(&path, group, input.len() as u64);
        }
        container::matrix(&path);
        Corpus::Keep
    }
);

/// Reads the members of a group, with one thread and with two.
fn read(path: &Path, group: &str, file_bytes: u64) {
    let open = |threads| Hdf5Group::with_threads(path, group, threads).map(NamedArrays::new);
    if let (Ok(one), Ok(two)) = (open(1), open(2)) {
        container::read([&one, &two], file_bytes);
    }
}
