//! Trees of files that other programs wrote, and of damaged ones.
#![cfg(all(feature = "hdf5", feature = "zarr"))]

mod tree_common;

use std::path::Path;

use tree_common::{differences, dump};

/// Compares files with their dumps: lines of a path, a tab, and the path of a dump.
#[test]
#[ignore = "needs the list of a corpus in NNZ_TREE_CORPUS"]
fn a_corpus_reads_as_other_programs_read_it() {
    let list = std::fs::read_to_string(std::env::var("NNZ_TREE_CORPUS").unwrap()).unwrap();
    let (mut same, mut different) = (0, 0);
    for line in list.lines() {
        let (path, expected) = line.split_once('\t').unwrap();
        let started = std::time::Instant::now();
        let found = dump(Path::new(path));
        let took = started.elapsed();
        if took.as_secs() > 5 {
            println!("{path}: took {took:?}");
        }
        if expected.is_empty() {
            // Nothing to compare with: only that it ends.
            println!("{path}: {}", found.map_or_else(|error| error.to_string(), |_| "ok".into()));
            continue;
        }
        let expected = std::fs::read_to_string(expected).unwrap();
        let expected = serde_json::from_str(&expected).unwrap();
        let all = match found {
            Ok(found) => differences(&found, &expected),
            Err(error) => vec![error.to_string()],
        };
        if all.is_empty() {
            same += 1;
        } else {
            different += 1;
            println!("{path}:\n  {}", all[..all.len().min(8)].join("\n  "));
        }
    }
    println!("{same} agree, {different} differ");
    assert_eq!(different, 0);
}
