//! Invalid runs are errors: no panic, and no read outside the window.

use nnz_bitpack::{Backend, ChunkError, Codec, unpack_chunk, unpack_chunks, unpack_chunks_onto};
use proptest::prelude::*;

/// Decodes a run of chunks from 64 words with base 1000.
fn run(idx: &[u32], first_word: u64) -> Result<(), ChunkError> {
    let chunks = idx.len().saturating_sub(1);
    let mut out = vec![0; chunks * 128];
    unpack_chunks(Codec::Delta, idx, first_word, 1000, &[0; 64], &vec![0; chunks], &mut out)
}

#[test]
fn invalid_idx_steps_are_refused() {
    assert_eq!(run(&[1000, 1032, 1064], 1000), Ok(()));
    assert_eq!(
        run(&[1000, 1032, 1028], 1000),
        Err(ChunkError::Step { chunk: 1, from: 1032, to: 1028 })
    );
    assert_eq!(run(&[1000, 1030], 1000), Err(ChunkError::Step { chunk: 0, from: 1000, to: 1030 }));
    assert_eq!(run(&[0, 132], 1000), Err(ChunkError::Step { chunk: 0, from: 0, to: 132 }));
}

#[test]
fn chunks_outside_the_window_are_refused() {
    let window = |chunk, position, words| {
        Err(ChunkError::Window { chunk, position, words, window_start: 1000, window_len: 64 })
    };
    assert_eq!(run(&[0, 32, 64, 68], 1000), window(2, 1064, 4));
    assert_eq!(run(&[0, 4], 999), window(0, 999, 4));
    assert_eq!(run(&[0, 4], 1065), window(0, 1065, 4));
    assert_eq!(run(&[0, 4], u64::MAX), window(0, u64::MAX, 4));
    assert_eq!(run(&[0, 64, 64, 64], 1000), Ok(())); // without words, at the end
    assert_eq!(run(&[0, 0], 1065), window(0, 1065, 0)); // without words, beyond it
}

#[test]
fn mismatched_slice_lengths_are_refused() {
    let mut out = [0; 256];
    let mut decode = |codec, idx: &[u32], starts: &[u32], length| {
        unpack_chunks(codec, idx, 0, 0, &[], starts, &mut out[..length])
    };
    assert_eq!(decode(Codec::Plain, &[], &[], 0), Err(ChunkError::IdxEmpty));
    assert_eq!(decode(Codec::Plain, &[0], &[], 0), Ok(()));
    for found in [0, 127, 129, 256] {
        let expected = Err(ChunkError::OutputLength { found, chunks: 1 });
        assert_eq!(decode(Codec::Plain, &[0, 0], &[], found), expected);
    }
    for found in [0, 127, 129, 256] {
        let expected = Err(ChunkError::OutputLength { found, chunks: 1 });
        let (others, mut sums) = (vec![0; found], [0; 128]);
        assert_eq!(unpack_chunks_onto(&[0, 0], 0, 0, &[], &others, &mut sums), expected);
    }
    let expected = Err(ChunkError::StartsLength { found: 1, chunks: 2 });
    assert_eq!(decode(Codec::Delta, &[0, 0, 0], &[1], 256), expected);
    assert_eq!(decode(Codec::Plain, &[0, 0, 0], &[1], 256), Ok(()));
}

#[test]
fn a_chunk_with_a_wrong_number_of_words_is_refused() {
    let mut out = [0; 128];
    let mut decode = |width, packed: &[u32]| unpack_chunk(Codec::Plain, width, 0, packed, &mut out);
    assert_eq!(decode(33, &[0; 132]), Err(ChunkError::Width { width: 33 }));
    assert_eq!(decode(u32::MAX, &[]), Err(ChunkError::Width { width: u32::MAX }));
    for found in [0, 11, 13] {
        let expected = Err(ChunkError::PackedLength { width: 3, found, expected: 12 });
        assert_eq!(decode(3, &[0; 13][..found]), expected);
    }
}

#[test]
fn messages_give_position_found_and_expected() {
    assert_eq!(
        run(&[0, 7], 1000).unwrap_err().to_string(),
        "chunk 0: idx goes from 0 to 7, expected a step of 0, 4, 8, ... or 128 words"
    );
    assert_eq!(
        run(&[0, 64, 72], 1000).unwrap_err().to_string(),
        "chunk 1: its 8 words begin at word 1064, but there are 64 words from word 1000 on"
    );
}

proptest! {
    /// Slices of exact length, so that a memory checker sees reads outside them.
    #[test]
    fn arbitrary_runs_do_not_panic(
        codec in prop::sample::select(&Codec::ALL[..]),
        steps in prop::collection::vec(
            prop_oneof![8 => (0..=32_u32).prop_map(|width| 4 * width), 1 => any::<u32>()], 0..8,
        ),
        first in any::<u32>(),
        (first_word, base) in prop_oneof![
            any::<(u64, u64)>(),
            (0..300_u64, 0..300_u64),
            any::<u64>().prop_map(|word| (word, word)),
        ],
        words in 0..1200_usize,
    ) {
        let mut idx = vec![first];
        for step in &steps {
            idx.push(idx[idx.len() - 1].wrapping_add(*step));
        }
        let data = vec![0x5555_5555; words].into_boxed_slice();
        let starts = vec![1; steps.len()].into_boxed_slice();
        let mut expected = None;
        for backend in Backend::available() {
            let mut out = vec![0; steps.len() * 128].into_boxed_slice();
            let result =
                backend.unpack_chunks(codec, &idx, first_word, base, &data, &starts, &mut out);
            let outcome = (result, result.is_ok().then_some(out));
            prop_assert_eq!(expected.get_or_insert_with(|| outcome.clone()), &outcome);
        }
    }
}
