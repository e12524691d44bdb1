//! Variables of a file, as they are listed.

use nnz_core::ValueType;

use super::class::Class;

/// A variable, or a field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name; for a field, the path with the names of its structs, separated by `/`.
    pub path: String,
    /// The class.
    pub class: Class,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// Whether it is a sparse matrix.
    pub sparse: bool,
    /// Whether it is complex.
    pub complex: bool,
}

impl Variable {
    /// Returns the type that its values are read as; `None` if it is not read.
    #[must_use]
    pub fn value_type(&self) -> Option<ValueType> {
        match (self.class.value_type()?, self.complex) {
            (value_type, false) => Some(value_type),
            (ValueType::F64, true) => Some(ValueType::ComplexF64),
            (ValueType::F32, true) => Some(ValueType::ComplexF32),
            _ => None,
        }
    }

    /// Describes the class, such as `sparse double` or `complex int8`.
    #[must_use]
    pub fn kind(&self) -> String {
        let sparse = if self.sparse { "sparse " } else { "" };
        let complex = if self.complex { "complex " } else { "" };
        format!("{sparse}{complex}{}", self.class)
    }
}

/// The largest length of a name.
const LONGEST_NAME: usize = 63;

/// Returns whether MATLAB accepts a name of a variable: a letter, then letters, digits and underscores.
#[must_use]
pub fn is_variable_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|other| other.is_ascii_alphanumeric() || other == '_')
        && !KEYWORDS.contains(&name)
}

/// Returns a valid name like another one: other characters than letters and digits become underscores.
#[must_use]
pub fn variable_name(name: &str) -> String {
    let valid = |other: char| if other.is_ascii_alphanumeric() { other } else { '_' };
    let mut made: String = name.chars().map(valid).collect();
    if !made.starts_with(|first: char| first.is_ascii_alphabetic()) || KEYWORDS.contains(&&*made) {
        made.insert(0, 'x');
    }
    made.truncate(LONGEST_NAME);
    made
}

/// Names that MATLAB reserves.
const KEYWORDS: [&str; 20] = [
    "break",
    "case",
    "catch",
    "classdef",
    "continue",
    "else",
    "elseif",
    "end",
    "for",
    "function",
    "global",
    "if",
    "otherwise",
    "parfor",
    "persistent",
    "return",
    "spmd",
    "switch",
    "try",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ascii_and_start_with_a_letter() {
        assert!(["A", "x_1", &"n".repeat(63)].into_iter().all(is_variable_name));
        let refused = ["", "1a", "_a", "a b", "a/b", "\u{e9}t\u{e9}", &"n".repeat(64)];
        assert!(!refused.into_iter().chain(KEYWORDS).any(is_variable_name));
        assert!(
            refused
                .into_iter()
                .chain(KEYWORDS)
                .map(variable_name)
                .all(|one| is_variable_name(&one))
        );
        assert_eq!(
            ["A", "Problem/A", "end", "1a"].map(variable_name),
            ["A", "Problem_A", "xend", "x1a"]
        );
    }
}
