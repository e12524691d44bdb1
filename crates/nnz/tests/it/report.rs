//! Reports: embeddings, and files that are broken.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use nnz::error::{Finding, Severity};
use nnz::output::WriteOptions;
use nnz::report::{Report, ReportOptions, html};
use nnz::{Compression, Context, ErrorKind, Location, Shape, ValidateOptions, Values};
use nnz_container::hdf5::{Hdf5Options, Hdf5Writer};
use nnz_core::{Categorical, Categories, Column, ColumnValues, StringList};
use nnz_engine::AnnotationTable;
use nnz_singlecell::anndata::DenseArrays;
use nnz_testing::command::testdata;

/// A column of categories.
fn categories(names: &[&str], codes: Vec<i32>) -> Column {
    let categories = Categories::Strings(names.iter().copied().collect());
    let values = ColumnValues::Categorical(Categorical { codes, categories, ordered: false });
    Column { values, missing: None }
}

/// Writes an AnnData file with embeddings of two dimensions, and without `X`.
fn write(
    path: &Path,
    cells: u64,
    embeddings: &[(&str, &Values)],
    columns: Vec<(&str, Column)>,
) -> String {
    let names: StringList = (0..cells).map(|cell| format!("cell{cell}")).collect();
    let columns = columns.into_iter().map(|(name, column)| (name.to_owned(), column));
    let table = AnnotationTable::new(names, columns).unwrap();
    let obsm = embeddings.iter().map(|(name, values)| (*name, 2, *values)).collect();
    let arrays = DenseArrays { obsm, ..DenseArrays::default() };
    let tree = Hdf5Writer::create(path, "", WriteOptions::default(), Hdf5Options::default());
    let shape = Shape { rows: cells, cols: 1 };
    let tree = Box::new(tree.unwrap());
    arrays.write(tree, shape, [None, None], [Some(&table), None], Compression::None).unwrap();
    html(&report(path))
}

fn report(path: &Path) -> Report {
    Report::of_location(path, &ReportOptions::default(), &Context::default()).unwrap()
}

#[test]
fn cells_have_the_colours_of_their_type() {
    let scratch = tempfile::tempdir().unwrap();
    let umap = Values::F32(vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.0, f32::NAN, 0.0]);
    let other = Values::F64(vec![0.0; 8]);
    let page = write(
        &scratch.path().join("study.h5ad"),
        4,
        &[("X_pca", &other), ("X_umap", &umap)],
        vec![
            ("batch", categories(&["a", "b"], vec![0, 1, 0, 1])),
            ("cell_type", categories(&["B cell", "T cell", "unused"], vec![1, 0, -1, 1])),
        ],
    );
    for part in [
        "<title>study.h5ad</title>",
        "<h1>study.h5ad</h1>",
        "X_umap of all 4 cells, coloured by cell_type. Without a position: 1.",
        "<path class=\"c0\" d=\"m510 360h0\"><title>B cell: 1</title></path>",
        "<path class=\"c1\" d=\"m10 710h0\"><title>T cell: 2</title></path>",
        "<path class=\"none\" d=\"m1010 10h0\"><title>no category: 1</title></path>",
        "<span class=\"mark c1\"></span>T cell (2)",
        "href=\"#embedding\"",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("unused"));
}

#[test]
fn many_cells_are_sampled() {
    let scratch = tempfile::tempdir().unwrap();
    let cells = 45_001_u32;
    // A spiral, so that hardly any two cells are at the same position.
    let at = |cell: u32| {
        let angle = f64::from(cell) / 500.0;
        [angle.cos() * f64::from(cell), angle.sin() * f64::from(cell)]
    };
    let values = Values::F64((0..cells).flat_map(at).collect());
    let codes = (0..cells).map(|cell| (cell % 7) as i32).collect();
    let path = scratch.path().join("m.h5ad");
    let names = ["0", "1", "2", "3", "4", "5", "6"];
    let columns = vec![("leiden", categories(&names, codes))];
    let page = write(&path, cells.into(), &[("X_tsne", &values)], columns);
    assert!(page.contains("X_tsne of 20,000 of 45,001 cells, coloured by leiden."));
    assert!(page.contains("</span>3 (6,429)"), "counts are those of all cells");
    assert!(page.len() < 400_000, "{}", page.len());
    // Points that would look the same are drawn once.
    let drawn = page.matches("h0").count();
    assert!((10_000..=20_000).contains(&drawn), "{drawn}");
    assert_eq!(page, html(&report(&path)), "the page is always the same");
}

#[test]
fn more_categories_than_colours_have_other_marks() {
    let scratch = tempfile::tempdir().unwrap();
    let pages = [30, 31].map(|count: i32| {
        let cells = count.unsigned_abs();
        let values = Values::F64((0..2 * cells).map(f64::from).collect());
        let names: Vec<String> = (0..count).map(|number| format!("group {number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let column = categories(&names, (0..count).collect());
        let path = scratch.path().join(format!("{count}.h5ad"));
        write(&path, cells.into(), &[("X_umap", &values)], vec![("group", column)])
    });
    assert!(pages[0].contains("<span class=\"mark c14\"></span>group 14 (1)"));
    assert!(pages[0].contains("<span class=\"mark c0 square\"></span>group 15 (1)"));
    assert!(pages[0].contains("<path class=\"c14 square\""));
    assert!(pages[1].contains("No column of the cells has between 2 and 30 categories."));
    assert!(pages[1].contains("<path class=\"c0\"") && !pages[1].contains("class=\"legend\""));
}

#[test]
fn names_in_an_embedding_are_not_elements() {
    let scratch = tempfile::tempdir().unwrap();
    let hostile = "</svg></title><script>alert(1)</script>\u{1b}\"'&";
    let long = "x".repeat(100_000);
    let values = Values::F64(vec![f64::MAX, f64::MIN, f64::MIN, f64::MAX]);
    let column = categories(&[hostile, &long], vec![0, 1]);
    let path = scratch.path().join("m.h5ad");
    let page = write(&path, 2, &[("<b>\"X", &values)], vec![("<i>'\u{202e}", column)]);
    for part in ["<script", "<b>", "<i>", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(part), "{part:?}");
    }
    assert!(page.contains("&lt;b&gt;&quot;X of all 2 cells, coloured by &lt;i&gt;&#39;"));
    assert!(page.contains("m10 10h0") && page.contains("m1010 710h0"));
    assert!(page.len() < 100_000, "{}", page.len());
}

#[test]
fn an_embedding_without_positions_is_not_drawn() {
    let scratch = tempfile::tempdir().unwrap();
    let values = Values::F64(vec![f64::NAN, 1.0, f64::INFINITY, 1.0]);
    let page = write(&scratch.path().join("m.h5ad"), 2, &[("X_umap", &values)], Vec::new());
    assert!(!page.contains("id=\"embedding\""));
    assert!(page.contains("obsm/X_umap"), "it is still an element of the file");
}

#[test]
fn a_report_has_the_size_and_date_of_the_file() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("m.mtx");
    fs::write(&path, "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n").unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(951_825_600)).unwrap();
    let report = report(&path);
    assert_eq!(report.title, "m.mtx");
    for fact in [("File size", "61 B"), ("Changed", "2000-02-29 12:00 UTC")] {
        assert!(report.facts.contains(&(fact.0, fact.1.to_owned())), "{:?}", report.facts);
    }
    assert!(html(&report).contains("61 B · changed 2000-02-29 12:00 UTC</p>"));
}

#[test]
fn all_elements_of_a_file_are_listed() {
    let path = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let report = report(&path);
    let element = |path: &str| {
        let found = report.elements.iter().find(|element| element.path == path);
        found.unwrap_or_else(|| panic!("{path} is not listed"))
    };
    let x = element("X");
    assert_eq!((&*x.kind, &*x.shape, &*x.value_type), ("csr_matrix", &[11, 7][..], "float32"));
    assert_eq!((x.entries, x.compression.as_deref()), (Some(26), Some("none")));
    assert_eq!(element("obsm/X_umap").shape, [11, 2]);
    assert_eq!((&*element("obs").kind, &*element("obs").shape), ("dataframe", &[11, 9][..]));
    assert_eq!(element("layers").kind, "dict");
    for path in ["raw/X", "raw/var", "layers/counts", "obsp/distances", "varm/PCs", "uns"] {
        element(path);
    }
    assert!(report.elements.iter().any(|element| element.path.starts_with("uns/")));
    // The parts of a matrix or table are not elements.
    assert!(!report.elements.iter().any(|element| element.path == "X/data"));
    assert!(report.has_all_elements);
}

/// Returns the files of the test data that a format does not allow.
fn malformed() -> Vec<PathBuf> {
    let folders = [
        ("anndata/malformed", ""),
        ("binsparse/malformed", ""),
        ("binsparse/mtx_malformed", ""),
        ("matrix-market/malformed", ""),
        ("tenx/bad", ""),
        ("loom", "bad_"),
        ("matlab", "bad_"),
        ("daphne", "bad_"),
        ("tables", "bad_"),
        ("svmlight", "bad_"),
        ("edges", "bad_"),
    ];
    let mut all = Vec::new();
    for (folder, start) in folders {
        let entries = fs::read_dir(testdata().join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        // Archives of Zarr stores are no stores.
        let found = paths.filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.starts_with(start) && !name.ends_with(".tar.gz")
        });
        all.extend(found);
    }
    all.sort();
    all
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[test]
fn every_malformed_file_has_a_page_with_its_errors() {
    let context = Context::default().with_threads(1);
    let (mut pages, mut broken) = (0, 0);
    let mut refused = Vec::new();
    for path in malformed() {
        let location = Location::from(&path);
        let mut faults = Vec::new();
        let each = &mut |finding: Finding| {
            if finding.severity == Severity::Fault {
                faults.push(finding.to_string());
            }
        };
        let checked = nnz::validate(&location, &ValidateOptions::default(), &context, each);
        match Report::of_location(&location, &ReportOptions::default(), &context) {
            Ok(report) => {
                let page = html(&report);
                assert!(report.faults() >= faults.len() as u64, "{path:?}");
                for fault in &faults {
                    assert!(page.contains(&escaped(fault)), "{path:?}: {fault}");
                }
                assert_eq!(report.title, path.file_name().unwrap().to_str().unwrap());
                pages += 1;
                broken += u32::from(report.faults() > 0);
            }
            // It has no matrix of a known format.
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Unrecognized(_)), "{error} {checked:?}");
                refused.push(error.to_string());
            }
        }
    }
    assert!(pages > 400 && broken > 350, "{pages} pages, {broken} of broken files");
    assert!(refused.len() <= 8, "{refused:#?}");
}

#[test]
fn damaged_files_have_a_page_or_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("m.h5ad");
    let whole = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let whole = fs::read(whole).unwrap();
    let truncated = (0..8).map(|part| whole[..whole.len() * part / 8].to_vec());
    let changed = (1..40).map(|number| {
        let mut bytes = whole.clone();
        let at = number * 7919 % bytes.len();
        bytes[at] ^= 0xff;
        bytes
    });
    let context = Context::default().with_threads(1).with_memory(64 << 20);
    let mut broken = 0;
    for bytes in truncated.chain(changed) {
        fs::write(&path, bytes).unwrap();
        if let Ok(report) = Report::of_location(&path, &ReportOptions::default(), &context) {
            assert!(html(&report).ends_with("</html>\n"));
            broken += u32::from(report.faults() > 0);
        }
    }
    assert!(broken >= 8, "{broken}");
}
