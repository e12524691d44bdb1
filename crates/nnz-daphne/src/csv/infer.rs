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

    /// Says what was expected in place of a text that no type is left for.
    pub(super) fn expected(self, text: &str) -> String {
        let Ok(nearest) = text.parse::<f64>() else { return "a number".to_owned() };
        let whole = is_whole(text) && nearest != 0.0;
        let fits = i64::parse(text).is_some() || u64::parse(text).is_some();
        if whole && !fits {
            return "an integer of 64 bits, or a point or an exponent in a float".to_owned();
        }
        if !whole && f64::parse(text).is_none() {
            return "a number that is not too large for float64".to_owned();
        }
        if !whole {
            return "an integer, as float64 does not hold all integers above".to_owned();
        }
        let types = [(self.int64, "int64"), (self.uint64, "uint64"), (self.float64, "float64")];
        let left: Vec<&str> = types.iter().filter(|(left, _)| *left).map(|(_, t)| *t).collect();
        format!("an integer that {} holds exactly, as it does all above", left.join(" or "))
    }
}
