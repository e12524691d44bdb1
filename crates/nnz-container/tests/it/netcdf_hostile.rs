//! Damaged NetCDF files give errors: no panic, no hang, no memory beyond what the file justifies.
#![cfg(feature = "hdf5")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_wrap, missing_docs)]
#![allow(unreachable_pub, reason = "what counts allocations is shared with another crate")]

#[path = "../../nnz/tests/common/allocations.rs"]
mod allocations;
mod damage_common;
mod golden_common;

use std::path::Path;
use std::time::{Duration, Instant};

use damage_common::{NASTY, Numbers, Target, count, mutated};
use nnz_container::netcdf::{NetCdf, groups_with, is_netcdf};
use nnz_container::{Container, NumberArray};

/// Reads whatever can be read, in small pieces.
fn read_all(path: &Path) {
    let found = groups_with(path, &["binsparse"]).unwrap_or_default();
    let groups = found.iter().map(|found| &found.group[..]).chain(["", "mat"]);
    for group in groups {
        let Ok(container) = NetCdf::open(path, group) else { continue };
        let mut names = container.members().unwrap_or_default();
        names.extend(["values", "indices_1", "n_values"].map(str::to_owned));
        for name in names {
            let _ = container.attribute(&name);
            let _ = container.for_each_string(&name, &mut |_| Ok(()));
            if let Ok(array) = container.array(&name) {
                read(&*array);
            }
        }
    }
}

/// Reads the first elements, the last ones, and some between.
fn read(array: &dyn NumberArray) {
    let size = array.value_type().size();
    let mut piece = vec![0; 1000 * size];
    let last = array.len().saturating_sub(1000);
    for first in [0, last / 3, last / 2, last] {
        let count = usize::try_from((array.len() - first).min(1000)).unwrap();
        let _ = array.read_bytes(first, &mut piece[..count * size]);
    }
}

/// Reads a damaged file, and fails if that takes long or more memory than `most` bytes.
fn check(target: &Target, told: &str, bytes: &[u8], most: u64) {
    let path = target.set(bytes);
    let started = Instant::now();
    let baseline = allocations::start();
    read_all(path);
    let (peak, _) = allocations::since(&baseline);
    assert!(peak <= most, "{told}: {peak} bytes were allocated");
    assert!(started.elapsed() < Duration::from_secs(10), "{told} takes for ever");
}

/// The name and bytes of every golden file, classic or not.
fn golden(classic: bool) -> Vec<(String, Vec<u8>)> {
    let files = golden_common::valid("netcdf")
        .into_iter()
        .map(|file| (file.path.display().to_string(), std::fs::read(&file.path).unwrap()));
    files.filter(|(_, bytes)| is_netcdf(bytes) == classic).collect()
}

/// What a classic file may cost: its header a few times over, and the blocks that are read.
const CLASSIC: u64 = 1 << 20;

/// What one of NetCDF-4 may cost: a chunk of it may decode to a thousand times its bytes.
const IN_HDF5: u64 = 80 << 20;

#[test]
fn classic_files_with_the_worst_bytes_everywhere() {
    let target = Target::new();
    for (told, original) in golden(true) {
        for at in 0..original.len() {
            for nasty in NASTY {
                let mut bytes = original.clone();
                let end = (at + nasty.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&nasty[..end - at]);
                check(&target, &format!("{told}, {nasty:?} at {at}"), &bytes, CLASSIC);
            }
        }
    }
}

#[test]
fn classic_files_cut_short_or_longer() {
    let target = Target::new();
    for (told, original) in golden(true) {
        for end in 0..original.len() {
            check(&target, &format!("{told}, {end} bytes"), &original[..end], CLASSIC);
        }
        let longer = [&original[..], &[0xff; 4096]].concat();
        check(&target, &told, &longer, CLASSIC);
    }
}

#[test]
fn files_damaged_at_random() {
    let target = Target::new();
    let mut numbers = Numbers::seeded();
    for (classic, most, times) in [(true, CLASSIC, 20), (false, IN_HDF5, 2)] {
        for (told, original) in golden(classic) {
            for at in 0..count() * times {
                let mut bytes = original.clone();
                mutated(&mut bytes, &mut numbers);
                check(&target, &format!("{told}, mutation {at}"), &bytes, most);
            }
        }
    }
}

#[test]
fn files_of_hdf5_cut_short() {
    let target = Target::new();
    for (told, original) in golden(false) {
        for part in 0..40 {
            let end = original.len() * part / 40;
            check(&target, &format!("{told}, {end} bytes"), &original[..end], IN_HDF5);
        }
    }
}
