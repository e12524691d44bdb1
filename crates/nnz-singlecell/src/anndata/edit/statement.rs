//! Texts that are stated in `uns`.

use nnz_container::tree::Attribute;
use nnz_core::{Error, Place, Result};

use super::super::AnnData;
use super::super::element::Element;
use super::super::output::{Group, Output};
use super::super::sink::start_mapping;
use crate::globals;

/// A group of texts in `uns`.
#[derive(Debug)]
pub(super) struct Statement {
    name: String,
    texts: Vec<(String, String)>,
    /// Whether the file has `uns`.
    has_uns: bool,
    /// Whether a group of the name is replaced.
    is_there: bool,
}

impl Statement {
    pub(super) fn new(file: &AnnData, name: &str, texts: &[(String, String)]) -> Result<Self> {
        let uns = Element::at(&*file.root, "uns")?;
        let is_there = match &uns {
            Some(Element::Group(uns)) => uns.children()?.iter().any(|child| child.name == name),
            Some(Element::Array(_)) => {
                let place = Place::array(file.root.path(), "uns");
                let what = "adding to uns in the layout of anndata before 0.7";
                return Err(Error::unsupported(place, what));
            }
            None => false,
        };
        let (name, texts, has_uns) = (name.to_owned(), texts.to_vec(), uns.is_some());
        Ok(Self { name, texts, has_uns, is_there })
    }

    pub(super) fn write(self, output: &mut Output) -> Result<()> {
        let uns = match self.has_uns {
            true => Group(output.tree.open_group(Group::ROOT.0, "uns")?),
            false => start_mapping(output, "uns")?,
        };
        if self.is_there {
            output.tree.remove(uns.0, &self.name)?;
        }
        let group = output.group(uns, &self.name)?;
        output.encode(group, "dict", "0.1.0")?;
        for (name, text) in &self.texts {
            let text = Attribute::of_text(text);
            if let Some(array) = globals::write(&mut *output.tree, (group.0, name), &text, true)? {
                output.encode_node(array, "string", "0.2.0")?;
            }
        }
        Ok(())
    }
}
