//! Inputs, created if they are missing.
//!
//! Each is created under another name and renamed when it is complete.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::CELLS;
use super::tools::{Tools, benches};
use crate::cargo;
use crate::error::{Error, Result};

/// All inputs.
pub(super) struct Data {
    /// Counts of all cells.
    pub(super) counts: Counts,
    /// Counts of a fifth of them, for text.
    pub(super) fewer: Counts,
    /// A graph with integer weights, in row order.
    pub(super) graph: Text,
    /// A stencil with real numbers of 17 digits, in row order.
    pub(super) stencil: Text,
    /// Genomic fragments.
    pub(super) fragments: Fragments,
    /// DAPHNE files: dense, sparse with few rows, and with ten times as many.
    pub(super) daphne: [Daphne; 3],
    /// AnnData, 10x and SciPy files.
    pub(super) single_cell: SingleCell,
    /// The directory of results, to be removed.
    pub(super) out: PathBuf,
}

/// One matrix of counts, in several forms.
pub(super) struct Counts {
    pub(super) cells: u64,
    pub(super) entries: u64,
    /// Plain arrays, for contenders that start from memory.
    pub(super) raw: PathBuf,
    /// A packed BPCells directory, written by BPCells.
    pub(super) packed: PathBuf,
    /// An unpacked one.
    pub(super) unpacked: PathBuf,
    /// An HDF5 file with a packed group.
    pub(super) hdf5: PathBuf,
    pub(super) text: PathBuf,
    pub(super) gzip: PathBuf,
}

/// A matrix in text form.
pub(super) struct Text {
    pub(super) entries: u64,
    pub(super) text: PathBuf,
    /// Arrays, for contenders that start from memory.
    pub(super) arrays: PathBuf,
    /// A packed BPCells directory in row order.
    pub(super) packed: PathBuf,
    /// Binsparse CSR in an HDF5 file, uncompressed and deflated.
    pub(super) rows: PathBuf,
    pub(super) deflated: PathBuf,
    /// The same arrays written by h5py, contiguous.
    pub(super) contiguous: PathBuf,
}

/// A DAPHNE file.
pub(super) struct Daphne {
    /// Its description.
    pub(super) name: &'static str,
    pub(super) entries: u64,
    pub(super) file: PathBuf,
}

impl Daphne {
    /// Returns the call that reads it.
    pub(super) fn read(&self) -> &'static str {
        if self.name == "dense" { "read-dense" } else { "read" }
    }

    /// Returns the goals of reading and writing, relative to its plain bytes.
    pub(super) fn share(&self) -> f64 {
        if self.name == "dense" { 0.9 } else { 0.8 }
    }
}

/// Counts in the files of single-cell genomics.
pub(super) struct SingleCell {
    /// The number of entries of all files but the large one.
    pub(super) entries: u64,
    /// AnnData written by anndata, deflated; and the same with other names of cells.
    pub(super) h5ad: [PathBuf; 2],
    /// 10x HDF5, deflated as by Cell Ranger.
    pub(super) tenx: PathBuf,
    /// SciPy, stored.
    pub(super) npz: PathBuf,
    /// A packed BPCells directory, written by BPCells.
    pub(super) packed: PathBuf,
    /// AnnData of all cells, and its number of entries.
    pub(super) large: (PathBuf, u64),
    /// The names of a tenth of those cells.
    pub(super) tenth: PathBuf,
}

/// Genomic fragments, in several forms.
pub(super) struct Fragments {
    pub(super) count: u64,
    /// Text compressed by bgzip.
    pub(super) text: PathBuf,
    /// A packed directory.
    pub(super) packed: PathBuf,
    /// Regions of interest.
    pub(super) peaks: PathBuf,
}

impl Data {
    /// Creates missing inputs.
    pub(super) fn make(directory: &Path, cells: u64, tools: &Tools) -> Result<Self> {
        fs::create_dir_all(directory).map_err(|error| Error::at(directory, &error))?;
        let directory = &directory.canonicalize().map_err(|error| Error::at(directory, &error))?;
        let make = Maker { directory, tools };
        let out = directory.join("out");
        fs::create_dir_all(&out).map_err(|error| Error::at(&out, &error))?;
        let big = make.big(cells)?;
        let [counts, fewer] = [make.counts(cells, false)?, make.counts(cells / 5, true)?];
        Ok(Self {
            single_cell: make.single_cell(&counts, &fewer)?,
            counts,
            fewer,
            graph: make.text(&big, "rmat20")?,
            stencil: make.text(&big, "fem3d")?,
            fragments: make.fragments(FRAGMENTS.saturating_mul(cells) / CELLS)?,
            daphne: make.daphne(cells)?,
            out,
        })
    }
}

/// The number of fragments that the goals are stated for.
const FRAGMENTS: u64 = 50_000_000;

struct Maker<'a> {
    directory: &'a Path,
    tools: &'a Tools,
}

impl Maker<'_> {
    /// Returns the path of an input, which is created if it is missing.
    fn made(&self, name: &str, how: impl FnOnce(&Path) -> Command) -> Result<PathBuf> {
        let path = self.directory.join(name);
        if path.exists() {
            return Ok(path);
        }
        println!("    making {}", path.display());
        // The extension stays, as some programs detect the format by it.
        let part = self.directory.join(format!(".part-{name}"));
        let at = |error| Error::at(&part, &error);
        if part.is_dir() {
            fs::remove_dir_all(&part).map_err(at)?;
        } else if part.exists() {
            fs::remove_file(&part).map_err(at)?;
        }
        cargo::run(how(&part).env("PYTHONDONTWRITEBYTECODE", "1"))?;
        fs::rename(&part, &path).map_err(at)?;
        Ok(path)
    }

    fn script(&self, name: &str, words: &[&str]) -> Command {
        let mut command = Command::new(&self.tools.python);
        command.arg(benches().join("data").join(name)).args(words);
        command
    }

    fn convert(&self, source: &Path, target: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.tools.nnz);
        command.args(["convert", "--quiet"]).arg(source).arg(target).args(words);
        command
    }

    fn counts(&self, cells: u64, text: bool) -> Result<Counts> {
        let name = format!("counts-{cells}");
        let raw = self.made(&name, |part| {
            let mut command = self.script("gen_counts.py", &["--cells", &cells.to_string()]);
            command.arg(part);
            command
        })?;
        let derive = |form: &str, source: &Path, part: &Path| {
            let mut command = self.script("derive.py", &[form]);
            command.arg(source).arg(part);
            command
        };
        let packed = self.made(&format!("{name}.bpcells"), |part| derive("bpcells", &raw, part))?;
        let unpacked = self.made(&format!("{name}-unpacked.bpcells"), |part| {
            self.convert(&packed, part, &["--unpacked"])
        })?;
        let hdf5 = self.made(&format!("{name}.h5"), |part| {
            self.convert(&packed, part, &["--to", "bpcells"])
        })?;
        let (mut mtx, mut gzip) = (PathBuf::new(), PathBuf::new());
        if text {
            mtx = self.made(&format!("{name}.mtx"), |part| derive("text", &raw, part))?;
            gzip = self.made(&format!("{name}.mtx.gz"), |part| derive("gzip", &mtx, part))?;
        }
        Ok(Counts {
            cells,
            entries: number(&raw.join("shape.json"), "nnz")?,
            raw,
            packed,
            unpacked,
            hdf5,
            text: mtx,
            gzip,
        })
    }

    fn single_cell(&self, counts: &Counts, fewer: &Counts) -> Result<SingleCell> {
        let made = |name: String, call: &str, raw: &Path, suffix: &str| {
            self.made(&name, |part| {
                let mut words = self.tools.anndata().into_iter();
                let mut command = Command::new(words.next().unwrap_or_default());
                command.args(words).arg(call).arg(raw).arg(part).arg(suffix);
                command
            })
        };
        let name = format!("counts-{}", fewer.cells);
        let tenth = self.directory.join(format!("tenth-of-{}.txt", counts.cells));
        // Every tenth, spread over the file.
        let names = (0..counts.cells / 10).map(|at| format!("CELL{:08}\n", at * 10 + at % 7));
        fs::write(&tenth, names.collect::<String>()).map_err(|error| Error::at(&tenth, &error))?;
        let large = format!("counts-{}.h5ad", counts.cells);
        Ok(SingleCell {
            entries: fewer.entries,
            h5ad: [
                made(format!("{name}.h5ad"), "make-h5ad", &fewer.raw, "")?,
                made(format!("{name}-b.h5ad"), "make-h5ad", &fewer.raw, "_b")?,
            ],
            tenx: made(format!("{name}-10x.h5"), "make-10x", &fewer.raw, "")?,
            npz: made(format!("{name}.npz"), "make-npz", &fewer.raw, "")?,
            packed: fewer.packed.clone(),
            large: (made(large, "make-h5ad", &counts.raw, "")?, counts.entries),
            tenth,
        })
    }

    fn fragments(&self, count: u64) -> Result<Fragments> {
        let name = format!("fragments-{count}");
        let raw = self.made(&name, |part| {
            let mut command = self.script("gen_frags.py", &["--n", &count.to_string()]);
            command.arg(part);
            command
        })?;
        let text = raw.join("fragments.tsv.gz");
        let packed = self.made(&format!("{name}.bpcells"), |part| {
            let mut command = Command::new(&self.tools.nnz);
            command.args(["fragments", "import", "--quiet"]).arg(&text).arg(part);
            command
        })?;
        let count = number(&raw.join("chrom.json"), "n")?;
        Ok(Fragments { count, text, packed, peaks: raw.join("peaks.tsv") })
    }

    /// Creates 1 GB of cells, and 50 M entries in 1 M and in 10 M rows; less for fewer cells.
    fn daphne(&self, cells: u64) -> Result<[Daphne; 3]> {
        let scaled = |rows: u64| rows.saturating_mul(cells) / CELLS;
        let file = |kind: &str, rows: u64, cols: &str, entries: Option<u64>| {
            self.made(&format!("daphne-{kind}-{rows}.dbdf"), |part| {
                let mut command = Command::new(&self.tools.measure);
                command.arg("daphne-make").arg(part).args(["--rows", &rows.to_string()]);
                command.args(["--cols", cols]);
                command.args(entries.iter().flat_map(|n| ["--entries".to_owned(), n.to_string()]));
                command
            })
        };
        let sparse = |name, rows, each: u64| {
            let entries = rows * each;
            let file = file("sparse", rows, "100000", Some(entries))?;
            Ok(Daphne { name, entries, file })
        };
        let rows = scaled(125_000);
        let dense = file("dense", rows, "1000", None)?;
        Ok([
            Daphne { name: "dense", entries: rows * 1000, file: dense },
            sparse("sparse, 50 entries in a row", scaled(1_000_000), 50)?,
            sparse("sparse, 5 entries in a row", scaled(10_000_000), 5)?,
        ])
    }

    /// Creates the graph and the stencil, smaller for fewer cells.
    fn big(&self, cells: u64) -> Result<PathBuf> {
        if cells >= CELLS {
            return self.made("big", |part| self.folder_for_big(part, &[]));
        }
        // A side of the stencil is the cube root of its size.
        let edges = 30_000_000 * cells / CELLS;
        let grid = (1..91_u64).rev().find(|side| side.pow(3) <= 91_u64.pow(3) * cells / CELLS);
        let (edges, grid) = (edges.to_string(), grid.unwrap_or(2).to_string());
        let words = ["--edges", &edges, "--grid", &grid];
        self.made(&format!("big-{cells}"), |part| self.folder_for_big(part, &words))
    }

    /// The generator needs an existing directory.
    fn folder_for_big(&self, part: &Path, words: &[&str]) -> Command {
        // If it cannot be created, the generator reports the error.
        let _ = fs::create_dir_all(part);
        let mut command = self.script("gen_big.py", words);
        command.arg(part);
        command
    }

    fn text(&self, big: &Path, name: &str) -> Result<Text> {
        let folder = big.file_name().unwrap_or_default().to_string_lossy();
        let text = big.join(format!("{name}.mtx"));
        let packed = self.made(&format!("{folder}-{name}.bpcells"), |part| {
            self.convert(&text, part, &["--order", "row"])
        })?;
        let rows = self.made(&format!("{folder}-{name}.bsp.h5"), |part| {
            self.convert(&text, part, &["--to", "CSR"])
        })?;
        let deflated = self.made(&format!("{folder}-{name}-gzip1.bsp.h5"), |part| {
            self.convert(&rows, part, &["--to", "CSR", "--compress", "gzip:1"])
        })?;
        let contiguous = self.made(&format!("{folder}-{name}-contiguous.h5"), |part| {
            let mut command = Command::new(&self.tools.python);
            command.arg(benches().join("peers").join("binsparse_peer.py"));
            command.arg("write").arg(&rows).arg(part);
            command
        })?;
        Ok(Text {
            entries: entries_of_text(&text)?,
            rows,
            deflated,
            contiguous,
            arrays: big.join(format!("{name}_csr.npz")),
            text,
            packed,
        })
    }
}

/// Reads a number from the description that a generator writes.
fn number(path: &Path, key: &str) -> Result<u64> {
    let text = fs::read_to_string(path).map_err(|error| Error::at(path, &error))?;
    let json: Option<Value> = serde_json::from_str(&text).ok();
    json.and_then(|json| json.get(key)?.as_u64())
        .ok_or_else(|| Error::new(format!("{}: no {key:?}", path.display())))
}

/// Reads the number of entries in the size line of a Matrix Market file.
fn entries_of_text(path: &Path) -> Result<u64> {
    let file = File::open(path).map_err(|error| Error::at(path, &error))?;
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Error::at(path, &error))?;
        if let Some(entries) = line.split_whitespace().nth(2).filter(|_| !line.starts_with('%')) {
            return entries
                .parse()
                .map_err(|_| Error::new(format!("{}: no size line", path.display())));
        }
    }
    Err(Error::new(format!("{}: no size line", path.display())))
}
