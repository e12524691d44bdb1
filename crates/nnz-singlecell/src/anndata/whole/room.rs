//! Whether a disk has room for a file, as far as that shows before it is written.

use nnz_container::Compression;
use nnz_container::tree::{Group, NdArray};
use nnz_core::{Result, Shape};
use nnz_engine::check_free_space;

use super::elements::Transfer;
use super::picks::{ALL, FilePicks, Picks};
use crate::anndata::element::{Element, SparseGroup};
use crate::anndata::item::COLLECTIONS;
use crate::anndata::{AnnData, Item};

/// Bytes of an index or a pointer at the least.
const INDEX: u64 = 4;

impl Transfer<'_> {
    /// Fails where the disk has fewer bytes free.
    pub(super) fn check_room(&self, least: u64) -> Result<()> {
        check_free_space(self.options.directory, least, "what is to be written")
    }

    /// Returns the bytes that a file takes at the least. What is compressed, and what cannot be opened, counts as
    /// nothing.
    pub(super) fn least_of_file(&self, file: &AnnData, picks: &FilePicks) -> u64 {
        let items = [Item::X, Item::RawX].into_iter().filter_map(|item| {
            let (_, element) = file.element(&item).ok()??;
            Some(self.min_bytes(&element, picks.along(item.axes()), 0))
        });
        let of_items = items.fold(0, u64::saturating_add);
        let collections = COLLECTIONS.iter().filter_map(|collection| {
            let element = Element::at(&*file.root, collection.path).ok()??;
            let item = (collection.item)(String::new());
            Some(self.min_bytes(&element, picks.along(item.axes()), 0))
        });
        let of_uns = Element::find(&*file.root, "uns").ok().flatten();
        let of_uns = of_uns.map_or(0, |uns| self.min_bytes(&uns, ALL, 0));
        collections.fold(of_items.saturating_add(of_uns), u64::saturating_add)
    }

    fn min_bytes(&self, element: &Element, picks: Picks<'_>, depth: usize) -> u64 {
        /// Groups inside each other that are looked into.
        const DEEPEST: usize = 16;
        match element {
            Element::Array(array) => self.least_of_array(&**array, picks),
            Element::Group(group) => match SparseGroup::of(&**group) {
                Ok(Some(sparse)) => {
                    self.least_of_sparse(&**group, &sparse, picks).unwrap_or_default()
                }
                Ok(None) if depth < DEEPEST => {
                    let children = group.children().unwrap_or_default();
                    let each = children.iter().filter_map(|child| {
                        let element = Element::open(&**group, &child.name).ok()?;
                        Some(self.min_bytes(&element, picks, depth + 1))
                    });
                    each.fold(0, u64::saturating_add)
                }
                _ => 0,
            },
        }
    }

    fn least_of_array(&self, array: &dyn NdArray, picks: Picks<'_>) -> u64 {
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

    fn least_of_sparse(
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

    /// Returns the bytes that an element of several files takes at the least. Of files whose columns change that is
    /// nothing.
    pub(super) fn least_of_joined(&self, elements: &[(Element, bool)]) -> u64 {
        let same = elements.iter().filter(|(_, same)| *same);
        let each = same.map(|(element, _)| self.min_bytes(element, ALL, 0));
        each.fold(0, u64::saturating_add)
    }
}
