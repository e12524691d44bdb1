//! Fragments in a directory whose files are memory-mapped.

use std::fs::OpenOptions;
use std::ops::Range;
use std::path::Path;

use nnz_bpcells::{FRAGMENT_MEMBERS, FormatVersion, FragmentSource, Packing, SinkOptions};
use nnz_container::NamedArraysWriter;
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_core::{FragmentFields, FragmentSource as _, Result};
use nnz_storage::staging::WriteOptions;

use crate::fragments::common::{Fragment, batches, names, write};

const COUNT: u32 = 700_001;

/// More than are mapped at once, with the boundary between two chromosomes inside a chunk.
fn fragments() -> Vec<Fragment> {
    (0..COUNT).map(|n| (u32::from(n > 300_050), n * 3, n * 3 + n % 500, n * 7 % 9_999)).collect()
}

fn store(path: &Path, packing: Packing) -> FragmentSource {
    let options = WriteOptions::default().sync(false);
    let into = DirectoryWriter::create(path, options, FRAGMENT_MEMBERS).unwrap();
    let how = SinkOptions { packing, format_version: FormatVersion::V2 };
    let batches = batches(&fragments(), 100_000);
    write(NamedArraysWriter::new(into), how, &batches, &names("chr", 2), &names("cell", 9_999))
        .unwrap();
    open(path)
}

fn open(path: &Path) -> FragmentSource {
    FragmentSource::open(nnz_container::NamedArrays::new(Directory::open(path).unwrap())).unwrap()
}

fn mapped(source: &FragmentSource, positions: Range<u64>) -> Result<Vec<Fragment>> {
    let mut all = Vec::new();
    source.for_each_mapped(positions, FragmentFields::ALL, &mut |batch| {
        let columns = batch.starts.iter().zip(&batch.ends).zip(&batch.cells);
        all.extend(columns.map(|((start, end), cell)| (batch.chromosome, *start, *end, *cell)));
        Ok(())
    })?;
    Ok(all)
}

#[test]
fn mapped_fragments_equal_those_read() {
    let folder = tempfile::tempdir().unwrap();
    let all = fragments();
    for (name, packing) in [("packed", Packing::Packed), ("unpacked", Packing::Unpacked)] {
        let source = store(&folder.path().join(name), packing);
        for positions in [0..COUNT, 1..COUNT - 1, 131_000..600_000, 5..5, 299_999..300_100] {
            let found = mapped(&source, positions.start.into()..positions.end.into()).unwrap();
            let positions = positions.start as usize..positions.end as usize;
            assert!(found == all[positions.clone()], "{name} {positions:?}");
        }
    }
}

/// The file is complete when it is opened, and truncated before it is mapped.
#[test]
fn a_truncated_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for name in ["cell_data", "start_data", "end_data"] {
        let _ = std::fs::remove_dir_all(&path);
        let source = store(&path, Packing::Packed);
        let file = OpenOptions::new().write(true).open(path.join(name)).unwrap();
        let len = file.metadata().unwrap().len();
        for left in [len - 1, len - 5000, len / 2, 4096, 0] {
            file.set_len(left).unwrap();
            let error = mapped(&source, 0..COUNT.into()).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
