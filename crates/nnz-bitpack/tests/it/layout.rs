//! The layout of packed words, with literal bits.

use nnz_bitpack::{Backend, Codec, value_at};

fn pack(codec: Codec, values: &[u32; 128]) -> Vec<u32> {
    let mut packed = [0; 128];
    let width = Backend::Scalar.pack_chunk(codec, values, &mut packed);
    packed[..nnz_bitpack::chunk_words(width)].to_vec()
}

#[test]
fn value_k_is_step_k_div_4_of_lane_k_mod_4() {
    let mut values = [0; 128];
    values[0] = 0b001; // lane 0, step 0
    values[4] = 0b010; // lane 0, step 1
    values[9] = 0b011; // lane 1, step 2
    values[40] = 0b110; // lane 0, step 10: bits 30 to 32, so its top bit is in the next word
    values[127] = 0b111; // lane 3, step 31: the last bits of the last word
    let mut expected = [0; 12]; // three words of four lanes
    expected[0] = 0b10_000_000_000_000_000_000_000_000_010_001; // word 0, lane 0
    expected[1] = 0b011_000_000; // word 0, lane 1
    expected[4] = 0b1; // word 1, lane 0
    expected[11] = 0b111 << 29; // word 2, lane 3
    assert_eq!(pack(Codec::Plain, &values), expected);
}

#[test]
fn minus_one_packs_one_less() {
    let mut values = [1; 128];
    values[2] = 2; // lane 2, step 0
    assert_eq!(pack(Codec::MinusOne, &values), [0, 0, 0b1, 0]);
    assert_eq!(pack(Codec::MinusOne, &[1; 128]), []);
}

#[test]
fn delta_packs_differences_from_the_value_before() {
    let mut values = [9; 128];
    values[0] = 7; // the first difference is 0: the value itself goes into starts
    values[1] = 7; // difference 0
    values[2] = 8; // difference 1, lane 2; then 1 again in lane 3
    assert_eq!(pack(Codec::Delta, &values), [0, 0, 0b1, 0b1]);
}

#[test]
fn zigzag_packs_the_sign_in_the_lowest_bit() {
    let mut values = [7; 128];
    values[0] = 8;
    values[1] = 9; // +1 is 2, in lane 1
    values[2] = 8; // -1 is 1, in lane 2; then -1 again in lane 3
    let words = [0, 0b10, 0b01, 0b01, 0, 0, 0, 0];
    assert_eq!(pack(Codec::DeltaZigzag, &values), words);
}

#[test]
fn a_chunk_of_32_bits_is_stored_untransformed() {
    let mut values: [u32; 128] = std::array::from_fn(|k| u32::try_from(k).unwrap() * 10 + 10);
    assert_ne!(pack(Codec::Delta, &values), values);
    values[5] = 0; // minus one: wraps; a negative difference: wraps
    for codec in [Codec::MinusOne, Codec::Delta] {
        assert_eq!(pack(codec, &values), values);
    }
    values[5] = 0x8000_0007;
    for codec in Codec::ALL {
        assert_eq!(pack(codec, &values), values);
    }
}

#[test]
fn a_chunk_without_words_decodes_to_one_value() {
    let expected = [0, 1, 42, 42];
    for (codec, value) in Codec::ALL.into_iter().zip(expected) {
        for backend in Backend::available() {
            let mut out = [99; 128];
            backend.unpack_chunk(codec, 0, 42, &[], &mut out).unwrap();
            assert_eq!(out, [value; 128], "{codec} on {}", backend.name());
        }
    }
}

#[test]
fn values_are_found_one_by_one() {
    for width in 0..=32 {
        let mut seed = 0_u32;
        let mut values = [0_u32; 128].map(|_| {
            seed = seed.wrapping_mul(0x9e37_79b9).wrapping_add(7);
            (seed | 1 << 31).checked_shr(32 - width).unwrap_or(0)
        });
        for codec in [Codec::Plain, Codec::MinusOne] {
            if codec == Codec::MinusOne && width < 32 {
                values.iter_mut().for_each(|value| *value += 1);
            }
            let packed = pack(codec, &values);
            assert_eq!(packed.len(), 4 * width as usize);
            let found: Vec<u32> = (0..128).map(|at| value_at(codec, &packed, at)).collect();
            assert_eq!(found, values, "{codec}, {width} bits");
        }
    }
}
