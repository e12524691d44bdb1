//! Bit-packed chunks: all backends give the same result as plain Rust for any words, and encoded
//! values round-trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nnz_bitpack::{Backend, CHUNK, Codec, EPOCH_WORDS, Encoder, EpochTable, unpack_chunks};

fuzz_target!(|input: &[u8]| {
    let Some((&[how, codec, a, b], rest)) = input.split_first_chunk() else { return };
    let codec = Codec::ALL[usize::from(codec) % Codec::ALL.len()];
    let words: Vec<u32> = rest.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    match how % 4 {
        0 => round_trip(codec, &words, a),
        1 => arbitrary(codec, &words, a, b),
        2 => chunk(codec, &words, a),
        _ => epochs(&words, a),
    }
});

/// Encodes a stream in pieces, and decodes it at once.
fn round_trip(codec: Codec, values: &[u32], piece: u8) {
    let whole = {
        let mut encoder = Encoder::new(codec);
        encoder.push(values);
        encoder.finish()
    };
    let mut encoder = Encoder::new(codec);
    let (mut data, mut idx, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for (number, piece) in values.chunks(usize::from(piece) + 1).enumerate() {
        encoder.push(piece);
        if number % 3 == 0 {
            let ready = encoder.drain();
            data.extend_from_slice(ready.data);
            idx.extend_from_slice(ready.idx);
            starts.extend_from_slice(ready.starts);
        }
    }
    let rest = encoder.finish();
    data.extend(rest.data);
    idx.extend(rest.idx);
    starts.extend(rest.starts);
    assert_eq!((&data, &idx, &starts), (&whole.data, &whole.idx, &whole.starts));
    assert_eq!(rest.idx_offsets, whole.idx_offsets);

    let chunks = values.len().div_ceil(CHUNK);
    let table = EpochTable::new(&whole.idx_offsets, chunks as u64, EPOCH_WORDS).unwrap();
    let first = table.absolute(0, idx[0]);
    let mut expected = None;
    for backend in Backend::available() {
        let mut out = vec![0; chunks * CHUNK];
        backend.unpack_chunks(codec, &idx, first, 0, &data, &starts, &mut out).unwrap();
        assert_eq!(&out[..values.len()], values, "{}", backend.name());
        assert_eq!(expected.get_or_insert_with(|| out.clone()), &out);
    }
}

/// Decodes arbitrary words, with arrays that may be inconsistent.
fn arbitrary(codec: Codec, words: &[u32], entries: u8, starts: u8) {
    let Some((&[first, base], words)) = words.split_first_chunk() else { return };
    // Usually the steps are those of chunks, as other steps are refused at once.
    let entries = usize::from(entries & 15).min(words.len());
    let (steps, words) = words.split_at(entries);
    let mut idx: Vec<u32> = Vec::new();
    for step in steps {
        let step = if step % 8 == 7 { *step } else { 4 * (step % 33) };
        idx.push(idx.last().map_or(0, |last| last.wrapping_add(step)));
    }
    let chunks = idx.len().saturating_sub(1);
    let starts = if starts % 8 == 7 { usize::from(starts) % 20 } else { chunks };
    let (starts, data) = words.split_at(starts.min(words.len()));
    let base = u64::from(base % 64);
    let first = base + u64::from(first % 64);
    // Allocated exactly, so that reads out of bounds are detected.
    let data: Box<[u32]> = data.into();
    let mut expected = None;
    for backend in Backend::available() {
        let mut out = vec![0; chunks * CHUNK].into_boxed_slice();
        let done = backend.unpack_chunks(codec, &idx, first, base, &data, starts, &mut out);
        let outcome = (done, done.is_ok().then_some(out));
        assert_eq!(expected.get_or_insert_with(|| outcome.clone()), &outcome);
    }
}

/// Packs one chunk with all backends, and unpacks its first words as a chunk of any width.
fn chunk(codec: Codec, words: &[u32], width: u8) {
    let mut values = [0; CHUNK];
    for (value, word) in values.iter_mut().zip(words) {
        *value = *word;
    }
    let mut packed = [0; CHUNK];
    let bits = Backend::Scalar.pack_chunk(codec, &values, &mut packed);
    let len = nnz_bitpack::chunk_words(bits);
    let wide = u32::from(width) % 34;
    let mut expected = None;
    for backend in Backend::available() {
        let mut again = [0x5555_5555; CHUNK];
        assert_eq!(backend.pack_chunk(codec, &values, &mut again), bits);
        assert_eq!(again[..len], packed[..len]);
        let mut out = [0; CHUNK];
        backend.unpack_chunk(codec, bits, values[0], &packed[..len], &mut out).unwrap();
        assert_eq!(out, values, "{}", backend.name());
        let taken = &values[..(4 * wide as usize).min(CHUNK)];
        let mut out = [0; CHUNK];
        let done = backend.unpack_chunk(codec, wide, 7, taken, &mut out);
        let outcome = (done, out);
        assert_eq!(expected.get_or_insert(outcome), &outcome);
    }
}

/// Reads a table of epochs, and looks up positions.
fn epochs(words: &[u32], chunks: u8) {
    let offsets: Vec<u64> = words.iter().map(|word| u64::from(word % 512)).collect();
    let Ok(table) = EpochTable::new(&offsets, u64::from(chunks), EPOCH_WORDS) else { return };
    assert_eq!(offsets[0], 0);
    assert_eq!(offsets[offsets.len() - 1], u64::from(chunks) + 1);
    let mut before = 0;
    for position in 0..=u64::from(chunks) {
        let at = table.absolute(position, 0);
        assert!(at >= before);
        before = at;
    }
    // The first entry of `idx` can be in any epoch; none is past the last.
    assert!(table.epoch(u64::MAX) as usize <= offsets.len() - 2);
    let empty = unpack_chunks(Codec::Plain, &[0], before, before, &[], &[], &mut []);
    assert_eq!(empty, Ok(()));
}
