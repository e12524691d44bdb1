//! The type that holds all values of a column.

use nnz_core::ValueType;

use super::field::{Field, is_whole};

/// Which types hold all that has been seen of a column.
#[derive(Clone, Copy)]
pub(super) struct Inferred {
    int64: bool,
    uint64: bool,
    float64: bool,
}

impl Inferred {
    pub(super) fn new() -> Self {
        Self { int64: true, uint64: true, float64: true }
    }

    /// Sees another value. `false` where no type is left.
    pub(super) fn see(&mut self, text: &str) -> bool {
        // A negative zero is none of an integer.
        let whole = is_whole(text) && !(text.starts_with('-') && i64::parse(text) == Some(0));
        self.int64 &= whole && i64::parse(text).is_some();
        self.uint64 &= whole && u64::parse(text).is_some();
        self.float64 &= f64::parse(text).is_some();
        self.int64 || self.uint64 || self.float64
    }

    /// Returns the first type that holds all.
    pub(super) fn value_type(self) -> ValueType {
        match self {
            Self { int64: true, .. } => ValueType::I64,
            Self { uint64: true, .. } => ValueType::U64,
            _ => ValueType::F64,
        }
    }

    /// Names the types that were left, for messages.
    pub(super) fn names(self) -> &'static str {
        match self {
            Self { int64: true, uint64: true, .. } | Self { int64: true, float64: true, .. } => {
                "a number"
            }
            Self { int64: true, .. } => "a number that int64 holds, like those above",
            Self { uint64: true, .. } => "a number that uint64 holds, like those above",
            _ => "a number that float64 holds, like those above",
        }
    }
}
