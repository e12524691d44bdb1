//! R objects: BPCells objects, and matrices.

use std::fs;
use std::path::{Path, PathBuf};

use nnz_testing::command::{content, names_in, run, testdata, text};
use serde_json::Value;

fn r(name: &str) -> String {
    text(&testdata().join("rds").join(format!("{name}.rds"))).to_owned()
}

fn info(path: &str) -> Value {
    serde_json::from_str(&run(&["info", "--json", path]).good()).unwrap()
}

mod bpcells {
    use super::*;

    /// The objects of the manifest with a matrix, and the directories with the same one.
    fn objects() -> Vec<(String, PathBuf)> {
        let manifest = fs::read(testdata().join("bpcells/manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        let all = manifest["artifacts"].as_array().unwrap().iter();
        let listed = all.filter(|a| a["backend"] == "rds" && a["kind"] == "matrix");
        let mut listed: Vec<_> = listed.map(|a| a["path"].as_str().unwrap()).collect();
        assert_eq!(listed.len(), names_in(&testdata().join("bpcells/matrix_rds")).len());
        listed.retain(|path| !path.contains("MatrixDir") && !path.contains("lazy"));
        assert_eq!(listed.len(), 50);
        let directory = |path: &str| {
            let name = path.trim_start_matches("matrix_rds/").trim_end_matches(".rds");
            let name = name.trim_end_matches(".list").trim_end_matches(".uncompressed_rds");
            // Integers that are stored as floats, only in objects.
            let name = name.replace("basic_uint_as_float", "basic_uint");
            testdata().join("bpcells/matrix_dir").join(name)
        };
        let path = |path: &str| text(&testdata().join("bpcells").join(path)).to_owned();
        listed.into_iter().map(|object| (path(object), directory(object))).collect()
    }

    #[test]
    fn objects_equal_their_directories() {
        for (object, directory) in objects() {
            let directory = text(&directory);
            let as_float = object.contains("as_float");
            if !as_float {
                assert_eq!(
                    run(&["cat", &object]).good(),
                    run(&["cat", directory]).good(),
                    "{object}"
                );
            }
            run(&["diff", "--stored", &object, directory]).good();
            for axis in ["rows", "cols"] {
                let names = |place: &str| run(&["names", "-q", place, axis]).good();
                assert_eq!(names(&object), names(directory), "{object}");
            }
            assert_eq!(run(&["validate", &object]).good(), "");
            let (json, expected) = (info(&object), info(directory));
            assert_eq!(json["format"], "BPCells matrix");
            assert_eq!(json["container"], "R object");
            for key in ["rows", "cols", "nnz", "stored", "order", "row_axis", "structure"] {
                assert_eq!(json[key], expected[key], "{object}: {key}");
            }
            if !as_float {
                assert_eq!(json["version"], expected["version"], "{object}");
                assert_eq!(json["value_type"], expected["value_type"], "{object}");
            }
        }
    }

    #[test]
    fn objects_and_directories_are_converted_to_each_other() {
        let dir = tempfile::tempdir().unwrap();
        let (store, made) = (dir.path().join("back.bpcells"), dir.path().join("made.rds"));
        for (number, (object, directory)) in objects().into_iter().enumerate() {
            if object.contains("as_float") {
                continue;
            }
            let unpacked = if object.contains(".unpacked.") { &["--unpacked"][..] } else { &[] };
            let compress = ["none", "gzip:1", "gzip:6", "gzip:9"][number % 4];
            let convert = |from: &str, to: &Path, how: &[&str]| {
                let start = ["convert", "-q", "--no-sync", "--force", from, text(to)];
                run(&[&start, unpacked, how].concat()).good();
            };
            convert(&object, &store, &[]);
            assert_eq!(content(&store), content(&directory), "{object}");
            convert(text(&directory), &made, &["--compress", compress]);
            assert_eq!(fs::read(&made).unwrap().starts_with(b"\x1f\x8b"), compress != "none");
            run(&["validate", text(&made)]).good();
            convert(text(&made), &store, &[]);
            assert_eq!(content(&store), content(&directory), "{object}");
        }
        assert_eq!(names_in(dir.path()), ["back.bpcells", "made.rds"]);
    }

    #[test]
    fn errors_of_references_name_their_target() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("never.bpcells");
        for (name, class) in [
            ("basic_uint.MatrixDir_reference", "class MatrixDir"),
            ("basic_uint.lazy_subset", "class MatrixSubset"),
        ] {
            let path = testdata().join("bpcells/matrix_rds").join(format!("{name}.rds"));
            let path = text(&path);
            for arguments in [
                &["info", path][..],
                &["cat", path],
                &["names", path, "rows"],
                &["stats", path],
                &["convert", path, text(&target)],
            ] {
                let message = run(arguments).refused();
                for part in [path, class, "only points to", "matrix_dir/basic_uint.packed.col"] {
                    assert!(message.contains(part), "{message}");
                }
            }
            let found = run(&["validate", path]);
            assert!(found.code == Some(1) && found.out.contains(class), "{found:?}");
        }
        assert!(names_in(dir.path()).is_empty());
    }

    #[test]
    fn fragments_are_not_read_as_a_matrix() {
        let folder = testdata().join("bpcells/fragments_rds");
        for name in names_in(&folder) {
            let path = folder.join(name);
            let message = run(&["stats", text(&path)]).refused();
            assert!(
                message.contains("fragments-v2") && message.contains("nnz fragments"),
                "{message}"
            );
        }
    }

    #[test]
    fn unsupported_options_are_usage_errors() {
        let dir = tempfile::tempdir().unwrap();
        let from = testdata().join("bpcells/matrix_dir/basic_uint.packed.col");
        let to = dir.path().join("a.rds");
        let (from, to) = (text(&from), text(&to));
        for how in [
            &["convert", from, to, "--layout", "array"][..],
            &["convert", from, to, "--to", "dgCMatrix", "--unpacked"],
            &["convert", from, to, "--to", "dgCMatrix", "--format-version", "1"],
            &["convert", from, "-", "--to", "dgCMatrix"],
            &["convert", from, &format!("{to}::group"), "--to", "dgCMatrix"],
        ] {
            assert_eq!(run(how).code, Some(2), "{how:?}");
        }
        let by_row = run(&["convert", from, to, "--to", "dgCMatrix", "--order", "row"]);
        assert!(by_row.refused().contains("not stored by row"));
        assert!(names_in(dir.path()).is_empty());
    }

    #[test]
    fn objects_of_version_1_are_equal() {
        let dir = tempfile::tempdir().unwrap();
        for (number, name) in
            ["uint.packed.col", "uint.unpacked.row", "float.packed.row", "double.packed.col"]
                .iter()
                .enumerate()
        {
            let from = testdata().join(format!("bpcells/matrix_dir/basic_{name}"));
            let [old, new] =
                [1, 2].map(|version| dir.path().join(format!("{number}-{version}.rds")));
            run(&["convert", "--quiet", text(&from), text(&old), "--format-version", "1"]).good();
            assert!(run(&["info", text(&old)]).good().contains("-v1\n"), "{name}");
            assert_eq!(run(&["diff", "--stored", text(&from), text(&old)]).good(), "", "{name}");
            assert_eq!(run(&["validate", text(&old)]).good(), "", "{name}");
            run(&["convert", "--quiet", text(&old), text(&new)]).good();
            assert_eq!(run(&["diff", "--stored", text(&from), text(&new)]).good(), "", "{name}");
        }
    }

    #[test]
    fn objects_have_to_fit_into_memory() {
        let path = testdata().join("bpcells/matrix_rds/basic_uint.packed.col.rds");
        let dir = tempfile::tempdir().unwrap();
        let path = text(&path);
        let target = dir.path().join("a.bpcells");
        for verb in [
            &["info", path][..],
            &["cat", path],
            &["names", path, "rows"],
            &["validate", path],
            &["stats", path],
            &["diff", path, path],
            &["convert", path, text(&target)],
        ] {
            let message = run(&[verb, &["--memory", "1K"]].concat()).refused_by(verb[0]);
            assert!(message.contains(path) && message.contains("--memory"), "{message}");
            assert!(message.contains("1000 are allowed"), "{message}");
        }
        assert!(names_in(dir.path()).is_empty());
        run(&["info", path, "--memory", "100K"]).good();
    }
}

mod matrices {
    use super::*;

    #[test]
    fn all_classes_of_a_matrix_are_equal() {
        let first = r("dgC");
        let names =
            |place: &str| ["rows", "cols"].map(|axis| run(&["names", "-q", place, axis]).good());
        assert_eq!(names(&first)[0].lines().last(), Some("r30"));
        assert_eq!(run(&["cat", &first]).good().lines().count(), 60);
        for (name, order, stored) in [
            ("dgC", "col".into(), 60),
            ("dgC_dnn", "col".into(), 60),
            ("dgR", "row".into(), 60),
            ("dgT", Value::Null, 60),
            ("dge", "col".into(), 600),
            ("plain_double", "col".into(), 600),
        ] {
            let path = r(name);
            run(&["diff", &first, &path]).good();
            assert_eq!(names(&path), names(&first), "{name}");
            run(&["validate", &path]).good();
            let json = info(&path);
            assert_eq!(json["format"], "R matrix");
            assert_eq!((&json["rows"], &json["cols"]), (&30.into(), &20.into()));
            assert_eq!((&json["order"], &json["stored"]), (&order, &stored.into()), "{name}");
            assert_eq!(json["value_type"], "float64");
        }
        assert_eq!(info(&first)["variant"], "dgCMatrix");
        assert_eq!(info(&first)["container"], "R object (gzip)");
    }

    #[test]
    fn symmetric_classes_are_equal_and_store_a_triangle() {
        for name in ["dsC_up", "dsC_lo", "dsR", "dsT"] {
            run(&["diff", &r("dsC_up"), &r(name)]).good();
            assert!(info(&r(name))["structure"].as_str().unwrap().starts_with("symmetric"));
            run(&["validate", &r(name)]).good();
        }
    }

    #[test]
    fn special_values_match_r() {
        for (name, value_type, entries) in [
            ("plain_int", "int32", "0\t0\t1\n1\t0\t2\n0\t1\t3\n1\t1\t4\n0\t2\t5\n1\t2\t6\n"),
            ("plain_lgl", "bint8", "0\t0\t0\n1\t0\t0\n0\t1\t1\n1\t1\t1\n0\t2\t1\n1\t2\t1\n"),
            (
                "plain_cplx",
                "complex[float64]",
                "0\t0\t1.0\t0.0\n1\t0\t2.0\t0.0\n0\t1\t3.0\t0.0\n1\t1\t4.0\t0.0\n",
            ),
            ("plain_raw", "uint8", "0\t0\t1\n1\t0\t2\n0\t1\t3\n1\t1\t4\n"),
            ("dgC_0x3", "float64", ""),
            ("dgC_4x0", "float64", ""),
        ] {
            assert_eq!(run(&["cat", &r(name)]).good(), entries, "{name}");
            assert_eq!(info(&r(name))["value_type"], value_type, "{name}");
            run(&["validate", &r(name)]).good();
        }
        assert_eq!(run(&["names", "-q", &r("plain_int"), "rows"]).good(), "");
        assert_eq!(run(&["names", "-q", &r("plain_int"), "cols"]).good(), "a\nb\nc\n");
        let pattern = run(&["cat", &r("ngC")]).good();
        assert!(pattern.lines().count() == 60 && pattern.lines().all(|line| line.ends_with("\t1")));
        let twice = r("dgT_dup");
        assert!(run(&["cat", &twice]).code == Some(1));
        let dir = tempfile::tempdir().unwrap();
        let sums = dir.path().join("sums.mtx");
        run(&["convert", "-q", "--duplicates", "sum", &twice, text(&sums)]).good();
        assert_eq!(run(&["cat", text(&sums)]).good(), "0\t0\t4.0\n1\t1\t2.0\n");
    }

    #[test]
    fn other_objects_are_refused_by_name() {
        let mut json = 0;
        for (name, part) in [
            ("all", "a table"),
            ("nested", "a list"),
            ("deferred", "a character vector"),
            ("seq_down", "an integer vector"),
            ("closure", "closure"),
            ("env", "environment"),
            ("global", "environment"),
            ("builtin", "built-in"),
            ("bytecode", ""),
            ("formula", "class formula"),
            ("workspace", ""),
            ("plain_chr", "a character vector"),
        ] {
            let message = run(&["cat", &r(name)]).refused();
            assert!(message.contains(&r(name)) && message.contains(part), "{name}: {message}");
            json += 1;
            // The columns of a table are read.
            if !["all", "workspace"].contains(&name) {
                let found = run(&["validate", &r(name)]);
                assert!(found.code == Some(1) && found.out.contains(part), "{name}: {found:?}");
            }
        }
        assert_eq!(json, 12);
        let missing = run(&["cat", &r("lgC_na")]).good();
        assert!(missing.lines().any(|line| line.ends_with("\tnan")), "{missing}");
    }

    #[test]
    fn errors_of_broken_objects_have_their_location() {
        let dir = tempfile::tempdir().unwrap();
        let whole = fs::read(r("dgC")).unwrap();
        let path = dir.path().join("cut.rds");
        for len in [3, 20, whole.len() / 2, whole.len() - 9] {
            fs::write(&path, &whole[..len]).unwrap();
            let message = run(&["info", text(&path)]).refused();
            assert!(message.contains("cut.rds"), "{message}");
            assert_eq!(run(&["validate", text(&path)]).code, Some(1));
        }
        fs::write(&path, b"\x28\xb5\x2f\xfd and more").unwrap();
        assert!(run(&["info", text(&path)]).refused().contains("zstd"));
        // The content decides, not the extension.
        let text_in_disguise = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
        fs::write(&path, text_in_disguise).unwrap();
        assert_eq!(run(&["cat", text(&path)]).good(), "0\t0\t2.0\n");
        let plain = dir.path().join("unnamed");
        fs::copy(r("dgC"), &plain).unwrap();
        run(&["diff", &r("dgC"), text(&plain)]).good();
    }

    #[test]
    fn matrices_round_trip_through_dgcmatrix() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("made.rds");
        let store = testdata().join("bpcells/matrix_dir");
        let market = testdata().join("matrix-market/valid");
        let mut sources: Vec<_> =
            ["basic_uint.packed.row", "special_double.packed.col", "zerocols_uint.packed.col"]
                .map(|name| text(&store.join(name)).to_owned())
                .into();
        sources.push(text(&store.join("basic_float.unpacked.col")).to_owned());
        sources.extend(["dgC", "dgR", "dgT", "dge", "dsC_up", "dsT", "lgC", "ngC", "dtC"].map(r));
        sources.extend(["plain_int", "plain_lgl", "plain_raw", "dgC_0x3", "dgC_4x0"].map(r));
        for name in names_in(&market).into_iter().filter(|name| name.contains("pattern")) {
            sources.push(text(&market.join(name)).to_owned());
        }
        for from in &sources {
            let start = ["convert", "-q", "--no-sync", "--force", "--to", "dgCMatrix"];
            run(&[&start[..], &[from, text(&made)]].concat()).good();
            run(&["diff", from, text(&made)]).good();
            run(&["validate", text(&made)]).good();
            let json = info(text(&made));
            assert_eq!((&json["variant"], &json["order"]), (&"dgCMatrix".into(), &"col".into()));
            assert_eq!(json["value_type"], "float64");
            for axis in ["rows", "cols"] {
                let names = |place: &str| run(&["names", "-q", place, axis]).good();
                assert_eq!(names(text(&made)), names(from), "{from}");
            }
        }
        let complex =
            run(&["convert", "--to", "dgCMatrix", &r("plain_cplx"), text(&made), "--force"]);
        assert!(complex.refused().contains("cannot store complex[float64]"));
    }

    #[test]
    fn too_many_entries_for_r_are_refused_with_a_hint() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("many.mtx"), dir.path().join("never.rds"));
        let head = "%%MatrixMarket matrix coordinate integer general\n100000 100000 2147483648\n";
        fs::write(&from, format!("{head}1 1 1\n")).unwrap();
        let message = run(&["convert", "--to", "dgCMatrix", text(&from), text(&to)]).refused();
        assert!(message.contains("2147483647") && message.contains("BPCells"), "{message}");
        let wide = "%%MatrixMarket matrix coordinate integer general\n2147483648 1 1\n1 1 1\n";
        fs::write(&from, wide).unwrap();
        for format in ["dgCMatrix", "bpcells"] {
            let message = run(&["convert", "--to", format, text(&from), text(&to)]).refused();
            assert!(message.contains("2147483647"), "{message}");
        }
        assert_eq!(names_in(dir.path()), ["many.mtx"]);
    }
}

/// In R, cells are columns, whichever class a matrix has.
#[test]
fn matrices_of_cells_have_the_same_orientation_in_all_classes() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let study = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let study = format!("{}::X", text(&study));
    let (object, matrix, back) = (at("object.rds"), at("matrix.rds"), at("back.h5ad"));
    let written = run(&["convert", &study, &object]);
    assert!(written.err.contains("as an object of BPCells"), "{written:?}");
    assert!(written.err.contains("; --to dgCMatrix writes"), "{written:?}");
    let written = run(&["convert", &study, &matrix, "--to", "dgCMatrix"]);
    assert!(written.code == Some(0) && !written.err.contains("BPCells"), "{written:?}");
    let [object, stated] = [&object, &matrix].map(|path| info(path));
    for key in ["rows", "cols"] {
        assert_eq!(object[key], stated[key]);
    }
    assert_eq!(object["col_axis"], "cells");
    // Its rows are features in a format that states the axes, unless that is said.
    let done = run(&["convert", &matrix, &back]);
    assert!(
        done.err.contains("as usual in its format, and transposed; --cell-axis rows"),
        "{done:?}"
    );
    let rows = |path: &str| run(&["names", path, "rows"]).good();
    assert_eq!(rows(&back), rows(&study));
    run(&["-q", "convert", &matrix, &back, "--force", "--cell-axis", "rows"]).good();
    assert_eq!(rows(&back), rows(&matrix));
}
