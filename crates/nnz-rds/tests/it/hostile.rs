//! Invalid streams: no panic, no endless loop, and no memory for data that does not exist.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use nnz_rds::{ErrorKind, Limits, Value, Version, Writer, read};
use nnz_testing::mutations::rounds;
use nnz_testing::random::Random;
use proptest::prelude::*;

/// The header of a stream of version 2, by R 4.0.0.
const HEAD: &[u8] = b"X\n\0\0\0\x02\0\x04\0\0\0\x02\x03\0";

fn stream(numbers: &[u32]) -> Vec<u8> {
    let mut bytes = HEAD.to_vec();
    bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    bytes
}

fn refusal(bytes: &[u8]) -> nnz_rds::Error {
    read(bytes, Limits::default()).unwrap_err()
}

#[test]
fn lengths_beyond_the_data_take_no_memory() {
    for code in [10_u32, 13, 14, 15, 16, 19, 20, 24] {
        for length in [vec![0x7fff_ffff], vec![u32::MAX, 65_536, 0], vec![u32::MAX, 0xffff, 7]] {
            let error = refusal(&stream(&[&[code][..], &length, &[254, 254]].concat()));
            let ends = error.to_string().contains("the end of the data")
                || error.to_string().contains("expected a string");
            // An allocation of this length would fail.
            assert!(ends && matches!(error.kind(), ErrorKind::Mismatch { .. }), "{code}: {error}");
        }
        for length in [vec![0xffff_fffe], vec![0x8000_0000], vec![u32::MAX, 65_537, 0]] {
            let error = refusal(&stream(&[&[code][..], &length].concat())).to_string();
            assert!(error.contains("length"), "{code}: {error}");
        }
        let error = refusal(&stream(&[code, u32::MAX, u32::MAX, 0])).to_string();
        assert!(error.contains("upper half -1"), "{error}");
    }
    for length in [0x7fff_ffff_u32, 0x8000_0000, 0xffff_fffe] {
        let error = refusal(&stream(&[16, 1, 0x0004_0009, length]));
        assert!(matches!(error.kind(), ErrorKind::Mismatch { .. }), "{error}");
    }
}

#[test]
fn deep_nesting_is_skipped_on_a_small_stack() {
    let deep = |unit: &[u32]| {
        let mut bytes = HEAD.to_vec();
        let unit: Vec<u8> = unit.iter().flat_map(|number| number.to_be_bytes()).collect();
        bytes.extend(unit.iter().cycle().take(1 << 20));
        bytes
    };
    let list = [19, 1];
    let expression = [20, 1];
    let car = [2];
    let call = [6];
    let attributes_of_pairlist = [0x202];
    let altrep = [238];
    let units = [&list[..], &expression, &car, &call, &attributes_of_pairlist, &altrep];
    for unit in units {
        let mut bytes = deep(unit);
        bytes[5] = 3;
        if unit == altrep {
            // Version 3 has the name of an encoding, which is empty here.
            bytes.splice(14..14, [0, 0, 0, 0]);
        } else {
            bytes[5] = 2;
        }
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        let refused = thread.spawn(move || refusal(&bytes).to_string()).unwrap().join().unwrap();
        assert!(refused.contains("the end of the data"), "{unit:?}: {refused}");
    }
    let mut numbers = [19, 1].repeat(100_000);
    numbers.push(254);
    let bytes = stream(&numbers);
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let read = move || read(&bytes[..], Limits::default()).unwrap();
    let document = thread.spawn(read).unwrap().join().unwrap();
    let mut inner = &document.object;
    let mut depth = 0;
    while let Value::List(members) = &inner.value {
        (inner, depth) = (&members[0], depth + 1);
    }
    assert_eq!(depth, 256);
    assert!(matches!(inner.value, Value::Skipped(_)));
}

#[test]
fn a_list_of_maximum_depth_is_read_and_written() {
    let mut numbers = [19, 1].repeat(255);
    numbers.push(254);
    let document = read(&stream(&numbers)[..], Limits::default()).unwrap();
    let mut writer = Writer::new(Vec::new(), Version::V2).unwrap();
    writer.object(&document.object).unwrap();
    assert_eq!(writer.finish().unwrap()[14..], stream(&numbers)[14..]);
}

#[test]
fn references_resolve_to_earlier_symbols() {
    // A list of a symbol and a reference to it, in the flags or separate.
    let symbol = [1, 0x0004_0009, 1];
    let with = |reference: &[u32]| {
        let mut bytes = stream(&[&[19, 2][..], &symbol].concat());
        bytes.push(b'a');
        bytes.extend(reference.iter().flat_map(|number| number.to_be_bytes()));
        bytes
    };
    for good in [&[0x1ff][..], &[0xff, 1]] {
        let document = read(&with(good)[..], Limits::default()).unwrap();
        let Value::List(members) = &document.object.value else { panic!() };
        assert!(members.iter().all(|m| matches!(&m.value, Value::Symbol(s) if s.is("a"))));
    }
    for bad in [&[0x2ff][..], &[0xff, 0], &[0xff, 2], &[0xff, u32::MAX], &[0xffff_ffff]] {
        let error = refusal(&with(bad)).to_string();
        assert!(error.contains("expected one of the 1 symbols before it"), "{error}");
    }
    let error = refusal(&stream(&[0x1ff])).to_string();
    assert!(error.contains("one of the 0 symbols before it"), "{error}");
}

#[test]
fn the_memory_limit_is_enforced() {
    let mut numbers = vec![19, 100_000];
    numbers.extend(vec![254; 100_000]);
    let bytes = stream(&numbers);
    assert!(read(&bytes[..], Limits { memory: 100_000_000 }).is_ok());
    let error = read(&bytes[..], Limits { memory: 1_000_000 }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { allowed: 1_000_000, .. }), "{error}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&stream(&[13, 0x7fff_ffff])).unwrap();
    for _ in 0..64 {
        gzip.write_all(&[0; 1 << 20]).unwrap();
    }
    let bomb = gzip.finish().unwrap();
    let error = read(&bomb[..], Limits { memory: 10 << 20 }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
    // A string is refused for its length, before it is read.
    let string = stream(&[16, 1, 9, 0x7fff_ffff]);
    let error = read(&string[..], Limits { memory: 10 << 20 }).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Memory { .. }), "{error}");
}

#[test]
fn trailing_data_is_refused() {
    let error = refusal(&stream(&[254, 254])).to_string();
    assert!(error.contains("byte 18: found more data after the object"), "{error}");
}

#[test]
fn trailing_data_after_gzip_is_refused() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&stream(&[254])).unwrap();
    let whole = gzip.finish().unwrap();
    assert!(read(&whole[..], Limits::default()).is_ok());
    for junk in [&b"junk"[..], b"\0", b"more than ten bytes of junk"] {
        let error = refusal(&[&whole[..], junk].concat()).to_string();
        assert!(error.contains("byte 18: gzip: bytes after the end of the object"), "{error}");
    }
    // Another member may be the continuation, and a truncated file has none.
    let more = refusal(&[&whole[..], &whole].concat()).to_string();
    assert!(more.contains("byte 18: found more data after the object"), "{more}");
    for cut in [1, 4, 8] {
        let error = refusal(&whole[..whole.len() - cut]).to_string();
        assert!(error.contains("found the end of the data"), "{error}");
    }
}

#[test]
fn invalid_sequences_are_refused() {
    let sequence = |class: &str, state: [f64; 3]| {
        let mut writer = Writer::new(Vec::new(), Version::V3).unwrap();
        writer.start_reals(3, false).unwrap();
        writer.reals(&state).unwrap();
        let reals = writer.finish().unwrap();
        let (head, reals) = reals.split_at(23);
        let mut bytes = head.to_vec();
        let int = |number: u32, bytes: &mut Vec<u8>| bytes.extend(number.to_be_bytes());
        for number in [238, 2, 1, 0x0004_0009, u32::try_from(class.len()).unwrap()] {
            int(number, &mut bytes);
        }
        bytes.extend(class.as_bytes());
        int(254, &mut bytes);
        bytes.extend(reals);
        int(254, &mut bytes);
        read(&bytes[..], Limits::default())
    };
    assert!(sequence("compact_intseq", [3.0, 1.0, 1.0]).is_ok());
    for bad in [
        [-1.0, 1.0, 1.0],
        [f64::NAN, 1.0, 1.0],
        [1e300, 1.0, 1.0],
        [1.5, 1.0, 1.0],
        [3.0, 1.0, 2.0],
        [3.0, 0.5, 1.0],
        [3.0, 2_147_483_646.0, 1.0],
        [3.0, -2_147_483_646.0, -1.0],
        [3.0, f64::INFINITY, 1.0],
    ] {
        assert!(sequence("compact_intseq", bad).is_err(), "{bad:?}");
    }
    for class in ["mmap_real", "my_own"] {
        let object = sequence(class, [3.0, 1.0, 1.0]).unwrap().object;
        assert!(matches!(object.value, Value::Skipped(_)), "{class}");
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    let limits = Limits { memory: 64 << 20 };
    let (mut files, mut refused) = (0, 0);
    for directory in ["rds", "bpcells/matrix_rds", "bpcells/fragments_rds"] {
        for entry in fs::read_dir(testdata.join(directory)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "rds") {
                continue;
            }
            files += 1;
            let stored = fs::read(&path).unwrap();
            let mut plain = Vec::new();
            if flate2::read::MultiGzDecoder::new(&stored[..]).read_to_end(&mut plain).is_err() {
                plain.clone_from(&stored);
            }
            for bytes in [&stored, &plain] {
                let mut random = Random::new(files);
                for round in 0..rounds() {
                    let mut mutated = bytes.clone();
                    let at = random.below(mutated.len());
                    match round % 5 {
                        0 => mutated[at] ^= 1 << random.below(8),
                        1 => mutated.truncate(at),
                        // Lengths and codes are at the start.
                        2 => mutated[at % 200.min(bytes.len())] = 0xff,
                        3 => {
                            let number = [0xff, 0x7f, 0x80, 0][usize::from(round % 4 > 1)];
                            mutated[at] = number;
                        }
                        _ => {
                            let part = mutated[at..].to_vec();
                            mutated.extend(part);
                        }
                    }
                    refused += u64::from(read(&mutated[..], limits).is_err());
                }
            }
        }
    }
    assert!(files > 100 && refused > files * rounds() / 2, "{files} files, {refused} refused");
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let limits = Limits { memory: 1 << 20 };
        let _ = read(&bytes[..], limits);
        let _ = read(&[HEAD, &bytes].concat()[..], limits);
        for magic in [&b"A\n"[..], b"B\n", b"BZh9", b"\xfd7zXZ\0"] {
            let _ = read(&[magic, &bytes].concat()[..], limits);
        }
    }

    #[test]
    fn arbitrary_text_does_not_panic(text in "A\n[23]\n1\n1\n([0-9]{1,4}\n|NA\n|\\\\[0-9a]|0x1p[0-9]{1,4}\n|[a-z]){0,60}") {
        let _ = read(text.as_bytes(), Limits { memory: 1 << 20 });
    }
}
