//! Classic NetCDF files, with literal bytes.

use nnz_container::NamedArrays;
use nnz_container::netcdf::is_netcdf;
use nnz_core::ValueType;
use proptest::prelude::*;

fn open(bytes: &[u8]) -> nnz_core::Result<(tempfile::TempDir, nnz_container::NamedArrays)> {
    assert!(is_netcdf(bytes));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.nc");
    std::fs::write(&path, bytes).unwrap();
    crate::common::open_netcdf(&path, "").map(|file| (dir, file))
}

/// A CDF-1 file with a record dimension and a dimension of length 3.
fn cdf1() -> Vec<u8> {
    [
        &b"CDF\x01"[..],
        &[0, 0, 0, 2],              // records
        &[0, 0, 0, 10, 0, 0, 0, 2], // dimensions: 2
        b"\0\0\0\x01t\0\0\0",
        &[0, 0, 0, 0], // without end
        b"\0\0\0\x04x345",
        &[0, 0, 0, 3],
        &[0, 0, 0, 12, 0, 0, 0, 2], // attributes: 2
        b"\0\0\0\x04text",
        &[0, 0, 0, 2, 0, 0, 0, 5], // five characters
        b"{\n}\xc3\xab\0\0\0",
        b"\0\0\0\x01n\0\0\0",
        &[0, 0, 0, 3, 0, 0, 0, 1, 0, 7, 0, 0], // one number of 16 bits
        &[0, 0, 0, 11, 0, 0, 0, 4],            // variables: 4
        b"\0\0\0\x01a\0\0\0",
        &[0, 0, 0, 1, 0, 0, 0, 1], // of one dimension: the second
        &[0; 8],                   // no attributes
        &[0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 0xf4], // 16 bits, 8 bytes, from byte 244 on
        b"\0\0\0\x01b\0\0\0",
        &[0, 0, 0, 1, 0, 0, 0, 0], // of one dimension: records
        &[0; 8],
        &[0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0xfc], // 8 bits, from byte 252 on
        b"\0\0\0\x01c\0\0\0",
        &[0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1], // of records and the second dimension
        &[0; 8],
        &[0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 1, 0], // characters, from byte 256 on
        b"\0\0\0\x01d\0\0\0",
        &[0, 0, 0, 0], // of no dimension
        &[0; 8],
        &[0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0, 0xe8], // a single float
        &[0xff, 0xfe, 0, 1, 0x7f, 0xff, 0, 0],    // a: -2, 1, 32767
        &[0x80, 0, 0, 0],                         // b: -128
        b"xy\0\0",                                // c: xy
        &[0x7f, 0, 0, 0],                         // b: 127
        b"abc\0",                                 // c: abc
    ]
    .concat()
}

#[test]
fn cdf1_is_read() {
    let bytes = cdf1();
    assert_eq!(bytes.len(), 268);
    let (_dir, file) = open(&bytes).unwrap();
    assert_eq!(file.info().name, "NetCDF");
    assert_eq!(file.members().unwrap(), ["a", "b", "c", "d", "n", "text"]);
    assert_eq!(file.attribute("text").unwrap(), "{\n}ë");
    let a = file.array("a").unwrap();
    assert_eq!((a.value_type(), a.len(), a.stored_bytes().unwrap()), (ValueType::I16, 3, 6));
    let mut out = [0_i16; 3];
    a.read_into(0, &mut out).unwrap();
    assert_eq!(out, [-2, 1, i16::MAX]);
    let mut out = [0_i8; 2];
    let b = file.array("b").unwrap();
    b.read_into(0, &mut out).unwrap();
    assert_eq!(out, [-128, 127]);
    assert!(b.read_into(1, &mut out).is_err());
    let c: &NamedArrays = &file;
    assert_eq!(c.strings("c").unwrap().iter().collect::<Vec<_>>(), [&b"xy"[..], b"abc"]);
    assert_eq!(file.read_strings("c").unwrap().remaining(), Some(2));
}

#[test]
fn members_of_other_kinds_are_refused() {
    let (_dir, file) = open(&cdf1()).unwrap();
    for (name, found) in [
        ("c", "found strings, expected numbers"),
        (
            "d",
            "found data inside the header, expected data after the header, which ends at byte 244",
        ),
    ] {
        let error = file.array(name).err().unwrap().to_string();
        assert!(error.contains(found), "{error}");
    }
    let error = file.read_strings("a").err().unwrap().to_string();
    assert!(error.ends_with("a: found numbers of type int16, expected strings"), "{error}");
    let error = file.attribute("n").unwrap_err().to_string();
    assert!(error.ends_with("n: found an attribute of another type, expected one string"));
    let error = crate::common::open_netcdf(file.path(), "g").err().unwrap().to_string();
    assert!(
        error.ends_with("found the group g in a classic file, expected the root group"),
        "{error}"
    );
}

/// A byte of the file, its replacement, and the error.
#[test]
fn invalid_headers_are_refused() {
    for (at, byte, message) in [
        (11, 9, "byte 8: found the tag 9 and a count of 2, expected the tag 10 of dimensions"),
        (12, 0x80, "byte 12: found a count of 2147483650, expected 0 or more"),
        (13, 1, "byte 16: found the end of the file after 252 more bytes"),
        (17, 1, "found a name of 65537 bytes, expected at most 4096"),
        (39, 0, "found two unlimited dimensions, expected at most one"),
        (20, 0xff, "found a name that is not UTF-8, expected UTF-8"),
        (59, 7, "found the type 7, expected a type from 1 to 6"),
        (60, 1, "byte 64: found the end of the file after 204 more bytes"),
        (115, 2, "found dimension 2, expected less than 2"),
    ] {
        let mut bytes = cdf1();
        bytes[at] = byte;
        let error = open(&bytes).err().unwrap().to_string();
        assert!(error.contains(message), "byte {at}: {error}");
    }
    // Variables out of bounds are detected when they are read.
    let mut bytes = cdf1();
    bytes[132] = 0x7f;
    let (_dir, file) = open(&bytes).unwrap();
    let error = file.array("a").err().unwrap().to_string();
    assert!(error.contains("found 6 bytes that extend past the end of the file"), "{error}");
    let mut bytes = cdf1();
    bytes[4] = 0x7f;
    let (_dir, file) = open(&bytes).unwrap();
    assert!(file.array("b").is_err());
    assert!(file.read_strings("c").is_err());
    assert!(file.array("a").is_ok());
}

#[test]
fn missing_record_counts_are_computed() {
    let mut bytes = cdf1();
    bytes[4..8].fill(0xff);
    let (_dir, file) = open(&bytes).unwrap();
    assert_eq!(file.array("b").unwrap().len(), 2);
    // An incomplete record does not count.
    bytes.truncate(267);
    let (_dir, file) = open(&bytes).unwrap();
    assert_eq!(file.array("b").unwrap().len(), 1);
}

/// A variable of one dimension: its type and its elements.
#[derive(Clone, Debug)]
struct Sample {
    value_type: ValueType,
    records: bool,
    /// Elements of a record.
    row: usize,
    /// Elements, big-endian.
    bytes: Vec<u8>,
}

const TYPES: [(ValueType, u32); 10] = [
    (ValueType::I8, 1),
    (ValueType::I16, 3),
    (ValueType::I32, 4),
    (ValueType::F32, 5),
    (ValueType::F64, 6),
    (ValueType::U8, 7),
    (ValueType::U16, 8),
    (ValueType::U32, 9),
    (ValueType::I64, 10),
    (ValueType::U64, 11),
];

/// Writes a file of a format; all variables with records have the same number of them.
fn write_file(form: u8, samples: &[Sample], text: &str) -> Vec<u8> {
    let size = |sample: &Sample| sample.value_type.size();
    let len = |sample: &Sample| sample.bytes.len() / size(sample) / sample.row;
    let count = |count: usize| match form {
        5 => (count as u64).to_be_bytes().to_vec(),
        _ => u32::try_from(count).unwrap().to_be_bytes().to_vec(),
    };
    let tag = |tag: u32, of: usize| [&tag.to_be_bytes()[..], &count(of)].concat();
    let padded = |mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let name = |name: &str| [count(name.len()), padded(name.into())].concat();
    let records = samples.iter().find(|sample| sample.records).map_or(0, len);
    let make = |begins: &[usize]| {
        let mut bytes = [b"CDF", &[form][..], &count(records)].concat();
        // The record dimension, and one for each variable.
        bytes.extend(tag(10, samples.len() + 1));
        bytes.extend([name("records"), count(0)].concat());
        for (at, sample) in samples.iter().enumerate() {
            bytes.extend(
                [
                    name(&format!("d{at}")),
                    count(if sample.row > 1 { sample.row } else { len(sample).max(1) }),
                ]
                .concat(),
            );
        }
        bytes.extend([tag(12, 1), name("binsparse"), vec![0, 0, 0, 2], count(text.len())].concat());
        bytes.extend(padded(text.into()));
        bytes.extend(tag(11, samples.len()));
        for (at, sample) in samples.iter().enumerate() {
            let dimension = if sample.records { 0 } else { at + 1 };
            bytes.extend(name(&format!("v{at}")));
            match sample.row {
                1 => bytes.extend([count(1), count(dimension)].concat()),
                _ => bytes.extend([count(2), count(0), count(at + 1)].concat()),
            }
            bytes.extend(
                [tag(12, 1), name("units"), vec![0, 0, 0, 2], count(1), vec![b'm', 0, 0, 0]]
                    .concat(),
            );
            let code = TYPES.iter().find(|(value_type, _)| *value_type == sample.value_type);
            bytes.extend(code.unwrap().1.to_be_bytes());
            bytes.extend(count(0));
            match form {
                1 => bytes.extend(u32::try_from(begins[at]).unwrap().to_be_bytes()),
                _ => bytes.extend((begins[at] as u64).to_be_bytes()),
            }
        }
        bytes
    };
    let header = make(&vec![0; samples.len()]).len();
    let mut begins = vec![0; samples.len()];
    let mut data = Vec::new();
    for (begin, sample) in begins.iter_mut().zip(samples).filter(|(_, sample)| !sample.records) {
        *begin = header + data.len();
        data.extend(padded(sample.bytes.clone()));
    }
    let with_records: Vec<usize> = (0..samples.len()).filter(|&at| samples[at].records).collect();
    for record in 0..records {
        for &at in &with_records {
            if record == 0 {
                begins[at] = header + data.len();
            }
            let size = size(&samples[at]) * samples[at].row;
            data.extend(&samples[at].bytes[record * size..(record + 1) * size]);
            // A single record variable is not padded.
            if with_records.len() > 1 {
                data = padded(data);
            }
        }
    }
    [make(&begins), data].concat()
}

fn samples() -> impl Strategy<Value = (u8, Vec<Sample>, String)> {
    (prop::sample::select(&[1_u8, 2, 5][..]), 0..40_usize).prop_flat_map(|(form, records)| {
        let known = if form == 5 { &TYPES[..] } else { &TYPES[..5] };
        let sample = (prop::sample::select(known), any::<bool>(), 1..60_usize).prop_flat_map(
            move |((value_type, _), of_records, len)| {
                let len = if of_records { records } else { len };
                prop::collection::vec(any::<u8>(), len * value_type.size()).prop_map(move |bytes| {
                    Sample { value_type, records: of_records, row: 1, bytes }
                })
            },
        );
        (Just(form), prop::collection::vec(sample, 0..6), "[a-z\n\u{e4}]{0,40}")
    })
}

proptest! {
    #[test]
    fn random_files_are_read((form, samples, text) in samples(), first in 0..40_usize) {
        let bytes = write_file(form, &samples, &text);
        let (_dir, file) = open(&bytes).unwrap();
        assert_eq!(file.attribute("binsparse").unwrap(), text);
        for (at, sample) in samples.iter().enumerate() {
            let array = file.array(&format!("v{at}")).unwrap();
            assert_eq!(array.value_type(), sample.value_type);
            let size = sample.value_type.size();
            assert_eq!(array.len(), (sample.bytes.len() / size) as u64);
            let mut expected = sample.bytes.clone();
            if cfg!(target_endian = "little") {
                expected.chunks_mut(size).for_each(<[u8]>::reverse);
            }
            let first = first.min(sample.bytes.len() / size);
            let mut out = vec![0; sample.bytes.len() - first * size];
            array.read_bytes(first as u64, &mut out).unwrap();
            assert_eq!(&out, &expected[first * size..]);
        }
    }
}

#[test]
fn distant_records_are_read() {
    // Other variables that make a record longer than a block, or blocks of a few records.
    for width in [100_usize, 40_000, 400_000] {
        let records = 3_000_000 / width;
        let numbers: Vec<u8> =
            (0..records).flat_map(|n| u16::try_from(n).unwrap().to_be_bytes()).collect();
        let thin =
            Sample { value_type: ValueType::I16, records: true, row: 1, bytes: numbers.clone() };
        let filling = vec![0xdd; records * width];
        let wide = Sample { value_type: ValueType::I8, records: true, row: width, bytes: filling };
        let bytes = write_file(2, &[thin, wide], "");
        let (_dir, file) = open(&bytes).unwrap();
        let array = file.array("v0").unwrap();
        let mut out = vec![0_i16; records];
        array.read_into(0, &mut out).unwrap();
        let found: Vec<u8> = out.iter().flat_map(|number| number.to_be_bytes()).collect();
        assert_eq!(found, numbers);
        let mut two = [0_i16; 2];
        array.read_into(1, &mut two).unwrap();
        assert_eq!(two, out[1..3]);
        let error = file.array("v1").err().unwrap().to_string();
        assert!(
            error.ends_with(&format!(
                "found an array of {records} x {width}, expected one dimension"
            ))
        );
    }
}
