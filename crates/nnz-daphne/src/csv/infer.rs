//! Inferring the type of a column.

use nnz_core::ValueType;

use super::field::{Field, is_whole};

/// The types that can represent all values of a column so far.
#[derive(Clone, Copy)]
pub(super) struct ColumnInference {
    int64: bool,
    uint64: bool,
    float64: bool,
}

impl ColumnInference {
    pub(super) fn new() -> Self {
        Self { int64: true, uint64: true, float64: true }
    }

    /// Adds a value. Returns `false` if no type is left.
    pub(super) fn see(&mut self, text: &str) -> bool {
        // An integer cannot represent negative zero.
        let whole = is_whole(text) && !(text.starts_with('-') && i64::parse(text) == Some(0));
        self.int64 &= whole && i64::parse(text).is_some();
        self.uint64 &= whole && u64::parse(text).is_some();
        self.float64 &= f64::parse(text).is_some();
        self.int64 || self.uint64 || self.float64
    }

    /// Returns the first type that is left.
    pub(super) fn value_type(self) -> ValueType {
        match self {
            Self { int64: true, .. } => ValueType::I64,
            Self { uint64: true, .. } => ValueType::U64,
            _ => ValueType::F64,
        }
    }

    /// Returns what was expected instead of a text for which no type is left.
    pub(super) fn expected(self, text: &str) -> String {
        let Ok(nearest) = text.parse::<f64>() else { return "a number".to_owned() };
        let whole = is_whole(text) && nearest != 0.0;
        let fits = i64::parse(text).is_some() || u64::parse(text).is_some();
        if whole && !fits {
            return "a 64-bit integer, or a float with a decimal point or an exponent".to_owned();
        }
        if !whole && f64::parse(text).is_none() {
            return "a number in the range of float64".to_owned();
        }
        if !whole {
            return "an integer, since float64 cannot hold all integers of earlier lines"
                .to_owned();
        }
        let types = [(self.int64, "int64"), (self.uint64, "uint64"), (self.float64, "float64")];
        let left: Vec<&str> = types.iter().filter(|(left, _)| *left).map(|(_, t)| *t).collect();
        format!("an integer that {} holds exactly, like all of earlier lines", left.join(" or "))
    }
}
