//! Bit widths of packed values.

/// The bits that the values of an array take, along the array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackedWidths {
    /// The name of the array.
    pub array: String,
    /// The number of values.
    pub values: u64,
    /// Whether the values are bit-packed; otherwise all take the same number of bits.
    pub packed: bool,
    /// The mean number of bits of a value, in bins of equal size.
    pub bits: Vec<f64>,
    /// The mean number of bits of all values.
    pub mean: f64,
}
