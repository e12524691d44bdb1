//! Columns of features except their ids.

use nnz_core::StringList;

/// The type of features if it is not known.
pub const GENE_EXPRESSION: &str = "Gene Expression";

/// The columns of features to write, each with a string for every feature; `None` if they are not
/// known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The names of features, such as gene symbols; if missing, their ids are used.
    pub names: Option<StringList>,
    /// The types of features; if missing, [`GENE_EXPRESSION`] is used.
    pub types: Option<StringList>,
    /// The genome of each feature; empty if it has none.
    pub genomes: Option<StringList>,
    /// Additional columns, by name.
    pub tags: Vec<(String, StringList)>,
}

impl Features {
    /// Sets a column by its name in a file. `id` is ignored, because ids are the names of rows.
    pub fn set(&mut self, name: &str, strings: StringList) {
        match name {
            "id" => {}
            "name" => self.names = Some(strings),
            "feature_type" => self.types = Some(strings),
            "genome" => self.genomes = Some(strings),
            other => self.tags.push((other.to_owned(), strings)),
        }
    }
}

/// Returns the same string `count` times.
pub(super) fn repeated(text: &str, count: u64) -> StringList {
    let mut list = StringList::new();
    for _ in 0..count {
        list.push(text.as_bytes());
    }
    list
}
