//! The command and the library decide alike what is converted: for every kind of source and every name of a target, both
//! write the same bytes, or fail with the same message. The tests of the Python package compare it with the command.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use nnz::{Context, ConvertOptions, OpenOptions};
use nnz_cli::hints::with_option;
use nnz_testing::command::{run, testdata, text};

/// Writes a source of each kind into a directory, and returns their locations.
fn sources(directory: &Path) -> Vec<String> {
    let at = |name: &str| directory.join(name);
    fs::write(at("matrix.mtx"), MATRIX).unwrap();
    fs::write(at("numbers.csv"), "a,b\n1,2.5\n0,4\n").unwrap();
    fs::write(at("people.csv"), "name,age\nAda,36\nGrace,85\n").unwrap();
    fs::write(at("fragments.tsv"), "chr1\t1\t9\tA\t1\nchr1\t3\t8\tB\t2\n").unwrap();
    fs::write(at("unknown.bin"), "no format\n").unwrap();
    for (name, golden) in [
        ("cells.h5ad", "anndata/valid/0.11.4/h5ad/full_csr.h5ad"),
        ("genes.loom", "loom/attrs.loom"),
        ("cite.h5mu", "mudata/cells-0.3.h5mu"),
        ("tensor.bsp.h5", "binsparse/valid/hand/custom_sss_t021.bsp.h5"),
        ("vector.bsp.h5", "binsparse/valid/py/cvec_float64.bsp.h5"),
        ("genomes.h5", "tenx/h5/cr2_two_genomes.h5"),
    ] {
        fs::copy(testdata().join(golden), at(name)).unwrap();
    }
    let place = |name: &str| at(name).to_str().unwrap().to_owned();
    let convert = |from: &str, to: &str, options: ConvertOptions| {
        nnz::convert(&*place(from), &*place(to), &options, &Context::default()).unwrap();
    };
    let plain = ConvertOptions::default;
    convert("cells.h5ad", "cells.zarr", plain());
    convert("matrix.mtx", "groups.h5::a", plain().format("bpcells"));
    convert("matrix.mtx", "groups.h5::b", plain().format("bpcells"));
    convert("genomes.h5", "several.mat", plain());
    convert("numbers.csv", "frame.dbdf", plain());
    let fragments = testdata().join("bpcells/fragments_dir/basic.packed");
    let mut sources = vec![text(&fragments).to_owned()];
    let names = [
        "matrix.mtx",
        "numbers.csv",
        "people.csv",
        "fragments.tsv",
        "unknown.bin",
        "cells.h5ad",
        "cells.h5ad::X",
        "cells.h5ad::layers/counts",
        "cells.zarr",
        "genes.loom",
        "cite.h5mu",
        "cite.h5mu::mod/rna",
        "tensor.bsp.h5",
        "vector.bsp.h5",
        "groups.h5",
        "groups.h5::a",
        "genomes.h5",
        "genomes.h5::hg19",
        "several.mat",
        "frame.dbdf",
        "missing.mtx",
    ];
    sources.extend(names.map(place));
    sources
}

const MATRIX: &str =
    "%%MatrixMarket matrix coordinate integer general\n3 2 3\n1 1 5\n3 1 7\n2 2 1\n";

/// Lists names of targets: every extension, none, groups, and every format that is given.
fn targets() -> Vec<(String, Option<&'static str>)> {
    let formats = nnz::formats::list();
    let mut extensions: Vec<String> = formats
        .iter()
        .flat_map(|format| format.extensions)
        // Compressed text is dispatched as text.
        .filter(|extension| !extension.ends_with(".gz") || **extension == "tsv.gz")
        .map(|extension| format!("out.{extension}"))
        .collect();
    extensions.sort();
    extensions.dedup();
    let others = ["out", "out.h5", "out.h5::group", "out.unknown", "there.h5ad::layers/new"];
    let mut targets: Vec<(String, Option<&'static str>)> =
        extensions.into_iter().chain(others.map(str::to_owned)).map(|name| (name, None)).collect();
    let named = formats
        .iter()
        .filter(|format| !format.writes.is_empty() && !format.name.as_str().is_empty());
    for format in named {
        let name = Some(format.name.as_str());
        targets.push(("out".to_owned(), name));
        if format.hdf5 {
            targets.push(("out.h5".to_owned(), name));
        }
    }
    targets
}

/// Reads all files of a directory.
fn contents(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(inner) = directories.pop() {
        for entry in fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => directories.push(path),
                false => {
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path.strip_prefix(directory).unwrap().to_path_buf(), bytes);
                }
            }
        }
    }
    found
}

#[test]
fn every_kind_of_source_and_target() {
    let scratch = tempfile::tempdir().unwrap();
    let [inputs, outputs] = ["in", "out"].map(|name| scratch.path().join(name));
    fs::create_dir(&inputs).unwrap();
    let (sources, targets) = (sources(&inputs), targets());
    let anew = || {
        let _ = fs::remove_dir_all(&outputs);
        fs::create_dir(&outputs).unwrap();
        fs::copy(inputs.join("cells.h5ad"), outputs.join("there.h5ad")).unwrap();
    };
    let (mut wrong, mut written, mut refused) = (Vec::new(), 0, 0);
    for source in &sources {
        for (name, format) in &targets {
            let target = format!("{}/{name}", text(&outputs));
            let case = format!("{source} {name} {format:?}");
            let registry = nnz::formats::Registry::default();
            let mut options = ConvertOptions::default().open(OpenOptions::new()).sync(false);
            let mut arguments = vec!["-q", "convert", "--no-sync", source, &target];
            if let Some(name) = format {
                let parsed = registry.parse_target(name);
                // Names of formats that store neither matrices nor collections are no values of `--to`.
                let Ok((found, implied)) = parsed else { continue };
                options = options.format(found.info().name).format_options(implied);
                arguments.extend(["--to", name]);
            }
            anew();
            let by_library = nnz::convert(&**source, &*target, &options, &Context::default());
            let expected = contents(&outputs);
            anew();
            let by_command = run(&arguments);
            match by_library {
                Ok(_) if by_command.code != Some(0) => {
                    wrong.push(format!("{case}: only the command fails: {}", by_command.err));
                }
                Ok(_) if contents(&outputs) != expected => {
                    wrong.push(format!("{case}: other bytes"))
                }
                Ok(_) => written += 1,
                Err(error) => {
                    let expected = format!("nnz: {}", with_option(&error));
                    match by_command.err.starts_with(&expected) && by_command.code != Some(0) {
                        true => refused += 1,
                        false => {
                            wrong.push(format!("{case}: {} instead of {expected}", by_command.err))
                        }
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        sources.len() * targets.len(),
        wrong.join("\n")
    );
    assert!(written > 400 && refused > 300, "{written} written, {refused} refused");
}
