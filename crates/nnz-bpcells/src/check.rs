//! Checks shared by the validation of matrices and of fragments.

use std::fmt::Display;

use nnz_bitpack::{Codec, EPOCH_WORDS};
use nnz_container::{NamedArrays, Vector};
use nnz_core::{At, Error, ErrorKind, Finding, Place, Result, ValueType, readable};

use crate::arrays::chunks;
use crate::{FormatVersion, Packing};

/// Elements that are read at a time.
pub(crate) const BLOCK: u64 = 16 * 1024;

/// Words of a chunk of 32-bit values.
const WIDEST: u32 = 128;

/// Checks a container and reports findings.
pub(crate) struct Check<'a> {
    pub(crate) container: &'a NamedArrays,
    pub(crate) faults: usize,
    /// The first error that is not a fault of the data: of the system, or a cancellation.
    failed: Result<()>,
    each: &'a mut dyn FnMut(Finding),
}

impl<'a> Check<'a> {
    pub(crate) fn new(container: &'a NamedArrays, each: &'a mut dyn FnMut(Finding)) -> Self {
        Self { container, faults: 0, failed: Ok(()), each }
    }

    pub(crate) fn fault(&mut self, place: Place, message: impl Into<String>) {
        self.faults += 1;
        (self.each)(Finding::fault(place, message));
    }

    pub(crate) fn note(&mut self, place: Place, message: impl Into<String>) {
        (self.each)(Finding::note(place, message));
    }

    pub(crate) fn error(&mut self, error: Error) {
        if error.is_system() || matches!(error.kind(), ErrorKind::Cancelled) {
            self.faults += 1;
            if self.failed.is_ok() {
                self.failed = Err(error);
            }
            return;
        }
        let (kind, place) = error.into_parts();
        self.fault(place, kind.to_string());
    }

    /// Returns what was read, or reports a finding if it could not be read.
    pub(crate) fn take<T>(&mut self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.error(error)).ok()
    }

    /// Ends the check.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot read something.
    pub(crate) fn finish(self) -> Result<()> {
        self.failed
    }

    pub(crate) fn place(&self, name: &str) -> Place {
        Place::array(self.container.path(), name)
    }

    /// Notes members that are not among `own`, the members of this version.
    pub(crate) fn foreign(&mut self, own: &[String], version: impl Display) {
        let members = self.container.members();
        for name in self.take(members).unwrap_or_default() {
            if !own.contains(&name) {
                self.note(self.place(&name), format!("not a member of a {version}"));
            }
        }
    }

    pub(crate) fn trailing(&mut self, name: &str) {
        let array = readable(self.container.array(name));
        // Other faults of the array are found by the code that reads it.
        if let Some(array) = self.take(array).flatten() {
            let bytes = array.trailing_bytes();
            if bytes > 0 {
                let place = array.place().at(At::Element(array.len()));
                self.fault(place, format!("found {bytes} bytes after the last whole element"));
            }
        }
    }

    /// Checks that an array exists and has the right type and length.
    pub(crate) fn array(&mut self, name: &str, value_type: ValueType, len: u64) -> Option<Vector> {
        let array = self.container.array(name);
        let array = self.take(array)?;
        self.trailing(name);
        if array.value_type() != value_type {
            let found = array.value_type();
            let message = format!("found elements of type {found}, expected {value_type}");
            self.fault(array.place(), message);
            return None;
        }
        if array.len() != len {
            let message = format!("found {} elements, expected {len}", array.len());
            self.fault(array.place(), message);
        }
        (array.len() >= len).then_some(array)
    }

    /// Checks the arrays of integers, packed or not.
    pub(crate) fn integers(
        &mut self,
        name: &str,
        codec: Codec,
        packing: Packing,
        format_version: FormatVersion,
        entries: u64,
    ) {
        if packing == Packing::Unpacked {
            self.array(name, ValueType::U32, entries);
            return;
        }
        let chunks = chunks(entries);
        let member = |suffix: &str| format!("{name}_{suffix}");
        let idx = self.array(&member("idx"), ValueType::U32, chunks.saturating_add(1));
        if codec.has_starts() {
            self.array(&member("starts"), ValueType::U32, chunks);
        }
        let words = idx.and_then(|idx| {
            let walked = self.walk_idx(&idx, chunks);
            self.take(walked).flatten()
        });
        let Some(words) = words else {
            // Without it, only the types of the other arrays can be checked.
            let data = self.container.array(&member("data"));
            self.take(data);
            return;
        };
        self.array(&member("data"), ValueType::U32, words);
        if format_version == FormatVersion::V2 {
            let expected = (words / EPOCH_WORDS).saturating_add(2);
            let offsets = self.array(&member("idx_offsets"), ValueType::U64, expected);
            if let Some(offsets) = offsets
                && offsets.len() == 2
                && words < EPOCH_WORDS
            {
                let mut found = [0_u64; 2];
                let read = offsets.read_into(0, &mut found);
                self.take(read);
                if found != [0, chunks + 1] {
                    let message = format!("found {found:?}, expected [0, {}]", chunks + 1);
                    self.fault(offsets.place(), message);
                }
            }
        }
    }

    /// Checks every step of an `idx` array and returns the number of words it covers, or `None`
    /// after a fault.
    fn walk_idx(&mut self, idx: &Vector, chunks: u64) -> Result<Option<u64>> {
        let mut block = Vec::new();
        let mut words = 0_u64;
        let mut previous = 0;
        for start in (0..=chunks).step_by(usize::try_from(BLOCK).unwrap_or(1)) {
            let len = BLOCK.min(chunks + 1 - start);
            block.resize(usize::try_from(len).unwrap_or(0), 0_u32);
            idx.read_into(start, &mut block)?;
            for (&position, element) in block.iter().zip(start..) {
                let step = position.wrapping_sub(previous);
                let expected = if element == 0 {
                    (position != 0).then(|| "0".to_owned())
                } else {
                    (step > WIDEST || !step.is_multiple_of(4))
                        .then(|| format!("{previous} plus 0, 4, 8, ... or {WIDEST}"))
                };
                if let Some(expected) = expected {
                    let message = format!("found {position}, expected {expected}");
                    self.fault(idx.place().at(At::Element(element)), message);
                    return Ok(None);
                }
                words += u64::from(step);
                previous = position;
            }
        }
        Ok(Some(words))
    }
}

/// Adds the members of an array of integers.
pub(crate) fn add_member_names(
    names: &mut Vec<String>,
    name: &str,
    packed: bool,
    starts: bool,
    format_version: FormatVersion,
) {
    if !packed {
        names.push(name.to_owned());
        return;
    }
    let offsets = (format_version == FormatVersion::V2).then_some("idx_offsets");
    let suffixes = [Some("data"), Some("idx"), starts.then_some("starts"), offsets];
    names.extend(suffixes.into_iter().flatten().map(|suffix| format!("{name}_{suffix}")));
}
