//! MAT-files.

use std::fs;

use nnz_testing::command::{run, text};

use super::report;

/// The entries, with whole numbers without a decimal point.
fn cat(at: &str) -> String {
    run(&["cat", at]).good().replace(".0\t", "\t").replace(".0\n", "\n")
}

/// The entries of all variables of a file, as SciPy's `loadmat` returns them.
#[test]
fn sparse_matrices_of_matlab_have_reserved_space() {
    let spare = "0\t0\t1.5\n2\t0\t-2\n1\t1\t3\n";
    let four = "1\t1\t2\n2\t1\t2\n1\t2\t3\n2\t2\t3\n";
    let ones = "0\t0\t1\n0\t1\t1\n0\t2\t1\n1\t2\t1\n2\t2\t1\n";
    let eight = "0\t0\t1\n1\t0\t1\n2\t0\t1\n3\t0\t1\n0\t1\t1\n1\t1\t1\n2\t1\t1\n3\t1\t1\n";
    let complex = "1\t0\t8\t8\n0\t1\t6\t6\n1\t2\t1\t1\n2\t2\t9\t9\n";
    for (file, shape, entries) in [
        ("mat5-ir-longer-than-pr/spare.mat", "3 x 3", spare),
        ("mat5-ir-longer-than-pr/spare_z.mat", "3 x 3", spare),
        ("mat5-ir-longer-than-pr/spare_both.mat", "3 x 3", spare),
        ("mat5-sparse-no-entries/zeros.mat", "2 x 3", ""),
        ("mat5-sparse-no-entries/zeros_z.mat", "2 x 3", ""),
        ("mat5-sparse-logical/logical.mat", "3 x 3", "0\t0\t1\n2\t0\t1\n1\t1\t1\n"),
        ("mat5-sparse-logical/logical_z.mat", "3 x 3", "0\t0\t1\n2\t0\t1\n1\t1\t1\n"),
        ("mat5-sparse-logical/logical_8entries.mat", "4 x 2", eight),
        ("corpora/mat5_sparse_logical.mat", "2 x 2", "0\t0\t1\n1\t1\t1\n"),
        ("corpora/mat5_sparse_nzmax.mat", "2 x 2", "1\t0\t5\n"),
        ("corpora/mat5_sparse_empty.mat", "2 x 2", ""),
        ("corpora/4x4_sparse.mat", "4 x 4", "0\t0\t2\n1\t1\t3\n3\t1\t5\n0\t3\t4\n"),
        ("corpora/logical_sparse.mat", "5 x 4", ones),
        ("corpora/emptysparse2017b.mat::EmptySparse", "10 x 10", ""),
        ("corpora/emptysparse2017b.mat::FourElementSparse", "10 x 10", four),
        ("corpora/emptysparse2017b.mat::OneElementSparse", "10 x 10", "2\t2\t1\n"),
        ("corpora/sparse.mat::sparse_complex", "3 x 3", complex),
        ("corpora/sparse.mat::sparse_empty", "0 x 0", ""),
        ("corpora/sparse.mat::sparse_zeros", "20 x 20", ""),
        (
            "corpora/sparse.mat::sparse_logical",
            "5 x 5",
            "0\t0\t1\n1\t1\t1\n2\t2\t1\n3\t3\t1\n4\t4\t1\n",
        ),
    ] {
        let path = report(file);
        assert_eq!(cat(&path), entries, "{file}");
        assert_eq!(run(&["validate", &path]).good(), "", "{file}");
        let info = run(&["info", &path]).good();
        let (rows, cols) = shape.split_once(" x ").unwrap();
        let expected = format!("rows        {rows}\ncols        {cols}\n");
        assert!(info.contains(&expected), "{file}: {info}");
    }
    for file in ["jgl009", "raven"] {
        assert_eq!(run(&["validate", &report(&format!("corpora/{file}.mat"))]).good(), "");
    }
    let lines = |path: &str| run(&["cat", &report(path)]).good().lines().count();
    assert_eq!(lines("corpora/jgl009.mat::Problem/A"), 50);
    assert_eq!(lines("corpora/raven.mat::HH/S"), 25);
    assert_eq!(lines("corpora/raven.mat::HH/rxnGeneMat"), 3);
    assert_eq!(lines("corpora/sparse.mat::sparse_eye"), 20);
}

/// Elements of a file in little-endian or big-endian order.
#[derive(Clone, Copy)]
struct Writer {
    big: bool,
}

impl Writer {
    fn word(self, word: u32) -> [u8; 4] {
        if self.big { word.to_be_bytes() } else { word.to_le_bytes() }
    }

    fn words(self, words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| self.word(*word)).collect()
    }

    fn doubles(self, numbers: &[f64]) -> Vec<u8> {
        let bytes =
            |number: &f64| if self.big { number.to_be_bytes() } else { number.to_le_bytes() };
        numbers.iter().flat_map(bytes).collect()
    }

    /// An element: its type, size and data, padded to 8 bytes.
    fn element(self, kind: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = self.words(&[kind, u32::try_from(data.len()).unwrap()]);
        bytes.extend_from_slice(data);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    /// An array: flags with a class, dimensions, a name, and data.
    fn array(self, flags: u32, shape: &[u32], name: &str, data: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.element(6, &self.words(&[flags, 0]));
        bytes.extend(self.element(5, &self.words(shape)));
        bytes.extend(self.element(1, name.as_bytes()));
        bytes.extend(data.concat());
        self.element(14, &bytes)
    }

    fn structure(self, name: &str, fields: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let names: Vec<u8> =
            fields.iter().flat_map(|(name, _)| format!("{name:\0<8}").into_bytes()).collect();
        let mut data = vec![self.element(5, &self.word(8)), self.element(1, &names)];
        data.extend(fields.iter().map(|(_, field)| field.clone()));
        self.array(2, &[1, 1], name, &data)
    }

    fn file(self, variables: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = format!("{:<124}", "MATLAB 5.0 MAT-file").into_bytes();
        bytes.extend_from_slice(if self.big { b"\x01\0MI" } else { b"\0\x01IM" });
        bytes.extend(variables.concat());
        bytes
    }
}

const DOUBLE: u32 = 6;
const SPARSE: u32 = 5;
const LOGICAL: u32 = 0x200;
const COMPLEX: u32 = 0x800;

#[test]
fn values_of_sparse_logical_arrays_are_bytes_or_numbers_of_the_stated_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mat");
    for big in [false, true] {
        let w = Writer { big };
        let ir = w.element(5, &w.words(&[1, 0, 7, 7]));
        let jc = w.element(5, &w.words(&[0, 1, 2]));
        let one = w.element(5, &w.words(&[0, 1, 1]));
        // Types 9, 5, 2: double, int32, uint8. The rest is reserved.
        for (jc, kind, data) in [
            (&jc, 9, w.doubles(&[1.0, 1.0])),
            (&jc, 9, w.doubles(&[1.0, 1.0, 5.0])),
            (&jc, 9, vec![1, 1]),
            (&jc, 9, [vec![1, 1], vec![0; 14]].concat()),
            (&jc, 5, w.words(&[1, 1, 3])),
            (&jc, 5, vec![1, 1, 0, 0, 0, 0, 0, 0]),
            (&jc, 2, vec![1, 1, 9]),
            (&one, 9, w.doubles(&[1.0])),
            (&one, 9, vec![1, 0, 0, 0, 0, 0, 0, 0]),
        ] {
            let data = [ir.clone(), jc.clone(), w.element(kind, &data)];
            let array = w.array(SPARSE | LOGICAL, &[2, 2], "", &data);
            let nested = w.structure("in", &[("L", array)]);
            fs::write(&path, w.file(&[w.structure("s", &[("in", nested)])])).unwrap();
            let all = "1\t0\t1\n0\t1\t1\n";
            let expected = if jc == &one { "1\t0\t1\n" } else { all };
            let place = format!("{}::s/in/L", text(&path));
            assert_eq!(run(&["cat", &place]).good(), expected, "{big} {kind}");
        }
        // Too few, and other values.
        for (kind, data) in [(9, vec![1]), (2, vec![1, 2]), (9, w.doubles(&[1.0, 2.0]))] {
            let data = [ir.clone(), jc.clone(), w.element(kind, &data)];
            fs::write(&path, w.file(&[w.array(SPARSE | LOGICAL, &[2, 2], "L", &data)])).unwrap();
            run(&["cat", text(&path)]).refused();
        }
    }
}

#[test]
fn reserved_space_of_each_array_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mat");
    let w = Writer { big: false };
    let ir = w.element(5, &w.words(&[1, 0, 99]));
    let jc = w.element(5, &w.words(&[0, 1, 2]));
    let write = |jc: &[u8], flags: u32, pr: &[f64], pi: &[f64]| {
        let mut data = vec![ir.clone(), jc.to_vec(), w.element(9, &w.doubles(pr))];
        if flags & COMPLEX != 0 {
            data.push(w.element(9, &w.doubles(pi)));
        }
        fs::write(&path, w.file(&[w.array(SPARSE | flags, &[2, 2], "A", &data)])).unwrap();
        let mut done = run(&["cat", text(&path)]);
        done.out = done.out.replace(".0\t", "\t").replace(".0\n", "\n");
        done
    };
    let complex = "1\t0\t1\t3\n0\t1\t2\t4\n";
    assert_eq!(write(&jc, COMPLEX, &[1.0, 2.0], &[3.0, 4.0]).good(), complex);
    assert_eq!(write(&jc, COMPLEX, &[1.0, 2.0, 5.0], &[3.0, 4.0]).good(), complex);
    assert_eq!(write(&jc, COMPLEX, &[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0]).good(), complex);
    assert_eq!(write(&jc, 0, &[1.0, 2.0, 5.0, 6.0], &[]).good(), "1\t0\t1\n0\t1\t2\n");
    // Fewer than entries.
    write(&jc, 0, &[1.0], &[]).refused();
    write(&jc, COMPLEX, &[1.0, 2.0], &[3.0]).refused();
    let more = w.element(5, &w.words(&[0, 1, 4]));
    write(&more, 0, &[1.0, 2.0, 3.0, 4.0], &[]).refused();
    let negative = w.element(5, &w.words(&[0, 1, u32::MAX]));
    write(&negative, 0, &[1.0, 2.0], &[]).refused();
    let none = w.element(5, &w.words(&[0, 0, 0]));
    assert_eq!(write(&none, COMPLEX, &[], &[]).good(), "");
    assert_eq!(write(&none, LOGICAL, &[7.0], &[]).good(), "");
}

#[test]
fn empty_and_unset_fields_are_listed_and_do_not_hide_others() {
    let cat_of = |file: &str| cat(&report(file));
    assert_eq!(cat_of("mat5-empty-field/emptyfield.mat::s/A"), "0\t0\t1\n0\t1\t2\n");
    assert_eq!(cat_of("mat5-empty-field/emptyfield.mat::s/e"), "");
    assert_eq!(cat_of("corpora/mat5_struct_unset_field.mat::s/a"), "0\t0\t7\n");
    for file in ["mat5-empty-field/emptyfield.mat", "corpora/mat5_struct_unset_field.mat"] {
        assert_eq!(run(&["validate", &report(file)]).good(), "");
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mat");
    for big in [false, true] {
        let w = Writer { big };
        let unset = || w.element(14, b"");
        let jc = w.element(5, &w.words(&[0]));
        let names = [w.element(5, &w.word(8)), w.element(1, b"")];
        let opaque = [
            w.element(6, &w.words(&[17, 0])),
            w.element(1, b""),
            w.element(1, b"MCOS"),
            w.element(1, b"string"),
            unset(),
        ];
        let fields = [
            ("unset", unset()),
            ("char", w.array(4, &[0, 0], "", &[w.element(16, b"")])),
            ("char2", w.array(4, &[0, 0], "", &[])),
            ("cell", w.array(1, &[0, 0], "", &[])),
            ("cell1", w.array(1, &[1, 1], "", &[unset()])),
            ("struct", w.array(2, &[0, 0], "", &names)),
            ("struct1", w.array(2, &[1, 1], "", &names)),
            ("struct2", w.structure("", &[("u", unset())])),
            ("handle", w.array(16, &[1, 1], "", &[unset()])),
            ("object", w.array(3, &[0, 0], "", &[w.element(1, b"inline"), names.concat()])),
            ("opaque", w.element(14, &opaque.concat())),
            ("double", w.array(DOUBLE, &[0, 3], "", &[])),
            ("complex", w.array(DOUBLE | COMPLEX, &[0, 3], "", &[])),
            ("sparse", w.array(SPARSE, &[0, 0], "", &[w.element(5, b""), jc, w.element(9, b"")])),
            ("A", w.array(DOUBLE, &[1, 2], "", &[w.element(9, &w.doubles(&[1.0, 2.0]))])),
        ];
        fs::write(&path, w.file(&[w.structure("s", &fields)])).unwrap();
        let at = |name: &str| format!("{}::s/{name}", text(&path));
        assert_eq!(cat(&at("A")), "0\t0\t1\n0\t1\t2\n");
        for name in ["unset", "double", "complex", "sparse", "struct2/u"] {
            assert_eq!(run(&["cat", &at(name)]).good(), "", "{name}");
        }
        assert_eq!(run(&["validate", text(&path)]).good(), "");
        let info = run(&["info", text(&path)]).good();
        for (name, _) in &fields {
            assert!(info.contains(&format!("s/{name}")), "{name}: {info}");
        }
        let error = run(&["cat", &at("struct1")]).refused();
        assert!(error.contains("class struct"), "{error}");
    }
}

#[test]
fn structs_without_fields_do_not_hide_other_variables() {
    let path = report("corpora/mat73_struct_no_fields.mat");
    assert_eq!(run(&["cat", &path]).good().lines().count(), 2);
    assert_eq!(run(&["validate", &path]).good(), "");
    let info = run(&["info", &path]).good();
    assert!(info.contains("struct") && info.contains("1 x 1"), "{info}");
}

#[test]
fn fields_of_one_name_are_distinct_as_in_scipy() {
    let path = report("mat5-duplicate-fields/dupfields.mat");
    let field = |name: &str| cat(&format!("{path}::s/{name}"));
    assert_eq!(field("x"), "0\t0\t1\n0\t1\t2\n");
    assert_eq!(field("_1_x"), "0\t0\t3\n0\t1\t4\n");
    assert_eq!(field("y"), "0\t0\t5\n");
    assert_eq!(run(&["info", &path]).good().matches("s/x ").count(), 1);
}

#[test]
fn files_in_the_formats_of_octave_name_the_remedy() {
    for file in ["text_A", "binary_A", "hdf5_A"] {
        let at = report(&format!("octave-files/{file}.mat"));
        for verb in ["info", "cat"] {
            let error = run(&[verb, &at]).refused_by(verb);
            assert!(error.contains("Octave") && error.contains("save -v7"), "{file}: {error}");
        }
    }
    assert_eq!(run(&["cat", &report("octave-files/v4_A.mat")]).code, Some(0));
    // A sparse logical array that Octave writes with the class of a dense one.
    for file in ["v6_L", "v7_L"] {
        let done = run(&["cat", &report(&format!("octave-files/{file}.mat"))]);
        assert_eq!(done.code, Some(1), "{done:?}");
    }
}

#[test]
fn columns_of_info_are_separated() {
    let info = run(&["info", &report("info-columns/sp_longname.mat")]).good();
    let line = info.lines().find(|line| line.contains(".pr")).unwrap();
    assert!(line.contains(".pr float64"), "{info}");
}
