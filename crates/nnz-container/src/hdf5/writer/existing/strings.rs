//! Writing lists of strings.

use nnz_core::{Place, Result, StringList, StringReader};
use rust_hdf5::format::messages::datatype::DatatypeMessage;
use rust_hdf5::types::Complex64;
use rust_hdf5::{H5Dataset, H5Group};

use super::super::texts::{check_count, check_room, check_text};
use super::call_library;

/// Zero-terminated, UTF-8.
const TEXT: DatatypeMessage = DatatypeMessage::VarLenString { padding: 0, charset: 1 };

/// Number of strings written at once: as many as a heap collection can have.
const PIECE: usize = 65_535;

/// Size of strings written at once, unless one string is longer.
const PIECE_BYTES: usize = 4 << 20;

/// A string in its dataset: a length, and the ID of the text in the heap.
const NOWHERE: Complex64 = Complex64 { re: 0.0, im: 0.0 };

/// Writes a dataset of strings with fixed length, as BPCells does, in pieces of bounded size.
/// Returns it and its length.
pub(super) fn write(
    group: &H5Group,
    name: &str,
    strings: &mut dyn StringReader,
    place: &Place,
) -> Result<(H5Dataset, u64)> {
    let Some(len) = strings.remaining() else {
        // The length of the dataset is needed first.
        let list: StringList = strings.list()?;
        return write(group, name, &mut *list.reader(), place);
    };
    let mut piece = Piece::default();
    let mut more = piece.fill(0, strings, place)?;
    if !more {
        check_count(piece.len(), len, place)?;
        let texts = piece.texts();
        let made = call_library(place, || {
            if texts.is_empty() {
                // `rust-hdf5` writes empty lists in a form that HDF5 2 cannot read.
                group.new_dataset::<u8>().datatype(TEXT).shape([0_usize]).create(name)
            } else {
                group.write_vlen_strings(name, &texts)
            }
        });
        return made.map(|dataset| (dataset, len));
    }
    let shape = [usize::try_from(len).unwrap_or(usize::MAX)];
    let dataset =
        call_library(place, || group.new_dataset::<u8>().datatype(TEXT).shape(shape).create(name))?;
    let mut written = 0;
    loop {
        check_room(written + piece.len(), len, place)?;
        put(&dataset, written, &piece.texts(), place)?;
        written += piece.len();
        if !more {
            return check_count(written, len, place).map(|()| (dataset, len));
        }
        more = piece.fill(written, strings, place)?;
    }
}

/// Writes some of the strings.
fn put(dataset: &H5Dataset, first: u64, texts: &[&str], place: &Place) -> Result<()> {
    let first = usize::try_from(first).unwrap_or(usize::MAX);
    if texts.is_empty() {
        return Ok(());
    }
    call_library(place, || {
        // `rust-hdf5` frees the text of strings that are overwritten. In a file that is written
        // again, the old contents are those of a previous use of the space.
        let nowhere = vec![NOWHERE; texts.len()];
        dataset.write_slice(&[first], &[texts.len()], &nowhere)?;
        dataset.write_vlen_strings_slice(first, texts)
    })
}

/// Strings that are written together.
#[derive(Default)]
struct Piece {
    text: String,
    /// The end of each string.
    ends: Vec<usize>,
}

impl Piece {
    /// Reads strings from index `first` on; `false` if there are no more.
    fn fill(&mut self, first: u64, strings: &mut dyn StringReader, place: &Place) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        while self.ends.len() < PIECE && self.text.len() < PIECE_BYTES {
            let Some(string) = strings.next_string()? else { return Ok(false) };
            let text = check_text(string, first + self.ends.len() as u64, place)?;
            self.text.push_str(text);
            self.ends.push(self.text.len());
        }
        Ok(true)
    }

    fn len(&self) -> u64 {
        self.ends.len() as u64
    }

    fn texts(&self) -> Vec<&str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends.iter().copied());
        ranges.map(|(start, end)| self.text.get(start..end).unwrap_or_default()).collect()
    }
}
