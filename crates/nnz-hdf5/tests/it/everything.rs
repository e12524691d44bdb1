//! Reading everything in a file, also for the fuzz target.

use std::collections::BTreeSet;
use std::path::Path;

use nnz_core::Place;
use nnz_hdf5::{Class, Dataset, File, LinkTarget, Object, ObjectKind, VariableStrings};
use nnz_storage::InputFile;

/// Reads everything in a file.
pub(crate) fn read(path: &Path) -> nnz_core::Result<()> {
    let file = File::open(InputFile::open(path)?)?;
    let root = file.root()?;
    let mut seen = BTreeSet::from([root.address()]);
    let mut pending = vec![root];
    while let Some(object) = pending.pop() {
        let mut heaps = VariableStrings::of_attributes(&file, Place::path(path));
        for attribute in object.attributes().unwrap_or_default() {
            let Ok(value) = attribute.value else { continue };
            if let (Class::VariableString(_), 16) = (&value.datatype.class, value.datatype.bytes) {
                value.data.chunks_exact(16).for_each(|id| drop(heaps.string(id).map(<[u8]>::len)));
            }
        }
        if object.kind() == ObjectKind::Dataset {
            let _ = read_dataset(&object, path);
        }
        let Ok(links) = object.links() else { continue };
        for link in links.iter() {
            match link.target {
                LinkTarget::Hard(address) if seen.insert(address) => {
                    pending.extend(file.object(address))
                }
                LinkTarget::Hard(_) => {}
                _ => drop(object.open(&link.name)),
            }
        }
    }
    Ok(())
}

fn read_dataset(object: &Object, path: &Path) -> nnz_core::Result<()> {
    let data = Dataset::open(object, Place::path(path), 1)?;
    data.check_extent()?;
    data.missing_chunks()?;
    data.stored_bytes()?;
    let bytes = usize::try_from(data.len()).unwrap() * data.datatype().bytes;
    let mut out = vec![0; bytes];
    let all: Vec<_> = data.shape().iter().map(|len| 0..*len).collect();
    data.read_slab(&all, &mut out)?;
    let corner: Vec<_> =
        data.shape().iter().map(|len| *len / 2..(*len / 2 + 1).min(*len)).collect();
    let count = corner.iter().map(|range| range.end - range.start).product::<u64>();
    out.resize(usize::try_from(count).unwrap() * data.datatype().bytes, 0);
    data.read_slab(&corner, &mut out)?;
    if let Class::VariableString(_) = data.datatype().class {
        let mut heaps = VariableStrings::new(data.file(), Place::path(path));
        for id in out.chunks_exact(data.datatype().bytes).filter(|id| id.len() == 16) {
            heaps.string(id)?;
        }
    }
    Ok(())
}
