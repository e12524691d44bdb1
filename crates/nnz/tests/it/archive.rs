//! Archives of the SuiteSparse Matrix Collection.

use crate::common::{manifest, unsynced};
use nnz::{Location, OpenOptions};
use nnz_testing::tar::{pack, pack_gzip};

const MAIN: &[u8] = b"%%MatrixMarket matrix coordinate real general\n% comment\n3 3 3\n\
                      3 1 1.5\n1 2 -2\n2 3 4\n";
const RIGHT: &[u8] = b"%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n";

const FILES: [(&str, &[u8]); 3] =
    [("HB_x/HB_x_b.mtx", RIGHT), ("HB_x/HB_x.mtx", MAIN), ("HB_x/README", b"text")];

struct Archive {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
}

impl Archive {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("HB_x.tar.gz");
        std::fs::write(&path, bytes).unwrap();
        Self { _folder: folder, path }
    }

    fn at(&self, name: Option<&str>) -> Location {
        Location::Path { path: self.path.clone(), group: name.map(ToOwned::to_owned) }
    }

    fn error(&self, name: Option<&str>) -> String {
        manifest::open(&self.at(name)).err().unwrap().to_string()
    }
}

#[test]
fn the_matrix_with_the_name_of_its_directory_is_the_main_one() {
    for bytes in [pack(&FILES), pack_gzip(&FILES)] {
        let archive = Archive::new(&bytes);
        for name in [None, Some("HB_x.mtx"), Some("HB_x/HB_x.mtx")] {
            let matrix = manifest::open(&archive.at(name)).unwrap();
            let entries: Vec<_> = matrix.entries().unwrap().map(Result::unwrap).collect();
            let found: Vec<_> = entries.iter().map(|(r, c, v)| (*r, *c, v.to_string())).collect();
            let expected = [(2, 0, "1.5"), (0, 1, "-2.0"), (1, 2, "4.0")];
            assert_eq!(found, expected.map(|(row, col, value)| (row, col, value.to_owned())));
            assert_eq!(matrix.about().unwrap().container, "tar archive");
            // The text is read from the beginning again.
            assert!(matrix.rereadable() && matrix.entries().unwrap().count() == 3);
        }
        let right = manifest::open(&archive.at(Some("HB_x_b.mtx"))).unwrap();
        assert_eq!(right.header().shape.to_string(), "3 x 1");
        let members = nnz::formats::list_members(
            archive.at(None),
            &OpenOptions::new(),
            &crate::common::sparing(),
        )
        .unwrap();
        let paths: Vec<&str> = members.iter().map(|member| &*member.path).collect();
        assert_eq!(paths, ["HB_x/HB_x_b.mtx", "HB_x/HB_x.mtx"]);
        assert_eq!(members[1].shape, [3, 3]);
        let to = archive.path.with_extension("bpcells");
        nnz::convert(
            archive.at(None),
            crate::common::location(&to),
            &unsynced(),
            &crate::common::sparing(),
        )
        .unwrap();
        let options = nnz::ValidateOptions::default();
        let mut found = Vec::new();
        nnz::validate(archive.at(None), &options, &crate::common::sparing(), &mut |finding| {
            found.push(finding.to_string())
        })
        .unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn other_archives_are_refused_with_a_reason() {
    let several = [("d/a.mtx", MAIN), ("d/b.mtx", RIGHT)];
    let error = Archive::new(&pack_gzip(&several)).error(None);
    assert!(error.contains("select one:") && error.contains("::d/b.mtx"), "{error}");
    let error = Archive::new(&pack_gzip(&several)).error(Some("c.mtx"));
    assert!(error.contains("no file \"c.mtx\"; select one:"), "{error}");
    let error = Archive::new(&pack_gzip(&[("d/README", b"text")])).error(None);
    assert!(error.contains("an archive without a .mtx file"), "{error}");
    let only = Archive::new(&pack_gzip(&several[..1]));
    assert_eq!(manifest::open(&only.at(None)).unwrap().header().shape.rows, 3);
    // The error in a text has its line.
    let broken = [("d/d.mtx", &MAIN[..MAIN.len() - 4])];
    let archive = Archive::new(&pack_gzip(&broken));
    let error = manifest::read_whole(&archive.at(None)).unwrap_err().to_string();
    assert!(error.contains("HB_x.tar.gz::d/d.mtx: line 6"), "{error}");
    // A part of a file of another format.
    let text = tempfile::Builder::new().suffix(".mtx").tempfile().unwrap();
    std::fs::write(text.path(), MAIN).unwrap();
    let at = Location::Path { path: text.path().to_path_buf(), group: Some("x".to_owned()) };
    let error = manifest::open(&at).err().unwrap().to_string();
    assert!(error.contains("has no groups"), "{error}");
}

/// Nothing panics or hangs, and a truncated archive is an error.
#[test]
fn damaged_archives() {
    let mut random = nnz_testing::random::Random::new(9);
    for whole in [pack(&FILES), pack_gzip(&FILES)] {
        // The first file takes two blocks of 512 bytes, and the main matrix follows its header.
        let plain = 1536 + MAIN.len();
        let main_ends = if whole.starts_with(b"\x1f\x8b") { whole.len() / 2 } else { plain };
        for _ in 0..300 {
            let mut bytes = whole.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            let archive = Archive::new(&bytes);
            let _ = manifest::read_whole(&archive.at(None));
            let _ = nnz::formats::list_members(
                archive.at(None),
                &OpenOptions::new(),
                &crate::common::sparing(),
            );
        }
        for end in (0..main_ends).step_by(37) {
            let archive = Archive::new(&whole[..end]);
            assert!(manifest::read_whole(&archive.at(None)).is_err(), "cut at {end}");
        }
    }
}
