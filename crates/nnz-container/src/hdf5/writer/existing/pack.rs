//! Compressing several chunks at a time.

use nnz_core::{Error, ErrorKind, Place, Result, parallel};

use crate::hdf5::file::{Form, Packer};

/// Shuffles and compresses complete chunks on several threads, and returns them in order.
pub(super) fn chunks(
    bytes: &[u8],
    form: Form,
    threads: usize,
    place: &Place,
) -> Result<Vec<Vec<u8>>> {
    let threads = threads.clamp(1, (bytes.len() / form.chunk.max(1)).max(1));
    let mut packed: Vec<_> =
        bytes.chunks_exact(form.chunk).map(|chunk| (chunk, Vec::new())).collect();
    let start = || Packer::new(form.compression);
    parallel::for_each_with(threads, packed.iter_mut(), start, |packer, (chunk, packed)| {
        let result = packer.pack(chunk, form.shuffle, packed);
        result.map_err(|error| Error::new(ErrorKind::Io(error), place.clone()))
    })?;
    Ok(packed.into_iter().map(|(_, packed)| packed).collect())
}
