//! Types of stored values, scalars and vectors.

use std::fmt;
use std::str::FromStr;

/// A boolean stored in one byte, 0 or 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Bint8(pub u8);

/// A Rust type of values. Other crates cannot implement it.
pub trait Element: sealed::Sealed + bytemuck::Pod + Send + Sync + fmt::Debug + PartialEq {
    /// The value type.
    const TYPE: ValueType;

    /// Wraps a vector.
    fn wrap(values: Vec<Self>) -> Values;

    /// Wraps one value.
    fn scalar(self) -> Scalar;

    /// Returns the values as a slice if they have this type.
    fn slice(values: &Values) -> Option<&[Self]>;

    /// Returns the vector, after replacing `values` by an empty vector of this type if it has
    /// another type.
    fn vec_mut(values: &mut Values) -> &mut Vec<Self>;
}

mod sealed {
    /// Prevents other crates from implementing [`Element`](super::Element).
    pub trait Sealed {}
}

impl<T: Element> From<Vec<T>> for Values {
    fn from(values: Vec<T>) -> Self {
        T::wrap(values)
    }
}

macro_rules! value_types {
    ($($variant:ident, $rust:ty, $name:literal, $doc:literal;)*) => {
        /// The type of a stored value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ValueType { $(#[doc = $doc] $variant,)* }

        impl ValueType {
            /// All types, from narrow to wide within each kind.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name in formats and messages, such as `uint32`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the size of a value in bytes.
            #[must_use]
            pub fn size(self) -> usize {
                match self { $(Self::$variant => size_of::<$rust>(),)* }
            }
        }

        /// A value of any type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Scalar { $(#[doc = $doc] $variant($rust),)* }

        impl Scalar {
            /// Returns the type.
            #[must_use]
            pub fn value_type(&self) -> ValueType {
                match self { $(Self::$variant(_) => ValueType::$variant,)* }
            }

            /// Returns `count` copies.
            #[must_use]
            pub fn repeat(self, count: usize) -> Values {
                match self { $(Self::$variant(v) => Values::$variant(vec![v; count]),)* }
            }
        }

        /// A vector of values of one type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Values {
            $(#[doc = $doc] $variant(Vec<$rust>),)*
            /// One value that all entries share, whatever their number.
            Iso(Scalar),
        }

        impl Values {
            /// Returns an empty vector of a type.
            #[must_use]
            pub fn new(value_type: ValueType) -> Self {
                match value_type { $(ValueType::$variant => Self::$variant(Vec::new()),)* }
            }

            /// Returns `count` zeros in memory that is not committed before it is written; `None`
            /// if there is not enough.
            #[must_use]
            pub fn try_zeroed(value_type: ValueType, count: usize) -> Option<Self> {
                match value_type {
                    $(ValueType::$variant => {
                        bytemuck::allocation::try_zeroed_vec(count).ok().map(Self::$variant)
                    })*
                }
            }

            /// Returns the type of each value.
            #[must_use]
            pub fn value_type(&self) -> ValueType {
                match self {
                    $(Self::$variant(_) => ValueType::$variant,)*
                    Self::Iso(scalar) => scalar.value_type(),
                }
            }

            /// Reserves capacity for `count` more values.
            pub fn reserve(&mut self, count: usize) {
                match self {
                    $(Self::$variant(v) => v.reserve(count),)*
                    Self::Iso(_) => {}
                }
            }

            /// Removes all values, except an iso value.
            pub fn clear(&mut self) {
                match self {
                    $(Self::$variant(v) => v.clear(),)*
                    Self::Iso(_) => {}
                }
            }

            /// Returns the value at `index`, or `None` past the end. An iso value is returned for
            /// any index.
            #[must_use]
            pub fn get(&self, index: usize) -> Option<Scalar> {
                match self {
                    $(Self::$variant(v) => v.get(index).map(|&x| Scalar::$variant(x)),)*
                    Self::Iso(scalar) => Some(*scalar),
                }
            }

            /// Returns the number of values, or `None` for an iso value.
            #[must_use]
            pub fn len(&self) -> Option<usize> {
                match self {
                    $(Self::$variant(v) => Some(v.len()),)*
                    Self::Iso(_) => None,
                }
            }

            /// Returns whether there are no values; an iso value is never empty.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == Some(0)
            }

            /// Returns the values as native-endian bytes; empty for an iso value.
            #[must_use]
            pub fn bytes(&self) -> &[u8] {
                match self {
                    $(Self::$variant(v) => bytemuck::cast_slice(v),)*
                    Self::Iso(_) => &[],
                }
            }

            /// Returns the values as mutable native-endian bytes; empty for an iso value.
            #[must_use]
            pub fn bytes_mut(&mut self) -> &mut [u8] {
                match self {
                    $(Self::$variant(v) => bytemuck::cast_slice_mut(v),)*
                    Self::Iso(_) => &mut [],
                }
            }

            /// Appends a value. Returns `false`, without appending, if it has another type.
            pub fn push(&mut self, scalar: Scalar) -> bool {
                match (self, scalar) {
                    $((Self::$variant(v), Scalar::$variant(x)) => v.push(x),)*
                    _ => return false,
                }
                true
            }

            /// Resizes to `count` values (zeros) and returns their native-endian bytes; empty for
            /// an iso value.
            pub fn resize_bytes(&mut self, count: usize) -> &mut [u8] {
                match self {
                    $(Self::$variant(v) => {
                        v.resize(count, bytemuck::Zeroable::zeroed());
                        bytemuck::cast_slice_mut(v)
                    })*
                    Self::Iso(_) => &mut [],
                }
            }

            /// Sets the values to the values of `other` at `positions`. An iso value stays an iso value.
            ///
            /// # Panics
            ///
            /// Panics if a position is past the end.
            pub fn gather(&mut self, other: &Self, positions: &[u32]) {
                match other {
                    $(Self::$variant(from) => {
                        let into = <$rust>::vec_mut(self);
                        into.clear();
                        into.extend(positions.iter().map(|&position| from[position as usize]));
                    })*
                    Self::Iso(scalar) => *self = Self::Iso(*scalar),
                }
            }

            /// Sets the values to the values of `other`, each moved to its position in `places`: the
            /// inverse of [`gather`](Self::gather). An iso value stays an iso value.
            ///
            /// # Panics
            ///
            /// Panics if a position is past the end.
            pub fn scatter(&mut self, other: &Self, places: &[u32]) {
                match other {
                    $(Self::$variant(from) => {
                        let into = <$rust>::vec_mut(self);
                        into.resize(from.len(), bytemuck::Zeroable::zeroed());
                        let into = &mut into[..];
                        for (&value, &place) in from.iter().zip(places) {
                            into[place as usize] = value;
                        }
                    })*
                    Self::Iso(scalar) => *self = Self::Iso(*scalar),
                }
            }

            /// Appends `other[range]`. Returns `false`, without appending, if it has another type.
            pub fn extend_from(&mut self, other: &Self, range: std::ops::Range<usize>) -> bool {
                match (self, other) {
                    $((Self::$variant(a), Self::$variant(b)) => match b.get(range) {
                        Some(part) => a.extend_from_slice(part),
                        None => return false,
                    },)*
                    (Self::Iso(a), Self::Iso(b)) => return a == b,
                    _ => return false,
                }
                true
            }
        }

        $(impl sealed::Sealed for $rust {}

        impl Element for $rust {
            const TYPE: ValueType = ValueType::$variant;

            fn wrap(values: Vec<Self>) -> Values { Values::$variant(values) }

            fn scalar(self) -> Scalar { Scalar::$variant(self) }

            fn slice(values: &Values) -> Option<&[Self]> {
                match values { Values::$variant(v) => Some(v), _ => None }
            }

            fn vec_mut(values: &mut Values) -> &mut Vec<Self> {
                if !matches!(values, Values::$variant(_)) {
                    *values = Values::$variant(Vec::new());
                }
                match values {
                    Values::$variant(v) => v,
                    _ => unreachable!("set just above"),
                }
            }
        })*
    };
}

value_types! {
    U8, u8, "uint8", "Unsigned, 8 bits.";
    U16, u16, "uint16", "Unsigned, 16 bits.";
    U32, u32, "uint32", "Unsigned, 32 bits.";
    U64, u64, "uint64", "Unsigned, 64 bits.";
    I8, i8, "int8", "Signed, 8 bits.";
    I16, i16, "int16", "Signed, 16 bits.";
    I32, i32, "int32", "Signed, 32 bits.";
    I64, i64, "int64", "Signed, 64 bits.";
    F32, f32, "float32", "IEEE 754, 32 bits.";
    F64, f64, "float64", "IEEE 754, 64 bits.";
    Bint8, Bint8, "bint8", "A boolean in a byte.";
    ComplexF32, [f32; 2], "complex[float32]", "Real and imaginary part, 32 bits each.";
    ComplexF64, [f64; 2], "complex[float64]", "Real and imaginary part, 64 bits each.";
}

impl Default for Values {
    fn default() -> Self {
        Self::U8(Vec::new())
    }
}

impl ValueType {
    /// Returns whether values have an imaginary part.
    #[must_use]
    pub fn is_complex(self) -> bool {
        matches!(self, Self::ComplexF32 | Self::ComplexF64)
    }

    /// Returns whether values are integers or booleans.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !self.is_complex() && !matches!(self, Self::F32 | Self::F64)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ValueType {
    type Err = String;

    /// Parses the name of a type, or a short name: `uint`, `int`, `float`, `double`, `bool`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "uint" => Self::U32,
            "int" => Self::I32,
            "float" => Self::F32,
            "double" => Self::F64,
            "bool" => Self::Bint8,
            _ => {
                return Self::ALL
                    .iter()
                    .copied()
                    .find(|t| t.name() == text)
                    .ok_or_else(unknown_value_type);
            }
        })
    }
}

/// The error of parsing a type. It does not repeat the text, which callers print.
fn unknown_value_type() -> String {
    let names: Vec<_> = ValueType::ALL.iter().map(|value_type| value_type.name()).collect();
    format!("expected {}, or int, uint, float, double or bool", names.join(", "))
}

impl Scalar {
    /// Returns the nearest 64-bit float, or `None` for a complex number. Integers beyond 2^53 are
    /// rounded.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "as documented")]
    pub fn to_f64(self) -> Option<f64> {
        Some(match self {
            Self::I8(value) => value.into(),
            Self::I16(value) => value.into(),
            Self::I32(value) => value.into(),
            Self::I64(value) => value as f64,
            Self::U8(value) => value.into(),
            Self::U16(value) => value.into(),
            Self::U32(value) => value.into(),
            Self::U64(value) => value as f64,
            Self::Bint8(value) => value.0.into(),
            Self::F32(value) => value.into(),
            Self::F64(value) => value,
            Self::ComplexF32(_) | Self::ComplexF64(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_parsed() {
        for &t in ValueType::ALL {
            assert_eq!(t.name().parse(), Ok(t));
        }
        assert_eq!("double".parse(), Ok(ValueType::F64));
        assert!("float16".parse::<ValueType>().is_err());
    }

    #[test]
    fn values_accept_only_their_own_type() {
        let mut values = Values::new(ValueType::U32);
        assert!(values.push(Scalar::U32(7)));
        assert!(!values.push(Scalar::I64(7)));
        assert_eq!(values.get(0), Some(Scalar::U32(7)));
        assert_eq!(values.get(1), None);
        assert!(!values.extend_from(&Values::U32(vec![1]), 0..2));
    }
}
