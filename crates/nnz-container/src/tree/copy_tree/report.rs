//! What a copy is, and what of it differs.

use std::fmt;

/// What was copied, and what was not or in another form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyReport {
    /// Groups copied.
    pub groups: u64,
    /// Arrays copied.
    pub arrays: u64,
    /// What the target does not hold as it is, in the order of the source.
    pub changes: Vec<Change>,
}

/// Something that the target does not hold as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What became of it.
    pub kind: ChangeKind,
    /// The path of the group or array from what was copied; empty for that itself.
    pub path: String,
    /// The name of the attribute; `None` for the group or the array.
    pub attribute: Option<String>,
    /// What the target does not hold.
    pub reason: String,
}

/// What became of something that the target does not hold as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// It was left out.
    Dropped,
    /// It was stored in another form, all values being the same.
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
