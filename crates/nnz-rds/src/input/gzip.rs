//! gzip decompression.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Decompresses concatenated members.
pub(super) struct GzMembers<R> {
    /// `None` after the last.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzMembers<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { member: Some(GzDecoder::new(reader)) }
    }
}

impl<R: BufRead> Read for GzMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            match member.get_mut().fill_buf()?.first() {
                None => self.member = None,
                Some(0x1f) => {
                    self.member = self.member.take().map(|done| GzDecoder::new(done.into_inner()));
                }
                Some(_) => {
                    let what = "gzip: bytes after the end of the object";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            }
        }
        Ok(0)
    }
}
