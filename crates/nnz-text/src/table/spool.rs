//! A copy of a stream in a temporary file, since a table is read twice.

use nnz_storage::TaskContext;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use nnz_core::{Error, Result};
use nnz_storage::{InputFile, ReadAt, TemporaryFile};

/// The bytes that are copied at a time.
const CHUNK: usize = 256 << 10;

/// A temporary file that is complete.
#[derive(Debug)]
struct SpoolFile {
    file: TemporaryFile,
    len: u64,
}

impl ReadAt for SpoolFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, out: &mut [u8], at: u64) -> io::Result<usize> {
        let left = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX);
        let count = out.len().min(left);
        let out = out.get_mut(..count).unwrap_or_default();
        let read = self.file.read_exact_at(out, at);
        read.map(|()| count).map_err(io::Error::other)
    }
}

/// Copies a stream.
pub(super) fn spool(
    mut stream: Box<dyn Read + Send>,
    name: &Path,
    context: &TaskContext,
) -> Result<InputFile> {
    let mut file = TemporaryFile::create(context)?;
    let mut buffer = vec![0; CHUNK];
    let mut len = 0;
    loop {
        let count = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::io(name, error)),
        };
        file.write_all(buffer.get(..count).unwrap_or_default())?;
        len += count as u64;
    }
    Ok(InputFile::from_reader(name, Arc::new(SpoolFile { file, len }), context))
}
