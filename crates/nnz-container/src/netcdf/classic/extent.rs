//! The byte ranges of a variable: one piece, or a piece in every record.

use nnz_core::{At, Error, ErrorKind, Place, Result};
use nnz_storage::InputFile;

/// Number of bytes read at once, if pieces are short and interleaved with other variables.
const BLOCK: u64 = 256 << 10;

/// The byte ranges of a variable.
pub(super) struct Extent {
    pub(super) file: InputFile,
    pub(super) place: Place,
    /// The offset of the first piece.
    pub(super) begin: u64,
    pub(super) pieces: u64,
    /// The size of a piece.
    pub(super) piece: u64,
    /// The distance between the starts of adjacent pieces.
    pub(super) stride: u64,
}

impl Extent {
    /// Returns the total size of the pieces.
    pub(super) fn bytes(&self) -> u64 {
        // Known to be at most the size of the file.
        self.pieces.saturating_mul(self.piece)
    }

    /// Checks that all pieces are in a file of `length` bytes, after its header.
    pub(super) fn check(&self, header: u64, length: u64) -> Result<()> {
        if self.pieces == 0 || self.piece == 0 {
            return Ok(());
        }
        let place = || self.place.clone().at(At::Byte(self.begin));
        if self.begin < header {
            let expected = format!("data after the header, which ends at byte {header}");
            return Err(Error::mismatch(place(), "data inside the header", expected));
        }
        let last = self.stride.checked_mul(self.pieces - 1);
        let end = last.and_then(|last| last.checked_add(self.piece)?.checked_add(self.begin));
        if end.is_none_or(|end| end > length) {
            let all = self.pieces.checked_mul(self.piece);
            let all = all.map_or_else(|| "2^64".to_owned(), |all| all.to_string());
            let found = format!("{all} bytes that extend past the end of the file");
            return Err(Error::mismatch(
                place(),
                found,
                format!("data that ends at byte {length} or before"),
            ));
        }
        Ok(())
    }

    /// Reads bytes from byte `at` of the variable on; they must exist.
    pub(super) fn read(&self, mut at: u64, out: &mut [u8]) -> Result<()> {
        if self.stride == self.piece || self.pieces == 1 {
            return self.read_file(self.begin + at, out);
        }
        let mut block = Vec::new();
        let mut rest = out;
        while !rest.is_empty() {
            let (record, from) = (at / self.piece, at % self.piece);
            let wanted = rest.len() as u64;
            let start = self.begin + record * self.stride + from;
            if self.stride >= BLOCK {
                let (part, tail) =
                    std::mem::take(&mut rest).split_at_mut(clamped(self.piece - from, wanted));
                self.read_file(start, part)?;
                at += part.len() as u64;
                rest = tail;
                continue;
            }
            // Up to the end of the last piece that is needed or fits.
            let last = (record + BLOCK / self.stride).min((at + wanted - 1) / self.piece);
            let end = self.begin + last * self.stride + self.piece;
            block.resize(clamped(end - start, u64::MAX), 0);
            self.read_file(start, &mut block)?;
            let mut first = 0;
            for _ in record..=last {
                let part = clamped(self.piece - at % self.piece, rest.len() as u64);
                let (head, tail) = std::mem::take(&mut rest).split_at_mut(part);
                head.copy_from_slice(&block[first..first + part]);
                let within = at % self.piece;
                first += clamped(self.stride - within, u64::MAX);
                at += part as u64;
                rest = tail;
            }
        }
        Ok(())
    }

    fn read_file(&self, at: u64, out: &mut [u8]) -> Result<()> {
        self.file
            .read_exact_at(out, at)
            .map_err(|error| Error::new(ErrorKind::Io(error), self.place.clone().at(At::Byte(at))))
    }
}

/// Allocates memory for bytes that are in the file, if there is enough.
pub(super) fn room_for(bytes: u64, place: impl FnOnce() -> Place) -> Result<Vec<u8>> {
    let room = usize::try_from(bytes).ok();
    let room = room.and_then(|room| bytemuck::allocation::try_zeroed_vec(room).ok());
    room.ok_or_else(|| {
        Error::unsupported(place(), format!("text of {bytes} bytes does not fit in memory"))
    })
}

/// Returns the smaller of two lengths, which fits in memory.
fn clamped(length: u64, most: u64) -> usize {
    usize::try_from(length.min(most)).unwrap_or(usize::MAX)
}
