//! Classes of MATLAB.

use std::fmt;

use nnz_core::ValueType;

/// The class of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// Numbers of this type: `double`, `single`, `int8` and so on; `logical` is `bint8`.
    Number(ValueType),
    /// `cell`.
    Cell,
    /// `struct`.
    Struct,
    /// `char`.
    Char,
    /// `function_handle`.
    Function,
    /// Objects of other classes.
    Object,
}

impl Class {
    /// Classes of numbers with their names.
    const NUMBERS: [(ValueType, &'static str); 11] = [
        (ValueType::F64, "double"),
        (ValueType::F32, "single"),
        (ValueType::I8, "int8"),
        (ValueType::U8, "uint8"),
        (ValueType::I16, "int16"),
        (ValueType::U16, "uint16"),
        (ValueType::I32, "int32"),
        (ValueType::U32, "uint32"),
        (ValueType::I64, "int64"),
        (ValueType::U64, "uint64"),
        (ValueType::Bint8, "logical"),
    ];

    /// Returns the class with a name, as in the attribute `MATLAB_class`.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        match name {
            "cell" => Self::Cell,
            "struct" => Self::Struct,
            "char" => Self::Char,
            "function_handle" => Self::Function,
            _ => {
                let number = Self::NUMBERS.into_iter().find(|(_, own)| *own == name);
                number.map_or(Self::Object, |(value_type, _)| Self::Number(value_type))
            }
        }
    }

    /// Returns the class of an array flags element of version 5, whose logical flag is set if
    /// `logical`. Sparse arrays are `double`.
    pub(super) fn of_code(code: u8, logical: bool) -> Option<Self> {
        Some(match code {
            1 => Self::Cell,
            2 => Self::Struct,
            4 => Self::Char,
            16 => Self::Function,
            3 | 17 | 18 => Self::Object,
            5..=15 if logical => Self::Number(ValueType::Bint8),
            5 | 6 => Self::Number(ValueType::F64),
            7 => Self::Number(ValueType::F32),
            8..=15 => {
                let (value_type, _) = Self::NUMBERS.get(usize::from(code) - 6)?;
                Self::Number(*value_type)
            }
            _ => return None,
        })
    }

    /// Returns the type of the numbers; `None` for other classes.
    #[must_use]
    pub fn value_type(self) -> Option<ValueType> {
        match self {
            Self::Number(value_type) => Some(value_type),
            _ => None,
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cell => "cell",
            Self::Struct => "struct",
            Self::Char => "char",
            Self::Function => "function_handle",
            Self::Object => "object",
            Self::Number(value_type) => {
                let number = Self::NUMBERS.into_iter().find(|(own, _)| *own == value_type);
                number.map_or("complex", |(_, name)| name)
            }
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_format() {
        let names = [
            "cell",
            "struct",
            "object",
            "char",
            "double",
            "double",
            "single",
            "int8",
            "uint8",
            "int16",
            "uint16",
            "int32",
            "uint32",
            "int64",
            "uint64",
            "function_handle",
        ];
        for (code, name) in (1..).zip(names) {
            assert_eq!(Class::of_code(code, false).unwrap().name(), name, "{code}");
        }
        assert_eq!(Class::of_code(9, true).unwrap().name(), "logical");
        assert_eq!(Class::of_code(0, false), None);
        assert_eq!(Class::of_code(19, true), None);
        assert_eq!(Class::of_name("logical").value_type(), Some(ValueType::Bint8));
        assert_eq!(Class::of_name("string"), Class::Object);
    }
}
