//! Writing a list of strings.

use nnz_core::{Place, Result, StringList, StringReader};
use rust_hdf5::format::messages::datatype::DatatypeMessage;
use rust_hdf5::types::Complex64;
use rust_hdf5::{H5Dataset, H5Group};

use super::super::texts::{check_count, check_room, check_text};
use super::guarded;

/// Zero-terminated, UTF-8.
const TEXT: DatatypeMessage = DatatypeMessage::VarLenString { padding: 0, charset: 1 };

/// Strings written at a time: as many as a heap in the file holds.
const PIECE: usize = 65_535;

/// Bytes of strings written at a time, unless one string is longer.
const PIECE_BYTES: usize = 4 << 20;

/// What a string is in its dataset: a length, and where in a heap the text lies.
const NOWHERE: Complex64 = Complex64 { re: 0.0, im: 0.0 };

/// Writes a dataset of strings, of a fixed length as BPCells does, in pieces of bounded size.
/// Returns it and its length.
pub(super) fn write(
    group: &H5Group,
    name: &str,
    strings: &mut dyn StringReader,
    place: &Place,
) -> Result<(H5Dataset, u64)> {
    let Some(len) = strings.remaining() else {
        // The length of the dataset comes first.
        let list: StringList = strings.list()?;
        return write(group, name, &mut *list.reader(), place);
    };
    let mut piece = Piece::default();
    let mut more = piece.fill(0, strings, place)?;
    if !more {
        check_count(piece.len(), len, place)?;
        let texts = piece.texts();
        let made = guarded(place, || {
            if texts.is_empty() {
                // The crate's own way to write an empty list makes one that HDF5 2 cannot read.
                group.new_dataset::<u8>().datatype(TEXT).shape([0_usize]).create(name)
            } else {
                group.write_vlen_strings(name, &texts)
            }
        });
        return made.map(|dataset| (dataset, len));
    }
    let shape = [usize::try_from(len).unwrap_or(usize::MAX)];
    let dataset =
        guarded(place, || group.new_dataset::<u8>().datatype(TEXT).shape(shape).create(name))?;
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
    guarded(place, || {
        // What was there is taken for strings that are replaced, and their text is freed. In a file
        // that is written to again it is whatever that space was used for before.
        let nowhere = vec![NOWHERE; texts.len()];
        dataset.write_slice(&[first], &[texts.len()], &nowhere)?;
        dataset.write_vlen_strings_slice(first, texts)
    })
}

/// Strings that are written together.
#[derive(Default)]
struct Piece {
    text: String,
    /// Where each string ends.
    ends: Vec<usize>,
}

impl Piece {
    /// Takes strings from number `first` on; `false` where there are no more.
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
