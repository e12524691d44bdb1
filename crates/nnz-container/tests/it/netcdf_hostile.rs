//! Damaged NetCDF files are errors: no panic, no endless loop, and no memory for data that does not
//! exist.

use std::path::Path;
use std::time::{Duration, Instant};

use nnz_container::Vector;
use nnz_container::netcdf::{groups_with, is_netcdf};
use nnz_testing::allocations;
use nnz_testing::mutations::{BINARY_EXTREMES, mutate, rounds};

use crate::common::damaged::{self, DamagedFile};
use crate::common::golden;

/// Reads everything that can be read, in small pieces.
fn read_all(path: &Path) {
    let found = groups_with(path, &["binsparse"]).unwrap_or_default();
    let groups = found.iter().map(|found| &found.group[..]).chain(["", "mat"]);
    for group in groups {
        let Ok(container) = crate::common::open_netcdf(path, group) else { continue };
        let mut names = container.members().unwrap_or_default();
        names.extend(["values", "indices_1", "n_values"].map(str::to_owned));
        for name in names {
            let _ = container.attribute(&name);
            let _ = container.for_each_string(&name, &mut |_| Ok(()));
            if let Ok(array) = container.array(&name) {
                read(&array);
            }
        }
    }
}

/// Reads the first elements, the last ones, and some in between.
fn read(array: &Vector) {
    let size = array.value_type().size();
    let mut piece = vec![0; 1000 * size];
    let last = array.len().saturating_sub(1000);
    for first in [0, last / 3, last / 2, last] {
        let count = usize::try_from((array.len() - first).min(1000)).unwrap();
        let _ = array.read_bytes(first, &mut piece[..count * size]);
    }
}

/// Reads a damaged file, with limits of time and memory.
fn check(target: &DamagedFile, name: &str, bytes: &[u8], most: u64) {
    let path = target.set(bytes);
    let started = Instant::now();
    let baseline = allocations::start();
    read_all(path);
    let (peak, _) = allocations::since(&baseline);
    assert!(peak <= most, "{name}: {peak} bytes were allocated");
    assert!(started.elapsed() < Duration::from_secs(10), "{name} takes too long");
}

/// The name and bytes of the golden files that are classic or not.
fn golden(classic: bool) -> Vec<(String, Vec<u8>)> {
    let files = golden::valid("netcdf")
        .into_iter()
        .map(|file| (file.path.display().to_string(), std::fs::read(&file.path).unwrap()));
    files.filter(|(_, bytes)| is_netcdf(bytes) == classic).collect()
}

/// The memory limit for classic files: several times their header, and the blocks that are read.
const CLASSIC: u64 = 1 << 20;

/// The memory limit for NetCDF-4 files: a chunk may be decoded to a thousand times its bytes.
const IN_HDF5: u64 = 80 << 20;

#[test]
fn classic_files_with_extreme_values_at_every_byte() {
    let target = DamagedFile::new();
    for (name, original) in golden(true) {
        for at in 0..original.len() {
            for extreme in BINARY_EXTREMES {
                let mut bytes = original.clone();
                let end = (at + extreme.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&extreme[..end - at]);
                check(&target, &format!("{name}, {extreme:?} at {at}"), &bytes, CLASSIC);
            }
        }
    }
}

#[test]
fn truncated_and_extended_classic_files() {
    let target = DamagedFile::new();
    for (name, original) in golden(true) {
        for end in 0..original.len() {
            check(&target, &format!("{name}, {end} bytes"), &original[..end], CLASSIC);
        }
        let longer = [&original[..], &[0xff; 4096]].concat();
        check(&target, &name, &longer, CLASSIC);
    }
}

#[test]
fn randomly_damaged_files() {
    let target = DamagedFile::new();
    let mut random = damaged::random();
    for (classic, most, times) in [(true, CLASSIC, 20), (false, IN_HDF5, 2)] {
        for (name, original) in golden(classic) {
            for at in 0..rounds() * times {
                let mut bytes = original.clone();
                mutate(&mut bytes, &mut random);
                check(&target, &format!("{name}, mutation {at}"), &bytes, most);
            }
        }
    }
}

#[test]
fn truncated_netcdf4_files() {
    let target = DamagedFile::new();
    for (name, original) in golden(false) {
        for part in 0..40 {
            let end = original.len() * part / 40;
            check(&target, &format!("{name}, {end} bytes"), &original[..end], IN_HDF5);
        }
    }
}
