//! The conformance suite that every container has to pass, according to its capabilities.

use nnz_container::directory::DirectoryWriter;
#[cfg(feature = "hdf5")]
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_container::memory::Memory;
use nnz_container::npy::NpyDirectoryWriter;
use nnz_container::npz::{NpzOptions, NpzWriter};
use nnz_container::rds::{Limits, Rds, RdsOptions, RdsWriter};
#[cfg(feature = "zarr")]
use nnz_container::zarr::{ZarrOptions, ZarrWriter};
use nnz_container::{Compression, NamedArrays, NamedArraysWriter};
use nnz_core::{ErrorKind, ValueType, Values};
use nnz_storage::staging::WriteOptions;
use proptest::prelude::*;

/// All names used in this file.
const MEMBERS: &[&str] = &["version", "names", "a", "none", "nobody", "binsparse"];

/// The chunks and the compression of arrays.
#[derive(Clone, Copy)]
struct Stored(Option<u64>, Compression);

impl Stored {
    fn of(self, writer: NamedArraysWriter) -> NamedArraysWriter {
        let writer = writer.compress(self.1);
        match self.0 {
            Some(chunk) => writer.chunk(chunk),
            None => writer,
        }
    }
}

/// Creates a container of one kind and opens it again.
trait Backend {
    fn writer(&self) -> NamedArraysWriter;
    fn open(&self) -> NamedArrays;
}

impl Backend for Memory {
    fn writer(&self) -> NamedArraysWriter {
        Memory::writer(self)
    }

    fn open(&self) -> NamedArrays {
        NamedArrays::new(self.clone())
    }
}

impl Backend for tempfile::TempDir {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        NamedArraysWriter::new(
            DirectoryWriter::create(&self.path().join("store"), options, MEMBERS).unwrap(),
        )
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_directory(&self.path().join("store")).unwrap()
    }
}

/// A group of an HDF5 file in a temporary directory.
#[cfg(feature = "hdf5")]
struct InHdf5(tempfile::TempDir, &'static str, Stored);

#[cfg(feature = "hdf5")]
impl Backend for InHdf5 {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let path = self.0.path().join("store.h5");
        let hdf5 = Hdf5Writer::create(&path, self.1, options, Hdf5Options::default());
        self.2.of(NamedArraysWriter::new(hdf5.unwrap()))
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_hdf5(&self.0.path().join("store.h5"), self.1).unwrap()
    }
}

/// A group of a NetCDF file in a temporary directory.
#[cfg(feature = "hdf5")]
struct InNetCdf(tempfile::TempDir, &'static str, Stored);

#[cfg(feature = "hdf5")]
impl Backend for InNetCdf {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let path = self.0.path().join("store.nc");
        let netcdf = Hdf5Options { netcdf: true, ..Hdf5Options::default() };
        let netcdf = Hdf5Writer::create(&path, self.1, options, netcdf);
        self.2.of(NamedArraysWriter::new(netcdf.unwrap()))
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_netcdf(&self.0.path().join("store.nc"), self.1).unwrap()
    }
}

/// An R object in a temporary directory.
struct InRds(tempfile::TempDir, RdsOptions);

impl Backend for InRds {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        NamedArraysWriter::new(
            RdsWriter::create(&self.0.path().join("store.rds"), options, self.1).unwrap(),
        )
    }

    fn open(&self) -> NamedArrays {
        NamedArrays::new(Rds::open(&self.0.path().join("store.rds"), Limits::default()).unwrap())
    }
}

/// A directory of `.npy` files in a temporary directory.
struct InNpy(tempfile::TempDir);

impl Backend for InNpy {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        NamedArraysWriter::new(
            NpyDirectoryWriter::create(&self.0.path().join("store"), options).unwrap(),
        )
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_npy(&self.0.path().join("store")).unwrap()
    }
}

/// An `.npz` file in a temporary directory.
struct InNpz(tempfile::TempDir, Compression);

impl Backend for InNpz {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let npz = NpzOptions { compress: self.1 };
        NamedArraysWriter::new(
            NpzWriter::create(&self.0.path().join("store.npz"), options, npz).unwrap(),
        )
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_npz(&self.0.path().join("store.npz")).unwrap()
    }
}

/// A group of a Zarr store in a temporary directory.
#[cfg(feature = "zarr")]
struct InZarr(tempfile::TempDir, &'static str, Stored);

#[cfg(feature = "zarr")]
impl Backend for InZarr {
    fn writer(&self) -> NamedArraysWriter {
        let options = WriteOptions::default().overwrite(true).sync(false);
        let path = self.0.path().join("store.zarr");
        let zarr = ZarrWriter::create(&path, self.1, options, ZarrOptions::default());
        self.2.of(NamedArraysWriter::new(zarr.unwrap()))
    }

    fn open(&self) -> NamedArrays {
        crate::common::open_zarr(&self.0.path().join("store.zarr"), self.1).unwrap()
    }
}

fn for_each_backend(test: impl Fn(&dyn Backend)) {
    test(&Memory::new());
    test(&tempfile::tempdir().unwrap());
    test(&InRds(tempfile::tempdir().unwrap(), RdsOptions::default()));
    test(&InRds(tempfile::tempdir().unwrap(), RdsOptions { gzip: None, ..RdsOptions::default() }));
    test(&InNpy(tempfile::tempdir().unwrap()));
    test(&InNpz(tempfile::tempdir().unwrap(), Compression::None));
    test(&InNpz(tempfile::tempdir().unwrap(), Compression::Gzip(6)));
    #[cfg(feature = "zarr")]
    {
        let plain = Stored(None, Compression::None);
        let gzip = Stored(Some(3), Compression::Gzip(4));
        let zstd = Stored(Some(5), Compression::Zstd(3));
        test(&InZarr(tempfile::tempdir().unwrap(), "", plain));
        test(&InZarr(tempfile::tempdir().unwrap(), "/some/group", gzip));
        test(&InZarr(tempfile::tempdir().unwrap(), "group", zstd));
        for compress in ["blosc", "pcodec:8", "gzip:1+delta", "zstd:3+delta+shuffle"] {
            let options = Stored(Some(5), compress.parse().unwrap());
            test(&InZarr(tempfile::tempdir().unwrap(), "group", options));
        }
    }
    #[cfg(feature = "hdf5")]
    {
        let plain = Stored(None, Compression::None);
        let packed = Stored(Some(3), Compression::Gzip(4));
        test(&InHdf5(tempfile::tempdir().unwrap(), "", plain));
        let zstd = Stored(Some(3), Compression::Zstd(3));
        test(&InHdf5(tempfile::tempdir().unwrap(), "/some/group", packed));
        test(&InHdf5(tempfile::tempdir().unwrap(), "g", zstd));
        let blosc = Stored(Some(3), Compression::Blosc);
        test(&InHdf5(tempfile::tempdir().unwrap(), "g", blosc));
        test(&InNetCdf(tempfile::tempdir().unwrap(), "", plain));
        test(&InNetCdf(tempfile::tempdir().unwrap(), "some/group", packed));
    }
}

/// Sixteen elements of a type, as native-endian bytes.
fn sample(value_type: ValueType) -> Vec<u8> {
    let mut values = Values::new(value_type);
    let bytes = values.resize_bytes(16);
    bytes.iter_mut().zip((0..=255).cycle()).for_each(|(byte, n)| *byte = n);
    values.bytes().to_vec()
}

#[test]
fn arrays_of_supported_types_are_read_at_any_position() {
    for_each_backend(|backend| {
        backend.writer().finish().unwrap();
        let types = backend.open().info().capabilities.value_types;
        let mut writer = backend.writer();
        for &value_type in types {
            let id = writer.create_array(value_type.name(), value_type).unwrap();
            let bytes = sample(value_type);
            let (head, tail) = bytes.split_at(5 * value_type.size());
            writer.append_bytes(id, head).unwrap();
            writer.append_bytes(id, &[]).unwrap();
            writer.append_bytes(id, tail).unwrap();
        }
        writer.finish().unwrap();

        let container = backend.open();
        for &value_type in types {
            let array = container.array(value_type.name()).unwrap();
            assert_eq!((array.value_type(), array.len()), (value_type, 16));
            let expected = sample(value_type);
            let size = value_type.size();
            for first in 0..=16 {
                for len in 0..=16 - first {
                    let mut out = vec![0; len * size];
                    array.read_bytes(first as u64, &mut out).unwrap();
                    assert_eq!(out, expected[first * size..(first + len) * size]);
                }
            }
        }
    });
}

#[test]
fn unsupported_types_are_refused() {
    for_each_backend(|backend| {
        backend.writer().finish().unwrap();
        let able = backend.open().info().capabilities.value_types;
        for &value_type in ValueType::ALL {
            let made = backend.writer().create_array("a", value_type);
            assert_eq!(made.is_ok(), able.contains(&value_type), "{value_type}");
        }
    });
}

#[test]
fn reading_past_the_end_is_an_error() {
    for_each_backend(|backend| {
        let mut writer = backend.writer();
        let id = writer.create_array("a", ValueType::U32).unwrap();
        writer.append(id, &[1_u32, 2, 3]).unwrap();
        writer.finish().unwrap();
        let container = backend.open();
        let array = container.array("a").unwrap();
        let mut two = [0_u32; 2];
        array.read_into(1, &mut two).unwrap();
        assert_eq!(two, [2, 3]);
        assert!(array.read_into(2, &mut two).is_err());
        assert!(array.read_into(u64::MAX, &mut two).is_err());
        assert!(array.read_bytes(0, &mut [0; 5]).is_err());
        assert!(array.read_into(0, &mut [0_f32; 2]).is_err());
        let mut wide = [0_u64; 3];
        array.read_widened(0, &mut wide).unwrap();
        assert_eq!(wide, [1, 2, 3]);
    });
}

#[test]
fn empty_arrays_and_lists_are_kept() {
    for_each_backend(|backend| {
        let mut writer = backend.writer();
        writer.create_array("none", ValueType::U32).unwrap();
        writer.write_strings("nobody", &mut std::iter::empty()).unwrap();
        writer.finish().unwrap();
        let container = backend.open();
        assert_eq!(container.members().unwrap(), ["nobody", "none"]);
        assert!(container.array("none").unwrap().is_empty());
        assert!(container.strings("nobody").unwrap().is_empty());
    });
}

#[test]
fn missing_members_are_errors() {
    for_each_backend(|backend| {
        backend.writer().finish().unwrap();
        let container = backend.open();
        for error in [
            container.array("x").err().unwrap(),
            container.strings("x").unwrap_err(),
            container.strings_size("x").unwrap_err(),
            container.attribute("x").unwrap_err(),
        ] {
            assert!(matches!(error.kind(), ErrorKind::Missing), "{error}");
            assert_eq!(error.place().array.as_deref(), Some("x"));
        }
    });
}

#[test]
fn attributes_are_read_back() {
    for_each_backend(|backend| {
        let mut writer = backend.writer();
        writer.set_attribute("version", "packed-uint-matrix-v2").unwrap();
        writer.finish().unwrap();
        assert_eq!(backend.open().attribute("version").unwrap(), "packed-uint-matrix-v2");
    });
}

#[test]
fn long_attributes_are_supported_as_declared() {
    let list: Vec<String> = (0..10_000).map(|n| format!("  \"member \u{e9} {n}\"")).collect();
    let json = format!("{{\"list\": [\n{}\n]}}", list.join(",\n"));
    assert!(json.len() > 100_000);
    let texts = [("json", &*json), ("lines", "two\nlines\n"), ("one", "one"), ("no", "")];
    for (name, text) in texts {
        for_each_backend(|backend| {
            backend.writer().finish().unwrap();
            let able = backend.open().info().capabilities.multiline_attributes;
            let mut writer = backend.writer();
            let written = writer.set_attribute("binsparse", text);
            if !able {
                assert!(written.is_err() || text.len() < 4);
                return;
            }
            written.unwrap();
            writer.finish().unwrap();
            let container = backend.open();
            assert_eq!(container.members().unwrap(), ["binsparse"]);
            assert!(container.attribute("binsparse").unwrap() == text, "{name}");
            let missing = container.attribute("x").unwrap_err();
            assert!(matches!(missing.kind(), ErrorKind::Missing), "{missing}");
        });
    }
}

#[test]
fn an_unfinished_write_changes_nothing() {
    for_each_backend(|backend| {
        // Only a store is replaced, which a directory of arrays shows by a description.
        let mut writer = backend.writer();
        writer.set_attribute("version", "packed-uint-matrix-v1").unwrap();
        writer.set_attribute("binsparse", r#"{"data_types": {"version": "text"}}"#).unwrap();
        writer.finish().unwrap();
        let mut writer = backend.writer();
        writer.set_attribute("version", "packed-uint-matrix-v2").unwrap();
        drop(writer);
        assert_eq!(backend.open().attribute("version").unwrap(), "packed-uint-matrix-v1");
    });
}

#[test]
fn member_names_are_unique() {
    for_each_backend(|backend| {
        let mut writer = backend.writer();
        writer.create_array("a", ValueType::U32).unwrap();
        assert!(writer.create_array("a", ValueType::U32).is_err());
    });
}

proptest! {
    #[test]
    fn alternately_appended_pieces_are_read_back(
        pieces in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u64>(), 0..30)), 0..10),
        at in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        for_each_backend(|backend| {
            let mut writer = backend.writer();
            let narrow = writer.create_array("a", ValueType::U32).unwrap();
            let wide = writer.create_array("none", ValueType::F64).unwrap();
            let (mut numbers, mut floats) = (Vec::new(), Vec::new());
            for (first, piece) in &pieces {
                if *first {
                    let piece: Vec<u32> = piece.iter().map(|n| u32::try_from(n >> 32).unwrap()).collect();
                    writer.append(narrow, &piece).unwrap();
                    numbers.extend(piece);
                } else {
                    // NaN payloads are kept.
                    let piece: Vec<f64> = piece.iter().map(|bits| f64::from_bits(*bits)).collect();
                    writer.append(wide, &piece).unwrap();
                    floats.extend(piece.iter().map(|float| float.to_bits()));
                }
            }
            writer.finish().unwrap();
            let container = backend.open();
            let (narrow, wide) = (container.array("a").unwrap(), container.array("none").unwrap());
            assert_eq!((narrow.len(), wide.len()), (numbers.len() as u64, floats.len() as u64));
            let ends = [at.0, at.1].map(|at| at.index(floats.len() + 1));
            let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            let mut some = vec![0.0_f64; last - first];
            wide.read_into(first as u64, &mut some).unwrap();
            assert_eq!(some.iter().map(|f| f.to_bits()).collect::<Vec<_>>(), floats[first..last]);
            let mut all = vec![0_u32; numbers.len()];
            narrow.read_into(0, &mut all).unwrap();
            assert_eq!(all, numbers);
        });
    }

    #[test]
    fn strings_are_read_back_or_refused(
        strings in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 0..20),
    ) {
        for_each_backend(|backend| {
            let mut writer = backend.writer();
            let mut all = strings.iter().map(|s| &s[..]);
            let written = writer.write_strings("names", &mut all);
            let breaks = strings.iter().any(|s| s.contains(&b'\n') || s.ends_with(b"\r"));
            let bytes = strings.iter().any(|s| s.contains(&0) || std::str::from_utf8(s).is_err());
            if written.is_err() {
                assert!(breaks || bytes);
                return;
            }
            writer.finish().unwrap();
            let container = backend.open();
            assert!(!breaks || container.info().capabilities.line_breaks);
            assert!(!bytes || container.info().capabilities.any_bytes);
            let back = container.strings("names").unwrap();
            assert_eq!(back.iter().collect::<Vec<_>>(), strings);
        });
    }
}
