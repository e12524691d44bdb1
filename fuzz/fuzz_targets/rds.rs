//! R serialization: objects that can be read round-trip in both versions.
#![no_main]

use std::io::{Error, Result, Write};

use libfuzzer_sys::{Corpus, fuzz_target};
use nnz_rds::{Limits, Object, Version, Writer, read};

/// Memory limits of an object and of its output: three numbers can represent any sequence.
const MOST: usize = 16 << 20;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(document) = read(input, Limits { memory: MOST as u64 }) else {
        return Corpus::Keep;
    };
    for version in [Version::V2, Version::V3] {
        // Some objects can be read but not written, such as strings in a native encoding.
        let Some(bytes) = written(&document.object, version) else { continue };
        let again = read(&bytes[..], Limits::default()).unwrap();
        assert_eq!(again.version, if version == Version::V2 { 2 } else { 3 });
        // Not the objects are compared: text in ASCII that is marked as bytes, for example, is written as ASCII.
        assert_eq!(written(&again.object, version), Some(bytes));
        if version == Version::V3 {
            assert_eq!(written(&again.object, Version::V2), written(&document.object, Version::V2));
        }
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
            return Err(Error::other("too large"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}
