//! What a file says of features beside their ids.

use nnz_core::StringList;

/// The type of features where none is known.
pub const GENE_EXPRESSION: &str = "Gene Expression";

/// The columns of features that are written, each with a string for every feature; `None` where it is not
/// known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// What features are called, such as gene symbols; their ids where it is not known.
    pub names: Option<StringList>,
    /// What features are; [`GENE_EXPRESSION`] where it is not known.
    pub types: Option<StringList>,
    /// The genome of each, which has none where it is empty.
    pub genomes: Option<StringList>,
    /// Further columns, by name.
    pub tags: Vec<(String, StringList)>,
}

impl Features {
    /// Sets a column by its name in a file. `id` is none, as that is what features are named by.
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

/// Returns the same string so many times.
pub(super) fn repeated(text: &str, count: u64) -> StringList {
    let mut list = StringList::new();
    for _ in 0..count {
        list.push(text.as_bytes());
    }
    list
}
