//! Archives and directories of 10x and Matrix Market files.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, text};
use nnz_testing::tar::{pack, pack_gzip};
use nnz_testing::zip::pack_zip;

use super::report;

/// 3 features x 2 cells.
const MATRIX: &str =
    "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 4\n3 1 5\n2 2 6\n";
const CAT: &str = "0\t0\t4\n2\t0\t5\n1\t1\t6\n";
const GENES: &str = "g1\tA\ng2\tB\ng3\tC\n";
const FEATURES: &str = "g1\tA\tGene Expression\ng2\tB\tGene Expression\ng3\tC\tGene Expression\n";
const BARCODES: &str = "AA-1\nCC-1\n";

fn gzip(text: &str) -> Vec<u8> {
    nnz_testing::tar::gzip(text.as_bytes())
}

/// Version 2, plain files.
fn v2(names: &[String; 3]) -> [(&str, &[u8]); 3] {
    let [matrix, genes, barcodes] = names;
    [(matrix, MATRIX.as_bytes()), (barcodes, BARCODES.as_bytes()), (genes, GENES.as_bytes())]
}

fn names_of(folder: &str, version: u8) -> [String; 3] {
    match version {
        2 => ["matrix.mtx", "genes.tsv", "barcodes.tsv"],
        _ => ["matrix.mtx.gz", "features.tsv.gz", "barcodes.tsv.gz"],
    }
    .map(|name| format!("{folder}{name}"))
}

/// The names of rows and columns of a location.
fn names(at: &str) -> [String; 2] {
    ["rows", "cols"].map(|axis| run(&["names", "-q", at, axis]).good())
}

fn expect_tenx(at: &str) {
    assert_eq!(run(&["cat", at]).good(), CAT, "{at}");
    assert_eq!(names(at), ["g1\ng2\ng3\n", "AA-1\nCC-1\n"], "{at}");
    assert_eq!(run(&["validate", at]).good(), "", "{at}");
    let info = run(&["info", at]).good();
    assert!(info.contains("10x directory"), "{info}");
}

#[test]
fn tenx_directories_of_the_report_are_read_in_archives() {
    for file in ["pbmc.tar.gz", "p3.tar.gz"] {
        let at = report(&format!("10x-in-tar/{file}"));
        let folder = tempfile::tempdir().unwrap();
        nnz_testing::tar::unpack(Path::new(&at), folder.path());
        let inside = match file {
            "pbmc.tar.gz" => "filtered_gene_bc_matrices/hg19",
            _ => "filtered_feature_bc_matrix",
        };
        let directory = folder.path().join(inside);
        run(&["diff", &at, text(&directory)]).good();
        assert_eq!(names(&at), names(text(&directory)));
        let target = folder.path().join("o.h5ad");
        let done = run(&["convert", &at, text(&target)]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(names(text(&target))[0], names(&at)[1]);
        for part in [inside, inside.rsplit('/').next().unwrap(), "matrix.mtx", "matrix"] {
            run(&["diff", &format!("{at}::{part}"), text(&directory)]).good();
        }
    }
}

#[test]
fn tenx_directories_in_archives() {
    let folder = tempfile::tempdir().unwrap();
    let (matrix, features, barcodes) = (gzip(MATRIX), gzip(FEATURES), gzip(BARCODES));
    for inside in ["", "./", "outs/raw_feature_bc_matrix/", "/a/b/c/"] {
        let (plain, packed) = (names_of(inside, 2), names_of(inside, 3));
        let [m, f, b] = &packed;
        let v3: [(&str, &[u8]); 3] = [(m, &matrix), (f, &features), (b, &barcodes)];
        for (files, zipped) in
            [(&v2(&plain)[..], false), (&v3[..], false), (&v2(&plain)[..], true), (&v3[..], true)]
        {
            let path = folder.path().join("x.tar.gz");
            fs::write(&path, if zipped { pack_gzip(files) } else { pack(files) }).unwrap();
            expect_tenx(text(&path));
            expect_tenx(&format!("{}::matrix.mtx", text(&path)));
            let info = run(&["info", text(&path)]).good();
            assert!(info.contains("tar archive"), "{info}");
            // Without the names, if this format is given.
            let bare = run(&["names", "-q", "--from", "mtx", text(&path), "rows"]);
            assert!(!bare.out.contains("g1"), "{bare:?}");
        }
    }
}

#[test]
fn samples_in_one_archive_are_selected_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("GSE1_RAW.tar");
    let other = MATRIX.replace("1 1 4", "1 1 9");
    let [m, f, b] = [gzip(MATRIX), gzip(FEATURES), gzip(BARCODES)];
    let files: [(&str, &[u8]); 7] = [
        ("GSM1_A_barcodes.tsv.gz", &b),
        ("GSM1_A_features.tsv.gz", &f),
        ("GSM1_A_matrix.mtx.gz", &m),
        ("GSM2_B_barcodes.tsv.gz", &b),
        ("GSM2_B_genes.tsv", GENES.as_bytes()),
        ("GSM2_B_matrix.mtx", other.as_bytes()),
        ("._GSM2_B_matrix.mtx", b"Mac OS X"),
    ];
    fs::write(&path, pack(&files)).unwrap();
    let at = |name: &str| format!("{}::{name}", text(&path));
    expect_tenx(&at("GSM1_A_matrix.mtx"));
    expect_tenx(&at("GSM1_A_matrix.mtx.gz"));
    expect_tenx(&at("GSM1_A_matrix"));
    assert_eq!(run(&["cat", &at("GSM2_B_matrix.mtx")]).good(), CAT.replace('4', "9"));
    assert_eq!(names(&at("GSM2_B_matrix.mtx"))[1], "AA-1\nCC-1\n");
    let error = run(&["cat", text(&path)]).refused();
    assert!(error.contains("::GSM1_A_matrix.mtx\n") && !error.contains("._"), "{error}");
    let info = run(&["info", text(&path)]).good();
    assert!(info.contains("GSM1_A_matrix.mtx") && info.contains("3 x 2"), "{info}");
    assert_eq!(run(&["validate", text(&path)]).good(), "");
    // A sample without its barcodes' features is an error, as in a directory.
    fs::write(&path, pack(&[files[0], files[2]])).unwrap();
    let error = run(&["cat", text(&path)]).refused();
    assert!(error.contains("GSM1_A_features.tsv"), "{error}");
    // Two folders.
    let (raw, filtered) = (names_of("raw/", 2), names_of("filtered/", 2));
    fs::write(&path, pack_gzip(&[v2(&raw), v2(&filtered)].concat())).unwrap();
    expect_tenx(&at("raw"));
    expect_tenx(&at("filtered/matrix.mtx"));
    let error = run(&["cat", text(&path)]).refused();
    assert!(
        error.contains("::raw/matrix.mtx") && error.contains("::filtered/matrix.mtx"),
        "{error}"
    );
    let error = run(&["cat", &at("matrix.mtx")]).refused();
    assert!(error.contains("several files with this name"), "{error}");
}

#[test]
fn archives_of_other_files_name_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("GSE1_RAW.tar");
    fs::write(&path, pack(&[("GSM1_filtered.h5", b"x"), (".DS_Store", b"x")])).unwrap();
    let error = run(&["info", text(&path)]).refused_by("info");
    assert!(error.contains("without a .mtx file; to read GSM1_filtered.h5, extract"), "{error}");
}

/// As tar and Python's tarfile, which extract the last one.
#[test]
fn the_last_file_of_a_name_in_an_archive_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tar");
    let newer = MATRIX.replace("1 1 4", "1 1 7");
    let files: [(&str, &[u8]); 2] = [("m.mtx", MATRIX.as_bytes()), ("./m.mtx", newer.as_bytes())];
    for bytes in [pack(&files), pack_gzip(&files)] {
        fs::write(&path, bytes).unwrap();
        for at in [text(&path).to_owned(), format!("{}::m.mtx", text(&path))] {
            assert_eq!(run(&["cat", &at]).good(), CAT.replace('4', "7"));
        }
        assert_eq!(run(&["info", text(&path)]).good().matches("m.mtx").count(), 1);
    }
    // Also names.
    let (one, two) = (names_of("x/", 2), "x/genes.tsv");
    let files = [&v2(&one)[..], &[(two, &b"h1\nh2\nh3\n"[..])]].concat();
    for bytes in [pack(&files), pack_gzip(&files)] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(names(text(&path))[0], "h1\nh2\nh3\n");
    }
}

#[test]
fn a_damaged_gzip_archive_is_an_error_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar.gz");
    let names = names_of("x/", 2);
    let whole = pack_gzip(&v2(&names));
    for at in 20..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let done = run(&["info", text(&path)]);
        assert!(matches!(done.code, Some(0 | 1)), "byte {at}: {done:?}");
        if at % 16 == 0 && at < whole.len() / 2 {
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(run(&["cat", text(&path)]).code, Some(1), "cut at {at}");
        }
    }
}

#[test]
fn files_that_macos_adds_are_no_members_of_directories() {
    assert_eq!(run(&["validate", &report("apple-double/d")]).good(), "");
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in
        [("GSM1_matrix.mtx", MATRIX), ("GSM1_barcodes.tsv", BARCODES), ("GSM1_genes.tsv", GENES)]
    {
        fs::write(folder.path().join(file), content).unwrap();
        fs::write(folder.path().join(format!("._{file}")), "Mac OS X").unwrap();
        fs::write(folder.path().join(format!(".{file}")), content).unwrap();
    }
    fs::write(folder.path().join(".DS_Store"), "Bud1").unwrap();
    expect_tenx(text(folder.path()));
    // A directory of other files names those that can be read.
    let others = tempfile::tempdir().unwrap();
    fs::write(others.path().join("a.mtx"), MATRIX).unwrap();
    fs::write(others.path().join("._a.mtx"), "Mac OS X").unwrap();
    let error = run(&["cat", text(others.path())]).refused();
    assert!(error.contains("a.mtx") && !error.contains("._a.mtx"), "{error}");
    // Directories of arrays and stores.
    for (name, format) in [("x.zarr", "anndata"), ("x.bpcells", "bpcells")] {
        let store = others.path().join(name);
        run(&["-q", "convert", text(folder.path()), text(&store), "--to", format]).good();
        let expected = run(&["cat", text(&store)]).good();
        for directory in [store.clone(), store.join("X"), store.join("obs")] {
            if directory.is_dir() {
                fs::write(directory.join(".DS_Store"), "Bud1").unwrap();
                fs::write(directory.join("._data"), "Mac OS X").unwrap();
            }
        }
        assert_eq!(run(&["cat", text(&store)]).good(), expected);
        assert_eq!(run(&["validate", text(&store)]).good(), "");
    }
}

/// The files of a directory, with their paths in it.
fn files_in(directory: &Path, inside: &str, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{inside}{}", entry.file_name().to_str().unwrap());
        match entry.path().is_dir() {
            true => {
                found.push((format!("{name}/"), Vec::new()));
                files_in(&entry.path(), &format!("{name}/"), found);
            }
            false => found.push((name, fs::read(entry.path()).unwrap())),
        }
    }
}

#[test]
fn zarr_stores_in_a_folder_of_a_zip_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (file, content) in
        [("matrix.mtx", MATRIX), ("barcodes.tsv", BARCODES), ("genes.tsv", GENES)]
    {
        fs::create_dir_all(at("tenx")).unwrap();
        fs::write(at("tenx").join(file), content).unwrap();
    }
    let store = at("x.zarr");
    run(&["-q", "convert", text(&at("tenx")), text(&store), "--to", "anndata"]).good();
    let expected = (run(&["cat", text(&store)]).good(), names(text(&store)));
    // The top folder, and one that a member of the store has, too.
    for top in ["x.zarr/", "path/to/x.zarr/", "X/", ""] {
        let mut files = vec![("__MACOSX/._x.zarr".to_owned(), b"Mac OS X".to_vec())];
        files_in(&store, top, &mut files);
        files.push((format!("{top}.DS_Store"), b"Bud1".to_vec()));
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
        let path = at("nested.zarr.zip");
        fs::write(&path, pack_zip(&files)).unwrap();
        let inner = |name: &str| format!("{}::{name}", text(&path));
        let place = text(&path);
        assert_eq!((run(&["cat", place]).good(), names(place)), expected, "{top}");
        // Rows and columns as they are stored.
        assert_eq!(run(&["cat", &inner("X")]).code, Some(0), "{top}");
        assert_eq!(run(&["validate", text(&path)]).good(), "");
    }
}

#[test]
fn zip_files_of_texts_are_archives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mex.zip");
    let names = names_of("filtered/", 2);
    fs::write(&path, pack_zip(&v2(&names))).unwrap();
    let found = run(&["info", text(&path)]).good();
    assert!(found.contains("10x") && found.contains("zip file"), "{found}");
    assert_eq!(run(&["validate", text(&path)]).good(), "");
    let plain = folder.path().join("mex.tar");
    fs::write(&plain, pack(&v2(&names))).unwrap();
    assert_eq!(run(&["diff", text(&plain), text(&path)]).good(), "");
    // It states two entries and has three.
    let error = run(&["cat", &report("zip-with-folder/m.zip")]).refused();
    assert!(error.contains("::few.mtx: line 5"), "{error}");
    // Other zip files are named with what they contain.
    fs::write(&path, pack_zip(&[("README", b"x")])).unwrap();
    let error = run(&["info", text(&path)]).refused_by("info");
    assert!(error.contains("a zip file of README") && !error.contains("npz"), "{error}");
}

#[test]
fn compressed_texts_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["a.mtx.bz2", "a.mtx.xz", "a.mtx.zst", "a.mtx.zip", "streamed.mtx.zip"] {
        let at = report(&format!("compressed-text/{file}"));
        for from in [&[][..], &["--from", "mtx"]] {
            let arguments = [&["cat", &at][..], from].concat();
            assert_eq!(run(&arguments).good(), "0\t0\t5.0\n", "{file}");
        }
        assert_eq!(run(&["validate", &at]).good(), "");
        let bytes = fs::read(&at).unwrap();
        // Of a zip file, the directory at the end is not read.
        let cut = folder.path().join(file);
        fs::write(&cut, &bytes[..if file.ends_with("zip") { 60 } else { bytes.len() - 2 }])
            .unwrap();
        let error = run(&["cat", text(&cut)]).refused();
        assert!(error.contains("compressed data") && error.contains(file), "{file}: {error}");
        let target = folder.path().join(format!("made-{file}"));
        let error = run(&["convert", &at, text(&target)]).refused_by("convert");
        assert!(error.contains("is read, not written"), "{error}");
        assert!(!target.exists());
    }
    assert_eq!(run(&["cat", &report("compressed-text/A.tar.bz2")]).code, Some(0));
    let lz4 = folder.path().join("a.mtx.lz4");
    fs::write(&lz4, b"\x04\x22\x4d\x18 and more").unwrap();
    for from in [&[][..], &["--from", "mtx"], &["--from", "svmlight"], &["--from", "edges"]] {
        let error = run(&[&["cat", text(&lz4)][..], from].concat()).refused();
        assert!(error.contains("lz4 compression is not supported; use lz4cat"), "{error}");
    }
}

/// Each format of texts, and lists of names and of annotations.
#[test]
fn all_texts_are_read_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name)).to_owned();
    for (name, content) in [
        ("a.csv", ",x,y\nr,1,0\ns,0,2\n"),
        ("a.el", "0 1\n1 2\n"),
        ("a.svm", "1 1:2 3:4\n0 2:1\n"),
        ("a.graph", "2 1\n2\n1\n"),
    ] {
        fs::write(at(name), content).unwrap();
        let expected = run(&["cat", &at(name)]).good();
        fs::write(at(&format!("{name}.zst")), rust_zstd::compress(content.as_bytes(), 3)).unwrap();
        fs::write(at(&format!("{name}.zip")), pack_zip(&[(name, content.as_bytes())])).unwrap();
        for extension in ["zst", "zip"] {
            let path = at(&format!("{name}.{extension}"));
            assert_eq!(run(&["cat", &path]).good(), expected, "{path}");
        }
    }
    let table = rust_zstd::compress(b"name,kind\nr,a\ns,b\n", 3);
    fs::write(at("t.csv.zst"), table).unwrap();
    let options = ["--row-annotations", &at("t.csv.zst"), &at("a.h5ad")];
    run(&[&["-q", "convert", &at("a.csv.zst")][..], &options].concat()).good();
    assert!(run(&["info", &at("a.h5ad")]).good().contains("kind"));
    let fragments = rust_zstd::compress(b"chr1\t1\t5\tA\t1\nchr1\t2\t6\tB\t1\n", 3);
    fs::write(at("f.tsv.zst"), fragments).unwrap();
    run(&["-q", "fragments", "import", &at("f.tsv.zst"), &at("f.fragments")]).good();
}
