//! Hyperslabs of random arrays in every layout.

use std::ops::Range;

use nnz_chunk::Compression;
use nnz_core::{Place, ValueType};
use nnz_hdf5::{Dataset, DatasetSpec, ElementType, File, FileOptions, FileWriter, ObjectId};
use nnz_storage::InputFile;
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

fn arrays() -> impl Strategy<Value = (Vec<u64>, Vec<u32>, Vec<Range<u64>>)> {
    let axis = (1_u64..7, 1_u32..5, 0_u64..7, 0_u64..7);
    prop::collection::vec(axis, 0..4).prop_map(|axes| {
        let shape = axes.iter().map(|(len, ..)| *len).collect();
        let chunk =
            axes.iter().map(|(len, chunk, ..)| u32::try_from(*len).unwrap().min(*chunk)).collect();
        let range = |&(len, _, a, b): &(u64, u32, u64, u64)| a.min(b).min(len)..a.max(b).min(len);
        (shape, chunk, axes.iter().map(range).collect())
    })
}

proptest! {
    #[test]
    fn any_part_is_read((shape, chunk, ranges) in arrays(), layout in 0..3, threads in 1_usize..3) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let element = ElementType::Number(ValueType::U16);
        let spec = match (layout, shape.is_empty()) {
            (_, true) => DatasetSpec::scalar(element),
            (0, _) => DatasetSpec::contiguous(element, &shape),
            (1, _) => DatasetSpec::chunked(element, &shape, &chunk),
            _ => DatasetSpec::chunked(element, &shape, &chunk).compress(Compression::Gzip(1), true),
        };
        let count = u16::try_from(shape.iter().product::<u64>()).unwrap();
        let values: Vec<u8> = (0..count).flat_map(u16::to_le_bytes).collect();
        let mut writer =
            FileWriter::create(&path, WriteOptions::default(), FileOptions::default()).unwrap();
        let data = writer.create_dataset(ObjectId::ROOT, "data", spec).unwrap();
        writer.append(data, &values).unwrap();
        writer.commit().unwrap();

        let file = File::open(InputFile::open(&path).unwrap()).unwrap();
        let object = file.root().unwrap().open("data").unwrap();
        let data = Dataset::open(&object, Place::path(&path), threads).unwrap();
        let mut expected = vec![0_u64];
        for (range, len) in ranges.iter().zip(&shape) {
            expected = expected.iter().flat_map(|at| range.clone().map(move |x| at * len + x)).collect();
        }
        let expected: Vec<u8> = expected
            .iter()
            .flat_map(|at| u16::try_from(*at).unwrap().to_le_bytes())
            .collect();
        let mut found = vec![0; expected.len()];
        data.read_slab(&ranges, &mut found).unwrap();
        prop_assert_eq!(&found, &expected);
        found.push(0);
        prop_assert!(data.read_slab(&ranges, &mut found).is_err());
    }
}
