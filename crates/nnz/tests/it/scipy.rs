//! SciPy and NumPy files: the matrices of the test data match their manifest, and broken files give
//! errors with a place.

use crate::common::manifest;
use nnz::{CatOptions, Dataset};

/// Long doubles depend on the machine and are refused by name.
const LONG_DOUBLES: [&str; 3] = [
    "npz/scipy1.17.1/csr_float128.npz",
    "npz/scipy1.17.1/csc_complex256.npz",
    "npy/longdouble.npy",
];

/// Files that other readers may accept, and that are refused.
const REFUSED: [&str; 4] = [
    "npz/hand/bad_no_format.npz",
    "npz/hand/bad_format_case.npz",
    "npz/hand/bad_shape_float.npz",
    "npy/bad_trailing.npy",
];

#[test]
fn files_match_their_manifest() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    for entry in manifest::entries("scipy") {
        let name = entry.name();
        let by_name = LONG_DOUBLES.contains(&&*name);
        let valid = entry.text("verdict") != "must_reject" && !REFUSED.contains(&&*name);
        let result = manifest::read_whole(&entry.location());
        if by_name || !valid {
            refused += 1;
            match result {
                Ok(()) => wrong.push(format!("{name} is read")),
                Err(error) if !manifest::has_place(&error, &entry.path()) => {
                    wrong.push(format!("{name}: no place: {error}"));
                }
                Err(error) if by_name && !error.to_string().contains("long double") => {
                    wrong.push(format!("{name}: {error}"));
                }
                Err(_) => {}
            }
            continue;
        }
        read += 1;
        let Some(expected) = entry.expected() else {
            wrong.extend(result.err().map(|error| format!("{name}: {error}")));
            continue;
        };
        let compared = match nnz::open(entry.location()) {
            Ok(Dataset::Matrix(matrix)) => {
                // Only PyData has a fill value.
                let fill =
                    matrix.header().fill.map_or(0.0, |fill| fill.to_string().parse().unwrap());
                assert_eq!(fill, expected["fill"].as_f64().unwrap_or(0.0), "{name}");
                manifest::compare(&*matrix, expected)
            }
            Ok(Dataset::Tensor(tensor)) => compare_tensor(&tensor, expected),
            Ok(other) => Err(format!("{other:?}")),
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(compared.err().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 180 && refused > 40, "{read} read, {refused} refused");
}

fn compare_tensor(
    tensor: &nnz::tensor::TensorFile,
    expected: &serde_json::Value,
) -> Result<(), String> {
    let mut text = Vec::new();
    tensor
        .cat(&CatOptions::default(), &crate::common::sparing(), &mut text)
        .map_err(|error| error.to_string())?;
    let found: Vec<String> =
        String::from_utf8(text).unwrap().lines().map(ToOwned::to_owned).collect();
    let mut wanted = Vec::new();
    match expected.get("cells") {
        Some(elements) => list_elements(elements, "", &mut wanted),
        None => {
            for entry in expected["entries"].as_array().unwrap() {
                let fields: Vec<String> =
                    entry.as_array().unwrap().iter().map(ToString::to_string).collect();
                wanted.push(fields.join("\t"));
            }
        }
    }
    if found == wanted { Ok(()) } else { Err(format!("{found:?}, expected {wanted:?}")) }
}

fn list_elements(elements: &serde_json::Value, before: &str, wanted: &mut Vec<String>) {
    match elements.as_array() {
        None => wanted.push(format!("{before}{elements}")),
        Some(list) => {
            for (at, element) in list.iter().enumerate() {
                list_elements(element, &format!("{before}{at}\t"), wanted);
            }
        }
    }
}

/// Extreme values of types.
const WORST: [i64; 9] = [0, 1, -1, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 53, i64::MAX, i64::MIN];

/// Writes the arrays of a matrix of 4 x 5 with one element replaced.
fn write_with(path: &std::path::Path, format: &str, array: &str, element: usize, value: i64) {
    use nnz_container::NamedArraysWriter;
    use nnz_container::npz::{NpzOptions, NpzWriter};
    let unsynced = nnz::output::WriteOptions::default().overwrite(true).sync(false);
    let arrays: &[(&str, &[i64])] = match format {
        "coo" => &[("row", &[0, 0, 2, 3, 1]), ("col", &[1, 4, 0, 3, 2]), ("shape", &[4, 5])],
        _ => &[("indptr", &[0, 2, 2, 3, 5]), ("indices", &[1, 3, 0, 3, 2]), ("shape", &[4, 4])],
    };
    let npz = NpzWriter::create(path, unsynced, NpzOptions::default()).unwrap();
    let mut writer = NamedArraysWriter::new(npz);
    writer.set_attribute("format", format).unwrap();
    for (name, numbers) in arrays {
        let mut numbers = numbers.to_vec();
        if let Some(number) = numbers.get_mut(element).filter(|_| *name == array) {
            *number = value;
        }
        let id = writer.create_array(name, nnz::ValueType::I64).unwrap();
        writer.append(id, &numbers).unwrap();
    }
    let id = writer.create_array("data", nnz::ValueType::F64).unwrap();
    writer.append(id, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
    writer.finish().unwrap();
}

/// Extreme numbers are refused with their place, or give another matrix.
#[test]
fn extreme_numbers_in_all_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("extreme.npz");
    let location = crate::common::location(&path);
    let (mut read, mut refused) = (0, 0);
    for format in ["csr", "csc", "coo"] {
        for array in ["indptr", "indices", "shape", "row", "col"] {
            for (element, value) in (0..5).flat_map(|at| WORST.map(|value| (at, value))) {
                write_with(&path, format, array, element, value);
                match manifest::read_whole(&location) {
                    Ok(()) => read += 1,
                    Err(error) => {
                        assert!(manifest::has_place(&error, &path), "{error}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} and {refused}");
}

/// A text with a full row, an empty row, a column with one entry, and a stored zero.
const TEXT: &str = "%%MatrixMarket matrix coordinate real general\n4 5 6\n1 1 1.5\n1 4 -2\n3 2 0\n\
                    3 5 1e300\n4 1 7\n4 5 -0.25\n";

fn converted(from: &std::path::Path, to: &std::path::Path, set: impl Fn(&mut nnz::ConvertOptions)) {
    let mut options = crate::common::unsynced();
    set(&mut options);
    let (from, to) = (crate::common::location(from), crate::common::location(to));
    nnz::convert(from, to, &options, &crate::common::sparing()).unwrap();
}

fn entries_of(path: &std::path::Path) -> Vec<(u64, u64, String)> {
    let matrix = manifest::open(&crate::common::location(path)).unwrap();
    let entries = matrix.entries().unwrap().map(|entry| {
        let (row, col, value) = entry.unwrap();
        (row, col, value.to_string())
    });
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    entries
}

#[test]
fn written_files_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.mtx"), TEXT).unwrap();
    let expected = entries_of(&at("a.mtx"));
    for (name, order, compress) in [
        ("csr.npz", nnz::Order::Row, None),
        ("csc.npz", nnz::Order::Col, Some(nnz::Compression::Gzip(6))),
    ] {
        converted(&at("a.mtx"), &at(name), |options| {
            options.order = Some(order);
            options.compress = compress;
        });
        assert_eq!(entries_of(&at(name)), expected, "{name}");
        let matrix = manifest::open(&crate::common::location(&at(name))).unwrap();
        assert_eq!(matrix.header().own_order(), Some(order));
        let types = matrix.about().unwrap().arrays;
        let types: Vec<_> = types.iter().map(|array| array.value_type.unwrap().name()).collect();
        assert_eq!(types, ["int32", "int32", "float64"]);
    }
    // All elements; only the nonzero ones are read back.
    converted(&at("a.mtx"), &at("a.npy"), |_| {});
    let dense = entries_of(&at("a.npy"));
    assert_eq!(dense.len(), 20);
    let stored = |entries: &[(u64, u64, String)]| -> Vec<_> {
        entries.iter().filter(|(.., value)| value != "0.0" && value != "0").cloned().collect()
    };
    assert_eq!(stored(&dense), stored(&expected));
    converted(&at("a.npy"), &at("back.npz"), |_| {});
    assert_eq!(entries_of(&at("back.npz")), stored(&expected));
    let written = std::fs::read(at("a.npy")).unwrap();
    assert!(
        written.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False")
    );
    assert_eq!(written.len(), 128 + 20 * 8);
}

/// All files of the test data, written in both formats.
#[test]
fn all_files_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut written = 0;
    for entry in manifest::entries("scipy") {
        let Ok(matrix) = manifest::open(&entry.location()) else { continue };
        if manifest::read_whole(&entry.location()).is_err()
            || matrix.header().shape.elements() > 1 << 20
            || matrix.header().fill.is_some()
        {
            continue;
        }
        let mut expected = entries_of(&entry.path());
        let dense = matrix.header().storage == nnz::matrix::Storage::Dense;
        if dense {
            expected.retain(|(.., value)| !["0", "0.0", "0\t0", "0.0\t0.0"].contains(&&**value));
        }
        converted(&entry.path(), &at("again.npz"), |_| {});
        let mut found = entries_of(&at("again.npz"));
        if dense {
            found.retain(|(.., value)| !["0", "0.0", "0\t0", "0.0\t0.0"].contains(&&**value));
        }
        assert_eq!(found, expected, "{}", entry.name());
        written += 1;
    }
    assert!(written > 150, "{written}");
}

/// Writes a coo array of 3 x 4 x 5 with entries in this order.
fn write_three_dimensions(path: &std::path::Path, order: &[usize]) {
    let entries = [([0, 0, 1], 1.0), ([0, 2, 0], 2.0), ([1, 1, 4], 3.0), ([2, 0, 0], 4.0)];
    let column = |dimension: usize| order.iter().map(|&at| entries[at].0[dimension]).collect();
    let coordinates: Vec<Vec<u64>> = (0..3).map(column).collect();
    let values = nnz::Values::F64(order.iter().map(|&at| entries[at].1).collect());
    nnz_scientific::scipy::write_coo(
        path,
        (&[3, 4, 5], &coordinates),
        &values,
        nnz::output::WriteOptions::default().overwrite(true).sync(false),
        nnz_container::npz::NpzOptions::default(),
    )
    .unwrap();
}

fn printed(path: &std::path::Path) -> Result<String, nnz::Error> {
    let Dataset::Tensor(tensor) = nnz::open(path)? else { panic!("no tensor") };
    let mut text = Vec::new();
    tensor.cat(&CatOptions::default(), &crate::common::sparing(), &mut text)?;
    Ok(String::from_utf8(text).unwrap())
}

#[test]
fn entries_of_three_dimensions_are_sorted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    write_three_dimensions(&path, &[0, 1, 2, 3]);
    let sorted = printed(&path).unwrap();
    assert_eq!(sorted, "0\t0\t1\t1.0\n0\t2\t0\t2.0\n1\t1\t4\t3.0\n2\t0\t0\t4.0\n");
    for order in [[3, 2, 1, 0], [1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1]] {
        write_three_dimensions(&path, &order);
        assert_eq!(printed(&path).unwrap(), sorted, "{order:?}");
    }
    write_three_dimensions(&path, &[]);
    assert_eq!(printed(&path).unwrap(), "");
}

#[test]
fn duplicates_of_three_dimensions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    for order in [&[0, 1, 1, 2][..], &[2, 1, 0, 2]] {
        write_three_dimensions(&path, order);
        let error = printed(&path).unwrap_err();
        assert!(manifest::has_place(&error, &path), "{error}");
    }
}
