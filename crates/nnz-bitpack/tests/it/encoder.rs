//! The streaming encoder: pieces, draining, padding and epochs.

use nnz_bitpack::{
    Codec, EPOCH_WORDS, Encoder, EpochError, EpochTable, Finished, unpack_chunk, unpack_chunks,
};
use proptest::prelude::*;

fn encode(codec: Codec, step: u64, values: &[u32]) -> Finished {
    let mut encoder = Encoder::with_epoch_words(codec, step);
    encoder.push(values);
    encoder.finish()
}

/// Decodes chunk by chunk, with positions resolved by the epochs.
fn decode(codec: Codec, step: u64, packed: &Finished) -> Vec<u32> {
    let chunks = packed.idx.len() - 1;
    let epochs = EpochTable::new(&packed.idx_offsets, chunks as u64, step).unwrap();
    let positions: Vec<usize> = (0..)
        .zip(&packed.idx)
        .map(|(position, &idx)| usize::try_from(epochs.absolute(position, idx)).unwrap())
        .collect();
    assert_eq!(positions[chunks], packed.data.len());
    let mut values = vec![0; chunks * 128];
    for (chunk, out) in values.as_chunks_mut().0.iter_mut().enumerate() {
        let words = &packed.data[positions[chunk]..positions[chunk + 1]];
        let width = u32::try_from(words.len() / 4).unwrap();
        let start = packed.starts.get(chunk).copied().unwrap_or(0);
        unpack_chunk(codec, width, start, words, out).unwrap();
    }
    values.truncate(usize::try_from(packed.count).unwrap());
    values
}

/// Values of mixed widths, so that chunks differ in size.
fn any_values() -> impl Strategy<Value = Vec<u32>> {
    let value = (any::<u32>(), 0..=32_u32)
        .prop_map(|(bits, width)| bits & u32::MAX.checked_shr(32 - width).unwrap_or(0));
    let run = (value, 1..200_usize).prop_map(|(value, length)| vec![value; length]);
    prop::collection::vec(run, 0..12).prop_map(|runs| runs.concat())
}

fn any_codec() -> impl Strategy<Value = Codec> {
    prop::sample::select(&Codec::ALL[..])
}

proptest! {
    #[test]
    fn the_result_does_not_depend_on_pieces(
        codec in any_codec(),
        values in any_values(),
        pieces in prop::collection::vec((0..400_usize, any::<bool>()), 0..12),
    ) {
        let expected = encode(codec, EPOCH_WORDS, &values);
        let (mut data, mut idx, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        let mut encoder = Encoder::new(codec);
        let mut rest = &values[..];
        for (length, drain) in pieces {
            let (piece, after) = rest.split_at(length.min(rest.len()));
            encoder.push(piece);
            rest = after;
            if drain {
                let ready = encoder.drain();
                data.extend_from_slice(ready.data);
                idx.extend_from_slice(ready.idx);
                starts.extend_from_slice(ready.starts);
            }
        }
        encoder.push(rest);
        prop_assert_eq!(encoder.count(), values.len() as u64);
        let last = encoder.finish();
        data.extend(last.data);
        idx.extend(last.idx);
        starts.extend(last.starts);
        let found = Finished { data, idx, starts, ..last };
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn epochs_resolve_to_absolute_positions(
        codec in any_codec(),
        values in any_values(),
        step in prop_oneof![1..200_u64, 128..1000_u64, Just(EPOCH_WORDS)],
    ) {
        let packed = encode(codec, step, &values);
        prop_assert_eq!(&decode(codec, step, &packed), &values);
        prop_assert!(packed.idx.iter().all(|&idx| u64::from(idx) < step));
        // The words do not depend on the step.
        prop_assert_eq!(packed.data, encode(codec, EPOCH_WORDS, &values).data);
    }

    #[test]
    fn a_run_reads_across_a_multiple_of_2_to_the_32(
        codec in any_codec(), values in any_values(), before in 0..1000_u32,
    ) {
        let packed = encode(codec, EPOCH_WORDS, &values);
        let first = EPOCH_WORDS - u64::from(before);
        let idx: Vec<u32> = packed.idx.iter().map(|idx| idx.wrapping_sub(before)).collect();
        let mut out = vec![0; (idx.len() - 1) * 128];
        unpack_chunks(codec, &idx, first, first, &packed.data, &packed.starts, &mut out).unwrap();
        out.truncate(values.len());
        prop_assert_eq!(out, values);
    }
}

#[test]
fn the_last_chunk_is_padded_with_the_last_value() {
    let mut values: Vec<u32> = (10..15).collect();
    for codec in Codec::ALL {
        let short = encode(codec, EPOCH_WORDS, &values);
        let mut full = values.clone();
        full.resize(128, 14);
        let full = encode(codec, EPOCH_WORDS, &full);
        assert_eq!((short.count, full.count), (5, 128));
        assert_eq!((short.data, short.idx), (full.data, full.idx));
    }
    values.clear();
    let empty = encode(Codec::Delta, EPOCH_WORDS, &values);
    assert_eq!((empty.idx, empty.idx_offsets), (vec![0], vec![0, 1]));
    assert_eq!((empty.data, empty.starts, empty.count), (vec![], vec![], 0));
}

#[test]
fn a_boundary_is_the_first_entry_of_its_epoch() {
    let raw = [u32::MAX; 7 * 128]; // seven chunks of 128 words
    let packed = encode(Codec::Plain, 300, &raw);
    assert_eq!(packed.idx, [0, 128, 256, 84, 212, 40, 168, 296]);
    assert_eq!(packed.idx_offsets, [0, 3, 5, 8]);

    // The final entry begins a new epoch too, although no chunk begins there.
    let packed = encode(Codec::Plain, 128, &raw[..256]);
    assert_eq!(packed.idx, [0, 0, 0]);
    assert_eq!(packed.idx_offsets, [0, 1, 2, 3]);

    // A step smaller than a chunk: several epochs at once.
    let packed = encode(Codec::Plain, 50, &raw[..128]);
    assert_eq!(packed.idx, [0, 28]);
    assert_eq!(packed.idx_offsets, [0, 1, 1, 2]);
    let epochs = EpochTable::new(&packed.idx_offsets, 1, 50).unwrap();
    assert_eq!((epochs.absolute(0, 0), epochs.absolute(1, 28)), (0, 128));
}

#[test]
fn invalid_idx_offsets_are_refused() {
    let check = |offsets: &[u64], chunks| EpochTable::new(offsets, chunks, EPOCH_WORDS);
    assert_eq!(check(&[], 0), Err(EpochError::TooShort { found: 0 }));
    assert_eq!(check(&[0], 0), Err(EpochError::TooShort { found: 1 }));
    assert_eq!(check(&[1, 6], 5), Err(EpochError::First { found: 1 }));
    assert_eq!(check(&[0, 5], 5), Err(EpochError::Last { found: 5, chunks: 5 }));
    assert_eq!(check(&[0, 0], u64::MAX), Err(EpochError::Last { found: 0, chunks: u64::MAX }));
    for (offsets, entry, previous, found) in [
        (&[0, 0, 6][..], 1, 0, 0),
        (&[0, 3, 3, 6], 2, 3, 3),
        (&[0, 3, 2, 6], 2, 3, 2),
        (&[0, 6, 6], 1, 0, 6),
        (&[0, u64::MAX, 6], 1, 0, u64::MAX),
    ] {
        let expected = EpochError::Order { entry, previous, found, last: 6 };
        assert_eq!(check(offsets, 5), Err(expected));
    }
    assert!(EpochTable::new(&[0, 0, 6], 5, 4).is_err());
    assert!(EpochTable::new(&[0, 1, 1, 6], 5, 4).is_ok());
}
