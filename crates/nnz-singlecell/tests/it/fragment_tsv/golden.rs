//! Text that BPCells has imported gives the content of its stores.

use std::path::Path;

use nnz_singlecell::fragment_tsv::{Chromosomes, Options, open, recognise};

use super::common::{Whole, list, read, testdata};

fn numbers(store: &Path, name: &str) -> Vec<u32> {
    let bytes = std::fs::read(store.join(name)).unwrap();
    assert_eq!(&bytes[..8], b"UINT32v1");
    bytes[8..].as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// Compares with an unpacked store.
fn check(whole: &Whole, store: &str) {
    let store = testdata().join("fragments_dir").join(store);
    let names = |name: &str| -> Vec<Vec<u8>> {
        let text = std::fs::read(store.join(name)).unwrap();
        text.split_inclusive(|&byte| byte == b'\n')
            .map(|line| line.trim_ascii_end().to_vec())
            .collect()
    };
    assert!(whole.chromosomes.iter().eq(names("chr_names")), "{}", store.display());
    assert!(whole.cells.iter().eq(names("cell_names")), "{}", store.display());
    let all = |of: fn(&nnz_core::FragmentBatch) -> &[u32]| -> Vec<u32> {
        whole.batches.iter().flat_map(of).copied().collect()
    };
    assert_eq!(all(|batch| &batch.cells), numbers(&store, "cell"));
    assert_eq!(all(|batch| &batch.starts), numbers(&store, "start"));
    assert_eq!(all(|batch| &batch.ends), numbers(&store, "end"));
    let bytes = std::fs::read(store.join("chr_ptr")).unwrap();
    let pointers: Vec<u64> =
        bytes[8..].as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let mut begin = 0;
    for batch in &whole.batches {
        let chromosome = batch.chromosome as usize;
        let end = begin + batch.cells.len() as u64;
        assert_eq!(pointers[2 * chromosome..][..2], [begin, end]);
        begin = end;
    }
}

fn golden(name: &str, options: Options) -> Whole {
    let path = testdata().join("interop/fragments_tsv").join(name);
    assert!(
        recognise(&nnz_storage::InputFile::open(&path).unwrap()).unwrap(),
        "{}",
        path.display()
    );
    read(&open(&path).unwrap(), options).unwrap()
}

#[test]
fn texts_equal_the_stores_imported_from_them() {
    for case in ["basic", "boundary", "manychr", "one"] {
        for ending in ["tsv", "tsv.gz"] {
            let whole = golden(&format!("frag_{case}.{ending}"), Options::default());
            check(&whole, &format!("{case}.unpacked"));
        }
    }
}

#[test]
fn ends_can_be_inclusive() {
    let options = Options { end_inclusive: true, ..Options::default() };
    check(&golden("frag_basic.tsv", options), "endinclusive.unpacked");
}

#[test]
fn a_list_of_chromosomes_determines_their_indices() {
    let chromosomes = Chromosomes::named(&list(&["chrX", "chr1", "chr2"])).unwrap();
    let options = Options { chromosomes: Some(chromosomes), ..Options::default() };
    check(&golden("frag_basic.tsv.gz", options), "tsv_reordered_chr.unpacked");
}
