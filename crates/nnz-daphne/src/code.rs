//! Codes and names of value types.

use nnz_core::ValueType;

use crate::Dialect;

/// The types of the published specification, from code 1 on.
const SPEC: &[ValueType] = &[
    ValueType::U8,
    ValueType::U16,
    ValueType::U32,
    ValueType::U64,
    ValueType::I8,
    ValueType::I16,
    ValueType::I32,
    ValueType::I64,
    ValueType::F32,
    ValueType::F64,
];

/// The types of DAPHNE, from code 0 on.
const DAPHNE: &[ValueType] = &[
    ValueType::I8,
    ValueType::I32,
    ValueType::I64,
    ValueType::U8,
    ValueType::U32,
    ValueType::U64,
    ValueType::F32,
    ValueType::F64,
];

/// The names of types in `.meta` files. DAPHNE does not have the last two.
const NAMES: &[(&str, ValueType)] = &[
    ("si8", ValueType::I8),
    ("si32", ValueType::I32),
    ("si64", ValueType::I64),
    ("ui8", ValueType::U8),
    ("ui32", ValueType::U32),
    ("ui64", ValueType::U64),
    ("f32", ValueType::F32),
    ("f64", ValueType::F64),
    ("si16", ValueType::I16),
    ("ui16", ValueType::U16),
];

impl Dialect {
    fn table(self) -> (u8, &'static [ValueType]) {
        match self {
            Self::Spec => (1, SPEC),
            Self::Daphne | Self::Daphne2022 => (0, DAPHNE),
        }
    }

    /// Lists the value types of the dialect.
    #[must_use]
    pub fn value_types(self) -> &'static [ValueType] {
        self.table().1
    }

    /// Returns the type with this code.
    pub(crate) fn value_type(self, code: u8) -> Option<ValueType> {
        let (first, types) = self.table();
        types.get(usize::from(code.checked_sub(first)?)).copied()
    }

    /// Returns the code of a type.
    pub(crate) fn code(self, value_type: ValueType) -> Option<u8> {
        let (first, types) = self.table();
        let position = types.iter().position(|&t| t == value_type)?;
        u8::try_from(position).ok().map(|position| position + first)
    }
}

/// Returns the name of a type in `.meta` files.
pub(crate) fn meta_name(value_type: ValueType) -> Option<&'static str> {
    NAMES.iter().find(|(_, named)| *named == value_type).map(|(name, _)| *name)
}

/// Returns the type with this name of DAPHNE, such as `si64`.
#[must_use]
pub fn parse_value_type(name: &str) -> Option<ValueType> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, value_type)| *value_type)
}
