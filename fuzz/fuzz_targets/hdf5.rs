//! HDF5 files: whatever opens is listed and read, on one thread and on two, in bounded memory.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz::Severity;
use nnz_container::Container;
use nnz_container::hdf5::{Hdf5, groups_with};
use nnz_fuzz::scratch::{Scratch, location};

static SCRATCH: LazyLock<Scratch> = LazyLock::new(Scratch::new);

/// The most that is read of one array, a piece at a time.
const MOST: u64 = 1 << 20;

fuzz_target!(
    init: {
        // The library catches panics of the crate that parses metadata; the fuzzer's own hook would
        // end the process before it can.
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
        matrix(&path);
        Corpus::Keep
    }
);

/// Reads the members of a group.
fn read(path: &Path, group: &str, file_bytes: u64) {
    let open = |threads| Hdf5::open(path, group).map(|group| group.with_threads(threads));
    let (Ok(one), Ok(two)) = (open(1), open(2)) else { return };
    let Ok(members) = one.members() else { return };
    for name in members.iter().take(32) {
        let _ = one.tag(name);
        let mut bytes = 0;
        let _ = one.for_each_string(name, &mut |string| {
            bytes += string.len() as u64;
            if bytes > MOST { Err(nnz::Error::argument("enough")) } else { Ok(()) }
        });
        let (Ok(one), Ok(two)) = (one.array(name), two.array(name)) else { continue };
        let size = one.value_type().size() as u64;
        assert_eq!((one.len(), one.value_type()), (two.len(), two.value_type()));
        // Deflate makes at most 1032 bytes of one, and a fill value needs none.
        let justified = file_bytes * 1032 + (65 << 20);
        assert!(one.len().saturating_mul(size) <= justified, "{} of {size}", one.len());
        let wanted = one.len().min(MOST / size);
        let mut outs = [0, 1].map(|_| vec![0; (wanted * size) as usize]);
        let [a, b] = &mut outs;
        let done = [one.read_bytes(0, a), two.read_bytes(0, b)]
            .map(|done| done.map_err(|error| error.to_string()));
        assert_eq!(done[0], done[1]);
        if done[0].is_err() {
            continue;
        }
        assert_eq!(outs[0], outs[1]);
        // From the middle, as from the start.
        let middle = wanted / 2;
        let mut part = vec![0; ((wanted - middle) * size) as usize];
        one.read_bytes(middle, &mut part).unwrap();
        assert_eq!(part, outs[0][(middle * size) as usize..]);
    }
}

/// What is a matrix, and valid, reads.
fn matrix(path: &Path) {
    let here = location(path);
    let mut faults = 0;
    let validated = nnz::validate(&here, 1 << 20, &mut |finding| {
        faults += usize::from(finding.severity == Severity::Fault);
    });
    if validated.is_ok() && faults == 0 {
        let opened = nnz::open(&here).unwrap();
        let one = nnz_fuzz::read::in_turn(&*opened.source).unwrap();
        assert_eq!(one, nnz_fuzz::read::backwards(&*opened.source).unwrap());
    }
}
