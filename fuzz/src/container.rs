//! Reading the members of a container in all ways.

use std::path::Path;

use nnz::{Context, Dataset, error::Severity};
use nnz_container::NamedArrays;

use crate::read::{backwards, in_order};
use crate::scratch::location;

/// Maximum bytes of an array to read at once.
const MOST: u64 = 1 << 20;

/// Reads the members of a container that was opened twice, and compares the results.
pub fn read([one, two]: [&NamedArrays; 2], bytes: u64) {
    let Ok(members) = one.members() else { return };
    for name in members.iter().take(32) {
        let _ = one.attribute(name);
        let mut strings = 0;
        let _ = one.for_each_string(name, &mut |string| {
            strings += string.len() as u64;
            if strings > MOST { Err(nnz::Error::argument("enough")) } else { Ok(()) }
        });
        let (Ok(one), Ok(two)) = (one.array(name), two.array(name)) else { continue };
        let size = one.value_type().size() as u64;
        assert_eq!((one.len(), one.value_type()), (two.len(), two.value_type()));
        // The maximum ratio of deflate is 1032, and a fill value takes no space.
        let justified = bytes * 1032 + (65 << 20);
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
        // Reading from the middle agrees with reading from the start.
        let middle = wanted / 2;
        let mut part = vec![0; ((wanted - middle) * size) as usize];
        one.read_bytes(middle, &mut part).unwrap();
        assert_eq!(part, outs[0][(middle * size) as usize..]);
    }
}

/// Valid matrices open and can be read.
pub fn matrix(path: &Path) {
    let here = location(path);
    let mut faults = 0;
    let context = Context::default().with_memory(1 << 20).with_threads(1);
    let allowed = nnz::ValidateOptions::default();
    let validated = nnz::validate(&here, &allowed, &context, &mut |finding| {
        faults += usize::from(finding.severity == Severity::Fault);
    });
    if validated.is_ok() && faults == 0 {
        // Tensors and fragments can be valid, too.
        let Dataset::Matrix(opened) = context.open(&here).unwrap() else { return };
        // There can be too many cells to read.
        if opened.header().nnz.is_none_or(|stored| stored < MOST) {
            let one = in_order(&*opened).unwrap();
            assert_eq!(one, backwards(&*opened).unwrap());
        }
    }
}
