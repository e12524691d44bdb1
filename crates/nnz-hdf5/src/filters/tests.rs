//! Chunks as they are stored by the HDF5 library and the plugins of hdf5plugin.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::{Filter, Pipeline, Scratch};

/// A chunk.
struct Sample {
    name: &'static str,
    /// The numbers and parameters of its filters.
    filters: &'static [(u16, &'static [u32])],
    decoded: fn() -> Vec<u8>,
    /// The stored bytes, as hexadecimal digits.
    stored: &'static str,
}

/// The values 0, 0, 0, 0, 1, 1, 1, 1, 2, ... 15.
fn values() -> impl Iterator<Item = u8> {
    (0..64).map(|at| at / 4)
}

fn ramp() -> Vec<u8> {
    values().flat_map(|value| u32::from(value).to_le_bytes()).collect()
}

fn big_ramp() -> Vec<u8> {
    values().flat_map(|value| u32::from(value).to_be_bytes()).collect()
}

fn short_ramp() -> Vec<u8> {
    values().flat_map(|value| u16::from(value).to_be_bytes()).collect()
}

fn floats() -> Vec<u8> {
    values().flat_map(|value| (f32::from(value) / 4.0).to_le_bytes()).collect()
}

fn big_doubles() -> Vec<u8> {
    values().flat_map(|value| (f64::from(value) / 4.0).to_be_bytes()).collect()
}

/// A number of 4 bytes and a string of 2 bytes.
fn records() -> Vec<u8> {
    values().flat_map(|value| [value, 0, 0, 0, value, 7]).collect()
}

const SAMPLES: &[Sample] = &[
    Sample {
        name: "LZF",
        filters: &[(32000, &[4, 261, 256])],
        decoded: ramp,
        stored: "010000e005000001200ee003030002200fe003030003200fe003030004200fe003030005200fe0030300\
            06200fe003030007200fe003030008200fe003030009200fe00303000a200fe00303000b200fe0030300\
            0c200fe00303000d200fe00303000e200fe00303000f200fe00103010000",
    },
    Sample {
        name: "LZ4 in blocks",
        filters: &[(32004, &[64])],
        decoded: ramp,
        stored: "000000000000010000000040000000161b0001001b0104001b0204001603040050000300000000000019\
            480400000004001b0504001b0604001607040050000700000000000019480800000004001b0904001b0a\
            0400160b040050000b00000000000019480c00000004001b0d04001b0e0400160f040050000f000000",
    },
    Sample {
        name: "bitshuffle with LZ4",
        filters: &[(32008, &[0, 4, 4, 0, 2])],
        decoded: ramp,
        stored: "0000000000000100000020000000001f13f001002300ff02002300ff0400400000ffff0c000f0200c650\
            0000000000",
    },
    Sample {
        name: "bitshuffle with Zstandard",
        filters: &[(32008, &[0, 4, 4, 0, 3, 1])],
        decoded: ramp,
        stored: "0000000000000100000020000000002428b52ffd600000d5000068f0f000ff00ff0000ffffffff000400\
            5c1c35bb8c73190f000b",
    },
    Sample {
        name: "bzip2",
        filters: &[(307, &[9])],
        decoded: ramp,
        stored: "425a6839314159265359c0b4da63000001c0007fffa00050a60009a054947a8068d33534352cd8dce0e4\
            e8ecf0c1ecc57c6666558925d124fc5dc914e1424302d3698c",
    },
    Sample {
        name: "Blosc with BloscLZ and shuffle",
        filters: &[(32001, &[2, 2, 4, 256, 5, 1, 0])],
        decoded: ramp,
        stored: "02011104000100000001000062000000140000004a0000003f0000000001010101020202020303030304\
            0404040505050506060606070707071f08080808090909090a0a0a0a0b0b0b0b0c0c0c0c0d0d0d0d0e0e\
            0e0e0f0f0f0f0000e0b400010000",
    },
    Sample {
        name: "Blosc with LZ4 and bitshuffle",
        filters: &[(32001, &[2, 2, 4, 256, 5, 2, 1])],
        decoded: ramp,
        stored: "0201340400010000000100003a000000140000002200000013f001002300ff02002300ff0400700000ff\
            ffffff0009000f0200c3500000000000",
    },
    Sample {
        name: "Blosc with Snappy",
        filters: &[(32001, &[2, 2, 4, 1024, 5, 1, 3])],
        decoded: || [7, 0, 0, 0].repeat(256),
        stored: "02014104000400000004000064000000140000001000000080020007fe0100fe0100fe0100fa01001000\
            000080020000fe0100fe0100fe0100fa01001000000080020000fe0100fe0100fe0100fa010010000000\
            80020000fe0100fe0100fe0100fa0100",
    },
    Sample {
        name: "Blosc with zlib",
        filters: &[(32001, &[2, 2, 4, 256, 5, 1, 4])],
        decoded: ramp,
        stored: "02017104000100000001000042000000140000002a000000785ed5c1890140300004b0a3f443edbfadac\
            2149928d9dc2c149a5d1194c2e6e1e162ff9b90f90bf01e1",
    },
    Sample {
        name: "Blosc with Zstandard",
        filters: &[(32001, &[2, 2, 4, 256, 5, 1, 5])],
        decoded: ramp,
        stored: "02019104000100000001000055000000140000003d00000028b52ffd6000009d010012840a8e11111111\
            11111110f0ffefeededdcdccbcbbabaa9a99898878776766565545443433232212110100100100018f02\
            51",
    },
    Sample {
        name: "Blosc2",
        filters: &[(32026, &[1, 0, 4, 256, 5, 2, 5])],
        decoded: ramp,
        stored: "9ea862326672616d6500d200000061cf00000000000000f5a412005503d30000000000000100d3000000\
            0000000049d200000004d200000100d200000100d10000d10001c2d80600000000000205000000000000\
            00000093cd0007de0000dc00000501950400010000000100004900000000000000000205000000000000\
            000000240000002100000028b52ffd600000bd000030f0f000ff00ff0600591c85958194007619e7321e\
            001605010708080000000800000028000000000000000001000000000000000000000000000000000000\
            940193cd0006de0000dc0000ce00000023d80000000000000000000000000000000000",
    },
    Sample {
        name: "Blosc2 with delta",
        filters: &[(32026, &[1, 0, 4, 256, 5, 3, 1])],
        decoded: ramp,
        stored: "9ea862326672616d6500d200000061cf00000000000000fba412005103d30000000000000100d3000000\
            000000004fd200000004d200000100d200000100d10000d10001c2d80600000000000301000000000000\
            00000093cd0007de0000dc000005013d0400010000000100004f00000000000000000301000000000000\
            00000024000000270000001b0001001b0110001b0310000c20001f0720000c0f40000d1f0f40002c0f80\
            002850000000000005010708080000000800000028000000000000000001000000000000000000000000\
            000000000000940193cd0006de0000dc0000ce00000023d80000000000000000000000000000000000",
    },
    Sample {
        name: "Blosc2 with blocks of 2 x 4",
        filters: &[(32026, &[1, 48, 4, 256, 5, 1, 1, 2, 4, 16])],
        decoded: ramp,
        stored: "9ea862326672616d6500d2000000a5cf0000000000000210a412005103d30000000000000100d3000000\
            0000000120d200000004d200000020d200000100d10000d10001c2d80600000000000101000000000000\
            00000093cd0011de0001a462326e64d20000006bdc0001c60000003597000292d30000000000000004d3\
            000000000000001092d200000004d20000001092d200000002d20000000400db000000037c5634050137\
            040001000020000000200100000000000000010100000000000000000000000000000000000000000000\
            000000040000000400000004000000040000000100000001000000010000000100000005000000050000\
            000500000005000000020000000200000002000000020000000600000006000000060000000600000003\
            000000030000000300000003000000070000000700000007000000070000000800000008000000080000\
            00080000000c0000000c0000000c0000000c000000090000000900000009000000090000000d0000000d\
            0000000d0000000d0000000a0000000a0000000a0000000a0000000e0000000e0000000e0000000e0000\
            000b0000000b0000000b0000000b0000000f0000000f0000000f0000000f000000050107080800000008\
            00000028000000000000000001000000000000000000000000000000000000940193cd0006de0000dc00\
            00ce00000023d80000000000000000000000000000000000",
    },
    Sample {
        name: "Blosc2 of equal values",
        filters: &[(32026, &[1, 0, 4, 256, 5, 1, 1])],
        decoded: || [7, 0, 0, 0].repeat(64),
        stored: "9ea862326672616d6500d200000061cf00000000000000e1a412005103d30000000000000100d3000000\
            0000000035d200000004d200000100d200000100d10000d10001c2d80600000000000101000000000000\
            00000093cd0007de0000dc00000501250400010000000100003500000000000000000101000000000000\
            00000024000000f9ffffff01000000000000000000000000050107080800000008000000280000000000\
            00000001000000000000000000000000000000000000940193cd0006de0000dc0000ce00000023d80000\
            000000000000000000000000000000",
    },
    Sample {
        name: "szip of differences",
        filters: &[(4, &[169, 8, 32, 64])],
        decoded: ramp,
        stored: "00010000100d88c623188c623188c623188c60001000080004",
    },
    Sample {
        name: "szip of values",
        filters: &[(4, &[141, 8, 32, 64])],
        decoded: ramp,
        stored: "000100003eaa955543d12492487b5555aaff649249200aac924926abfe2aaac925b6c5555db6fff00804\
            02",
    },
    Sample {
        name: "szip of big-endian values of 2 bytes",
        filters: &[(4, &[177, 16, 16, 64])],
        decoded: short_ramp,
        stored: "80000000080006c6308c631846318c2318c6",
    },
    Sample {
        name: "N-bit",
        filters: &[(5, &[8, 0, 64, 1, 4, 0, 17, 0])],
        decoded: ramp,
        stored: "00000000000000000000080004000200010001000080004000200018000c000600030002000100008000\
            4000280014000a0005000300018000c000600038001c000e000700040002000100008000480024001200\
            090005000280014000a00058002c0016000b0006000300018000c000680034001a000d000700038001c0\
            00e00078003c001e000f00",
    },
    Sample {
        name: "N-bit of big-endian values",
        filters: &[(5, &[8, 0, 64, 1, 4, 1, 17, 0])],
        decoded: big_ramp,
        stored: "00000000000000000000080004000200010001000080004000200018000c000600030002000100008000\
            4000280014000a0005000300018000c000600038001c000e000700040002000100008000480024001200\
            090005000280014000a00058002c0016000b0006000300018000c000680034001a000d000700038001c0\
            00e00078003c001e000f00",
    },
    Sample {
        name: "N-bit of compounds",
        filters: &[(5, &[15, 0, 64, 3, 6, 2, 0, 1, 4, 0, 17, 0, 4, 4, 2])],
        decoded: records,
        stored: "0000000380000001c0000000e000000070000808380004041c0002020e000101070001010380008081c0\
            004040e00020207000181838000c0c1c0006060e000303070002020380010101c0008080e00040407000\
            2828380014141c000a0a0e000505070003030380018181c000c0c0e00060607000383838001c1c1c000e\
            0e0e000707070004040380020201c0010100e000808070004848380024241c0012120e00090907000505\
            0380028281c0014140e000a0a07000585838002c2c1c0016160e000b0b070006060380030301c0018180\
            e000c0c070006868380034341c001a1a0e000d0d070007070380038381c001c1c0e000e0e07000787838\
            003c3c1c001e1e0e000f0f0700",
    },
    Sample {
        name: "N-bit of arrays",
        filters: &[(5, &[10, 0, 16, 2, 16, 1, 4, 0, 17, 0])],
        decoded: ramp,
        stored: "00000000000000000000080004000200010001000080004000200018000c000600030002000100008000\
            4000280014000a0005000300018000c000600038001c000e000700040002000100008000480024001200\
            090005000280014000a00058002c0016000b0006000300018000c000680034001a000d000700038001c0\
            00e00078003c001e000f00",
    },
    Sample {
        name: "scale-offset",
        filters: &[(6, &[2, 0, 64, 0, 4, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
        decoded: ramp,
        stored: "040000000801000000000000000000000000000000ffff00001111222233334444555566667777888899\
            99aaaabbbbccccddddeeee00",
    },
    Sample {
        name: "scale-offset of big-endian values with a fill value",
        filters: &[(6, &[2, 0, 64, 0, 4, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
        decoded: big_ramp,
        stored: "050000000800000000000000000000000000000000000000842110842fffff21084294a5318c639ce742\
            1084a5295294a5ad6b6318c6b5ad739ce7bdef00",
    },
    Sample {
        name: "scale-offset of floats",
        filters: &[(6, &[0, 2, 64, 1, 4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
        decoded: floats,
        stored: "09000000080000803e000000000000000000000000fffffffff0000000000c8643219190c864322592c9\
            64b32190c8643e9f4fa7d4b2592c9657abd5eaf6432190c870b85c2e17d3e9f4fa89c4e2713964b2592c\
            a2d168b45af57abd5e00",
    },
    Sample {
        name: "scale-offset of big-endian doubles with a fill value",
        filters: &[(6, &[0, 2, 64, 1, 8, 0, 1, 1, 0, 1071644672, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
        decoded: big_doubles,
        stored: "0900000008000000000000000000000000000000000000000000c8643219fffffffff2592c964b32190c\
            8643e9f4fa7d4b2592c9657abd5eaf6432190c870b85c2e17d3e9f4fa89c4e2713964b2592ca2d168b45\
            af57abd5ebbddeef7700",
    },
    Sample {
        name: "shuffle, LZF and Fletcher32",
        filters: &[(2, &[4]), (32000, &[4, 261, 256]), (3, &[])],
        decoded: ramp,
        stored: "04000000000120000002200000032000000420000005200000062000000720000008200000092000000a\
            2000000b2000000c2000000d2000000e2000000f2000203ee0b2000100006be5675a",
    },
    Sample {
        name: "Fletcher32, LZ4 and deflate",
        filters: &[(3, &[]), (32004, &[]), (1, &[4])],
        decoded: ramp,
        stored: "785e25c6c90d80300c05d16f6220242c77dc0f572881d2534a0631d29346fa32ffe90a99828d01098e11\
            1366642c28a858b161779d87eb91b5fbed75680495",
    },
];

impl Sample {
    fn pipeline(&self) -> Pipeline {
        let filter =
            |(id, parameters): &(u16, &[u32])| Filter { id: *id, parameters: parameters.to_vec() };
        Pipeline(self.filters.iter().map(filter).collect())
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |at| u8::from_str_radix(&self.stored[at..at + 2], 16).unwrap();
        (0..self.stored.len()).step_by(2).map(byte).collect()
    }
}

#[test]
fn chunks_are_decoded() {
    let mut scratch = Scratch::default();
    for sample in SAMPLES {
        let expected = (sample.decoded)();
        let mut out = vec![0xaa; expected.len()];
        let done = sample.pipeline().decode(&sample.bytes(), 0, &mut out, &mut scratch);
        done.unwrap_or_else(|error| panic!("{}: {error:?}", sample.name));
        assert_eq!(out, expected, "{}", sample.name);
    }
}

#[test]
fn chunks_of_another_length_are_refused() {
    for sample in SAMPLES {
        let length = (sample.decoded)().len();
        for wrong in [0, length - 1, length + 1] {
            let mut out = vec![0; wrong];
            let done =
                sample.pipeline().decode(&sample.bytes(), 0, &mut out, &mut Scratch::default());
            assert!(done.is_err(), "{}: {wrong} bytes", sample.name);
        }
    }
}

#[test]
fn other_filters_are_named() {
    for (id, message) in [(305, "lzo (305)"), (32013, "zfp (32013)"), (77, "number 77")] {
        let pipeline = Pipeline(vec![Filter { id, parameters: Vec::new() }]);
        let error = pipeline.decode(&[1], 0, &mut [0], &mut Scratch::default()).unwrap_err();
        assert!(format!("{error:?}").contains(message), "{error:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn damaged_chunks_do_not_panic(
        bytes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        parameters in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 0..2),
        end in any::<prop::sample::Index>(),
    ) {
        for sample in SAMPLES {
            let mut stored = sample.bytes();
            for (at, byte) in &bytes {
                *at.get_mut(&mut stored) = *byte;
            }
            // Half of them have another end.
            let end = end.index(2 * stored.len());
            stored.truncate(end);
            let mut pipeline = sample.pipeline();
            for filter in pipeline.0.iter_mut().filter(|filter| !filter.parameters.is_empty()) {
                for (at, parameter) in &parameters {
                    *at.get_mut(&mut filter.parameters) = *parameter;
                }
            }
            let mut out = vec![0; (sample.decoded)().len()];
            let _ = pipeline.decode(&stored, 0, &mut out, &mut Scratch::default());
        }
    }
}
