//! 10x files and folders: the matrices of the test data match their manifest, and broken files give
//! errors with a place.

use crate::common::manifest;
use nnz::{Axis, Location, MatrixSource as _, matrix::AxisKind};

/// Files that other readers may accept, and that are refused.
const REFUSED: [&str; 4] = [
    "mtx/bad_no_barcodes",
    // Uncompressed files take precedence, as do features over genes; here their length differs.
    "mtx/both_genes_and_features",
    "bad/indptr_below_end.h5",
    "bad/shape_huge_rows.h5",
];

#[test]
fn matrices_match_their_manifest() {
    let mut wrong = Vec::new();
    let (mut read, mut refused) = (0, 0);
    for entry in manifest::entries("tenx") {
        let name = entry.text("path").to_owned();
        let valid = entry.text("verdict") != "must_reject" && !REFUSED.contains(&&*name);
        let result = manifest::read_whole(&entry.location());
        if !valid {
            refused += 1;
            match result {
                Ok(()) => wrong.push(format!("{name} is read")),
                Err(error) if !manifest::has_place(&error, &entry.path()) => {
                    wrong.push(format!("{name}: no place: {error}"));
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
        let compared = match manifest::open(&entry.location()) {
            Ok(matrix) => {
                let kinds = matrix.header().axis_kinds;
                let axes: Vec<String> = kinds.iter().map(ToString::to_string).collect();
                if serde_json::json!(axes) == expected["axes"] {
                    manifest::compare(&*matrix, expected)
                } else {
                    Err(format!("axes {axes:?}, expected {}", expected["axes"]))
                }
            }
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(compared.err().map(|what| format!("{}: {what}", entry.name())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 90 && refused > 30, "{read} read, {refused} refused");
}

fn place(file: &str, group: Option<&str>) -> Location {
    let path = crate::common::root().join("testdata/tenx").join(file);
    Location::Path { path, group: group.map(ToOwned::to_owned) }
}

#[test]
fn files_with_one_matrix_need_no_group() {
    for (file, group) in [("h5/cr3_gex.h5", "matrix"), ("h5/cr2_one_genome.h5", "GRCh38")] {
        let alone = manifest::open(&place(file, None)).unwrap();
        let named = manifest::open(&place(file, Some(group))).unwrap();
        assert_eq!(alone.header(), named.header());
        assert_eq!(alone.header().axis_kinds, [AxisKind::Features, AxisKind::Cells]);
        let names = |axis| alone.names(axis).unwrap().unwrap().len();
        assert_eq!(names(Axis::Rows), alone.header().shape.rows);
    }
}

#[test]
fn one_of_several_genomes_has_to_be_selected() {
    let error = manifest::open(&place("h5/cr2_two_genomes.h5", None)).err().unwrap().to_string();
    assert!(error.contains("select one:"), "{error}");
    assert!(error.contains("::hg19") && error.contains("::mm10"), "{error}");
    // All are checked.
    let mut findings = Vec::new();
    let whole = place("h5/cr2_two_genomes.h5", None);
    nnz::validate(whole, &nnz::ValidateOptions::default(), &crate::common::sparing(), &mut |f| {
        findings.push(f)
    })
    .unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn molecule_files_are_refused_by_name() {
    let error = manifest::open(&place("bad/molecule_info.h5", None)).err().unwrap().to_string();
    assert!(error.contains("molecule_info.h5 of Cell Ranger"), "{error}");
}

#[test]
fn features_have_several_names() {
    let matrix = manifest::open(&place("h5/cr3_feature_barcode.h5", None)).unwrap();
    let table = matrix.annotations(Axis::Rows).unwrap().unwrap();
    let columns: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
    assert_eq!(columns, ["name", "feature_type", "genome", "pattern", "read", "sequence"]);
    assert_eq!(others(&*matrix)[1][0], b"Gene Expression");
}

fn converted(from: &Location, to: &std::path::Path, options: &[(&str, &str)]) -> nnz::Result<()> {
    let mut convert = crate::common::unsynced();
    convert.format = Some("10x".into());
    convert.compress = None;
    for (name, value) in options {
        convert.format_options.set(*name, *value);
    }
    nnz::convert(from, crate::common::location(to), &convert, &crate::common::sparing()).map(drop)
}

/// The annotations of features.
fn others(matrix: &dyn nnz::MatrixSource) -> Vec<Vec<Vec<u8>>> {
    let Some(table) = matrix.annotations(Axis::Rows).unwrap() else { return Vec::new() };
    let column = |number| {
        let column = table.read_column(number, 1 << 20).unwrap();
        let text = |row| {
            let mut text = Vec::new();
            column.write_text(row, &mut text);
            text
        };
        (0..column.len()).map(text).collect()
    };
    (0..table.columns().len()).map(column).collect()
}

/// Names of both axes, symbols of features, and sorted entries.
type Whole = (Vec<Vec<u8>>, Vec<Vec<u8>>, Vec<Vec<u8>>, Vec<(u64, u64, String)>);

fn whole(location: &Location) -> Whole {
    let matrix = manifest::open(location).unwrap();
    let list = |names: Option<nnz::matrix::StringList>| {
        names.unwrap_or_default().iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    let table = matrix.annotations(Axis::Rows).unwrap();
    let is_name = |table: &dyn nnz::annotations::Annotations| {
        table.columns().iter().position(|column| column.name == "name")
    };
    let names = table.and_then(|table| is_name(&*table));
    let names = names.map(|number| others(&*matrix).swap_remove(number)).unwrap_or_default();
    let mut entries: Vec<_> = matrix
        .entries()
        .unwrap()
        .map(|entry| {
            let (row, col, value) = entry.unwrap();
            (row, col, value.to_string().trim_end_matches(".0").to_owned())
        })
        .collect();
    entries.sort();
    let ids = |axis| list(matrix.names(axis).unwrap());
    (ids(Axis::Rows), ids(Axis::Cols), names, entries)
}

/// All valid matrices with names of the test data, written in each layout.
#[test]
fn written_files_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (mut written, mut refused) = (0, Vec::new());
    for entry in manifest::entries("tenx") {
        let from = entry.location();
        if manifest::read_whole(&from).is_err() {
            continue;
        }
        let mut expected = whole(&from);
        // Cells stay cells.
        if manifest::open(&from).unwrap().header().axis_kinds[0] == AxisKind::Cells {
            let (rows, cols, _, mut entries) = expected;
            entries.iter_mut().for_each(|entry| (entry.0, entry.1) = (entry.1, entry.0));
            entries.sort();
            expected = (cols, rows, Vec::new(), entries);
        }
        let targets: [(&str, &[(&str, &str)]); 4] = [
            ("v3.h5", &[]),
            ("v2.h5", &[("format-version", "2"), ("genome", "GRCh38")]),
            ("v3", &[]),
            ("v2", &[("format-version", "2")]),
        ];
        for (name, options) in targets {
            if let Err(error) = converted(&from, &at(name), options) {
                refused.push(format!("{} as {name}: {error}", entry.name()));
                continue;
            }
            let found = whole(&crate::common::location(&at(name)));
            assert_eq!(found.0, expected.0, "{} as {name}", entry.name());
            assert_eq!(found.1, expected.1, "{} as {name}", entry.name());
            assert_eq!(found.3, expected.3, "{} as {name}", entry.name());
            if !expected.2.is_empty() {
                assert_eq!(found.2, expected.2, "{} as {name}", entry.name());
            }
            written += 1;
        }
    }
    assert!(written > 300, "{written}");
    for reason in &refused {
        let known =
            ["have no names", "duplicate entry", "cannot be stored exactly", "tabs and line"];
        assert!(known.iter().any(|known| reason.contains(known)), "{reason}");
    }
}

#[test]
fn files_have_the_members_of_cell_ranger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    converted(&place("h5/cr3_feature_barcode.h5", None), &path, &[]).unwrap();
    let root = nnz_container::tree::open(&path, "").unwrap();
    let children: Vec<String> =
        root.children().unwrap().into_iter().map(|child| child.name).collect();
    // Other programs interpret other groups as genomes.
    assert_eq!(children, ["matrix"]);
    let text = |name: &str| root.attribute(name).unwrap().unwrap().text().unwrap().to_owned();
    assert_eq!(text("filetype"), "matrix");
    assert_eq!(root.attribute("version").unwrap().unwrap().unsigned(), Some(vec![2]));
    assert_eq!(root.attribute("original_gem_groups").unwrap().unwrap().unsigned(), Some(vec![1]));
    for name in ["library_ids", "chemistry_description", "software_version"] {
        assert!(root.attribute(name).unwrap().is_some(), "{name}");
    }
    let features = root.group("matrix/features").unwrap();
    let columns: Vec<String> =
        features.children().unwrap().into_iter().map(|child| child.name).collect();
    let expected = ["_all_tag_keys", "feature_type", "genome", "id", "name"];
    assert_eq!(columns, [&expected[..], &["pattern", "read", "sequence"]].concat());
    let type_of = |name: &str| root.array(name).unwrap().element_type().to_string();
    assert_eq!(type_of("matrix/data"), "int32");
    assert_eq!(type_of("matrix/indices"), "int64");
    assert_eq!(type_of("matrix/indptr"), "int64");
    assert_eq!(type_of("matrix/shape"), "int32");
    assert!(type_of("matrix/barcodes").starts_with("string of 18 bytes"));
}

#[test]
fn unsupported_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.mtx"), "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 5\n")
        .unwrap();
    for target in ["a.h5", "folder"] {
        let error =
            converted(&crate::common::location(&at("a.mtx")), &at(target), &[]).unwrap_err();
        assert!(error.to_string().contains("the rows have no names"), "{error}");
        assert!(!at(target).exists());
    }
    let several = place("h5/cr3_two_genomes.h5", None);
    let genome = [("genome", "a"), ("format-version", "4")];
    assert!(converted(&several, &at("b.h5"), &genome).is_err());
    let error = converted(&several, &at("c"), &[("genome", "a")]).unwrap_err().to_string();
    assert!(error.contains("does not apply to a 10x directory"), "{error}");
}

/// `--to 10x` once wrote 10x HDF5 with the extension of an AnnData file.
#[test]
fn extensions_of_other_formats_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let from = folder.path().join("a.mtx");
    std::fs::write(&from, "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n")
        .unwrap();
    for (name, format, other) in [
        ("a.h5ad", "10x", "anndata"),
        ("a.npz", "10x", "npz"),
        ("a.bsp.h5", "10x", "binsparse"),
        ("a.npz", "anndata", "npz"),
        ("b.mtx", "anndata", "mtx"),
        ("a.nc", "anndata", "NetCDF"),
    ] {
        let to = folder.path().join(name);
        let options = nnz::ConvertOptions::default().format(format);
        let error = nnz::convert(&*from, &*to, &options, &crate::common::sparing()).unwrap_err();
        let what = format!("the extension belongs to {other}, not to {format}");
        assert!(error.to_string().ends_with(&what), "{error}");
        assert!(!to.exists());
    }
}

/// Returns the selected rows of a file, in order, and the notes.
fn selected(file: &str, texts: &[&str]) -> nnz::Result<(Vec<u64>, Vec<String>)> {
    let parsed = texts.iter().map(|text| text.parse::<nnz::Selection>().unwrap());
    let rows = parsed.reduce(nnz::Selection::and).unwrap();
    let matrix = manifest::open(&place(file, None))?;
    let slice = nnz::engine::Slice::new(matrix, &rows, &nnz::Selection::all())?;
    let count = slice.header().shape.rows;
    let origin = |row| slice.origin(Axis::Rows, row).unwrap();
    Ok(((0..count).map(origin).collect(), slice.notes()))
}

#[test]
fn features_are_selected_by_annotations() {
    let file = "h5/cr3_feature_barcode.h5";
    let matrix = manifest::open(&place(file, None)).unwrap();
    let (columns, rows) = (others(&*matrix), matrix.header().shape.rows);
    let is = |column: usize, row: u64, value: &str| {
        columns[column][usize::try_from(row).unwrap()] == value.as_bytes()
    };
    let genes: Vec<u64> = (0..rows).filter(|&row| is(1, row, "Gene Expression")).collect();
    let rest: Vec<u64> = (0..rows).filter(|row| !genes.contains(row)).collect();
    assert!(!genes.is_empty() && !rest.is_empty());
    assert_eq!(selected(file, &["feature_type=Gene Expression"]).unwrap().0, genes);
    assert_eq!(selected(file, &["feature_type!=Gene Expression"]).unwrap().0, rest);

    // A word is a name, or a unique annotation, which gives a note.
    let unique = (0..rows)
        .find(|&row| {
            (0..rows)
                .filter(|&other| {
                    columns[0][usize::try_from(other).unwrap()]
                        == columns[0][usize::try_from(row).unwrap()]
                })
                .count()
                == 1
        })
        .unwrap();
    let symbol = String::from_utf8(columns[0][usize::try_from(unique).unwrap()].clone()).unwrap();
    let (found, notes) = selected(file, &[&symbol]).unwrap();
    assert_eq!(found, [unique]);
    assert_eq!(notes, [format!("selected rows by the annotation \"name\": {symbol}")]);
    assert_eq!(selected(file, &[&format!("name={symbol}")]).unwrap(), (vec![unique], vec![]));

    // All conditions must match; a list keeps its order.
    let backwards = format!("{},{}", genes[1], genes[0]);
    for texts in [
        [&*backwards, "feature_type=Gene Expression"],
        ["feature_type=Gene Expression", &*backwards],
    ] {
        assert_eq!(selected(file, &texts).unwrap().0, [genes[1], genes[0]]);
    }
    let listed = format!("{},{},{}", rest[0], genes[1], genes[0]);
    let (found, _) = selected(file, &[&listed, "feature_type=Gene Expression", ":"]).unwrap();
    assert_eq!(found, [genes[1], genes[0]]);

    let error = |text: &str| selected(file, &[text]).unwrap_err().to_string();
    assert!(error("feature_type=gene").contains("values are \"Gene Expression\""));
    // These once selected nothing.
    let empty = error("feature_type=Gene Expression,");
    assert!(empty.contains("has feature_type \"\""), "{empty}");
    assert!(error("feature_type=Gene Expression,0:3").contains("has feature_type \"0:3\""));
    assert!(
        error("type=x")
            .contains("the rows have no annotation \"type\"; annotations are \"name\", ")
    );
    assert!(error("Gene Expression").contains("or all by feature_type=Gene Expression"));
}

/// A name takes precedence over a condition.
#[test]
fn names_take_precedence_over_conditions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("folder");
    std::fs::create_dir(&at).unwrap();
    let write = |name: &str, text: &str| std::fs::write(at.join(name), text).unwrap();
    write("matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n3 1 1\n1 1 5\n");
    write("genes.tsv", "name=b\ta\ng2\tb\ng3\tc\n");
    write("barcodes.tsv", "x\n");
    let source = || nnz::open(crate::common::location(&at)).unwrap().into_matrix().unwrap();
    let first = |text: &str| {
        let rows = text.parse().unwrap();
        let slice = nnz::engine::Slice::new(source(), &rows, &nnz::Selection::all());
        slice.unwrap().origin(Axis::Rows, 0)
    };
    assert_eq!(first("name=b"), Some(0));
    assert_eq!(first("name=c"), Some(2));
    assert_eq!(first("name=b,g3"), Some(0));
}

/// Directories with several matrices: of STARsolo, with and without `matrix.mtx`, and of kb-python.
#[test]
fn one_of_several_matrices_of_a_directory_is_selected() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let matrix = |rows: u32, cols: u32, value: u32| {
        format!("%%MatrixMarket matrix coordinate real general\n{rows} {cols} 1\n1 1 {value}\n")
    };
    write("features.tsv", "G1\tA\nG2\tB\nG3\tC\n");
    write("barcodes.tsv", "AAA\nCCC\n");
    write("spliced.mtx", &matrix(3, 2, 5));
    write("unspliced.mtx", &matrix(3, 2, 6));
    write("cells_x_genes.barcodes.txt", "AAA\nCCC\n");
    write("cells_x_genes.genes.txt", "G1\nG2\nG3\n");
    write("cells_x_genes.nascent.mtx", &matrix(2, 3, 7));
    let at = |name: Option<&str>| Location::Path {
        path: folder.path().to_path_buf(),
        group: name.map(ToOwned::to_owned),
    };
    let error = manifest::open(&at(None)).err().unwrap().to_string();
    assert!(error.contains("several matrices; select one:"), "{error}");
    for name in ["cells_x_genes.nascent", "spliced", "unspliced"] {
        assert!(error.contains(&format!("::{name}.mtx")), "{error}");
    }
    let error = manifest::open(&at(Some("ambiguous.mtx"))).err().unwrap().to_string();
    assert!(error.contains("no matrix \"ambiguous.mtx\"; select one:"), "{error}");
    let cells_first = [AxisKind::Cells, AxisKind::Features];
    let features_first = [AxisKind::Features, AxisKind::Cells];
    let opened = [
        ("spliced.mtx", "spliced", features_first, 3),
        ("unspliced.mtx.gz", "unspliced", features_first, 3),
        ("cells_x_genes.nascent", "nascent", cells_first, 2),
    ];
    for (name, what, kinds, rows) in opened {
        let matrix = manifest::open(&at(Some(name))).unwrap();
        assert_eq!(matrix.header().axis_kinds, kinds, "{what}");
        assert_eq!(matrix.names(Axis::Rows).unwrap().unwrap().len(), rows, "{what}");
    }
    let members =
        nnz::formats::list_members(at(None), &nnz::OpenOptions::new(), &crate::common::sparing())
            .unwrap();
    let paths: Vec<&str> = members.iter().map(|member| &*member.path).collect();
    assert_eq!(paths, ["cells_x_genes.nascent.mtx", "spliced.mtx", "unspliced.mtx"]);

    // The main matrix needs no name.
    write("matrix.mtx", &matrix(3, 2, 9));
    assert_eq!(manifest::open(&at(None)).unwrap().header().shape.rows, 3);
    let members =
        nnz::formats::list_members(at(None), &nnz::OpenOptions::new(), &crate::common::sparing())
            .unwrap();
    assert_eq!(members.first().unwrap().path, "matrix.mtx");
    // All are checked.
    write("spliced.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 5\n");
    let options = nnz::ValidateOptions::default();
    let mut found = Vec::new();
    nnz::validate(at(None), &options, &crate::common::sparing(), &mut |finding| {
        found.push(finding.to_string())
    })
    .unwrap();
    assert!(found.len() == 1 && found[0].contains("spliced.mtx"), "{found:?}");
}

/// The type of a matrix, and the names and columns of its genes.
fn genes_of(path: &std::path::Path) -> (nnz::ValueType, Vec<String>, Vec<String>) {
    let source = crate::common::manifest::open(&Location::from(path)).unwrap();
    let mut names = source.read_names(Axis::Cols).unwrap().unwrap();
    let names = names.list_with_limit(1 << 20).unwrap();
    let names = names.iter().map(|name| String::from_utf8(name.to_vec()).unwrap()).collect();
    let table = source.annotations(Axis::Cols).unwrap().unwrap();
    let columns = table.columns().iter().map(|column| column.name.clone()).collect();
    (source.header().value_type, names, columns)
}

#[test]
fn a_10x_matrix_becomes_the_anndata_of_scanpy() {
    let scratch = tempfile::tempdir().unwrap();
    let target = scratch.path().join("a.h5ad");
    let context = nnz::Context::default();
    let options = nnz::ConvertOptions::default().overwrite(true).sync(false);
    let source = place("h5/names_duplicated.h5", None);
    let done = nnz::convert(source.clone(), &*target, &options, &context).unwrap();
    let note = done.notes.iter().find(|note| note.starts_with("appended numbers to "));
    let (value_type, names, columns) = genes_of(&target);
    assert!(note.is_some_and(|note| names.iter().any(|name| note.contains(name))), "{note:?}");
    assert_eq!(value_type, nnz::ValueType::F32);
    assert_eq!(columns[..2], ["gene_ids", "feature_types"]);
    // What is given is kept.
    let ids = nnz::annotations::Labels::default().names_from(Some("id".to_owned()));
    let given = options.clone().row_labels(ids).value_type(Some(nnz::ValueType::U32));
    nnz::convert(source.clone(), &*target, &given, &context).unwrap();
    let (value_type, found, columns) = genes_of(&target);
    assert_eq!(value_type, nnz::ValueType::U32);
    assert!(columns.iter().any(|name| name == "gene_symbols") && found != names, "{columns:?}");
    // Of several sources too, whose genes are aligned by their ids.
    let join = nnz::ConcatOptions::default();
    let both = [source.clone(), source];
    nnz::concat(both, &*target, Axis::Cols, &join, &options, &context).unwrap();
    assert_eq!(genes_of(&target).1, names);
}
