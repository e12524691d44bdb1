//! Validating a matrix or tensor.
//!
//! Opening stops at the first error. Validation checks every key and array on its own, to find all
//! faults that are independent.

mod levels;
mod values;

use nnz_container::NamedArrays;
use nnz_core::{Error, Finding, Place, Result, Structure, readable};

use crate::Version;
use crate::descriptor::{DESCRIPTOR, DIAGONAL, Descriptor};
use crate::deviation::Deviations;
use crate::entries::EntryReader;
use crate::store::Store;

/// Checks the descriptor and every element in the container that `open` opens, and passes findings
/// to `each`.
///
/// # Errors
///
/// Fails if `open` does, if the system cannot read, or if reading is cancelled. Everything else is
/// a finding.
pub fn validate(
    open: &dyn Fn() -> Result<NamedArrays>,
    each: &mut dyn FnMut(Finding),
) -> Result<()> {
    let container = open()?;
    let mut found = Deviations::default();
    let store = Store::examine(&container, None, &mut found);
    if let Some(store) = store {
        let mut whole = Deviations::default();
        levels::check(&store, &mut whole);
        values::check(&store.values, &mut whole);
        let valid = !whole.any_refused();
        for deviation in [found, whole] {
            deviation.report(each)?;
        }
        let mut found = Deviations::default();
        foreign(&container, &store.descriptor, &mut found);
        if store.descriptor.version == Version::default() {
            let key = format!("{DESCRIPTOR}.version");
            found.note(Place::array(container.path(), key), store.descriptor.version.readers());
        }
        if valid {
            entries(store, container.path(), &mut found);
        }
        found.report(each)
    } else {
        found.report(each)
    }
}

/// Notes arrays that are not in the descriptor.
fn foreign(container: &NamedArrays, descriptor: &Descriptor, found: &mut Deviations) {
    let own = descriptor.layout.arrays();
    let fill = (descriptor.fill, "fill_value");
    for name in found.take(container.members()).unwrap_or_default() {
        let known = own.contains(&name) || name == DESCRIPTOR || fill == (true, &*name);
        let mut foreign = || found.take(readable(container.array(&name))).flatten().is_some();
        if !known && foreign() {
            found.note(Place::array(container.path(), name), "not an array of the descriptor");
        }
    }
    let listed = descriptor.data_types.iter().map(|(name, _)| name);
    for name in listed.filter(|name| !own.contains(name) && *name != "fill_value") {
        let key = format!("{DESCRIPTOR}.data_types.{name}");
        found.note(Place::array(container.path(), key), "not an array of the descriptor");
    }
}

/// Reads all entries, for the checks that need more than one array.
fn entries(store: Store, path: &std::path::Path, found: &mut Deviations) {
    let stated = store.descriptor.diagonal();
    let structured = store.descriptor.structure != Structure::General;
    let matrix = store.descriptor.shape.len() == 2;
    // With one shared value, a dense level may have any number of entries.
    let countless = store.ends_dense() && store.values.iso().is_some();
    if !matrix || countless || !structured && stated.is_none() {
        return;
    }
    let mut reader = EntryReader::of(store);
    let mut diagonal = 0;
    let outcome = loop {
        match reader.next_entry() {
            Ok(Some((at, _))) => diagonal += u64::from(at.windows(2).all(|at| at[0] == at[1])),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    if found.take(outcome).is_some()
        && let Some(stated) = stated.filter(|&stated| stated != diagonal)
    {
        let place = Place::array(path, format!("{DESCRIPTOR}.attributes.{DIAGONAL}"));
        found.tolerate(Error::mismatch(place, stated, diagonal));
    }
}
