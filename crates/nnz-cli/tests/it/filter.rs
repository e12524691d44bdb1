//! `nnz filter`.

use std::fs;
use std::path::PathBuf;

use nnz_testing::command::{names_in, run, run_with_input, testdata, text};

/// Three genes, named by identifiers and symbols, and four cells, of which the second has no counts.
fn counts(scratch: &tempfile::TempDir) -> PathBuf {
    let folder = scratch.path().join("pbmc");
    fs::create_dir(&folder).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 1\n3 1 3\n1 3 4\n2 4 5\n3 4 5\n";
    fs::write(folder.join("matrix.mtx"), matrix).unwrap();
    fs::write(folder.join("genes.tsv"), "g1\tMT-CO1\ng2\tCD8A\ng3\tMS4A1\n").unwrap();
    fs::write(folder.join("barcodes.tsv"), "AAA\nCCC\nGGG\nTTT\n").unwrap();
    folder
}

#[test]
fn rows_and_columns_that_meet_conditions_are_written() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("kept.bpcells");
    let (source, target) = (text(&source), text(&target));
    // The second gene has one entry; both axes are judged by the source.
    let done = run(&[
        "filter", source, target, "--rows", "nnz>=2", "--cols", "nnz>=1", "--cols", "sum<=9",
    ]);
    let expected = "  2 of 3 rows kept\n  2 of 4 columns kept\n    nnz>=1: 3\n    sum<=9: 3\n";
    assert!(done.code == Some(0) && done.err.ends_with(expected), "{done:?}");
    assert_eq!(run(&["cat", target, "--names"]).good(), "g1\tAAA\t1\ng3\tAAA\t3\ng1\tGGG\t4\n");
}

#[test]
fn sums_of_genes_are_found_by_symbol_if_names_are_identifiers() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let arguments =
        ["filter", text(&source), "--dry-run", "--cells", "sum(features=^MT-)/sum<=0.25"];
    let done = run(&arguments);
    assert!(
        done.err.contains("note: rows matched \"^MT-\" by the annotation \"name\""),
        "{done:?}"
    );
    assert_eq!(done.out, "3 of 3 rows kept\n2 of 4 columns kept\n");
    assert_eq!(names_in(scratch.path()), ["pbmc"]);
}

#[test]
fn whole_anndata_files_are_filtered() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("study.h5ad");
    let target = scratch.path().join("kept.h5ad");
    let full = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    fs::copy(&full, &source).unwrap();
    let (source, target) = (text(&source), text(&target));
    let dry = run(&["filter", source, "--dry-run", "--cells", "nnz>=2"]).good();
    run(&["-q", "filter", source, target, "--cells", "nnz>=2"]).good();
    // The same as a slice by the positions that stats prints.
    let table = run(&["stats", source, "--axis", "cells", "--measures", "nnz", "--csv"]).good();
    let kept: Vec<&str> = table
        .lines()
        .skip(1)
        .filter(|line| line.rsplit(',').next().unwrap().parse::<u64>().unwrap() >= 2)
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert!(dry.starts_with(&format!("{} of ", kept.len())), "{dry}");
    let sliced = scratch.path().join("sliced.h5ad");
    run(&["-q", "slice", source, text(&sliced), "--cells", &kept.join(",")]).good();
    run(&["diff", target, text(&sliced)]).good();
}

/// After `log1p`, sums of counts are those of a layer.
#[test]
fn a_whole_file_is_filtered_by_a_layer() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let (plain, study, kept) = (at("plain.h5ad"), at("study.h5ad"), at("kept.h5ad"));
    run(&["-q", "convert", text(&source), &plain]).good();
    run(&["-q", "normalize", &plain, &study, "--target-sum", "1", "--log1p"]).good();
    run(&["-q", "convert", &plain, &format!("{study}::layers/counts"), "--to", "anndata"]).good();
    let condition = ["--cells", "sum>=5"];
    let dry = |more: &[&str]| {
        run(&[&["filter", &study, "--dry-run"][..], &condition, more].concat()).good()
    };
    assert!(dry(&["--allow-empty"]).starts_with("0 of 4 rows kept"));
    assert!(dry(&["--by-layer", "counts"]).starts_with("1 of 4 rows kept"));
    let by = [&condition[..], &["--by-layer", "layers/counts"]].concat();
    run(&[&["-q", "filter", &study, &kept][..], &by].concat()).good();
    assert_eq!(run(&["names", &kept, "cells"]).good(), "TTT\n");
    assert!(run(&["info", &kept]).good().contains("layers/counts"));
    let missing = ["filter", &study, &kept, "--force", "--cells", "sum>=5", "--by-layer", "raw"];
    assert!(run(&missing).refused().contains("layers/raw"));
    let folder =
        ["filter", text(&source), &kept, "--force", "--by-layer", "counts", "--cells", "sum>=5"];
    assert!(run(&folder).refused().contains("--by-layer applies to files with layers"));
}

#[test]
fn what_cannot_be_filtered_is_refused_before_anything_is_read() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("kept.mtx");
    fs::write(&target, "mine").unwrap();
    let (source, target) = (text(&source), text(&target));
    let says = run(&["filter", source, target, "--rows", "nnz>=2"]).refused();
    assert!(says.contains("exists; --force replaces it"), "{says}");
    let says = run(&["filter", source, target, "--force"]).refused_by("diff");
    assert!(says.contains("no condition is given"), "{says}");
    for (condition, expected) in [
        ("nnz>=", "expected a number"),
        ("sum(rows=[)>1", "no closing parenthesis"),
        ("sum(rows=*)>1", "regular expression"),
        ("sum/total>1", "\"total\" is not a measure"),
        ("@", "expected a file after @"),
    ] {
        let says =
            run(&["filter", source, target, "--force", "--cols", condition]).refused_by("diff");
        assert!(says.contains(expected), "{condition}: {says}");
    }
    let says = run(&["filter", source, "--rows", "nnz>1"]).refused_by("diff");
    assert!(says.contains("DST"), "{says}");
    assert_eq!(fs::read(target).unwrap(), b"mine");
    let streamed = b"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1\n";
    let says =
        run_with_input(&["filter", "-", target, "--force", "--rows", "nnz>0"], streamed).refused();
    assert!(says.contains("can be read only once"), "{says}");
    assert_eq!(fs::read(target).unwrap(), b"mine");
}

#[test]
fn everything_and_nothing_can_be_kept() {
    let scratch = tempfile::tempdir().unwrap();
    let source = counts(&scratch);
    let target = scratch.path().join("t.h5ad");
    let (source, target) = (text(&source), text(&target));
    run(&["-q", "filter", source, target, "--cols", "nnz>=0"]).good();
    assert!(run(&["info", target]).good().contains("4 x 3"));
    let nothing = ["--cols", "nnz>99", "--rows", "nnz>99", "--allow-empty"];
    run(&[&["-q", "filter", source, target, "--force"], &nothing[..]].concat()).good();
    assert!(run(&["info", target]).good().contains("0 x 0"));
}

#[test]
fn the_largest_of_a_negative_zero_and_zeros_is_zero() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("m.mtx");
    let lines = "%%MatrixMarket matrix coordinate real general\n1 3 2\n1 1 -0.0\n1 2 -1\n";
    fs::write(&file, lines).unwrap();
    let printed = run(&["stats", text(&file), "--axis", "rows"]).good();
    let last = printed.lines().last().unwrap().split_whitespace().last();
    assert_eq!(last, Some("0.0"), "{printed}");
    let printed = run(&["filter", text(&file), "--dry-run", "--rows", "min / max < 0"]).good();
    assert!(printed.starts_with("1 of 1 row kept"), "{printed}");
}

/// `raw` has the cells of the file, and more genes.
#[test]
fn cells_are_measured_by_the_matrix_of_raw() {
    let source = testdata().join("anndata/valid/0.12.19/h5ad/full_csr.h5ad");
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&scratch.path().join(name)).to_owned();
    let (study, target) = (at("study.h5ad"), at("kept.h5ad"));
    fs::copy(&source, &study).unwrap();
    let raw = format!("{study}::raw/X");
    let sums = run(&["stats", &raw, "--axis", "rows", "--measures", "nnz"]).good();
    let kept = sums.lines().skip(1).filter(|line| !line.ends_with("\t0")).count();
    let by_raw = ["--by-layer", "raw/X", "--cells", "nnz>=1"];
    run(&[&["-q", "filter", &study, &target][..], &by_raw].concat()).good();
    assert_eq!(run(&["names", &target, "cells"]).good().lines().count(), kept);
    let features = run(&["names", &study, "features"]).good();
    assert_eq!(run(&["names", &target, "features"]).good(), features);
    let other = at("x.h5ad");
    let both = [&["filter", &study, &other][..], &by_raw, &["--features", "nnz>=1"]].concat();
    assert!(run(&both).err.contains("raw/X has the shape"), "{:?}", run(&both));
    // Metrics of its cells go into the file, and those of its genes do not.
    let done = run(&["qc", &raw, "--into", &study, "--percent-top", "2"]);
    assert!(done.code == Some(0), "{done:?}");
    assert!(done.err.contains("columns of the features of raw are not added"), "{done:?}");
    assert!(done.err.contains("added: ") && done.err.contains("total_counts"), "{done:?}");
    assert!(run(&["annotations", &study, "cells"]).good().contains("total_counts"));
}

/// Conditions did not know columns that the same command joins.
#[test]
fn conditions_know_the_columns_of_joined_tables() {
    let scratch = tempfile::tempdir().unwrap();
    let (folder, at) = (counts(&scratch), |name: &str| scratch.path().join(name));
    let (whole, table) = (at("whole.h5ad"), at("donors.csv"));
    run(&["-q", "convert", text(&folder), text(&whole)]).good();
    fs::write(&table, "cell,donor\nAAA,d1\nGGG,d2\nTTT,d1\n").unwrap();
    for (source, option) in [(&folder, "--col-annotations"), (&whole, "--row-annotations")] {
        let condition = ["--cells", "donor=d1", "--cells", "nnz>=2", option, text(&table)];
        let dry = run(&[&["filter", "--dry-run", text(source)][..], &condition].concat());
        assert!(dry.code == Some(0) && dry.out.contains("2 of 4"), "{dry:?}");
        for target in ["kept.h5ad", "kept.bpcells"] {
            let target = at(target);
            let kept = [&["-q", "filter", text(source), text(&target), "--force"], &condition[..]];
            run(&kept.concat()).good();
            assert_eq!(run(&["names", text(&target), "cells"]).good(), "AAA\nTTT\n");
        }
        let donors = run(&["annotations", text(&at("kept.h5ad")), "cells"]).good();
        assert_eq!(donors, "name\tdonor\nAAA\td1\nTTT\td1\n");
    }
}
