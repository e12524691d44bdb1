//! Seeds of the fuzz targets, from the test data.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cargo::root;
use crate::error::{Error, Result};

/// Larger files slow down the fuzzer.
const LARGEST: usize = 96 * 1024;

/// The mark before each file of several in one input, as in `fuzz/src/members.rs`.
const MARK: &[u8] = b"\0==>";

/// The members of a BPCells matrix, in the order of `nnz_bpcells::MEMBERS`.
const MEMBERS: &[&str] = &[
    "version",
    "shape",
    "storage_order",
    "row_names",
    "col_names",
    "idxptr",
    "index",
    "index_data",
    "index_idx",
    "index_idx_offsets",
    "index_starts",
    "val",
    "val_data",
    "val_idx",
    "val_idx_offsets",
];

/// The members of BPCells fragments, in the order of `nnz_bpcells::FRAGMENT_MEMBERS`.
const FRAGMENT_MEMBERS: &[&str] = &[
    "version",
    "cell_names",
    "chr_names",
    "chr_ptr",
    "end_max",
    "cell",
    "cell_data",
    "cell_idx",
    "cell_idx_offsets",
    "start",
    "start_data",
    "start_idx",
    "start_idx_offsets",
    "start_starts",
    "end",
    "end_data",
    "end_idx",
    "end_idx_offsets",
];

/// Writes the seeds of a target into a directory.
pub(super) fn write(target: &str, into: &Path) -> Result<()> {
    let data = root().join("testdata");
    let texts = || files(&[data.join("matrix-market/valid"), data.join("matrix-market/malformed")]);
    let stores = [data.join("bpcells/matrix_dir"), data.join("bpcells/handmade")];
    let binsparse = ["hand", "py"].map(|by| data.join("binsparse/valid").join(by));
    let seeds = match target {
        "matrix_market" => texts()?,
        // The first byte selects how the text is converted.
        "convert" => {
            let each = |(number, text): (u8, Vec<u8>)| [vec![number], text].concat();
            (0_u8..=255).cycle().step_by(37).zip(texts()?).map(each).collect()
        }
        "number" => {
            words(&["0", "-1", "12345678", "1.5e-3", "6.02214076e23", "1d-2", "-inf", "nan"])
        }
        "arguments" => words(&[
            "-",
            "a.h5::/g/x",
            "a.mtx.gz",
            "2:5",
            "500M",
            "2GiB",
            "gzip:4",
            "mtx",
            "bpcells",
            "uint",
            "complex[float64]",
        ]),
        "bpcells" => {
            folders(&stores)?.iter().map(|folder| joined(folder, MEMBERS)).collect::<Result<_>>()?
        }
        "fragments" => folders(&[data.join("bpcells/fragments_dir")])?
            .iter()
            .map(|folder| joined(folder, FRAGMENT_MEMBERS))
            .collect::<Result<_>>()?,
        "fragment_tsv" => {
            // The first byte selects how the text is read.
            let texts = files(&[data.join("bpcells/interop/fragments_tsv")])?.into_iter();
            texts.flat_map(|text| [0_u8, 3].map(|how| [&[how], &text[..]].concat())).collect()
        }
        "directory" => files(&folders(&stores)?)?,
        "hdf5" | "hdf5_structures" => {
            let mut all = files(&[data.join("bpcells/interop"), data.join("bpcells/matrix_h5")])?;
            all.extend(files(&[data.join("bpcells/fragments_h5")])?);
            all.extend(files(&[data.join("hdf5"), data.join("tree")])?);
            all.retain(|file| file.starts_with(b"\x89HDF"));
            all
        }
        // The first byte selects the dialect: 3 is detection.
        "daphne" => {
            let all = files(&[data.join("daphne")])?.into_iter();
            let all = all.filter(|file| file.first() != Some(&b'{'));
            all.map(|file| [&[3], &file[..]].concat()).collect()
        }
        "rds" => files(&[data.join("bpcells/matrix_rds"), data.join("bpcells/fragments_rds")])?,
        "robjects" => files(&[data.join("robjects"), data.join("rds/classes")])?,
        "bitpack" => packed(&files(&[data.join("bpcells/codec")])?),
        // The first byte selects format and options.
        "text" => {
            let folders = [("svmlight", 0_u8), ("edges", 2), ("tables", 6)];
            let mut all = vec![b"\x053 2 11\n% a comment\n4 2 7\n5 1 7 3 1\n6 2 1\n".to_vec()];
            for (folder, how) in folders {
                let texts = files(&[data.join(folder)])?.into_iter();
                all.extend(texts.map(|text| [&[how], &text[..]].concat()));
            }
            all
        }
        "matlab" => with_ending(&[data.join("matlab")], "mat")?,
        "npz" => with_ending(&binsparse, "npz")?,
        "netcdf" => with_ending(&binsparse, "nc")?,
        "zarr" => {
            let stores = folders(&binsparse)?.into_iter();
            stores.map(|store| zarr(&store)).collect::<Result<_>>()?
        }
        "binsparse" => binsparse_seeds(),
        "tenx_folder" => vec![tenx(b"2 1 2\n1 1 5\n2 1 7\n"), tenx(b"3 2 0\n")],
        _ => Vec::new(),
    };
    for (number, seed) in seeds.iter().filter(|seed| seed.len() <= LARGEST).enumerate() {
        let path = into.join(format!("{number:04}"));
        fs::write(&path, seed).map_err(|error| Error::at(&path, &error))?;
    }
    Ok(())
}

fn words(words: &[&str]) -> Vec<Vec<u8>> {
    words.iter().map(|word| word.as_bytes().to_vec()).collect()
}

/// Lists a directory, sorted by name.
fn inside(directory: &Path) -> Result<Vec<PathBuf>> {
    let io = |error| Error::at(directory, &error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory).map_err(io)? {
        paths.push(entry.map_err(io)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn folders(directories: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for directory in directories {
        folders.extend(inside(directory)?.into_iter().filter(|path| path.is_dir()));
    }
    Ok(folders)
}

/// Reads the files of directories, without files of the same content.
fn files(directories: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    for directory in directories {
        for path in inside(directory)?.into_iter().filter(|path| path.is_file()) {
            files.push(fs::read(&path).map_err(|error| Error::at(&path, &error))?);
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Reads the files of directories whose names have this suffix.
fn with_ending(directories: &[PathBuf], ending: &str) -> Result<Vec<Vec<u8>>> {
    let mut files = Vec::new();
    for directory in directories {
        for path in inside(directory)? {
            if path.is_file() && path.extension().is_some_and(|found| found == ending) {
                files.push(fs::read(&path).map_err(|error| Error::at(&path, &error))?);
            }
        }
    }
    Ok(files)
}

/// Joins the files of a Zarr group, each after a mark and the index of its name in
/// `fuzz_targets/zarr.rs`.
fn zarr(store: &Path) -> Result<Vec<u8>> {
    let own = ["zarr.json", ".zgroup", ".zattrs"].map(str::to_owned);
    let of_arrays = ["zarr.json", ".zarray", ".zattrs", "c/0", "c/1", "0", "1"];
    let arrays = ["pointers_to_1", "indices_1", "values"];
    let inner = arrays.iter().flat_map(|array| of_arrays.map(|file| format!("{array}/{file}")));
    let names: Vec<String> = own.into_iter().chain(inner).collect();
    joined(store, &names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Descriptors and arrays of Binsparse, with the names of `fuzz_targets/binsparse.rs`.
fn binsparse_seeds() -> Vec<Vec<u8>> {
    let number = |value: u32| value.to_le_bytes();
    let array = |value_type: u8, elements: &[u32]| -> Vec<u8> {
        [value_type].into_iter().chain(elements.iter().copied().flat_map(number)).collect()
    };
    let types = |names: &[&str]| {
        let pairs: Vec<_> = names.iter().map(|name| format!("\"{name}\":\"uint32\"")).collect();
        pairs.join(",")
    };
    let text = |format: &str, shape: &str, names: &[&str], more: &str| {
        let types = types(names);
        format!(
            "{{\"binsparse\":{{\"version\":\"1.0.0\",\"format\":{format},\"shape\":{shape},\
             \"number_of_stored_values\":3,\"data_types\":{{{types}}}{more}}}}}"
        )
    };
    // The index of uint32 in the value types.
    const U32: u8 = 2;
    let seed = |text: String, arrays: &[(u8, &[u32])]| {
        let mut seed = Vec::new();
        append(&mut seed, 0, text.as_bytes());
        for &(name, elements) in arrays {
            append(&mut seed, name, &array(U32, elements));
        }
        seed
    };
    let lower = ",\"structure\":\"symmetric_lower\"";
    let levels = "{\"level\":{\"level_desc\":\"dense\",\"rank\":1,\"level\":{\"level_desc\":\
                  \"sparse\",\"rank\":1,\"level\":{\"level_desc\":\"element\"}}}}";
    let csr = ["pointers_to_1", "indices_1", "values"];
    let coo = ["indices_0", "indices_1", "values"];
    let dcsr = ["indices_0", "pointers_to_1", "indices_1", "values"];
    let rows: &[(u8, &[u32])] = &[(7, &[0, 1, 3, 3]), (4, &[0, 0, 1]), (1, &[4, 5, 6])];
    let pairs: &[(u8, &[u32])] = &[(3, &[0, 1, 1]), (4, &[0, 0, 1]), (1, &[4, 5, 6])];
    vec![
        seed(text("\"CSR\"", "[3,3]", &csr, ""), rows),
        seed(text("\"CSC\"", "[3,3]", &csr, ""), rows),
        seed(text("\"CSR\"", "[3,3]", &csr, lower), rows),
        seed(text(levels, "[3,3]", &csr, ""), rows),
        seed(text("\"COOR\"", "[3,3]", &coo, lower), pairs),
        seed(text("\"COOC\"", "[3,3]", &coo, ""), pairs),
        seed(
            text("\"DCSR\"", "[9,3]", &dcsr, ""),
            &[(3, &[2, 7]), (7, &[0, 1, 3]), (4, &[0, 0, 1]), (1, &[4, 5, 6])],
        ),
        seed(text("\"DMATR\"", "[1,3]", &["values"], ""), &[(1, &[4, 5, 6])]),
        seed(
            text("\"CVEC\"", "[9]", &["indices_0", "values"], ""),
            &[(3, &[1, 2, 8]), (1, &[4, 5, 6])],
        ),
        seed(text("\"DVEC\"", "[3]", &["values"], ""), &[(1, &[4, 5, 6])]),
    ]
}

/// Joins the files of a directory, each after a mark and the index of its name in a list.
fn joined(folder: &Path, names: &[&str]) -> Result<Vec<u8>> {
    let mut seed = Vec::new();
    for (number, name) in (0_u8..).zip(names) {
        let path = folder.join(name);
        if path.exists() {
            let content = fs::read(&path).map_err(|error| Error::at(&path, &error))?;
            append(&mut seed, number, &content);
        }
    }
    Ok(seed)
}

fn append(seed: &mut Vec<u8>, name: u8, content: &[u8]) {
    seed.extend_from_slice(MARK);
    seed.push(name);
    seed.extend_from_slice(content);
}

/// A 10x folder with a matrix of these sizes and entries.
fn tenx(matrix: &[u8]) -> Vec<u8> {
    let mut seed = Vec::new();
    let banner = b"%%MatrixMarket matrix coordinate integer general\n";
    append(&mut seed, 0, &[banner, matrix].concat());
    append(&mut seed, 2, b"AAAC-1\nAAAG-1\n");
    append(&mut seed, 4, b"G1\tgene 1\tGene Expression\nG2\tgene 2\tGene Expression\n");
    seed
}

/// Arguments after four bytes that select the options.
fn packed(files: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, words) in (0_u8..=255).cycle().zip(files) {
        let how = [number % 4, number / 4, 64, 3];
        seeds.push([&how[..], &words[..words.len().min(4096)]].concat());
    }
    seeds
}
