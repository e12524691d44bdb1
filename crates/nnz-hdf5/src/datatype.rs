//! The types of elements of files that are read.

use nnz_core::ValueType;

use crate::element::CharacterSet;

/// The type of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datatype {
    /// The size of an element in bytes.
    pub bytes: usize,
    /// The class, with its properties.
    pub class: Class,
}

/// The class of a datatype with its properties.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// An integer.
    Integer {
        /// Whether it is big-endian.
        big: bool,
        /// Whether it is signed.
        signed: bool,
        /// The position of its lowest bit, and the number of its bits.
        bits: (u16, u16),
        /// Whether the other bits are not all zero.
        padded: bool,
    },
    /// A float.
    Float(Float),
    /// A time.
    Time,
    /// A string of fixed length.
    String(Padding),
    /// Bits.
    BitField {
        /// Whether they are big-endian.
        big: bool,
    },
    /// Bytes with a tag.
    Opaque(String),
    /// Members with names.
    Compound(Vec<CompoundMember>),
    /// A reference to an object.
    ObjectReference,
    /// A reference to a part of a dataset.
    RegionReference,
    /// A reference of HDF5 1.12.
    Reference,
    /// An integer whose values have names.
    Enumeration {
        /// The type of the integer.
        base: Box<Datatype>,
        /// The names and values, in stored form.
        members: Vec<(String, Vec<u8>)>,
    },
    /// A string of variable length, in a global heap.
    VariableString(CharacterSet),
    /// A sequence of variable length, in a global heap.
    Sequence(Box<Datatype>),
    /// An array.
    Array {
        /// The length of each dimension.
        lengths: Vec<u64>,
        /// The type of its elements.
        base: Box<Datatype>,
    },
    /// A complex number of HDF5 2.0.
    Complex(Box<Datatype>),
}

/// The format of a floating-point number. Positions are bit positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Float {
    /// Whether it is big-endian.
    pub big: bool,
    /// Whether the bytes are in the order of VAX.
    pub vax: bool,
    /// Whether the highest bit of the mantissa is implied.
    pub implied: bool,
    /// The position of the lowest bit, and the number of bits.
    pub bits: (u16, u16),
    /// The position of the sign.
    pub sign: u8,
    /// Position and number of the bits of the exponent.
    pub exponent: (u8, u8),
    /// Position and number of the bits of the mantissa.
    pub mantissa: (u8, u8),
    /// The bias of the exponent.
    pub bias: u32,
}

impl Float {
    /// Returns the number of bytes of an IEEE 754 float; `None` for another form.
    #[must_use]
    pub fn ieee_bytes(&self) -> Option<usize> {
        let (bytes, exponent, mantissa, bias) = match self.bits.1 {
            16 => (2, 5, 10, 15),
            32 => (4, 8, 23, 127),
            64 => (8, 11, 52, 1023),
            _ => return None,
        };
        let ieee = Self {
            big: self.big,
            vax: false,
            implied: true,
            bits: (0, self.bits.1),
            sign: exponent + mantissa,
            exponent: (mantissa, exponent),
            mantissa: (0, mantissa),
            bias,
        };
        (*self == ieee).then_some(bytes)
    }
}

/// The end of a string of fixed length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// A zero byte.
    Terminated,
    /// Zero bytes, or none.
    Zeros,
    /// Spaces, or none.
    Spaces,
    /// Unknown.
    Other,
}

/// A member of a compound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundMember {
    /// The name.
    pub name: String,
    /// Its position in the element, in bytes.
    pub offset: usize,
    /// Its type.
    pub datatype: Datatype,
}

impl Datatype {
    /// Returns the type of a number that uses all of its bits, and whether it is big-endian.
    #[must_use]
    pub fn number(&self) -> Option<(ValueType, bool)> {
        match self.class {
            Class::Integer { big, signed, bits: (0, bits), .. }
                if usize::from(bits) == 8 * self.bytes =>
            {
                let value_type = match (self.bytes, signed) {
                    (1, false) => ValueType::U8,
                    (2, false) => ValueType::U16,
                    (4, false) => ValueType::U32,
                    (8, false) => ValueType::U64,
                    (1, true) => ValueType::I8,
                    (2, true) => ValueType::I16,
                    (4, true) => ValueType::I32,
                    (8, true) => ValueType::I64,
                    _ => return None,
                };
                Some((value_type, big))
            }
            Class::Float(float) => match (self.bytes, float.ieee_bytes()?) {
                (4, 4) => Some((ValueType::F32, float.big)),
                (8, 8) => Some((ValueType::F64, float.big)),
                _ => None,
            },
            _ => None,
        }
    }
}
