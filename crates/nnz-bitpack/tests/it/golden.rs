//! Arrays packed by BPCells: the encoder writes the same words, and every backend decodes them.

use std::fs;
use std::path::PathBuf;

use nnz_bitpack::{Backend, Codec, EPOCH_WORDS, Encoder, EpochTable};

const CASES: [&str; 8] =
    ["allbits", "allbits_max", "partial", "ramps", "single", "sorted", "unsorted", "zigzag"];

/// The names of the codecs in BPCells.
const CODECS: [(Codec, &str); 4] = [
    (Codec::Plain, "bp128"),
    (Codec::MinusOne, "bp128_for"),
    (Codec::Delta, "bp128_d1"),
    (Codec::DeltaZigzag, "bp128_d1z"),
];

/// Reads an array of headerless little-endian words.
fn read(name: &str) -> Vec<u32> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/bpcells/codec");
    let path = folder.join(format!("{name}.u32"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty(), "{name}");
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn for_each_array(mut check: impl FnMut(&str, Codec, &[u32])) {
    for case in CASES {
        let input = read(&format!("{case}.input"));
        for (codec, suffix) in CODECS {
            check(&format!("{case}.{suffix}"), codec, &input);
        }
    }
}

#[test]
fn the_encoder_writes_what_bpcells_writes() {
    for_each_array(|name, codec, input| {
        let mut encoder = Encoder::new(codec);
        encoder.push(input);
        let packed = encoder.finish();
        assert_eq!(packed.count, input.len() as u64, "{name}");
        assert_eq!(packed.data, read(&format!("{name}.data")), "{name}");
        assert_eq!(packed.idx, read(&format!("{name}.idx")), "{name}");
        assert_eq!(packed.idx_offsets, [0, packed.idx.len() as u64], "{name}");
        if codec.has_starts() {
            assert_eq!(packed.starts, read(&format!("{name}.starts")), "{name}");
        } else {
            assert!(packed.starts.is_empty(), "{name}");
        }
    });
}

#[test]
fn every_backend_reads_what_bpcells_writes() {
    for_each_array(|name, codec, input| {
        let data = read(&format!("{name}.data"));
        let idx = read(&format!("{name}.idx"));
        let starts = if codec.has_starts() { read(&format!("{name}.starts")) } else { Vec::new() };
        let chunks = idx.len() - 1;
        let offsets = [0, idx.len() as u64];
        let epochs = EpochTable::new(&offsets, chunks as u64, EPOCH_WORDS).unwrap();
        let first = epochs.absolute(0, idx[0]);
        for backend in Backend::available() {
            let mut out = vec![0; chunks * 128];
            backend.unpack_chunks(codec, &idx, first, 0, &data, &starts, &mut out).unwrap();
            assert_eq!(out[..input.len()], *input, "{name} on {}", backend.name());
            let last = input[input.len() - 1];
            assert!(out[input.len()..].iter().all(|&value| value == last), "{name}: padding");
        }
    });
}
