//! The manifest of the test data, and matrices as lists of entries.

pub mod matrix;
pub mod memory;

use std::path::{Path, PathBuf};

use nnz_binsparse::{Keys, MatrixSource};
use nnz_container::NamedArrays;
use nnz_container::hdf5::Hdf5Group;
use nnz_core::{Batch, MatrixSource as _, Projection, Result, Scalar, ValueType, Values};
use serde_json::value::RawValue;

/// Coordinates and value of an entry.
pub type Entry = (Vec<u64>, Scalar);

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/binsparse")
}

/// One file of the test data.
pub struct Case(Keys);

impl Case {
    /// Lists the entries of the manifest below a folder that are HDF5 files.
    pub fn all(folder: &str) -> Vec<Self> {
        let text = std::fs::read_to_string(root().join("manifest.json")).unwrap();
        let manifest = Keys::parse(&text).unwrap();
        let entries: Vec<Keys> = serde_json::from_str(manifest.get("entries").unwrap()).unwrap();
        let cases: Vec<Self> = entries.into_iter().map(Self).collect();
        let matches = |case: &Self| case.container() == "hdf5" && case.path().starts_with(folder);
        cases.into_iter().filter(matches).collect()
    }

    pub fn string(&self, key: &str) -> String {
        serde_json::from_str(self.0.get(key).unwrap_or("\"\"")).unwrap()
    }

    pub fn path(&self) -> String {
        self.string("path")
    }

    fn container(&self) -> String {
        self.string("container")
    }

    pub fn open(&self) -> Result<NamedArrays> {
        let group = self.string("group");
        Ok(NamedArrays::new(Hdf5Group::open(&root().join(self.path()), &group)?))
    }

    pub fn expected(&self) -> Expected {
        let keys = Keys::parse(self.0.get("expected").unwrap()).unwrap();
        let string = |key: &str| serde_json::from_str::<String>(keys.get(key).unwrap()).unwrap();
        let value_type: ValueType = string("value_type").parse().unwrap();
        let shape: Vec<u64> = serde_json::from_str(keys.get("shape").unwrap()).unwrap();
        let entries: Vec<Vec<Box<RawValue>>> =
            serde_json::from_str(keys.get("entries").unwrap()).unwrap();
        let entries = entries.iter().map(|fields| {
            let (value, place) = fields.split_last().unwrap();
            let place = place.iter().map(|index| index.get().parse().unwrap()).collect();
            (place, scalar(value.get(), value_type))
        });
        Expected {
            iso: keys.get("iso") == Some("true"),
            structure: string("structure"),
            fill: keys.get("fill").filter(|text| *text != "null").map(|t| scalar(t, value_type)),
            entries: entries.collect(),
            shape,
            value_type,
        }
    }
}

pub struct Expected {
    pub shape: Vec<u64>,
    pub value_type: ValueType,
    pub iso: bool,
    pub structure: String,
    pub fill: Option<Scalar>,
    pub entries: Vec<Entry>,
}

/// Reads a value as the manifest writes it.
fn scalar(text: &str, value_type: ValueType) -> Scalar {
    let real = |text: &str| text.trim().trim_matches('"').parse::<f64>().unwrap();
    #[allow(clippy::cast_possible_truncation, reason = "it was one before")]
    let narrow = |text: &str| real(text) as f32;
    let pair = || text.trim_matches(['[', ']']).split_once(',').unwrap();
    match value_type {
        ValueType::U8 => Scalar::U8(text.parse().unwrap()),
        ValueType::U16 => Scalar::U16(text.parse().unwrap()),
        ValueType::U32 => Scalar::U32(text.parse().unwrap()),
        ValueType::U64 => Scalar::U64(text.parse().unwrap()),
        ValueType::I8 => Scalar::I8(text.parse().unwrap()),
        ValueType::I16 => Scalar::I16(text.parse().unwrap()),
        ValueType::I32 => Scalar::I32(text.parse().unwrap()),
        ValueType::I64 => Scalar::I64(text.parse().unwrap()),
        ValueType::F32 => Scalar::F32(narrow(text)),
        ValueType::F64 => Scalar::F64(real(text)),
        ValueType::Bint8 => Scalar::Bint8(nnz_core::Bint8(text.parse().unwrap())),
        ValueType::ComplexF32 => Scalar::ComplexF32([narrow(pair().0), narrow(pair().1)]),
        ValueType::ComplexF64 => Scalar::ComplexF64([real(pair().0), real(pair().1)]),
    }
}

/// Formats a value so that equal texts are equal bits, or both NaN.
pub fn bits(value: Scalar) -> String {
    let nan = |v: f64| if v.is_nan() { "nan".to_owned() } else { format!("{:x}", v.to_bits()) };
    match value {
        Scalar::F32(v) => nan(v.into()),
        Scalar::F64(v) => nan(v),
        Scalar::ComplexF32([re, im]) => nan(re.into()) + &nan(im.into()),
        Scalar::ComplexF64([re, im]) => nan(re) + &nan(im),
        other => format!("{other:?}"),
    }
}

/// Sorts entries and makes them comparable.
pub fn sorted(entries: &[Entry]) -> Vec<(Vec<u64>, String)> {
    let mut all: Vec<_> = entries.iter().map(|(at, v)| (at.clone(), bits(*v))).collect();
    all.sort();
    all
}

/// Reads all entries of a range of majors; entries of a vector have one coordinate.
pub fn entries_of(source: &MatrixSource, majors: std::ops::Range<u64>) -> Result<Vec<Entry>> {
    let header = source.header();
    let vector = source.descriptor().shape.len() == 1;
    let mut batch = Batch::new(header.order, Values::new(header.value_type));
    let mut reader = source.batches(majors, Projection::ALL)?;
    let mut entries = Vec::new();
    while reader.next_batch(&mut batch)? {
        assert_eq!(batch.values.value_type(), header.value_type);
        assert_eq!(matches!(batch.values, Values::Iso(_)), header.iso);
        batch.try_for_each(|entry, major, minor| {
            let (row, col) = batch.order.row_col(major, minor);
            let at = if vector { vec![row] } else { vec![row, col] };
            entries.push((at, batch.values.get(entry).unwrap()));
            Ok::<(), nnz_core::Error>(())
        })?;
    }
    Ok(entries)
}

pub fn all_entries(source: &MatrixSource) -> Result<Vec<Entry>> {
    let header = source.header();
    entries_of(source, 0..header.shape.major(header.order))
}

/// Returns the zero of a type.
pub fn zero(value_type: ValueType) -> Scalar {
    Values::try_zeroed(value_type, 1).and_then(|values| values.get(0)).unwrap()
}
