//! Inflating only: a lower bound of the time to read a gzip file.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use flate2::read::MultiGzDecoder;

use crate::{Measured, Result, measured};

pub(crate) fn measure(path: &Path) -> Result<Measured> {
    let started = Instant::now();
    let mut text = MultiGzDecoder::new(File::open(path)?);
    let mut block = vec![0; 1 << 20];
    let mut bytes = 0_u64;
    loop {
        let read = text.read(&mut block)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
    }
    let seconds = started.elapsed().as_secs_f64();
    Ok(measured([("seconds", seconds.into()), ("bytes", bytes.into())]))
}
