//! Arguments as text: locations, formats, types, sizes, ranges.
#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use libfuzzer_sys::fuzz_target;
use nnz::{Compression, Location, ValueType, formats::Registry};

fuzz_target!(|input: &[u8]| {
    let location = Location::parse(OsStr::from_bytes(input));
    if let Location::Path { path, group } = &location {
        let shown = location.to_string();
        match group {
            None => assert_eq!(path.as_os_str().as_bytes(), input),
            Some(group) => {
                let tail = format!("::{group}");
                assert!(shown.ends_with(&tail));
                assert!(input.starts_with(path.as_os_str().as_bytes()));
                // A location is shown as it was given, except for names and passwords before the host of a URL.
                if !group.starts_with(':') && path.to_str().is_some_and(|path| !path.contains('@'))
                {
                    assert_eq!(Location::parse(&shown), location);
                }
            }
        }
    } else {
        assert_eq!(input, b"-");
    }

    let Ok(text) = std::str::from_utf8(input) else { return };
    if let Ok((format, options)) = Registry::default().parse_target(text) {
        assert!(options.is_empty() || options.get("levels").is_some());
        let name = format.info().name;
        assert_eq!(
            Registry::default().find(name.as_str()).map(|found| found.info().name),
            Some(name)
        );
    }
    if let Ok(value_type) = text.parse::<ValueType>() {
        assert_eq!(value_type.to_string().parse::<ValueType>().ok(), Some(value_type));
    }
    if let Ok(bytes) = nnz::text::parse_size(text) {
        assert_eq!(nnz::text::parse_size(&bytes.to_string()), Ok(bytes));
        assert!(text.starts_with(|digit: char| digit.is_ascii_digit()));
    }
    if let Ok(Compression::Gzip(level)) = text.parse() {
        assert!((1..=9).contains(&level));
    }
});
