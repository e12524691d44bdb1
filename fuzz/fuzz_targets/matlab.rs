//! MAT-files: variables that are listed are read, forwards and backwards alike.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::formats::list_members;
use nnz::{Context, Dataset, Location, OpenOptions};
use nnz_fuzz::read::{agree, backwards, in_order};
use nnz_fuzz::scratch::{Scratch, location};

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// Variables that are read.
const VARIABLES: usize = 8;

/// Elements of a variable that is read.
const MOST: u64 = 1 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    let path = SCRATCH.write("m.mat", input);
    let context = Context::default().with_memory(1 << 20);
    let Ok(members) = list_members(location(&path), &OpenOptions::new(), &context) else {
        return Corpus::Reject;
    };
    for member in members.into_iter().take(VARIABLES) {
        let at = Location::Path { path: path.clone(), group: Some(member.path) };
        let Ok(Dataset::Matrix(matrix)) = context.open(at) else { continue };
        assert!(!member.value_type.is_empty());
        if matrix.header().nnz.is_none_or(|entries| entries < MOST) {
            agree(&in_order(&*matrix), &backwards(&*matrix));
        }
    }
    Corpus::Keep
});
