//! Output of the command for files with known content.

use std::fs;
use std::path::Path;

use nnz_testing::command::{run, testdata, text};
use serde_json::Value;

fn manifest(folder: &str) -> Value {
    serde_json::from_slice(&fs::read(testdata().join(folder).join("manifest.json")).unwrap())
        .unwrap()
}

mod bpcells {
    use super::*;

    /// The matrices in directories of the manifest, and those made by hand.
    fn matrices() -> Vec<Value> {
        let manifest = manifest("bpcells");
        let all = manifest["artifacts"].as_array().unwrap().iter();
        let directories = all.filter(|a| a["backend"] == "dir" && a["kind"] == "matrix");
        let readable = directories.filter(|a| a["version"] != "packed-uint-matrix-v9999").cloned();
        let all = manifest["artifacts"].as_array().unwrap().iter();
        readable.chain(all.filter(|a| a["kind"] == "handmade").cloned()).collect()
    }

    fn path_of(artifact: &Value) -> String {
        text(&testdata().join("bpcells").join(artifact["path"].as_str().unwrap())).to_owned()
    }

    /// The type of the values, from a version such as `packed-uint-matrix-v2`.
    fn kind(artifact: &Value) -> &str {
        artifact["version"].as_str().unwrap().split('-').nth(1).unwrap()
    }

    /// The expected entries in storage order: row, column and the bits of the value.
    fn expected(artifact: &Value) -> Vec<(u64, u64, String)> {
        let path = testdata().join("bpcells").join(artifact["expected"].as_str().unwrap());
        let listed = fs::read_to_string(path).unwrap();
        let lines = listed.lines().filter(|line| !line.starts_with('#'));
        let mut entries: Vec<_> = lines
            .map(|line| {
                let fields: Vec<_> = line.split('\t').collect();
                let bits = match fields.get(3) {
                    Some(bits) => (*bits).to_owned(),
                    None => format!("{:08x}", fields[2].parse::<u32>().unwrap()),
                };
                (fields[0].parse().unwrap(), fields[1].parse().unwrap(), bits)
            })
            .collect();
        if artifact["storage_order"] == "row" {
            // Listed by column, stored by row.
            entries.sort_by_key(|(row, col, _)| (*row, *col));
        }
        entries
    }

    #[test]
    fn all_directories_of_the_test_data_are_checked() {
        let listed: Vec<_> = matrices().iter().map(path_of).collect();
        assert_eq!(listed.len(), 117);
        for folder in ["matrix_dir", "handmade"] {
            for entry in fs::read_dir(testdata().join("bpcells").join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let refused = path.ends_with("basic_uint.EXPERIMENTAL_v9999");
                assert!(
                    !path.is_dir() || refused || listed.iter().any(|p| p == text(&path)),
                    "{path:?}"
                );
            }
        }
    }

    #[test]
    fn cat_prints_all_entries_exactly() {
        for artifact in matrices() {
            let path = path_of(&artifact);
            let kind = kind(&artifact);
            let expected = expected(&artifact);
            let printed = run(&["cat", &path]).good();
            let lines = expected.iter().map(|(row, col, bits)| {
                format!("{row}\t{col}\t{}\n", nnz_testing::number::of_bits(kind, bits))
            });
            assert!(printed == lines.collect::<String>(), "{path}");

            // The printed numbers have the same bits; the payload of a NaN is not printed.
            for (line, (_, _, bits)) in printed.lines().zip(&expected) {
                let value = line.split('\t').nth(2).unwrap();
                let same = value == "nan" || nnz_testing::number::bits(kind, value) == *bits;
                assert!(same, "{path}: {line} for {bits}");
            }
        }
    }

    #[test]
    fn names_prints_all_names() {
        for artifact in matrices() {
            let path = path_of(&artifact);
            let Some(list) = artifact["names"].as_str() else {
                continue;
            };
            let list = fs::read(testdata().join("bpcells").join(list)).unwrap();
            let list: Value = serde_json::from_slice(&list).unwrap();
            for (axis, key) in [("rows", "row_names"), ("cols", "col_names")] {
                // Imported from a format without names.
                let none = path.ends_with("import_mtx.row");
                let expected: String = match &list[key] {
                    Value::Array(names) if !none => {
                        names.iter().map(|name| name.as_str().unwrap().to_owned() + "\n").collect()
                    }
                    _ => String::new(),
                };
                assert_eq!(run(&["names", "-q", &path, axis]).good(), expected, "{path}");
            }
        }
    }

    #[test]
    fn names_of_stores_made_by_hand() {
        let names = |store: &str, axis: &str| {
            let path = testdata().join("bpcells/handmade").join(store);
            run(&["names", "-q", text(&path), axis]).good()
        };
        for axis in ["rows", "cols"] {
            let path = testdata().join("bpcells/handmade/crlf.packed");
            let file = path.join(if axis == "rows" { "row_names" } else { "col_names" });
            let stored = fs::read_to_string(file).unwrap();
            assert!(stored.contains("\r\n"));
            assert_eq!(names("crlf.packed", axis), stored.replace("\r\n", "\n"));
            // The same names without their last line break.
            assert_eq!(names("no_trailing_newline.packed", axis), names("crlf.packed", axis));
        }
        let odd = testdata().join("bpcells/handmade/empty_and_duplicate_names.unpacked/row_names");
        let odd = fs::read_to_string(odd).unwrap();
        assert_eq!(names("empty_and_duplicate_names.unpacked", "rows"), odd);
        assert!(odd.lines().any(str::is_empty));
    }

    #[test]
    fn all_matrices_are_valid() {
        for artifact in matrices() {
            assert_eq!(run(&["validate", &path_of(&artifact)]).good(), "");
        }
    }

    #[test]
    fn notes_are_printed_on_request() {
        let path = testdata().join("bpcells/handmade/unsorted_rows.packed");
        assert_eq!(run(&["validate", text(&path)]).good(), "");
        let notes = run(&["validate", "--notes", text(&path)]).good();
        assert!(notes.starts_with("note: "), "{notes}");
        assert!(notes.contains("ascending"), "{notes}");
        let json = run(&["validate", "--json", text(&path)]).good();
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["valid"], true);
        assert_eq!(json["findings"][0]["severity"], "note");
    }

    #[test]
    fn other_data_is_refused_by_name() {
        let root = testdata().join("bpcells");
        let path = root.join("matrix_dir/basic_uint.EXPERIMENTAL_v9999");
        let path = text(&path);
        for arguments in [&["cat", path][..], &["info", path], &["names", path, "rows"]] {
            let message = run(arguments).refused();
            assert!(message.contains("packed-uint-matrix-v9999"), "{message}");
            assert!(message.contains(path), "{message}");
        }
        let findings = run(&["validate", path]);
        assert_eq!(findings.code, Some(1));
        assert!(findings.out.contains("packed-uint-matrix-v9999"), "{findings:?}");

        for (store, named) in [
            ("fragments_dir/basic.packed", "packed-fragments-v2"),
            ("fragments_dir/basic.v1.unpacked", "unpacked-fragments-v1"),
        ] {
            let path = root.join(store);
            let path = text(&path);
            for arguments in [&["stats", path][..], &["transpose", path, "/nowhere/t.bpcells"]] {
                let message = run(arguments).refused();
                assert!(message.contains(named) && message.contains(path), "{message}");
            }
        }
    }

    #[test]
    fn info_matches_the_manifest() {
        for artifact in matrices() {
            let path = path_of(&artifact);
            let info: Value =
                serde_json::from_str(&run(&["info", "--json", &path]).good()).unwrap();
            assert_eq!(info["format"], "BPCells matrix");
            assert_eq!(info["container"], "directory");
            assert_eq!(info["kind"], "matrix");
            assert_eq!(info["version"], artifact["version"], "{path}");
            assert_eq!(info["rows"], artifact["shape"][0], "{path}");
            assert_eq!(info["cols"], artifact["shape"][1], "{path}");
            assert_eq!(
                (&info["row_axis"], &info["col_axis"]),
                (&"features".into(), &"cells".into())
            );
            assert_eq!(info["storage"], "sparse");
            assert_eq!(info["structure"], "general");
            let value_type = match kind(&artifact) {
                "uint" => "uint32",
                "float" => "float32",
                _ => "float64",
            };
            assert_eq!(info["value_type"], value_type);
            if artifact["kind"] == "matrix" {
                assert_eq!(info["stored"], artifact["nnz"], "{path}");
                assert_eq!(info["order"], artifact["storage_order"], "{path}");
            }
            let files = nnz_testing::command::content(Path::new(&path));
            for array in info["arrays"].as_array().unwrap() {
                let name = array["name"].as_str().unwrap();
                let (_, bytes) = files.iter().find(|(file, _)| file == name).unwrap();
                assert_eq!(array["bytes"], bytes.len(), "{path}: {name}");
            }
        }
    }

    #[test]
    fn rows_and_cols_select_a_part() {
        for name in ["basic_uint.packed.col", "basic_double.packed.row", "basic_float.unpacked.col"]
        {
            let path = testdata().join("bpcells/matrix_dir").join(name);
            let whole = run(&["cat", text(&path)]).good();
            let part = |arguments: &[&str]| {
                let mut all = vec!["cat", text(&path)];
                all.extend(arguments);
                run(&all).good()
            };
            let kept = |rows: std::ops::Range<u64>, cols: std::ops::Range<u64>| -> String {
                let inside = |line: &&str| {
                    let mut fields = line.split('\t').map(str::parse::<u64>);
                    let (row, col) = (fields.next().unwrap(), fields.next().unwrap());
                    rows.contains(&row.unwrap()) && cols.contains(&col.unwrap())
                };
                whole.lines().filter(inside).map(|line| format!("{line}\n")).collect()
            };
            let all = 0..u64::MAX;
            assert_eq!(part(&["--rows", "10:50"]), kept(10..50, all.clone()), "{name}");
            assert_eq!(part(&["--cols", "10:50"]), kept(all.clone(), 10..50), "{name}");
            assert_eq!(part(&["--cols", ":7", "--rows", "100:"]), kept(100..u64::MAX, 0..7));
            assert_eq!(part(&["--rows", ":", "--cols", ":"]), whole);
            assert_eq!(part(&["--rows", "5:5", "--allow-empty"]), "");
            // Ranges may extend past the end.
            assert_eq!(part(&["--rows", "1000000:2000000", "--allow-empty"]), "");
            assert_eq!(part(&["--cols", "149:18446744073709551615"]), kept(all, 149..150));
        }
    }
}

mod matrix_market {
    use super::*;

    /// The entries of the manifest for files in a folder.
    fn listed(folder: &str) -> Vec<Value> {
        let manifest = manifest("matrix-market");
        let all = manifest["entries"].as_array().unwrap().iter();
        all.filter(|entry| entry["path"].as_str().unwrap().starts_with(folder)).cloned().collect()
    }

    fn path_of(entry: &Value) -> String {
        text(&testdata().join("matrix-market").join(entry["path"].as_str().unwrap())).to_owned()
    }

    /// A value of the manifest as `cat` prints it.
    fn value(field: &str, value: &Value) -> String {
        let part = |value: &Value| match value {
            // Values that are not numbers are listed by the names that are printed.
            Value::String(name) => name.clone(),
            number => nnz_testing::number::float64(number.as_f64().unwrap()),
        };
        match field {
            "integer" | "pattern" => value.as_i64().unwrap().to_string(),
            "complex" => format!("{}\t{}", part(&value[0]), part(&value[1])),
            _ => part(value),
        }
    }

    fn lines(field: &str, entries: &Value) -> Vec<String> {
        let entries = entries.as_array().unwrap().iter();
        let mut lines: Vec<_> =
            entries.map(|e| format!("{}\t{}\t{}", e[0], e[1], value(field, &e[2]))).collect();
        lines.sort();
        lines
    }

    /// The positions of the entries of a file in order, parsed without checks.
    fn order_in(path: &str) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        let content = text.lines().filter(|line| !line.starts_with('%') && !line.trim().is_empty());
        let place = |line: &str| {
            let mut fields = line.split_whitespace().map(|field| field.parse::<u64>().unwrap() - 1);
            format!("{}\t{}", fields.next().unwrap(), fields.next().unwrap())
        };
        content.skip(1).map(place).collect()
    }

    #[test]
    fn all_files_of_the_test_data_are_checked() {
        for (folder, least) in [("valid", 30), ("malformed", 27)] {
            let files =
                nnz_testing::command::names_in(&testdata().join("matrix-market").join(folder));
            let listed = listed(folder);
            assert_eq!(files.len(), listed.len());
            assert!(files.len() >= least, "{}", files.len());
        }
    }

    #[test]
    fn cat_prints_all_entries_exactly_in_the_order_of_the_file() {
        for entry in listed("valid") {
            let path = path_of(&entry);
            if entry["expected"]["entries"].is_null() {
                continue;
            }
            let printed = run(&["cat", &path]).good();
            let mut found: Vec<_> = printed.lines().collect();
            if entry["mm_format"] == "coordinate" {
                let places: Vec<_> = found.iter().map(|line| place(line)).collect();
                assert_eq!(places, order_in(&path), "{path}");
            } else {
                let numbers = found.iter().map(|line| col_row(line));
                assert!(numbers.is_sorted(), "{path}: an array is stored by column");
            }
            found.sort_unstable();
            let field = entry["field"].as_str().unwrap();
            assert_eq!(found, lines(field, &entry["expected"]["entries"]), "{path}");
        }
    }

    fn place(line: &str) -> String {
        line.split('\t').take(2).collect::<Vec<_>>().join("\t")
    }

    fn col_row(line: &str) -> (u64, u64) {
        let mut fields = line.split('\t').take(2).map(|field| field.parse().unwrap());
        let row = fields.next().unwrap();
        (fields.next().unwrap(), row)
    }

    #[test]
    fn expand_adds_entries_of_the_other_triangle() {
        let mut expanded = 0;
        for entry in listed("valid") {
            let path = path_of(&entry);
            let wanted = match &entry["expected"] {
                e if !e["entries_expanded"].is_null() => &e["entries_expanded"],
                e if !e["entries"].is_null() => &e["entries"],
                _ => continue,
            };
            expanded += usize::from(!entry["expected"]["entries_expanded"].is_null());
            let printed = run(&["cat", "--expand", &path]).good();
            let mut found: Vec<_> = printed.lines().collect();
            found.sort_unstable();
            assert_eq!(found, lines(entry["field"].as_str().unwrap(), wanted), "{path}");
        }
        assert!(expanded >= 15, "{expanded}");
    }

    #[test]
    fn all_valid_files_are_valid() {
        for entry in listed("valid") {
            if entry["expected"]["or"] != "error" {
                assert_eq!(run(&["validate", &path_of(&entry)]).good(), "");
            }
        }
    }

    /// The fault of each malformed file: line and column, counted from 1.
    const BROKEN_AT: &[(&str, u64, u64)] = &[
        ("array_too_few", 6, 1),        // the end, an element short
        ("array_too_many", 7, 1),       // the fifth of four elements
        ("bad_banner", 1, 1),           // one % instead of two
        ("bad_field", 1, 34),           // quaternion
        ("bad_object", 1, 16),          // vector
        ("bad_symmetry", 1, 39),        // diagonal
        ("binary_garbage", 1, 1),       // bytes before the banner
        ("col_out_of_range", 3, 3),     // column 3 of 2
        ("complex_missing_imag", 3, 8), // the end of the line
        ("empty_file", 1, 1),           //
        ("float_in_integer", 3, 5),     // 1.5
        ("hermitian_real", 1, 39),      // real numbers have no conjugates
        ("huge_nnz", 4, 1),             // the end, many entries short
        ("index_zero", 3, 1),           // indices start at 1
        ("int_overflow", 3, 5),         // 99999999999999999999
        ("missing_size", 2, 1),         // the end
        ("missing_value", 3, 4),        // the end of the line
        ("negative_index", 3, 1),       // -1
        ("negative_size", 2, 1),        // -3
        ("no_header", 1, 1),            // sizes at once
        ("not_a_number", 3, 5),         // abc
        ("pattern_array", 1, 29),       // elements without values
        ("row_out_of_range", 3, 1),     // row 4 of 3
        ("skew_diag", 3, 1),            // an entry where there is always zero
        ("symmetric_nonsquare", 2, 3),  // the number of columns
        ("too_few", 5, 1),              // the end, an entry short
        ("too_many", 4, 1),             // the second of one entry
    ];

    #[test]
    fn errors_of_malformed_files_have_line_and_column() {
        let listed = listed("malformed");
        assert_eq!(listed.len(), BROKEN_AT.len());
        let scratch = tempfile::tempdir().unwrap();
        for entry in listed {
            let path = path_of(&entry);
            let name = Path::new(&path).file_stem().unwrap().to_str().unwrap().to_owned();
            let (_, line, column) = BROKEN_AT.iter().find(|(n, ..)| *n == name).expect(&name);
            let place = format!("{path}: line {line}, column {column}: found ");

            let message = run(&["cat", &path]).refused();
            assert!(message.starts_with(&format!("nnz: {place}")), "{message}");
            assert_eq!(message.lines().count(), 1);

            // A target that supports all types.
            let target = scratch.path().join("m.mtx");
            let message = run(&["convert", "--no-sync", &path, text(&target)]).refused();
            assert!(message.starts_with(&format!("nnz: {place}")), "{message}");
            assert_eq!(nnz_testing::command::names_in(scratch.path()), [""; 0]);

            let found = run(&["validate", &path]);
            assert_eq!((found.code, &*found.err), (Some(1), ""), "{found:?}");
            assert!(found.out.starts_with(&place), "{found:?}");
            assert_eq!(found.out.lines().count(), 1);

            let found = run(&["validate", "--json", &path]);
            assert_eq!(found.code, Some(1));
            let json: Value = serde_json::from_str(&found.out).unwrap();
            assert_eq!(json["valid"], false);
            assert_eq!(json["findings"][0]["severity"], "fault");
        }
    }

    #[test]
    fn duplicates_are_refused_with_both_lines_or_summed() {
        let path = testdata().join("matrix-market/valid/duplicates.mtx");
        let path = text(&path);
        let scratch = tempfile::tempdir().unwrap();
        let target = scratch.path().join("m.bpcells");
        let output = format!(
            "{path}: line 4, column 1: duplicate entry (the first \
                            is at line 3, column 1)"
        );
        assert!(run(&["cat", path]).refused().contains(&output));
        let message = run(&["convert", path, text(&target)]).refused();
        assert!(message.contains(&output), "{message}");
        assert_eq!(nnz_testing::command::names_in(scratch.path()), [""; 0]);
        let findings = run(&["validate", path]);
        assert_eq!((findings.code, findings.out.trim_end()), (Some(1), &*output));

        let summed = ["0\t0\t3.0", "1\t1\t5.0", ""].join("\n");
        assert_eq!(run(&["cat", "--duplicates", "sum", path]).good(), summed);
        run(&["-q", "convert", "--duplicates", "sum", path, text(&target)]).good();
        assert_eq!(run(&["cat", text(&target)]).good(), summed);
        // BPCells supports duplicates.
        let both = ["0\t0\t1.0", "0\t0\t2.0", "1\t1\t5.0", ""].join("\n");
        assert_eq!(run(&["cat", "--duplicates", "keep", path]).good(), both);
        run(&["-q", "convert", "--force", "--duplicates", "keep", path, text(&target)]).good();
        assert_eq!(run(&["cat", text(&target)]).good(), both);
        // Matrix Market does not.
        let back = scratch.path().join("back.mtx");
        let message = run(&["convert", text(&target), text(&back)]).refused();
        assert!(message.contains("entry (row 0, column 0)"), "{message}");
        assert!(!back.exists());
        run(&["-q", "convert", "--duplicates", "sum", text(&target), text(&back)]).good();
        assert_eq!(run(&["cat", text(&back)]).good(), summed);
    }

    #[test]
    fn entries_above_the_diagonal_are_read_and_noted() {
        let path = testdata().join("matrix-market/valid/symmetric_upper_entries.mtx");
        let path = text(&path);
        let stored = run(&["cat", path]).good();
        assert!(stored.lines().any(|line| line == "0\t2\t2.0"), "{stored}");
        let expanded = run(&["cat", "--expand", path]).good();
        for line in ["0\t2\t2.0", "2\t0\t2.0"] {
            assert_eq!(expanded.lines().filter(|l| *l == line).count(), 1, "{expanded}");
        }
        assert_eq!(run(&["validate", path]).good(), "");
        let notes = run(&["validate", "--notes", path]).good();
        assert!(notes.starts_with("note: ") && notes.contains("line "), "{notes}");
    }

    #[test]
    fn rows_and_cols_select_a_part_of_a_text() {
        let path = testdata().join("matrix-market/valid/coord_real_general.mtx");
        let whole = run(&["cat", text(&path)]).good();
        let part = run(&["cat", text(&path), "--rows", "1:3", "--cols", "2:"]).good();
        let inside = |line: &&str| {
            let (col, row) = col_row(line);
            (1..3).contains(&row) && col >= 2
        };
        let expected: String =
            whole.lines().filter(inside).map(|line| format!("{line}\n")).collect();
        assert!(!expected.is_empty());
        assert_eq!(part, expected);
    }
}
