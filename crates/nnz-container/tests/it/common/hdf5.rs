//! Shared helpers for tests of HDF5.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nnz_container::NamedArrays;
use nnz_core::Result;

/// Returns the HDF5 files in a folder of `testdata/bpcells`.
pub(crate) fn golden(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells").join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "h5" || e == "h5ad"))
        .collect();
    paths.sort();
    paths
}

/// A member with its type and contents.
#[derive(Debug, PartialEq)]
pub(crate) enum Member {
    Numbers(&'static str, Vec<u8>),
    Strings(Vec<Vec<u8>>),
}

/// Reads all arrays and lists of a container.
pub(crate) fn everything(container: &NamedArrays) -> BTreeMap<String, Member> {
    let members = container.members().unwrap().into_iter().filter(|name| name != "version");
    members.map(|name| (name.clone(), member(container, &name).unwrap())).collect()
}

/// Reads a member, in blocks of an odd size.
pub(crate) fn member(container: &NamedArrays, name: &str) -> Result<Member> {
    let array = match container.array(name) {
        Ok(array) => array,
        Err(_) => {
            let strings = container.strings(name)?;
            return Ok(Member::Strings(strings.iter().map(<[u8]>::to_vec).collect()));
        }
    };
    let size = array.value_type().size();
    let mut bytes = vec![0; usize::try_from(array.len()).unwrap() * size];
    for (at, block) in bytes.chunks_mut(777 * size).enumerate() {
        array.read_bytes(at as u64 * 777, block)?;
    }
    Ok(Member::Numbers(array.value_type().name(), bytes))
}
