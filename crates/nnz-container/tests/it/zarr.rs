//! Reading Zarr stores, and errors of invalid ones.

use nnz_container::zarr::{ZarrGroup, ZarrOptions, ZarrWriter, groups_with, is_zarr};
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_core::Result;
use nnz_storage::staging::WriteOptions;

use crate::common::binsparse;

/// Writes a store with one array, `a`, from its metadata and chunk files.
fn store(metadata: &str, chunks: &[(&str, &[u8])]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let two = metadata.contains("\"zarr_format\": 2");
    let group = if two { ".zgroup" } else { "zarr.json" };
    let version = if two { 2 } else { 3 };
    let text = format!("{{\"zarr_format\": {version}, \"node_type\": \"group\"}}");
    std::fs::write(dir.path().join(group), text).unwrap();
    let array = dir.path().join("a");
    std::fs::create_dir_all(array.join("c")).unwrap();
    std::fs::write(array.join(if two { ".zarray" } else { "zarr.json" }), metadata).unwrap();
    for (name, bytes) in chunks {
        std::fs::write(array.join(name), bytes).unwrap();
    }
    dir
}

/// The metadata of an array of version 3.
fn three(len: &str, data_type: &str, chunk: &str, fill: &str, codecs: &str) -> String {
    format!(
        r#"{{"zarr_format": 3, "node_type": "array", "shape": [{len}], "data_type": "{data_type}",
        "chunk_grid": {{"name": "regular", "configuration": {{"chunk_shape": [{chunk}]}}}},
        "chunk_key_encoding": {{"name": "default"}}, "fill_value": {fill}, "codecs": [{codecs}]}}"#
    )
}

const LITTLE: &str = r#"{"name": "bytes", "configuration": {"endian": "little"}}"#;
const BIG: &str = r#"{"name": "bytes", "configuration": {"endian": "big"}}"#;

/// The metadata of an array of version 2.
fn two(len: &str, dtype: &str, chunk: &str, compressor: &str, filters: &str) -> String {
    format!(
        r#"{{"zarr_format": 2, "shape": [{len}], "dtype": "{dtype}", "chunks": [{chunk}],
        "order": "C", "fill_value": 7, "compressor": {compressor}, "filters": {filters}}}"#
    )
}

/// Reads the array `a` as native-endian bytes.
fn read(dir: &tempfile::TempDir) -> Result<Vec<u8>> {
    let array = crate::common::open_zarr(dir.path(), "")?.array("a")?;
    let mut bytes = vec![0; usize::try_from(array.len()).unwrap() * array.value_type().size()];
    array.read_bytes(0, &mut bytes)?;
    Ok(bytes)
}

fn refused(dir: &tempfile::TempDir, message: &str) {
    let error = read(dir).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
    assert!(error.contains(": a"), "{error}");
}

fn native<const N: usize>(numbers: [u16; N]) -> Vec<u8> {
    numbers.map(u16::to_ne_bytes).concat()
}

#[test]
fn stores_of_python_are_read_exactly() {
    let entries = binsparse::entries("zarr");
    assert!(entries.len() >= 15);
    for entry in entries {
        let path = binsparse::root().join(entry["path"].as_str().unwrap());
        assert!(is_zarr(&path).unwrap());
        let zarr = crate::common::open_zarr(&path, "").unwrap();
        binsparse::check(&zarr, &entry);
        let found = groups_with(&path, &["binsparse"]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].group, "");
        assert_eq!(found[0].text, zarr.attribute("binsparse").unwrap());

        // Written again.
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("again.zarr");
        let options = ZarrOptions { consolidate: false, ..ZarrOptions::default() };
        let write = WriteOptions::default().overwrite(false).sync(false);
        let to = ZarrWriter::create(&at, "in/here", write, options).unwrap();
        let mut to = NamedArraysWriter::new(to).chunk(5);
        to.set_attribute("binsparse", &zarr.attribute("binsparse").unwrap()).unwrap();
        for name in zarr.members().unwrap() {
            let Ok(array) = zarr.array(&name) else { continue };
            let id = to.create_array(&name, array.value_type()).unwrap();
            let len = usize::try_from(array.len()).unwrap();
            let mut bytes = vec![0; len * array.value_type().size()];
            array.read_bytes(0, &mut bytes).unwrap();
            to.append_bytes(id, &bytes).unwrap();
        }
        to.finish().unwrap();
        binsparse::check(&crate::common::open_zarr(&at, "in/here").unwrap(), &entry);
        let found = groups_with(&at, &["binsparse"]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].group, "in/here");
    }
}

#[test]
fn codecs_types_and_layouts_of_python_are_read() {
    let (root, manifest) = binsparse::codec_files("zarr");
    for file in ["v2.zarr", "v3.zarr"] {
        let path = root.join(file);
        for threads in [1, 3] {
            let zarr = ZarrGroup::with_threads(&path, "", threads).map(NamedArrays::new).unwrap();
            binsparse::check_codec_file(&zarr, &manifest, file);
        }
        let zarr = crate::common::open_zarr(&path, "").unwrap();
        assert_eq!(zarr.attribute("text").unwrap(), "a text");
        assert!(zarr.attribute("binsparse").unwrap().contains("9223372036854775808"));
        assert!(zarr.array("texts").is_err());
        assert!(zarr.strings_size("int32").is_err());
        assert!(zarr.strings_size("texts").unwrap() > 0);
        assert!(zarr.array("int32").unwrap().stored_bytes().unwrap() > 0);
    }
}

#[test]
fn missing_chunks_have_the_fill_value() {
    let metadata = three("7", "uint16", "3", "258", BIG);
    let dir = store(&metadata, &[("c/1", &[0, 4, 0, 5, 0, 6])]);
    assert_eq!(read(&dir).unwrap(), native([258, 258, 258, 4, 5, 6, 258]));
    let dir = store(&two("3", ">u2", "2", "null", "null"), &[("1", &[1, 1, 9, 9])]);
    assert_eq!(read(&dir).unwrap(), native([7, 7, 257]));
}

#[test]
fn chunks_of_a_shard_are_found_by_its_index() {
    let shards = |location: &str| {
        let codecs = format!(
            r#"{{"name": "sharding_indexed", "configuration": {{"chunk_shape": [2],
            "codecs": [{LITTLE}], "index_codecs": [{LITTLE}], "index_location": "{location}"}}}}"#
        );
        three("5", "uint16", "4", "9", &codecs)
    };
    let index = |entries: [u64; 4]| entries.map(u64::to_le_bytes).concat();
    // The second chunk comes first, the first is not stored.
    let shard = [&[1, 0, 2, 0][..], &index([u64::MAX, u64::MAX, 0, 4])].concat();
    let dir = store(&shards("end"), &[("c/0", &shard)]);
    assert_eq!(read(&dir).unwrap(), native([9, 9, 1, 2, 9]));
    let shard = [&index([32, 4, u64::MAX, u64::MAX])[..], &[1, 0, 2, 0]].concat();
    let dir = store(&shards("start"), &[("c/0", &shard)]);
    assert_eq!(read(&dir).unwrap(), native([1, 2, 9, 9, 9]));
    // Outside of the shard, overflowing, too long, too short.
    for (entries, message) in [
        ([33, 4, 0, 0], "4 bytes at byte 33 of a shard"),
        ([u64::MAX, 4, 0, 0], "of a shard"),
        ([32, u64::MAX - 1, 0, 0], "of a shard"),
        ([0, 36, 0, 0], "a chunk of 36 bytes"),
        ([0, 3, 0, 0], "a chunk of 3 bytes"),
    ] {
        let shard = [&index(entries)[..], &[1, 0, 2, 0]].concat();
        refused(&store(&shards("start"), &[("c/0", &shard)]), message);
    }
    refused(&store(&shards("end"), &[("c/0", &[0; 31])]), "an index of 32");
}

#[test]
fn lengths_without_data_are_refused() {
    let zstd = format!("{LITTLE}, {{\"name\": \"zstd\"}}");
    for (len, chunk, message) in [
        ("1152921504606846976", "1000", "with chunks of"),
        ("18446744073709551615", "1000", "fewer than 2^64 bytes"),
        ("18446744073709551616", "1000", "a list of whole numbers"),
        ("-1", "1000", "a list of whole numbers"),
        ("3, 4", "1000, 2", "an array of 3 x 4"),
        ("3, 4", "1000", "2 lengths of 1 or more"),
        ("", "", "a single number"),
        ("10", "0", "one length of 1 or more"),
        ("10", "1, 1", "one length of 1 or more"),
        ("10", "4611686018427387904", "fewer than 2^64 bytes"),
        ("10", "1152921504606846976", "bytes for a chunk of"),
        (&("1,".repeat(1 << 20) + "1"), "10", "at most 1 MiB of JSON"),
    ] {
        let metadata = three(len, "float64", chunk, "0.0", &zstd);
        refused(&store(&metadata, &[("c/0", b"")]), message);
    }
    // Strings are counted too.
    let texts = three("1152921504606846976", "string", "10", "\"\"", r#"{"name": "vlen-utf8"}"#);
    let dir = store(&texts, &[]);
    let zarr = crate::common::open_zarr(dir.path(), "").unwrap();
    assert!(zarr.strings_size("a").is_err());
    let empty_strings =
        two("1152921504606846000", "<U0", "10", "null", "null").replace(": 7", ": null");
    let dir = store(&empty_strings, &[]);
    let zarr = crate::common::open_zarr(dir.path(), "").unwrap();
    let error = zarr.strings_size("a").unwrap_err().to_string();
    assert!(error.contains("with chunks of 0 bytes"), "{error}");
}

#[test]
fn a_chunk_of_a_wrong_length_is_refused() {
    let codecs = |name: &str| format!("{LITTLE}, {{\"name\": \"{name}\"}}");
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(9));
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let array = three("2", "uint16", "2", "0", &codecs("gzip"));
    assert_eq!(read(&store(&array, &[("c/0", &gzip(&[1, 0, 2, 0]))])).unwrap(), native([1, 2]));
    refused(&store(&array, &[("c/0", &gzip(&[1, 0, 2, 0, 3, 0]))]), "more decompressed bytes");
    refused(&store(&array, &[("c/0", &gzip(&[0; 60_000_000]))]), "more decompressed bytes");
    refused(&store(&array, &[("c/0", &gzip(&[1, 0, 2]))]), "a chunk: 3 bytes");
    refused(&store(&array, &[("c/0", &gzip(&[1, 0, 2, 0])[..20])]), "damaged");
    refused(&store(&array, &[("c/0", &vec![0; 1 << 20])]), "a chunk of 1048576 bytes");
    let plain = three("2", "uint16", "2", "0", LITTLE);
    refused(&store(&plain, &[("c/0", &[1, 0, 2])]), "found a chunk of 3 bytes");
    let summed = three("2", "uint16", "2", "0", &codecs("crc32c"));
    refused(
        &store(&summed, &[("c/0", &[1, 0, 2, 0, 1, 2, 3, 4])]),
        "the stored CRC-32C checksum is",
    );
    // A Blosc frame that is stored, one that states more, and one with invalid block offsets.
    let blosc = three("2", "uint16", "2", "0", &codecs("blosc"));
    let frame = |flags: u8, length: u8, block: u8, rest: &[u8]| {
        let packed = u8::try_from(16 + rest.len()).unwrap();
        let head = [2, 1, flags, 2, length, 0, 0, 0, block, 0, 0, 0, packed, 0, 0, 0];
        [&head, rest].concat()
    };
    let valid = frame(2, 4, 4, &[1, 0, 2, 0]);
    assert_eq!(read(&store(&blosc, &[("c/0", &valid)])).unwrap(), native([1, 2]));
    for bytes in [
        frame(2, 5, 4, &[1, 0, 2, 0]),
        frame(2, 4, 4, &[1, 0, 2]),
        frame(0x20, 4, 0, &[20, 0, 0, 0]),
        frame(0x20, 4, 4, &[255, 255, 255, 255]),
        frame(0x20, 4, 1, &[20, 0, 0, 0]),
        frame(0x50, 4, 4, &[20, 0, 0, 0, 4, 0, 0, 0, 1, 2, 3]),
        valid[..10].to_vec(),
    ] {
        assert!(read(&store(&blosc, &[("c/0", &bytes)])).is_err(), "{bytes:?}");
    }
}

#[test]
fn unsupported_features_are_named() {
    for (metadata, message) in [
        (three("2", "float16", "2", "0", LITTLE), "type float16"),
        (three("2", "complex[float32]", "2", "0", LITTLE), "type \"complex[float32]\""),
        (three("2", "int8", "2", "0", r#""bytes", {"name": "zfp"}"#), "codec \"zfp\""),
        (three("2", "int8", "2", "0", r#"{"name": "scale_offset"}, "bytes""#), "scale_offset"),
        (three("2", "int8", "2", "0", r#""bytes", "gzip", "zstd""#), "compressed twice"),
        (three("2", "int8", "2", "300", r#""bytes""#), "fill_value 300"),
        (three("2", "int16", "2", "0", r#""bytes""#), "byte order"),
        (three("2", "int8", "2", "0", ""), "a list of codecs"),
        (
            three("2", "int8", "2", "0", "\"bytes\"").replace("\"shape\"", "\"x\": 1, \"shape\""),
            "extension \"x\"",
        ),
        (two("2", "|O", "2", "null", r#"[{"id": "pickle"}]"#), "type \"|O\""),
        (two("2", "<f4", "2", "null", r#"[{"id": "delta", "dtype": "<f4"}]"#), "\"delta\""),
        (two("2", "<i4", "2", r#"{"id": "lzma"}"#, "null"), "compressor \"lzma\""),
        (two("2", "<f2", "2", "null", "null"), "type float16"),
    ] {
        refused(&store(&metadata, &[]), message);
    }
}

#[test]
fn invalid_metadata_is_refused() {
    for text in ["", "{", "[]", "{\"zarr_format\": 3}", "{\"zarr_format\": 4, \"node_type\": 1}"] {
        let dir = store(text, &[]);
        assert!(read(&dir).is_err(), "{text}");
        // The group itself is valid.
        assert!(crate::common::open_zarr(dir.path(), "").is_ok());
    }
    let deep = format!("{{\"zarr_format\": {}", "[".repeat(100_000));
    assert!(read(&store(&deep, &[])).is_err());
    let dir = tempfile::tempdir().unwrap();
    assert!(crate::common::open_zarr(dir.path(), "").is_err());
    assert!(groups_with(dir.path(), &["binsparse"]).is_err());
    assert!(!is_zarr(dir.path()).unwrap());
}

#[test]
fn paths_out_of_the_store_are_refused() {
    let dir = store(&three("2", "int8", "2", "0", "\"bytes\""), &[("c/0", &[1, 2])]);
    assert_eq!(read(&dir).unwrap(), [1, 2]);
    let zarr = crate::common::open_zarr(dir.path(), "").unwrap();
    assert!(zarr.array("/a/").is_ok());
    let outside = format!("../{}/a", dir.path().file_name().unwrap().to_string_lossy());
    for name in [outside.as_str(), "a/../a", "./a", "", "a\0"] {
        let error = zarr.array(name).err().unwrap();
        assert!(matches!(error.kind(), nnz_core::ErrorKind::Missing), "{name}");
        assert!(name.is_empty() || crate::common::open_zarr(dir.path(), name).is_err());
    }
    assert!(
        crate::common::open_zarr(dir.path(), "a")
            .unwrap_err()
            .to_string()
            .contains("found an array")
    );
}
