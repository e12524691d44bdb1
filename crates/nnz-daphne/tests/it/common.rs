//! The test data, and elements of matrices.

use std::ops::Range;
use std::path::PathBuf;

use nnz_core::{Batch, MatrixSource, Order, Projection, Scalar, Shape, ValueType, Values};
use nnz_daphne::{DataType, Dialect};
use nnz_storage::staging::WriteOptions;
use serde_json::Value;

/// Row, column and the bits of an element.
pub type Element = (u64, u64, u64);

/// A file in the manifest.
#[derive(Clone, Debug)]
pub struct Golden {
    pub file: String,
    pub dialect: Dialect,
    pub valid: bool,
    pub reason: String,
    pub offset: Option<u64>,
    pub data_type: DataType,
    pub shape: Shape,
    pub value_types: Vec<ValueType>,
    pub labels: Vec<String>,
    pub blocks: Vec<Value>,
    /// All elements whose bits are not all zero; `None` if there are too many to list.
    pub elements: Option<Vec<Element>>,
    pub json: Value,
}

impl Golden {
    pub fn path(&self) -> PathBuf {
        folder().join(&self.file)
    }

    pub fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }
}

/// Does not wait for the disk.
pub fn unsynced() -> WriteOptions {
    WriteOptions::default().overwrite(false).sync(false)
}

/// Lists the faults found by validation.
pub fn faults(path: &std::path::Path) -> Vec<String> {
    let mut faults = Vec::new();
    nnz_daphne::validate(path, &nnz_daphne::ReadOptions::default(), None, &mut |finding| {
        if finding.severity == nnz_core::Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    faults
}

pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/daphne")
}

/// Parses the name of a value type in the manifest.
pub fn value_type(name: &str) -> ValueType {
    let (kind, bits) = name.split_at(1);
    let kind = match kind {
        "u" => "uint",
        "i" => "int",
        _ => "float",
    };
    format!("{kind}{bits}").parse().unwrap()
}

/// Parses a number of the manifest: an integer, or a float in hexadecimal.
pub fn bits(value: &Value, value_type: ValueType) -> u64 {
    match value {
        Value::Number(number) => match number.as_u64() {
            Some(unsigned) if value_type.is_integer() => unsigned,
            None if value_type.is_integer() => {
                let size = value_type.size();
                number.as_i64().unwrap() as u64 & (u64::MAX >> (64 - 8 * size))
            }
            _ => float_bits(number.as_f64().unwrap(), value_type),
        },
        Value::String(text) => float_bits(hexadecimal(text), value_type),
        other => panic!("{other}"),
    }
}

fn float_bits(value: f64, value_type: ValueType) -> u64 {
    match value_type {
        ValueType::F32 => (value as f32).to_bits().into(),
        ValueType::F64 => value.to_bits(),
        other => panic!("{other}"),
    }
}

/// Parses a hexadecimal float like C99.
fn hexadecimal(text: &str) -> f64 {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text),
    };
    let size = match rest {
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => {
            let (digits, exponent) = rest.strip_prefix("0x").unwrap().split_once('p').unwrap();
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            let all = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
            let shift = exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
            // In two steps, so that subnormal numbers do not underflow.
            let half = shift / 2;
            all as f64 * 2f64.powi(half) * 2f64.powi(shift - half)
        }
    };
    size * sign
}

pub fn golden() -> Vec<Golden> {
    let text = std::fs::read(folder().join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&text).unwrap();
    manifest["files"].as_array().unwrap().iter().map(entry).collect()
}

fn entry(json: &Value) -> Golden {
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_owned();
    let header = &json["header"];
    let types: Vec<ValueType> = match (&header["value_types"], &header["value_type"]) {
        (Value::Array(all), _) => all.iter().map(|t| value_type(t.as_str().unwrap())).collect(),
        (_, Value::String(one)) => vec![value_type(one)],
        _ => Vec::new(),
    };
    let data_type = match header["data_type"].as_str() {
        Some("csr") => DataType::Csr,
        Some("frame") => DataType::Frame,
        _ => DataType::Dense,
    };
    let elements = json["content"]["nonzero"].as_array().map(|elements| {
        let element = |element: &Value| {
            let (row, col) = (element[0].as_u64().unwrap(), element[1].as_u64().unwrap());
            let of = if data_type == DataType::Frame { types[col as usize] } else { types[0] };
            (row, col, bits(&element[2], of))
        };
        let mut elements: Vec<Element> = elements.iter().map(element).collect();
        elements.sort_unstable();
        elements
    });
    let elements = elements.or_else(|| {
        let file = json["file"].as_str().unwrap();
        json["content"]["formula"].as_str().map(|_| formula(file))
    });
    let labels = ["labels", "labels_wanted"].iter().find_map(|key| header[*key].as_array());
    Golden {
        file: text("file"),
        dialect: text("dialect").parse().unwrap(),
        valid: json["valid"].as_bool().unwrap(),
        reason: text("reason"),
        offset: json["offset"].as_u64(),
        data_type,
        shape: Shape {
            rows: header["rows"].as_u64().unwrap_or(0),
            cols: header["cols"].as_u64().unwrap_or(0),
        },
        value_types: types,
        labels: labels.into_iter().flatten().map(|l| l.as_str().unwrap().to_owned()).collect(),
        blocks: json["blocks"].as_array().cloned().unwrap_or_default(),
        elements,
        json: json.clone(),
    }
}

/// The elements of files for which the manifest has a formula.
fn formula(file: &str) -> Vec<Element> {
    if file.contains("csr") {
        let value = |row: u64| ((row % 97 + 1) as f64).to_bits();
        return (0..70_000).map(|row| (row, row * 31 % 50, value(row))).collect();
    }
    let elements = (0..390_u64).flat_map(|row| (0..390).map(move |col| (row, col)));
    let value = |(row, col)| (row, col, (((row * 31 + col * 7) % 1000) as f64 / 8.0).to_bits());
    elements.map(value).filter(|&(.., bits)| bits != 0).collect()
}

/// Writes a matrix in its own order.
pub fn copy(matrix: &dyn MatrixSource, sink: nnz_daphne::MatrixSink) -> nnz_core::Result<u64> {
    let mut sink: Box<dyn nnz_core::MatrixSink> = Box::new(sink);
    let header = matrix.header();
    let mut batch = Batch::new(Order::Row, Values::new(header.value_type));
    let mut reader = matrix.batches(0..header.shape.rows, Projection::ALL)?;
    while reader.next_batch(&mut batch)? {
        sink.write(&batch)?;
    }
    sink.finish().map(|written| written.bytes)
}

pub fn valid_matrices() -> Vec<Golden> {
    golden().into_iter().filter(|g| g.valid && g.data_type != DataType::Frame).collect()
}

pub fn scalar_bits(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::U8(v) => v.into(),
        Scalar::U16(v) => v.into(),
        Scalar::U32(v) => v.into(),
        Scalar::U64(v) => v,
        Scalar::I8(v) => (v as u8).into(),
        Scalar::I16(v) => (v as u16).into(),
        Scalar::I32(v) => (v as u32).into(),
        Scalar::I64(v) => v as u64,
        Scalar::F32(v) => v.to_bits().into(),
        Scalar::F64(v) => v.to_bits(),
        other => panic!("{other:?}"),
    }
}

/// Reads all entries of some rows, including zeros, in the order of the source.
pub fn entries(matrix: &dyn MatrixSource, rows: Range<u64>) -> Vec<Element> {
    let mut batch = Batch::new(Order::Row, Values::new(matrix.header().value_type));
    let mut reader = matrix.batches(rows, Projection::ALL).unwrap();
    let mut elements = Vec::new();
    while reader.next_batch(&mut batch).unwrap_or_else(|error| panic!("{error}")) {
        elements.append(&mut batch_elements(&batch));
    }
    elements
}

/// Lists the entries of a batch.
pub fn batch_elements(batch: &Batch) -> Vec<Element> {
    assert_eq!(batch.values.len(), Some(batch.entries()));
    let mut elements = Vec::new();
    batch
        .try_for_each(|entry, row, col| {
            elements.push((row, col, scalar_bits(batch.values.get(entry).unwrap())));
            Ok::<(), nnz_core::Error>(())
        })
        .unwrap();
    elements
}

/// Reads the elements of some rows whose bits are not all zero.
pub fn matrix_elements(matrix: &dyn MatrixSource, rows: Range<u64>) -> Vec<Element> {
    let mut elements = entries(matrix, rows);
    elements.retain(|&(.., bits)| bits != 0);
    assert!(elements.is_sorted() || matrix.header().sorted_indices != Some(true));
    elements.sort_unstable();
    elements
}
