//! Numbers as `cat` has to print them, said without the code under test.
//!
//! Shortest digits that read back come from the standard library; the layout around them is the
//! rule of the command line: exponents at 1e16 and above or below 1e-5, and `.0` behind what is
//! whole.

/// Lays out the shortest digits of a float, given plainly and with an exponent.
fn laid_out(size: f64, plain: String, exponent: String) -> String {
    if size >= 1e16 || (size > 0.0 && size < 1e-5) {
        exponent
    } else if plain.contains('.') {
        plain
    } else {
        plain + ".0"
    }
}

pub fn float64(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    laid_out(value.abs(), format!("{value}"), format!("{value:e}"))
}

pub fn float32(value: f32) -> String {
    if !value.is_finite() {
        return float64(value.into());
    }
    // 1e-5 as a 32-bit float lies below the 64-bit one, and is the smallest that needs no exponent.
    let size = if value.abs() == 1e-5 { 1e-5 } else { f64::from(value.abs()) };
    laid_out(size, format!("{value}"), format!("{value:e}"))
}

/// The text of a value given by the hexadecimal form of its bits.
pub fn of_bits(kind: &str, bits: &str) -> String {
    match kind {
        "uint" => u32::from_str_radix(bits, 16).unwrap().to_string(),
        "float" => float32(f32::from_bits(u32::from_str_radix(bits, 16).unwrap())),
        "double" => float64(f64::from_bits(u64::from_str_radix(bits, 16).unwrap())),
        other => panic!("values of type {other}"),
    }
}

/// The bits of a value that was printed.
pub fn bits(kind: &str, text: &str) -> String {
    match kind {
        "uint" => format!("{:08x}", text.parse::<u32>().unwrap()),
        "float" => format!("{:08x}", text.parse::<f32>().unwrap().to_bits()),
        "double" => format!("{:016x}", text.parse::<f64>().unwrap().to_bits()),
        other => panic!("values of type {other}"),
    }
}
