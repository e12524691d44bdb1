//! Reports of copies.

use std::fmt;

/// The result of a copy: counts, and everything that was dropped or converted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// Number of groups.
    pub groups: u64,
    /// Number of arrays.
    pub arrays: u64,
    /// Everything that was dropped or converted, in the order of the source.
    pub changes: Vec<Change>,
}

/// Something that was dropped or converted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The path of the group or array, relative to the copied one; empty for that one.
    pub path: String,
    /// The name of the attribute; `None` for the group or array.
    pub attribute: Option<String>,
    /// The reason.
    pub reason: String,
}

/// The kind of change for something that the target does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was not copied.
    Dropped,
    /// It was stored in another form, with the same values.
    Converted,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.path.is_empty() { "/" } else { &self.path })?;
        if let Some(name) = &self.attribute {
            write!(f, ", attribute {name:?}")?;
        }
        match self.kind {
            ChangeKind::Dropped => write!(f, ": dropped: {}", self.reason),
            ChangeKind::Converted => write!(f, ": {}", self.reason),
        }
    }
}
