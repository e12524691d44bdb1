//! Files of R: read, and written again with the same bytes.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use nnz_rds::{Compression, Encoding, Limits, Object, Strings, Value, Version, Writer, read};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn files(directories: &[&str]) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for directory in directories {
        let entries = fs::read_dir(testdata().join(directory)).unwrap();
        all.extend(entries.map(|entry| entry.unwrap().path()));
    }
    all.retain(|path| path.extension().is_some_and(|extension| extension == "rds"));
    all.sort();
    all
}

fn decompress(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut all = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut all).unwrap();
    all
}

fn open(name: &str) -> nnz_rds::Result<nnz_rds::Document> {
    read(fs::File::open(testdata().join("rds").join(name)).unwrap(), Limits::default())
}

fn write(object: &Object, version: Version) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), version).unwrap();
    writer.object(object).unwrap();
    writer.finish().unwrap()
}

/// Replaces the version of R in a written file.
fn with_version_of_r(writer: u32, mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[6..10].copy_from_slice(&writer.to_be_bytes());
    bytes
}

#[test]
fn files_are_rewritten_with_the_same_bytes() {
    let mut same = 0;
    for path in files(&["rds", "bpcells/matrix_rds", "bpcells/fragments_rds"]) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Ok(document) = read(fs::File::open(&path).unwrap(), Limits::default()) else {
            continue;
        };
        if document.workspace || format!("{:?}", document.object).contains("Skipped(") {
            continue;
        }
        let bytes = decompress(&path);
        // Wrapped vectors and deferred strings are written in full.
        let changes = ["wrap_", "deferred"].iter().any(|start| name.starts_with(start));
        if !bytes.starts_with(b"X\n") || changes {
            continue;
        }
        let version = if document.version == 2 { Version::V2 } else { Version::V3 };
        let again = with_version_of_r(document.writer, write(&document.object, version));
        assert!(again == bytes, "{name}");
        same += 1;
    }
    assert!(same >= 100, "{same} files");
}

#[test]
fn all_encodings_and_compressions_are_read() {
    let plain = open("all_plain.rds").unwrap();
    assert_eq!(plain.compression, Compression::None);
    assert_eq!(plain.native.as_deref(), Some("UTF-8"));
    let expected = write(&plain.object, Version::V2);
    for (name, compression) in [
        ("all.rds", Compression::Gzip),
        ("all_v2.rds", Compression::Gzip),
        ("all_bz.rds", Compression::Bzip2),
        ("all_xz.rds", Compression::Xz),
        ("all_ascii.rds", Compression::Gzip),
        ("all_hex.rds", Compression::None),
        ("all_native.rds", Compression::None),
    ] {
        let document = open(name).unwrap();
        assert_eq!(document.compression, compression, "{name}");
        let mut bytes = write(&document.object, Version::V2);
        let mut expected = expected.clone();
        if name.contains("ascii") || name.contains("hex") {
            // The ASCII encoding has one NaN without payload.
            for all in [&mut bytes, &mut expected] {
                let (mut i, mut zeroed) = (0, 0);
                while i + 8 <= all.len() {
                    let bits = u64::from_be_bytes(all[i..i + 8].try_into().unwrap());
                    if bits & !(1 << 63) == 0x7ff8_0000_0000_0000 {
                        all[i..i + 8].fill(0);
                        zeroed += 1;
                    }
                    i += 1;
                }
                assert_eq!(zeroed, 1, "{name}");
            }
        }
        assert!(bytes == expected, "{name}");
    }
}

fn texts(strings: &Strings) -> Vec<String> {
    let mut all = Vec::new();
    let visited: Result<(), ()> = strings.try_for_each(|text| {
        all.push(text.map_or("NA".to_owned(), |text| text.to_utf8(None).unwrap().into_owned()));
        Ok(())
    });
    visited.unwrap();
    all
}

#[test]
fn deferred_strings_are_formatted_like_r() {
    let Value::Character(strings) = open("deferred.rds").unwrap().object.value else { panic!() };
    assert_eq!(strings.len(), 100_000);
    let all = texts(&strings);
    assert_eq!((all[0].as_str(), all[99_999].as_str()), ("1", "100000"));
    let Value::Character(strings) = open("deferred_real.rds").unwrap().object.value else {
        panic!()
    };
    let expected = ["1", "2", "1e+05", "123456", "NA", "NaN", "-1e+05", "1e+14"];
    assert_eq!(texts(&strings), expected);
    // Their text depends on the version of R.
    let Value::Skipped(what) = open("deferred_frac.rds").unwrap().object.value else { panic!() };
    assert!(what.contains("deferred_string"), "{what}");
}

#[test]
fn sequences_take_no_memory() {
    let Value::Real(numbers) = open("realseq.rds").unwrap().object.value else { panic!() };
    assert_eq!(numbers.len(), 10_000_000_000);
    assert_eq!(numbers.get(9_999_999_999), Some(1e10));
    assert_eq!(numbers.get(10_000_000_000), None);
    let Value::Integer(numbers) = open("seq_down.rds").unwrap().object.value else { panic!() };
    let mut out = [0; 3];
    numbers.read(7, &mut out).unwrap();
    assert_eq!(out, [3, 2, 1]);
    numbers.read(8, &mut out).unwrap_err();
}

#[test]
fn wrapped_vectors_are_unwrapped() {
    let Value::Integer(numbers) = open("wrap_int.rds").unwrap().object.value else { panic!() };
    assert_eq!((numbers.get(0), numbers.get(999)), (Some(1), Some(1000)));
    let Value::Real(numbers) = open("wrap_real.rds").unwrap().object.value else { panic!() };
    let all = numbers.as_slice().unwrap();
    assert!(all.len() == 200 && all.is_sorted());
    let Value::Character(strings) = open("wrap_str.rds").unwrap().object.value else { panic!() };
    assert!(texts(&strings).is_sorted());
}

#[test]
fn strings_keep_their_encodings() {
    let document = open("all.rds").unwrap();
    let Value::List(members) = &document.object.value else { panic!() };
    let Some(Value::Character(names)) = document.object.attribute("names").map(|o| &o.value) else {
        panic!()
    };
    let names = texts(names);
    let member = |name: &str| &members[names.iter().position(|n| n == name).unwrap()];
    let text = |name: &str| match &member(name).value {
        Value::Character(strings) => strings.only().unwrap(),
        _ => panic!(),
    };
    let latin = text("l1");
    assert_eq!(latin.get().encoding, Encoding::Latin1);
    assert_eq!(latin.get().to_utf8(None).unwrap(), "café");
    let bytes = text("by");
    assert_eq!((bytes.get().bytes, bytes.get().encoding), (&b"\xff\xfe"[..], Encoding::Bytes));
    assert_eq!(bytes.get().to_utf8(None), None);
}

#[test]
fn code_and_environments_are_skipped() {
    for (name, expected) in [
        ("closure.rds", "a function (closure)"),
        ("env.rds", "an environment"),
        ("global.rds", "the global environment"),
        ("builtin.rds", "a built-in function"),
        ("bytecode.rds", "a function (closure)"),
    ] {
        let Value::Skipped(what) = open(name).unwrap().object.value else { panic!("{name}") };
        assert_eq!(what, expected, "{name}");
    }
    let formula = open("formula.rds").unwrap().object;
    let environment = &formula.attribute(".Environment").unwrap().value;
    assert!(matches!(environment, Value::Skipped("the global environment")));
}

#[test]
fn workspaces_have_variables() {
    let document = open("workspace.rds").unwrap();
    assert!(document.workspace);
    let Value::Pairlist(variables) = &document.object.value else { panic!() };
    assert!(!variables.entries.is_empty());
    assert!(variables.entries.iter().all(|variable| variable.tag.is_some()));
}

#[test]
fn objects_are_detected_by_content() {
    for path in files(&["rds", "bpcells/matrix_rds"]) {
        let found = nnz_rds::looks_like(fs::File::open(&path).unwrap()).unwrap();
        assert!(found, "{}", path.display());
    }
    for other in [&b""[..], b"X", b"%%MatrixMarket", b"\x89HDF\r\n\x1a\n", b"\x1f\x8b\x08"] {
        assert!(!nnz_rds::looks_like(other).unwrap_or(false));
    }
}
