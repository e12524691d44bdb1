//! Zarr groups, with files from one input: those that open are listed and read.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_container::NamedArrays;
use nnz_container::zarr::ZarrGroup;
use nnz_fuzz::scratch::Scratch;
use nnz_fuzz::{container, members};

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// The names of files, by the byte that selects them: those of a group, then those of each array.
const FILES: [&str; 3] = ["zarr.json", ".zgroup", ".zattrs"];
const ARRAYS: [&str; 3] = ["pointers_to_1", "indices_1", "values"];
const OF_ARRAYS: [&str; 7] = ["zarr.json", ".zarray", ".zattrs", "c/0", "c/1", "0", "1"];

fuzz_target!(|input: &[u8]| -> Corpus {
    let files = members::cut(input);
    if files.is_empty() {
        return Corpus::Reject;
    }
    SCRATCH.clear(&["m.zarr"]);
    let path = SCRATCH.path("m.zarr");
    for array in ARRAYS {
        fs::create_dir_all(path.join(array).join("c")).unwrap();
    }
    for (name, content) in files {
        let name = usize::from(name) % (FILES.len() + ARRAYS.len() * OF_ARRAYS.len());
        let name = match name.checked_sub(FILES.len()) {
            None => FILES[name].to_owned(),
            Some(at) => {
                format!("{}/{}", ARRAYS[at / OF_ARRAYS.len()], OF_ARRAYS[at % OF_ARRAYS.len()])
            }
        };
        fs::write(path.join(name), content).unwrap();
    }
    let open = || ZarrGroup::open(&path, "").map(NamedArrays::new);
    let (Ok(one), Ok(two)) = (open(), open()) else { return Corpus::Reject };
    container::read([&one, &two], input.len() as u64);
    container::matrix(&path);
    Corpus::Keep
});
