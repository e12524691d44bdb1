//! Floats of 16 bits, which are read as those of 32.

/// Makes floats of 32 bits of those of 16 in the upper half of the same memory.
pub(super) fn widen(out: &mut [u8]) {
    let half = out.len() / 2;
    for at in 0..half / 2 {
        let narrow = u16::from_ne_bytes([out[half + 2 * at], out[half + 2 * at + 1]]);
        out[4 * at..4 * at + 4].copy_from_slice(&float16(narrow).to_ne_bytes());
    }
}

/// Returns a float of 16 bits as one of 32, which holds each of them.
pub(crate) fn float16(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10 & 0x1f);
    let mantissa = u32::from(bits & 0x3ff);
    let magnitude = match exponent {
        // Subnormal: a multiple of 2^-24.
        0 => (f32::from(bits & 0x3ff) / 16_777_216.0).to_bits(),
        31 => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::float16;

    #[test]
    fn floats_of_16_bits_keep_their_value() {
        for (bits, value) in [
            (0, 0.0),
            (1, 5.960_464_5e-8),
            (0x3ff, 6.097_555e-5),
            (0x400, 6.103_515_6e-5),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(float16(bits).to_bits(), f32::to_bits(value), "{bits:#x}");
        }
        assert!(float16(0x7e00).is_nan());
        assert_eq!(float16(0x8000).to_bits(), (-0.0_f32).to_bits());
    }
}
