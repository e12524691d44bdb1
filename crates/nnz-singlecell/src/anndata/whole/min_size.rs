//! Estimating the size of a file, to check free space before writing.

use nnz_container::Compression;
use nnz_container::tree::{Group, NdArray};
use nnz_core::{Result, Shape};
use nnz_engine::check_free_space;

use super::elements::Transfer;
use super::picks::{ALL, FilePicks, Picks};
use crate::anndata::element::{Element, SparseGroup};
use crate::anndata::item::COLLECTIONS;
use crate::anndata::{AnnData, Item};

/// The smallest size of an index or a pointer in bytes.
const INDEX: u64 = 4;

impl Transfer<'_> {
    /// Fails if the disk has less free space.
    pub(crate) fn check_free_space_for(&self, least: u64) -> Result<()> {
        check_free_space(self.options.directory, least, "the output")
    }

    /// Returns a lower bound of the size of a file. Compressed elements, and those that cannot be
    /// opened, count as 0.
    pub(crate) fn min_size_of_file(&self, file: &AnnData, picks: &FilePicks) -> u64 {
        let items = [Item::X, Item::RawX].into_iter().filter_map(|item| {
            let (_, element) = file.element(&item).ok()??;
            Some(self.min_size(&element, picks.along(item.axes()), 0))
        });
        let of_items = items.fold(0, u64::saturating_add);
        let collections = COLLECTIONS.iter().filter_map(|collection| {
            let element = Element::at(&*file.root, collection.path).ok()??;
            let item = (collection.item)(String::new());
            Some(self.min_size(&element, picks.along(item.axes()), 0))
        });
        let of_uns = Element::find(&*file.root, "uns").ok().flatten();
        let of_uns = of_uns.map_or(0, |uns| self.min_size(&uns, ALL, 0));
        collections.fold(of_items.saturating_add(of_uns), u64::saturating_add)
    }

    fn min_size(&self, element: &Element, picks: Picks<'_>, depth: usize) -> u64 {
        /// Maximum depth of nested groups.
        const DEEPEST: usize = 16;
        match element {
            Element::Array(array) => self.min_size_of_array(&**array, picks),
            Element::Group(group) => match SparseGroup::of(&**group) {
                Ok(Some(sparse)) => {
                    self.min_size_of_sparse(&**group, &sparse, picks).unwrap_or_default()
                }
                Ok(None) if depth < DEEPEST => {
                    let children = group.children().unwrap_or_default();
                    let each = children.iter().filter_map(|child| {
                        let element = Element::open(&**group, &child.name).ok()?;
                        Some(self.min_size(&element, picks, depth + 1))
                    });
                    each.fold(0, u64::saturating_add)
                }
                _ => 0,
            },
        }
    }

    fn min_size_of_array(&self, array: &dyn NdArray, picks: Picks<'_>) -> u64 {
        let Some(value_type) = array.element_type().value_type() else { return 0 };
        if array.is_null() || !matches!(self.compression(array), Compression::None) {
            return 0;
        }
        let mut shape = array.shape().to_vec();
        for (len, pick) in shape.iter_mut().zip(picks) {
            *len = pick.map_or(*len, |pick| pick.len);
        }
        shape.iter().fold(value_type.size() as u64, |all, len| all.saturating_mul(*len))
    }

    fn min_size_of_sparse(
        &self,
        group: &dyn Group,
        sparse: &SparseGroup,
        picks: Picks<'_>,
    ) -> Result<u64> {
        let data = group.array("data")?;
        if !matches!(self.compression(&*data), Compression::None) {
            return Ok(0);
        }
        let mut lengths = sparse.shape;
        for (len, pick) in lengths.iter_mut().zip(picks) {
            *len = pick.map_or(*len, |pick| pick.len);
        }
        let [rows, cols] = lengths;
        let pointers = Shape { rows, cols }.major(sparse.order).saturating_mul(INDEX);
        if picks.iter().any(Option::is_some) {
            return Ok(pointers);
        }
        let entries = data.shape().first().copied().unwrap_or(0);
        let entry = INDEX.saturating_add(data.value_type()?.size() as u64);
        Ok(entries.saturating_mul(entry).saturating_add(pointers))
    }

    /// Returns a lower bound of the size of a concatenated element. It is 0 if columns change.
    pub(crate) fn min_size_of_joined(&self, elements: &[(Element, bool)]) -> u64 {
        let same = elements.iter().filter(|(_, same)| *same);
        let each = same.map(|(element, _)| self.min_size(element, ALL, 0));
        each.fold(0, u64::saturating_add)
    }
}
