//! R's serialisation: what reads is written, in both versions, and reads as the same object.
#![no_main]

use std::io::{Error, Result, Write};

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_rds::{Limits, Object, Version, Writer, read};

/// What an object may take, and what is written of one: three numbers can stand for any sequence.
const MOST: usize = 16 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(document) = read(input, Limits { memory: MOST as u64 }) else {
        return Corpus::Keep;
    };
    for version in [Version::V2, Version::V3] {
        // Not all that can be read can be written, such as what is in a native encoding.
        let Some(bytes) = written(&document.object, version) else { continue };
        let again = read(&bytes[..], Limits::default()).unwrap();
        assert_eq!(again.version, if version == Version::V2 { 2 } else { 3 });
        if version == Version::V3 {
            assert_eq!(format!("{:?}", again.object), format!("{:?}", document.object));
        }
        // Bytes tell what showing does not, such as the payload of a NaN.
        assert_eq!(written(&again.object, version), Some(bytes));
    }
    Corpus::Keep
});

fn written(object: &Object, version: Version) -> Option<Vec<u8>> {
    let mut writer = Writer::new(Bounded(Vec::new()), version).unwrap();
    writer.object(object).ok()?;
    writer.finish().ok().map(|bounded| bounded.0)
}

struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if self.0.len() + bytes.len() > MOST {
            return Err(Error::other("more than a target holds"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
