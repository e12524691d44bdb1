//! Parsing and printing descriptors.

use nnz_binsparse::{DESCRIPTOR, Descriptor, EntryReader, Keys, MatrixSource, validate};
use nnz_container::memory::Memory;
use nnz_core::{
    MatrixSource as _, Minors, Place, Scalar, Severity, Structure, Triangle, ValueType, Values,
};

use crate::common;
use crate::common::{all_entries, zero};

/// Returns the descriptor of a sparse vector with one member set or removed.
fn vector(key: &str, json: Option<&str>) -> String {
    let mut inner = Keys::parse(
        r#"{"version": "0.1", "format": "CVEC", "shape": [4], "number_of_stored_values": 2,
            "data_types": {"indices_0": "uint8", "values": "int32"}}"#,
    )
    .unwrap();
    match json {
        Some(json) => inner.set(key, json).unwrap(),
        None => drop(inner.remove(key)),
    }
    format!(r#"{{"binsparse": {inner}}}"#)
}

fn parsed(key: &str, json: &str) -> nnz_core::Result<Descriptor> {
    Descriptor::parse(&vector(key, Some(json)), &Place::default())
}

#[test]
fn counts_are_exact_or_errors() {
    for (json, count) in [
        ("16", 16),
        ("16.0", 16),
        ("1.6e1", 16),
        ("0", 0),
        ("9007199254740993", 9_007_199_254_740_993),
        ("18446744073709551615", u64::MAX),
        ("9007199254740991.0", 9_007_199_254_740_991),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("1844674407370955161.5e1", u64::MAX),
        ("0.0", 0),
        ("100", 100),
        ("0.5E+1", 5),
    ] {
        assert_eq!(parsed("number_of_stored_values", json).unwrap().stored, count);
        assert_eq!(parsed("shape", &format!("[{json}]")).unwrap().shape, [count]);
    }
    for json in [
        "-1",
        "2.5",
        "1e-3",
        "\"2\"",
        "null",
        "[2]",
        "true",
        "-0.0",
        "18446744073709551616",
        "1844674407370955161.6e1",
        "9007199254740993.5",
        "1e300",
    ] {
        let error = parsed("number_of_stored_values", json).unwrap_err().to_string();
        assert!(error.starts_with("binsparse.number_of_stored_values: found "), "{error}");
        assert!(parsed("shape", &format!("[{json}]")).is_err());
    }
}

#[test]
fn versions_0_1_and_0_1_x_are_read() {
    for version in ["0.1", "0.1.0", "0.1.7", "0.1.12-rc.1+build"] {
        let read = parsed("version", &format!("{version:?}")).unwrap();
        assert_eq!(read.version.to_string(), version);
    }
    for version in ["0.2", "0.10", "1.0", "0.1.", "0.1.x", "v0.1", "", "0.1 ", "0"] {
        assert!(parsed("version", &format!("{version:?}")).is_err(), "{version}");
    }
}

#[test]
fn a_missing_required_key_is_an_error() {
    for key in ["version", "format", "shape", "number_of_stored_values", "data_types"] {
        let error = Descriptor::parse(&vector(key, None), &Place::path("a.h5")).unwrap_err();
        assert_eq!(error.to_string(), format!("a.h5: binsparse.{key} is missing"));
    }
}

#[test]
fn a_format_with_matching_levels_is_read() {
    let custom =
        r#"{"level": {"level_desc": "sparse", "rank": 1, "level": {"level_desc": "element"}}}"#;
    assert_eq!(parsed("custom", custom).unwrap().format.unwrap().name(), "CVEC");
    let other = custom.replace("sparse", "dense");
    assert!(parsed("custom", &other).is_err());
}

#[test]
fn trees_of_up_to_64_levels_are_read() {
    let text = |depth: usize| {
        let level = |kind: &str, rest: &str| {
            format!(r#"{{"level_desc": "{kind}", "rank": 1, "level": {rest}}}"#)
        };
        let element = r#"{"level_desc": "element"}"#.to_owned();
        let tree = (0..depth).fold(element, |tree, _| level("dense", &tree));
        format!(
            r#"{{"binsparse": {{"version": "0.1", "format": "custom", "custom": {{"level": {tree}}},
                "shape": {:?}, "number_of_stored_values": 1, "data_types": {{"values": "int8"}}}}}}"#,
            vec![1; depth]
        )
    };
    for depth in [0, 1, 8, 64] {
        let descriptor = Descriptor::parse(&text(depth), &Place::default()).unwrap();
        assert_eq!(descriptor.layout.rank(), depth);
        let memory = Memory::new();
        let mut writer = memory.writer();
        writer.set_attribute(DESCRIPTOR, &descriptor.to_json().unwrap()).unwrap();
        let values = writer.create_array("values", ValueType::I8).unwrap();
        writer.append(values, &[5_i8]).unwrap();
        writer.finish().unwrap();
        let mut reader = EntryReader::open(&memory.arrays()).unwrap();
        assert_eq!(reader.next_entry().unwrap(), Some((&vec![0; depth][..], Scalar::I8(5))));
        assert_eq!(reader.next_entry().unwrap(), None);
    }
    for depth in [65, 3_000] {
        assert!(Descriptor::parse(&text(depth), &Place::default()).is_err());
    }
}

#[test]
fn keys_keep_their_text() {
    let text = r#"{"binsparse": {"version": "0.1.0", "format": "COO", "shape": [1, 1],
        "number_of_stored_values": 0, "later": 1.50, "attributes": {"own": 1e400},
        "data_types": {"indices_0": "int8", "indices_1": "int8", "values": "iso[bint8]"}},
        "big": 123456789012345678901234567890, "nested": {"a":
        [1.0, "line\nbreak"]}}"#;
    let descriptor = Descriptor::parse(text, &Place::default()).unwrap();
    assert_eq!(descriptor.user.get("big"), Some("123456789012345678901234567890"));
    assert_eq!(
        descriptor.to_json().unwrap(),
        concat!(
            r#"{"binsparse":{"version":"0.1.0","format":"COOR","shape":[1,1],"#,
            r#""number_of_stored_values":0,"data_types":{"indices_0":"int8","indices_1":"int8","#,
            r#""values":"iso[bint8]"},"attributes":{"own":1e400},"later":1.50},"#,
            r#""big":123456789012345678901234567890,"#,
            r#""nested":{"a":         [1.0, "line\nbreak"]}}"#,
        )
    );
    assert!(Keys::parse(r#"{"a": 1, "a": 2}"#).is_err());
    let mut keys = Keys::default();
    keys.set_string("quote", "\"").unwrap();
    keys.set_string("quote", "\u{1}").unwrap();
    assert_eq!(keys.to_string(), r#"{"quote":"\u0001"}"#);
    assert!(keys.set("broken", "{").is_err());
}

/// Writes a dense 3 x 3 matrix with this structure.
fn triangle(values: &[f64; 9], structure: &str) -> Memory {
    let memory = Memory::new();
    let mut writer = memory.writer();
    let text = format!(
        r#"{{"binsparse": {{"version": "0.1", "format": "DMATR", "shape": [3, 3],
            "number_of_stored_values": 9, "structure": "{structure}",
            "data_types": {{"values": "float64"}}}}}}"#
    );
    writer.set_attribute(DESCRIPTOR, &text).unwrap();
    let array = writer.create_array("values", ValueType::F64).unwrap();
    writer.append(array, values).unwrap();
    writer.finish().unwrap();
    memory
}

#[test]
fn a_dense_matrix_with_a_structure_reads_one_triangle() {
    let lower = [1.0, 0.0, 0.0, 2.0, 3.0, -0.0, 4.0, 0.0, 5.0];
    let memory = triangle(&lower, "symmetric_lower");
    let source = MatrixSource::open(memory.arrays()).unwrap();
    assert_eq!(source.header().structure, Structure::Symmetric(Triangle::Lower));
    let entries = all_entries(&source).unwrap();
    let places: Vec<_> = entries.iter().map(|(at, _)| (at[0], at[1])).collect();
    assert_eq!(places, [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]);
    let mut reader = EntryReader::open(&memory.arrays()).unwrap();
    for (at, value) in entries {
        assert_eq!(reader.next_entry().unwrap(), Some((&at[..], value)));
    }
    assert_eq!(reader.next_entry().unwrap(), None);
    // The other triangle must be zero, and so must the diagonal of a skew-symmetric matrix.
    for structure in ["symmetric_upper", "skew_symmetric_lower"] {
        let memory = triangle(&lower, structure);
        let source = MatrixSource::open(memory.arrays()).unwrap();
        assert!(all_entries(&source).is_err(), "{structure}");
        let mut faults = 0;
        validate(&|| Ok(memory.arrays()), &mut |finding| {
            faults += usize::from(finding.severity == Severity::Fault);
        })
        .unwrap();
        assert_eq!(faults, 1, "{structure}");
    }
}

#[test]
fn complex_and_boolean_values_are_read_in_every_form() {
    let memory = |declared: &str, stored: Values| {
        let memory = Memory::new();
        let mut writer = memory.writer();
        let text = vector(
            "data_types",
            Some(&format!(r#"{{"indices_0": "uint8", "values": "{declared}"}}"#)),
        );
        writer.set_attribute(DESCRIPTOR, &text).unwrap();
        let indices = writer.create_array("indices_0", ValueType::U8).unwrap();
        writer.append(indices, &[1_u8, 3]).unwrap();
        let values = writer.create_array("values", stored.value_type()).unwrap();
        writer.append_bytes(values, stored.bytes()).unwrap();
        writer.finish().unwrap();
        memory
    };
    let read = |memory: Memory| {
        let source = MatrixSource::open(nnz_container::NamedArrays::new(memory))?;
        Ok::<_, nnz_core::Error>(
            all_entries(&source)?.into_iter().map(|(_, v)| v).collect::<Vec<_>>(),
        )
    };
    let pairs = [Scalar::ComplexF32([1.0, 2.0]), Scalar::ComplexF32([3.0, -0.0])];
    let flat = Values::F32(vec![1.0, 2.0, 3.0, -0.0]);
    assert_eq!(read(memory("complex[float32]", flat)).unwrap(), pairs);
    let own = Values::ComplexF32(vec![[1.0, 2.0], [3.0, -0.0]]);
    assert_eq!(read(memory("complex[float32]", own)).unwrap(), pairs);
    let yes = Scalar::Bint8(nnz_core::Bint8(1));
    for stored in [
        Values::U8(vec![1, 0]),
        Values::I8(vec![1, 0]),
        Values::Bint8(vec![nnz_core::Bint8(1), nnz_core::Bint8(0)]),
    ] {
        assert_eq!(read(memory("bint8", stored)).unwrap(), [yes, zero(ValueType::Bint8)]);
    }
    assert!(read(memory("bint8", Values::I8(vec![-1, 0]))).is_err());
    assert!(read(memory("bint8", Values::U16(vec![1, 0]))).is_err());
    assert!(read(memory("uint8", Values::F32(vec![1.0, 0.0]))).is_err());
    assert!(read(memory("float32", Values::ComplexF32(vec![[1.0, 0.0]; 2]))).is_err());
}

#[test]
fn short_axes_have_32_bit_minors() {
    let case = common::Case::all("valid/c/csr_float64").pop().unwrap();
    let source = MatrixSource::open(case.open().unwrap()).unwrap();
    let values = Values::new(source.header().value_type);
    let mut batch = nnz_core::Batch::new(source.header().order, values);
    let rows = source.header().shape.rows;
    let mut reader = source.batches(0..rows, nnz_core::Projection::MINORS).unwrap();
    assert!(reader.next_batch(&mut batch).unwrap());
    assert!(matches!(batch.minors, Minors::U32(_)));
    assert!(batch.values.is_empty());
}

#[test]
fn empty_arrays_may_be_missing() {
    let memory = Memory::new();
    let mut writer = memory.writer();
    let text = r#"{"binsparse": {"version": "0.1", "format": "CSR", "shape": [2, 9],
        "number_of_stored_values": 0,
        "data_types": {"pointers_to_1": "uint8", "indices_1": "uint8", "values": "int32"}}}"#;
    writer.set_attribute(DESCRIPTOR, text).unwrap();
    let pointers = writer.create_array("pointers_to_1", ValueType::U8).unwrap();
    writer.append(pointers, &[0_u8, 0, 0]).unwrap();
    writer.finish().unwrap();
    let source = MatrixSource::open(memory.arrays()).unwrap();
    assert_eq!(all_entries(&source).unwrap(), []);
    assert_eq!(source.notes().len(), 2);
    assert_eq!(source.about().unwrap().arrays.len(), 1);
    let mut faults = Vec::new();
    validate(&|| Ok(memory.arrays()), &mut |finding| {
        if finding.severity == Severity::Fault {
            faults.push(finding.to_string());
        }
    })
    .unwrap();
    assert_eq!(faults, ["memory: indices_1 is missing", "memory: values is missing"]);
}
