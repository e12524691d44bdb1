//! 16-bit floats, which are read as 32-bit floats.

/// Widens 16-bit floats in the upper half of the memory to 32-bit floats in all of it.
pub(super) fn widen(out: &mut [u8]) {
    let half = out.len() / 2;
    for at in 0..half / 2 {
        let narrow = u16::from_ne_bytes([out[half + 2 * at], out[half + 2 * at + 1]]);
        out[4 * at..4 * at + 4].copy_from_slice(&float16(narrow).to_ne_bytes());
    }
}

/// Converts a 16-bit float to the equal 32-bit float.
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

/// Converts a 32-bit float to the equal 16-bit float; `None` if there is none.
pub(crate) fn narrow(value: f32) -> Option<u16> {
    let bits = value.to_bits();
    let sign = u16::try_from(bits >> 31).ok()? << 15;
    let (exponent, mantissa) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    let magnitude = match exponent {
        255 => 0x7c00 | mantissa >> 13,
        113..=142 => (exponent - 112) << 10 | mantissa >> 13,
        // Subnormal; the leading bit is stored.
        103..=112 => (mantissa | 0x80_0000) >> (126 - exponent),
        _ => 0,
    };
    let half = sign | u16::try_from(magnitude).ok()?;
    (float16(half).to_bits() == bits).then_some(half)
}

#[cfg(test)]
mod tests {
    use super::{float16, narrow};

    #[test]
    fn all_16_bit_floats_round_trip() {
        for bits in 0..=u16::MAX {
            assert_eq!(narrow(float16(bits)), Some(bits), "{bits:#x}");
        }
        for value in [1e-8_f32, 65_520.0, 1.0 + f32::EPSILON, f32::MAX, f32::MIN_POSITIVE] {
            assert_eq!(narrow(value), None, "{value}");
        }
        assert_eq!(narrow(f32::from_bits(0x7fc0_0001)), None);
    }

    #[test]
    fn known_16_bit_floats_are_widened() {
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
