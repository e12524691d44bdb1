//! MAT-files: the variables of the test data match their manifest, broken files give errors with a place, and written
//! files are read back.

use crate::common::{location, manifest, root, unsynced};
use nnz::{Dataset, Location, OpenOptions};

fn place(file: &str, variable: Option<&str>) -> Location {
    let path = root().join("testdata/matlab").join(file);
    Location::Path { path, group: variable.map(ToOwned::to_owned) }
}

#[test]
fn variables_match_their_manifest() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    for entry in manifest::entries("matlab") {
        let name = entry.name();
        if entry.text("verdict") == "must_reject" {
            refused += 1;
            match manifest::read_whole(&entry.location()) {
                Ok(()) => wrong.push(format!("{name} is read")),
                Err(error) if !manifest::has_place(&error, &entry.path()) => {
                    wrong.push(format!("{name}: no place: {error}"));
                }
                Err(_) => {}
            }
            continue;
        }
        read += 1;
        let expected = entry.expected().unwrap();
        let compared = match manifest::open(&entry.location()) {
            Ok(matrix) => {
                let wanted = expected["dtype"].as_str().unwrap().replace("bool", "bint8");
                let found = matrix.header().value_type.to_string();
                let complex =
                    [("complex128", "complex[float64]"), ("complex64", "complex[float32]")];
                let same = complex.iter().any(|(a, b)| wanted == *a && found == *b);
                match wanted == found || same {
                    true => manifest::compare(&*matrix, expected),
                    false => Err(format!("the type {found}, expected {wanted}")),
                }
            }
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(compared.err().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 55 && refused > 45, "{read} read, {refused} refused");
}

#[test]
fn variables_are_listed_with_class_and_shape() {
    for file in ["v5_struct_u.mat", "v5_struct_z.mat", "v73_struct.mat"] {
        let members = nnz::formats::list_members(
            place(file, None),
            &OpenOptions::new(),
            &crate::common::sparing(),
        )
        .unwrap();
        let find = |path: &str| members.iter().find(|member| member.path == path);
        let listed = |path: &str| {
            let member = find(path).unwrap_or_else(|| panic!("{file}: no {path} in {members:?}"));
            (&*member.kind, &member.shape[..], &*member.value_type)
        };
        assert_eq!(listed("Problem/A"), ("sparse double", &[7, 5][..], "float64"));
        assert_eq!(listed("Problem/b"), ("double", &[7, 1][..], "float64"));
        assert_eq!(listed("cube"), ("int32", &[2, 3, 4][..], "int32"));
        let (kind, _, value_type) = listed("cells");
        assert_eq!((kind, value_type), ("cell", ""));
        assert_eq!(listed("Problem/name").0, "char");
        assert!(find("#refs#/a").is_none());
        let error = manifest::open(&place(file, None)).err().unwrap().to_string();
        assert!(error.contains("select one:") && error.contains("::Problem/A"), "{error}");
        assert!(!error.contains("::cells"), "{error}");
        let error = manifest::open(&place(file, Some("B"))).err().unwrap().to_string();
        assert!(error.contains("no such variable; the file has"), "{error}");
        let error = manifest::open(&place(file, Some("cells"))).err().unwrap().to_string();
        assert!(error.contains("class cell"), "{error}");
    }
    let error = manifest::open(&place("v5_text_u.mat", None)).err().unwrap().to_string();
    assert!(error.contains("no variable with numbers: text (char)"), "{error}");
}

/// Arrays of three dimensions are tensors, whose first dimension is adjacent.
#[test]
fn cubes_are_tensors() {
    for file in ["v5_struct_u.mat", "v5_struct_z.mat", "v73_struct.mat"] {
        let Dataset::Tensor(tensor) = nnz::open(place(file, Some("cube"))).unwrap() else {
            panic!("{file}");
        };
        assert_eq!(tensor.descriptor().shape, [2, 3, 4]);
        let tensor = tensor.read(1 << 20).unwrap();
        let at = |index: [u64; 3]| {
            let is = |entry: usize| {
                index.iter().zip(&tensor.coordinates).all(|(own, list)| list[entry] == *own)
            };
            let entry = (0..tensor.len()).find(|&entry| is(entry)).unwrap();
            tensor.values.get(entry).unwrap().to_string()
        };
        // In C order, as in NumPy.
        assert_eq!([at([0, 0, 0]), at([0, 1, 2]), at([1, 2, 3])], ["0", "6", "23"], "{file}");
    }
}

/// Each variable, converted and read back, is equal to the original.
#[test]
fn written_files_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for entry in manifest::entries("matlab") {
        if entry.text("verdict") == "must_reject" {
            continue;
        }
        let name = entry.name();
        let expected = entry.expected().unwrap();
        for compress in [None, Some(nnz::Compression::None)] {
            // The second is added to a file, in the place of the one before.
            let file = if compress.is_some() { "y.mat" } else { "x.mat" };
            let to = Location::Path {
                path: folder.path().join(file),
                group: compress.is_some().then(|| "name_2".to_owned()),
            };
            let mut options = unsynced();
            options.compress = compress;
            // Sparse matrices are double, logical or complex.
            nnz::convert(entry.location(), &to, &options, &crate::common::sparing())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let matrix = manifest::open(&to).unwrap_or_else(|error| panic!("{name}: {error}"));
            if let Err(what) = manifest::compare(&*matrix, expected) {
                panic!("{name}: {what}");
            }
            let own = manifest::open(&location(&folder.path().join(file))).unwrap();
            assert_eq!(own.header(), matrix.header(), "{name}");
            count += 1;
        }
    }
    assert!(count > 110, "{count}");
}

#[test]
fn values_that_matlab_cannot_store_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.mtx"), folder.path().join("a.mat"));
    let text = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 9007199254740993\n";
    std::fs::write(&from, text).unwrap();
    let error =
        nnz::convert(location(&from), location(&to), &unsynced(), &crate::common::sparing())
            .unwrap_err();
    assert!(error.to_string().contains("9007199254740993"), "{error}");
    assert!(!to.exists());
    std::fs::write(&from, text.replace("993", "992")).unwrap();
    nnz::convert(location(&from), location(&to), &unsynced(), &crate::common::sparing()).unwrap();
    let matrix = manifest::open(&location(&to)).unwrap();
    assert_eq!(matrix.header().value_type, nnz::ValueType::F64);
    // Names of variables.
    for name in ["1a", "a b", "S/a", ""] {
        let to = Location::Path { path: to.clone(), group: Some(name.to_owned()) };
        let error =
            nnz::convert(location(&from), &to, &unsynced(), &crate::common::sparing()).unwrap_err();
        assert!(error.to_string().contains("not a valid MATLAB variable name"), "{name}: {error}");
    }
}

/// All variables are checked.
#[test]
fn validate_reads_all_variables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.mat");
    let text = |folder: &str| std::fs::read(root().join("testdata/matlab").join(folder)).unwrap();
    // A second variable after the first.
    let mut bytes = text("v5_sparse_real_u.mat");
    bytes.extend_from_slice(&text("bad_index.mat")[128..]);
    std::fs::write(&path, bytes).unwrap();
    let mut found = Vec::new();
    let options = nnz::ValidateOptions::default();
    nnz::validate(location(&path), &options, &crate::common::sparing(), &mut |finding| {
        found.push(finding.to_string())
    })
    .unwrap();
    assert!(found.len() == 1 && found[0].contains("A.ir"), "{found:?}");
}
