//! Damaged files: no panic, and the same result however they are read.

use nnz_testing::mutations::{mutate, rounds};
use nnz_testing::random::Random;

use super::golden::{directory, entries, options};
use super::{cells, open_in, ways};

#[test]
fn damaged_files_are_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    for entry in entries() {
        let path = entry["path"].as_str().unwrap();
        let bytes = std::fs::read(directory().join(path)).unwrap();
        let mut random = Random::of(path, 1);
        for _ in 0..rounds() / 8 {
            let mut damaged = bytes.clone();
            mutate(&mut damaged, &mut random);
            let results: Vec<_> = ways(&options(path))
                .iter()
                .map(|(options, context)| {
                    let table = open_in(&damaged, options, context)?;
                    Ok(format!("{:?}", cells(&table)?))
                })
                .map(|result: nnz_core::Result<String>| result.map_err(|error| error.to_string()))
                .collect();
            assert!(results.iter().all(|one| *one == results[0]), "{path}: {results:?}");
            match results[0] {
                Ok(_) => read += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 0 && refused > 20, "{read} {refused}");
}
