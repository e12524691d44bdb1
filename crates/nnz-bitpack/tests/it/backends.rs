//! Every backend compared with the scalar one, and round trips of every codec.

use nnz_bitpack::{Backend, Codec, chunk_words};
use proptest::prelude::*;

/// Packs on every backend, checks that all agree, and returns the words.
fn pack_everywhere(codec: Codec, values: &[u32; 128]) -> (u32, Vec<u32>) {
    let mut expected = [0; 128];
    let width = Backend::Scalar.pack_chunk(codec, values, &mut expected);
    let words = expected[..chunk_words(width)].to_vec();
    for &backend in Backend::available() {
        let mut packed = [0xdead_beef; 128];
        let found = backend.pack_chunk(codec, values, &mut packed);
        assert_eq!(found, width, "width of {codec} on {}", backend.name());
        assert_eq!(packed[..words.len()], words, "{codec} of {width} on {}", backend.name());
    }
    (width, words)
}

/// Unpacks on every backend, checks that all agree, and returns the values.
fn unpack_everywhere(codec: Codec, width: u32, start: u32, words: &[u32]) -> [u32; 128] {
    let mut expected = [0; 128];
    Backend::Scalar.unpack_chunk(codec, width, start, words, &mut expected).unwrap();
    for &backend in Backend::available() {
        let mut found = [0xdead_beef; 128];
        backend.unpack_chunk(codec, width, start, words, &mut found).unwrap();
        assert_eq!(found, expected, "{codec} of {width} on {}", backend.name());
    }
    expected
}

fn any_chunk() -> impl Strategy<Value = [u32; 128]> {
    prop::collection::vec(any::<u32>(), 128).prop_map(|values| values.try_into().unwrap())
}

fn any_codec() -> impl Strategy<Value = Codec> {
    prop::sample::select(&Codec::ALL[..])
}

/// Values whose transformed form needs at most `width` bits, with a start that makes them wrap.
fn chunk_of_width(codec: Codec, width: u32, start: u32, bits: &[u32; 128]) -> [u32; 128] {
    let mask = u32::MAX.checked_shr(32 - width).unwrap_or(0);
    let mut previous = start;
    let mut first = true;
    bits.map(|bits| {
        let bits = bits & mask;
        let difference = match codec {
            Codec::Plain => return bits,
            Codec::MinusOne => return bits.wrapping_add(1),
            _ if first => 0,
            Codec::Delta => bits,
            Codec::DeltaZigzag => (bits >> 1) ^ (bits & 1).wrapping_neg(),
        };
        first = false;
        previous = previous.wrapping_add(difference);
        previous
    })
}

proptest! {
    #[test]
    fn round_trip_of_every_width(
        codec in any_codec(), width in 0..=32_u32, start: u32, bits in any_chunk(),
    ) {
        let values = chunk_of_width(codec, width, start, &bits);
        let (found, words) = pack_everywhere(codec, &values);
        prop_assert!(found <= width);
        prop_assert_eq!(unpack_everywhere(codec, found, values[0], &words), values);
    }

    #[test]
    fn round_trip_of_arbitrary_values(codec in any_codec(), values in any_chunk()) {
        let (width, words) = pack_everywhere(codec, &values);
        prop_assert_eq!(unpack_everywhere(codec, width, values[0], &words), values);
    }

    #[test]
    fn backends_agree_on_arbitrary_words(
        codec in any_codec(), width in 0..=32_u32, start: u32, words in any_chunk(),
    ) {
        unpack_everywhere(codec, width, start, &words[..chunk_words(width)]);
    }

    #[test]
    fn unpack_chunks_onto_adds_unpacked_values(
        widths in prop::collection::vec(0..=32_u32, 1..5), words in any_chunk(), others in any_chunk(),
    ) {
        let (mut idx, mut data, mut all) = (vec![0], Vec::new(), Vec::new());
        let mut expected = Vec::new();
        for width in widths {
            let words = &words[..chunk_words(width)];
            let values = unpack_everywhere(Codec::Plain, width, 0, words);
            expected.extend(values.iter().zip(&others).map(|(a, b)| a.wrapping_add(*b)));
            all.extend(others);
            data.extend(words);
            idx.push(u32::try_from(data.len()).unwrap());
        }
        for &backend in Backend::available() {
            let mut sums = vec![0xdead_beef; all.len()];
            backend.unpack_chunks_onto(&idx, 0, 0, &data, &all, &mut sums).unwrap();
            prop_assert_eq!(&sums, &expected, "on {}", backend.name());
        }
    }
}

#[test]
fn every_codec_and_width_with_all_bits_set() {
    for codec in Codec::ALL {
        for width in 0..=32 {
            for start in [0, 1, u32::MAX] {
                let values = chunk_of_width(codec, width, start, &[u32::MAX; 128]);
                let (found, words) = pack_everywhere(codec, &values);
                assert_eq!(found, width, "{codec}");
                assert_eq!(unpack_everywhere(codec, width, values[0], &words), values);
                unpack_everywhere(codec, width, start, &[u32::MAX; 128][..chunk_words(width)]);
            }
        }
    }
}

#[test]
fn largest_and_smallest_zigzag_deltas_of_every_width() {
    for width in 2..32 {
        let (smallest, largest) = (u32::MAX, u32::MAX - 1);
        let mixed = std::array::from_fn(|i| if i % 3 == 0 { smallest } else { largest });
        for bits in [[largest; 128], mixed] {
            let values = chunk_of_width(Codec::DeltaZigzag, width, 7, &bits);
            let (found, words) = pack_everywhere(Codec::DeltaZigzag, &values);
            assert_eq!(found, width);
            assert_eq!(unpack_everywhere(Codec::DeltaZigzag, width, 7, &words), values);
        }
    }
}

#[test]
fn every_bit_decodes_as_in_the_scalar_backend() {
    for codec in Codec::ALL {
        for width in 1..=32 {
            for bit in 0..chunk_words(width) * 32 {
                let mut words = vec![0; chunk_words(width)];
                words[bit / 32] = 1 << (bit % 32);
                unpack_everywhere(codec, width, 5, &words);
            }
        }
    }
}
