//! Files of a directory of named arrays: numbers with headers, lists of strings, attributes.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use nnz_container::directory::{Directory, DirectoryWriter};
use nnz_container::{NamedArrays, NamedArraysWriter};
use nnz_fuzz::scratch::Scratch;
use nnz_storage::staging::WriteOptions;

static SCRATCH: LazyLock<Scratch> = LazyLock::new(|| {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("store")).unwrap();
    scratch
});

fuzz_target!(|input: &[u8]| {
    SCRATCH.write("store/member", input);
    let store = Directory::open(&SCRATCH.path("store")).map(NamedArrays::new).unwrap();
    assert_eq!(store.members().unwrap(), ["member"]);
    // A string that ends in a carriage return would be ambiguous and is refused.
    let tag = store.attribute("member").ok().filter(|tag| !tag.ends_with('\r'));
    let strings = store.strings("member").ok();
    let strings = strings.filter(|all| !all.iter().any(|string| string.ends_with(b"\r")));
    assert!(store.strings_size("member").is_ok());
    let mut numbers = None;
    if let Ok(array) = store.array("member") {
        let size = array.value_type().size();
        let len = usize::try_from(array.len()).unwrap();
        let trailing = usize::try_from(array.trailing_bytes()).unwrap();
        assert!(len * size + trailing <= input.len());
        let mut out = vec![0; len * size];
        array.read_bytes(0, &mut out).unwrap();
        assert!(input.ends_with(&out) || trailing > 0);
        // Any range in bounds can be read, and no other.
        let first = len / 3;
        let mut part = vec![0; (len - first) * size];
        array.read_bytes(first as u64, &mut part).unwrap();
        assert_eq!(part, out[first * size..]);
        assert!(array.read_bytes(first as u64 + 1, &mut part).is_err() || part.is_empty());
        numbers = Some((array.value_type(), out));
    }

    // What was read round-trips, or is refused.
    SCRATCH.clear(&["again"]);
    let options = WriteOptions::default().overwrite(true).sync(false);
    let target = SCRATCH.path("again");
    let writer = DirectoryWriter::create(&target, options, &["numbers", "strings", "tag"]).unwrap();
    let mut writer = NamedArraysWriter::new(writer);
    if let Some((value_type, bytes)) = &numbers {
        let id = writer.create_array("numbers", *value_type).unwrap();
        writer.append_bytes(id, bytes).unwrap();
    }
    if let Some(strings) = &strings {
        writer.write_strings("strings", &mut strings.iter()).unwrap();
    }
    if let Some(tag) = &tag {
        writer.set_attribute("tag", tag).unwrap();
    }
    writer.finish().unwrap();
    let again = Directory::open(&target).map(NamedArrays::new).unwrap();
    if let Some((value_type, bytes)) = &numbers {
        let array = again.array("numbers").unwrap();
        let mut out = vec![0; bytes.len()];
        array.read_bytes(0, &mut out).unwrap();
        assert_eq!((array.value_type(), &out), (*value_type, bytes));
    }
    if let Some(strings) = &strings {
        let found = again.strings("strings").unwrap();
        assert!(found.iter().eq(strings.iter()));
    }
    if let Some(tag) = &tag {
        assert_eq!(&again.attribute("tag").unwrap(), tag);
    }
});
