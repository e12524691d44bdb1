//! Trees of NetCDF and NumPy, and random Zarr arrays.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use nnz_container::Vector;
use nnz_container::netcdf::NetCdfGroup;
use nnz_container::tree::{AttributeValue, ChildKind, ElementType, Group, NdArray, open};
use nnz_core::Values;
use proptest::prelude::*;

use crate::common::tree_dump::{MEMORY, golden};

fn read(group: &dyn Group, name: &str) -> (Vec<u64>, Values) {
    let array = group.array(name).unwrap();
    (array.shape().to_vec(), array.read(&array.all(), MEMORY).unwrap())
}

fn strings(array: &dyn NdArray) -> Vec<String> {
    let list = array.strings(&array.all(), MEMORY).unwrap();
    list.iter().map(|text| String::from_utf8(text.to_vec()).unwrap()).collect()
}

/// Multiples of 7, as in `make.py`.
fn grid(count: i32) -> impl Iterator<Item = i32> {
    (0..count).map(|number| number * 7 % 1000)
}

fn check_netcdf(group: &dyn Group) {
    assert_eq!(group.info().name, "NetCDF");
    let names: Vec<_> = group.children().unwrap();
    let arrays = names.iter().filter(|child| child.kind == ChildKind::Array);
    let arrays: Vec<&str> = arrays.map(|child| child.name.as_str()).collect();
    assert_eq!(arrays, ["bytes", "fixed", "names", "records", "scalar", "x", "y"]);
    assert_eq!(group.required_attribute("title").unwrap().text(), Some("caf\u{e9}"));
    let levels = group.required_attribute("levels").unwrap();
    assert_eq!(levels.value, AttributeValue::Numbers(Values::F32(vec![1.5, -2.0])));
    assert_eq!(read(group, "fixed"), (vec![3, 4], Values::I32(grid(12).collect())));
    let sevenths = grid(20).map(|number| f64::from(number) / 7.0).collect();
    assert_eq!(read(group, "records"), (vec![5, 4], Values::F64(sevenths)));
    assert_eq!(read(group, "bytes"), (vec![5], Values::I8(vec![0, 1, 2, 3, 4])));
    assert_eq!(read(group, "scalar"), (vec![], Values::I16(vec![7])));
    assert_eq!(read(group, "x"), (vec![3], Values::F32(vec![0.5, 1.5, 2.5])));
    assert_eq!(read(group, "y").0, [3, 4]);
    let fixed = group.array("fixed").unwrap();
    assert_eq!(fixed.attribute("units").unwrap().unwrap().text(), Some("m"));
    let range = fixed.attribute("valid_range").unwrap().unwrap();
    assert_eq!(range.unsigned(), Some(vec![0, 1000]));
    let part = fixed.read(&[1..3, 2..3], MEMORY).unwrap();
    assert_eq!(part, Values::I32(vec![42, 70]));
    let records = group.array("records").unwrap();
    let part = records.read(&[1..4, 3..4], MEMORY).unwrap();
    assert_eq!(part, Values::F64(vec![7.0, 11.0, 15.0]));
    assert_eq!(Vector::open(group, "bytes").unwrap().len(), 5);
}

#[test]
fn netcdf_classic_and_4_are_read() {
    let classic = open(&golden("classic.nc"), "").unwrap();
    check_netcdf(&*classic);
    // The length of strings is a dimension.
    let names = classic.array("names").unwrap();
    assert_eq!(names.shape(), [3]);
    assert_eq!(strings(&*names), ["abc", "", "hello"]);
    classic.group("inner").unwrap_err();
    let path = golden("netcdf4.nc");
    let newer = NetCdfGroup::open(&path, "", 2).unwrap();
    check_netcdf(&newer);
    let inner = newer.group("inner").unwrap();
    let cube = inner.array("cube").unwrap();
    assert_eq!(cube.storage().chunk_shape, Some(vec![2, 3, 2]));
    assert_eq!(cube.storage().filters, ["shuffle", "deflate"]);
    let expected = grid(36).map(|number| u64::try_from(number).unwrap()).collect();
    assert_eq!(read(&*inner, "cube"), (vec![3, 4, 3], Values::U64(expected)));
}

fn check_numpy(group: &dyn Group) {
    assert_eq!(read(group, "matrix"), (vec![5, 3], Values::I32(grid(15).collect())));
    let expected = grid(30).map(f64::from).collect();
    assert_eq!(read(group, "fortran"), (vec![5, 3, 2], Values::F64(expected)));
    assert_eq!(read(group, "single"), (vec![], Values::F32(vec![2.5])));
    assert_eq!(read(group, "half"), (vec![1, 2], Values::F32(vec![0.5, -2.0])));
    assert_eq!(*group.array("half").unwrap().element_type(), ElementType::Float16);
    assert_eq!(read(group, "empty"), (vec![0, 3], Values::F64(vec![])));
    assert_eq!(strings(&*group.array("names").unwrap()), ["a", "\u{fc}b", "", "ccc"]);
    assert_eq!(group.array("bytes").unwrap().text(MEMORY).unwrap(), "csr");
    let fortran = group.array("fortran").unwrap();
    let part = fortran.read(&[1..3, 2..3, 1..2], MEMORY).unwrap();
    assert_eq!(part, Values::F64(vec![77.0, 119.0]));
    group.array("none").unwrap_err();
    group.group("matrix").unwrap_err();
    assert_eq!(group.attributes().unwrap(), Vec::<String>::new());
    let names: Vec<_> = group.children().unwrap().into_iter().map(|child| child.name).collect();
    assert_eq!(names, ["bytes", "empty", "fortran", "half", "matrix", "names", "single"]);
}

#[test]
fn numpy_is_read_from_files_and_directories() {
    let file = golden("numpy.npz");
    check_numpy(&*open(&file, "").unwrap());
    open(&file, "x").unwrap_err();
    // `numpy.savez` stores entries uncompressed: each is a complete file.
    let dir = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let word = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let mut at = 0;
    while bytes[at..].starts_with(b"PK\x03\x04") {
        let name = std::str::from_utf8(&bytes[at + 30..at + 30 + word(at + 26)]).unwrap();
        let start = at + 30 + word(at + 26) + word(at + 28);
        // Sizes are in the extra field, as 64-bit numbers.
        let extra = at + 30 + word(at + 26) + 4;
        let size = usize::try_from(u64::from_le_bytes(bytes[extra..extra + 8].try_into().unwrap()));
        let size = size.unwrap();
        std::fs::write(dir.path().join(name), &bytes[start..start + size]).unwrap();
        at = start + size;
    }
    check_numpy(&*open(dir.path(), "").unwrap());
}

/// A Zarr array of version 2.
#[derive(Clone, Debug)]
struct ZarrArray {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    fortran: bool,
    zlib: bool,
    nested: bool,
    /// Whether chunks are stored, by index.
    stored: Vec<bool>,
}

const FILL: i32 = -3;

impl ZarrArray {
    /// Writes the array; the value of an element is its index.
    fn write(&self, directory: &Path) {
        std::fs::write(directory.join(".zgroup"), r#"{"zarr_format": 2}"#).unwrap();
        let array = directory.join("a");
        std::fs::create_dir(&array).unwrap();
        let mark = if self.nested { "/" } else { "." };
        let metadata = serde_json::json!({
            "zarr_format": 2, "shape": self.shape, "chunks": self.chunk, "dtype": "<i4",
            "order": if self.fortran { "F" } else { "C" }, "fill_value": FILL, "filters": null,
            "compressor": self.zlib.then(|| serde_json::json!({"id": "zlib"})),
            "dimension_separator": mark,
        });
        std::fs::write(array.join(".zarray"), metadata.to_string()).unwrap();
        for (number, at) in self.places().enumerate() {
            if !self.is_stored(number) {
                continue;
            }
            let mut bytes = Vec::new();
            let mut local = vec![0; self.shape.len()];
            for _ in 0..self.chunk.iter().product::<u64>() {
                let index: Vec<u64> =
                    (0..local.len()).map(|d| at[d] * self.chunk[d] + local[d]).collect();
                bytes.extend(self.number(&index).unwrap_or(i32::MAX).to_le_bytes());
                let count_up = |d: usize| {
                    local[d] = (local[d] + 1) % self.chunk[d];
                    local[d] != 0
                };
                let dimensions = 0..self.shape.len();
                match self.fortran {
                    true => dimensions.map(count_up).find(|done| *done),
                    false => dimensions.rev().map(count_up).find(|done| *done),
                };
            }
            let name: Vec<String> = at.iter().map(u64::to_string).collect();
            let name = if name.is_empty() { "0".to_owned() } else { name.join(mark) };
            let path = array.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            if self.zlib {
                let file = std::fs::File::create(path).unwrap();
                let mut encoder =
                    flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
                encoder.write_all(&bytes).unwrap();
                encoder.finish().unwrap();
            } else {
                std::fs::write(path, bytes).unwrap();
            }
        }
    }

    fn is_stored(&self, chunk: usize) -> bool {
        self.stored[chunk % self.stored.len()]
    }

    /// The positions of all chunks in C order.
    fn places(&self) -> impl Iterator<Item = Vec<u64>> {
        let counts = self.shape.iter().zip(&self.chunk).map(|(length, by)| length.div_ceil(*by));
        all_places(counts.map(|count| 0..count).collect())
    }

    /// The index of an element; `None` past the end.
    fn number(&self, index: &[u64]) -> Option<i32> {
        let inside = index.iter().zip(&self.shape).all(|(at, length)| at < length);
        let number = index.iter().zip(&self.shape).fold(0, |all, (at, length)| all * length + at);
        inside.then(|| i32::try_from(number).unwrap())
    }

    fn expected(&self, index: &[u64]) -> i32 {
        let at: Vec<u64> = index.iter().zip(&self.chunk).map(|(at, by)| at / by).collect();
        let number = self.places().position(|place| place == at).unwrap();
        if self.is_stored(number) { self.number(index).unwrap() } else { FILL }
    }
}

fn all_places(ranges: Vec<Range<u64>>) -> impl Iterator<Item = Vec<u64>> {
    let count: u64 = ranges.iter().map(|range| range.end - range.start).product();
    (0..count).map(move |mut number| {
        let mut place: Vec<u64> = Vec::new();
        for range in ranges.iter().rev() {
            let length = range.end - range.start;
            place.push(range.start + number % length);
            number /= length;
        }
        place.reverse();
        place
    })
}

fn arrays() -> impl Strategy<Value = (ZarrArray, Vec<Vec<Range<u64>>>)> {
    let array = (0..4_usize).prop_flat_map(|rank| {
        (
            prop::collection::vec(0..7_u64, rank),
            prop::collection::vec(1..5_u64, rank),
            any::<(bool, bool, bool)>(),
            prop::collection::vec(prop::bool::weighted(0.8), 1..6),
        )
    });
    array.prop_flat_map(|(shape, chunk, (fortran, zlib, nested), stored)| {
        let cut = |length: u64| {
            (0..=length)
                .prop_flat_map(move |start| (start..=length).prop_map(move |end| start..end))
        };
        let ranges: Vec<_> = shape.iter().map(|&length| cut(length)).collect();
        let array = ZarrArray { shape, chunk, fortran, zlib, nested, stored };
        (Just(array), prop::collection::vec(ranges, 4))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn random_hyperslabs_of_random_arrays((array, selections) in arrays()) {
        let dir = tempfile::tempdir().unwrap();
        array.write(dir.path());
        let found = open(dir.path(), "").unwrap().array("a").unwrap();
        let chunks = array.places().count();
        let all = (0..chunks).all(|chunk| array.is_stored(chunk));
        prop_assert_eq!(found.is_fully_stored().unwrap(), all);
        for selection in selections {
            let values = found.read(&selection, MEMORY).unwrap();
            let expected = all_places(selection).map(|index| array.expected(&index)).collect();
            prop_assert_eq!(values, Values::I32(expected));
        }
    }
}
