//! The rows of the comparison, and their goals.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::data::{Counts, Daphne, Data, SingleCell, Text};
use super::goal::{Bar, Goal};
use super::row::{Clock, Contender, Row};
use super::tools::Tools;

const ONE: &str = "nnz, 1 thread";
const TWO: &str = "nnz, 2 threads";
const WHEEL_ONE: &str = "bpcells, 1 thread";
const WHEEL_TWO: &str = "bpcells, 2 threads";
const WHEEL: &str = "bpcells (1 thread only)";
const SCIPY: &str = "scipy, from memory";
const FMM_ONE: &str = "fast_matrix_market, 1 thread";
const FMM_TWO: &str = "fast_matrix_market, 2 threads";
const COMMAND: &str = "nnz convert, 2 threads";
const DIRECTORY: &str = "nnz on the directory, 2 threads";
const INFLATE: &str = "inflating alone (zlib-rs, 1 thread)";
const PLAIN: &str = "the bytes alone";
const H5PY: &str = "h5py (1 thread only)";
const PYTHON: &str = "fast_matrix_market, 2 threads, and binsparse";
const ANNDATA: &str = "anndata";
const IN_MEMORY: &str = "anndata, backed, into memory alone";
const BACKED: &str = "anndata, backed";
const SCANPY: &str = "scanpy";
const LOAD_NPZ: &str = "scipy";
const NO_SYNC: &str = "--no-sync";

/// Memory goal of conversions, for any size of the matrix.
const BOUNDED: f64 = 300e6;

/// Memory goal of converting text to compressed rows.
const FROM_TEXT: f64 = 400e6;

/// Memory goal of operations on fragments.
const FEW: f64 = 500e6;

/// Returns all rows in order.
pub(super) fn all(data: &Data, tools: &Tools) -> Vec<Row> {
    let make = Make { data, tools };
    let mut rows = vec![
        make.sums("column sums, packed directory", "col-sums", 4e9),
        make.sums("row sums, packed directory", "row-sums", 1.2e9),
        make.read_all(),
        make.hdf5(),
        make.pack(),
        make.columns("1000 random columns", 1000, 0.008),
        make.columns("one column", 1, 0.001),
        make.transpose("transpose", &data.counts, true),
        make.transpose("transpose of a fifth", &data.fewer, false),
        make.import("Matrix Market to packed directory", &data.fewer.text),
        make.inflated(),
    ];
    let texts = [
        ("counts of a fifth", data.fewer.entries, &data.fewer.text, &["read"][..], 1.5),
        ("graph, integers", data.graph.entries, &data.graph.text, &["read", "--by-row"], 1.5),
        ("stencil, reals", data.stencil.entries, &data.stencil.text, &["read", "--by-row"], 1.2),
    ];
    rows.extend(
        texts.map(|(name, entries, text, call, bar)| make.text(name, entries, text, call, bar)),
    );
    let fewer = Text {
        entries: data.fewer.entries,
        text: data.fewer.text.clone(),
        arrays: data.fewer.raw.clone(),
        packed: data.fewer.packed.clone(),
        rows: PathBuf::new(),
        deflated: PathBuf::new(),
        contiguous: PathBuf::new(),
    };
    rows.push(make.write("counts of a fifth", &fewer));
    rows.push(make.write("graph, integers", &data.graph));
    rows.push(make.write("stencil, reals", &data.stencil));
    for (name, text) in [("graph", &data.graph), ("stencil", &data.stencil)] {
        rows.extend([
            make.binsparse(
                format!("uncompressed, {name}"),
                text,
                [&text.rows, &text.contiguous],
                0.9,
            ),
            make.binsparse(format!("gzip:1, {name}"), text, [&text.deflated; 2], 3.0),
            make.write_binsparse(name, text),
            make.import_binsparse(name, text),
        ]);
    }
    rows.extend([
        make.import_fragments(),
        make.scan_fragments(),
        make.query_fragments(),
        make.count_fragments(),
    ]);
    rows.extend(make.single_cell(&data.single_cell));
    for file in &data.daphne {
        rows.extend([make.read_daphne(file), make.write_daphne(file)]);
    }
    rows
}

fn goal(who: &'static str, bar: Bar) -> Goal {
    Goal { who, bar }
}

struct Make<'a> {
    data: &'a Data,
    tools: &'a Tools,
}

impl Make<'_> {
    /// A call of the library.
    fn call(&self, name: &'static str, words: &[&str], path: &Path, threads: u8) -> Contender {
        let mut command: Vec<OsString> = vec![self.tools.measure.clone().into()];
        command.extend(words.iter().map(Into::into));
        command.push(path.into());
        if threads > 0 {
            command.extend(["--threads".into(), threads.to_string().into()]);
        }
        Contender { name, clock: Clock::Call, command, output: None, no_sync: None }
    }

    /// A call of the library with an output.
    fn write_call(
        &self,
        name: &'static str,
        word: &str,
        source: &Path,
        target: &str,
        threads: u8,
    ) -> Contender {
        let mut contender = self.call(name, &[word], source, threads);
        let output = self.data.out.join(target);
        contender.command.push(output.clone().into());
        Contender { output: Some(output), ..contender }
    }

    /// The command, with an output.
    fn verb(&self, verb: &str, source: &Path, target: &str, threads: u8) -> Contender {
        let output = self.data.out.join(target);
        let mut command: Vec<OsString> = vec![self.tools.nnz.clone().into()];
        command.extend([verb, "--quiet", NO_SYNC, "--threads"].map(Into::into));
        command.extend([threads.to_string().into(), source.into(), output.clone().into()]);
        Contender {
            name: if threads == 1 { ONE } else { TWO },
            clock: Clock::Process,
            command,
            output: Some(output),
            no_sync: Some(NO_SYNC),
        }
    }

    /// A script of another program.
    fn peer(&self, name: &'static str, script: &str, words: &[&str], source: &Path) -> Contender {
        let mut command = self.tools.script(script);
        command.extend(words.iter().map(Into::into));
        command.push(source.into());
        Contender { name, clock: Clock::Call, command, output: None, no_sync: None }
    }

    /// A script of another program with an output.
    fn peer_to(
        &self,
        name: &'static str,
        script: &str,
        words: &[&str],
        source: &Path,
        target: &str,
    ) -> Contender {
        let mut contender = self.peer(name, script, words, source);
        let output = self.data.out.join(target);
        contender.command.push(output.clone().into());
        contender.output = Some(output);
        contender
    }

    /// anndata, scanpy or SciPy on files; the last one is the output.
    fn anndata(&self, name: &'static str, words: &[&OsStr], target: Option<&str>) -> Contender {
        let mut command = self.tools.anndata();
        command.extend(words.iter().map(Into::into));
        let output = target.map(|target| self.data.out.join(target));
        command.extend(output.iter().map(Into::into));
        Contender { name, clock: Clock::Call, command, output, no_sync: None }
    }

    /// AnnData, 10x and SciPy files, compared with the programs that define them.
    fn single_cell(&self, files: &SingleCell) -> Vec<Row> {
        let SingleCell { entries, h5ad: [h5ad, other], tenx, npz, packed, large, tenth } = files;
        let word = OsStr::new;
        let row = |name: &str, note, contenders, goals, inputs: &[&PathBuf]| Row {
            name: name.to_owned(),
            entries: *entries,
            note,
            contenders,
            goals,
            inputs: inputs.iter().map(|input| (*input).clone()).collect(),
            at_hand: 0,
        };
        let to_packed = |name, source: &PathBuf, peer: &'static str, call| {
            let target = "packed.bpcells";
            let contenders = vec![
                self.verb("convert", source, target, 1),
                self.verb("convert", source, target, 2),
                self.anndata(peer, &[word(call), source.as_os_str()], None),
            ];
            let goals = vec![goal(TWO, Bar::Over(peer, 3.0)), goal(TWO, Bar::Peak(BOUNDED))];
            row(
                name,
                "The other program only reads the file into memory.",
                contenders,
                goals,
                &[source],
            )
        };
        let into_memory = |name, source: &PathBuf, call, peer, bar| {
            let contenders = vec![
                self.call(ONE, &["read", "--by-row"], source, 1),
                self.call(TWO, &["read", "--by-row"], source, 2),
                self.anndata(peer, &[word(call), source.as_os_str()], None),
            ];
            row(name, "", contenders, vec![goal(TWO, Bar::Over(peer, bar))], &[source])
        };
        let written = {
            let deflated = |threads| {
                let mut contender = self.verb("convert", packed, "written.h5ad", threads);
                contender
                    .command
                    .extend(["--compress", "gzip:4", "--type", "float"].map(Into::into));
                contender
            };
            let peer = [word("write"), npz.as_os_str()];
            let contenders =
                vec![deflated(1), deflated(2), self.anndata(ANNDATA, &peer, Some("written.h5ad"))];
            let note = "nnz: from a packed BPCells directory. anndata: from memory, whose filling is not timed.";
            let goals = vec![goal(TWO, Bar::Over(ANNDATA, 3.0)), goal(TWO, Bar::Peak(BOUNDED))];
            row("h5ad written, gzip:4", note, contenders, goals, &[packed, npz])
        };
        let cut = {
            let (large, count) = large;
            let ours = |threads| {
                let mut contender = self.verb("slice", large, "slice.h5ad", threads);
                let mut list = OsString::from("@");
                list.push(tenth);
                contender.command.extend(["--cells".into(), list]);
                contender
            };
            let ask = |call| [word(call), large.as_os_str(), word("--names"), tenth.as_os_str()];
            let contenders = vec![
                ours(1),
                ours(2),
                self.anndata(BACKED, &ask("slice"), Some("slice.h5ad")),
                self.anndata(IN_MEMORY, &ask("slice-to-memory"), None),
            ];
            let goals = vec![goal(TWO, Bar::Over(BACKED, 3.0)), goal(TWO, Bar::Peak(400e6))];
            let inputs = [large, tenth];
            let cut =
                row("a tenth of the cells of a h5ad, to another", "", contenders, goals, &inputs);
            Row { entries: count / 10, ..cut }
        };
        let concat = {
            let ours = |threads: &str| {
                let output = self.data.out.join("concat.h5ad");
                let mut command: Vec<OsString> =
                    vec![self.tools.nnz.clone().into(), "concat".into()];
                command.extend(
                    ["--quiet", NO_SYNC, "--axis", "rows", "--threads", threads].map(Into::into),
                );
                command.extend(["--compress", "none"].map(Into::into));
                command.extend([h5ad.into(), other.into(), output.clone().into()]);
                Contender {
                    name: if threads == "1" { ONE } else { TWO },
                    clock: Clock::Process,
                    command,
                    output: Some(output),
                    no_sync: Some(NO_SYNC),
                }
            };
            let peer = [word("concat"), h5ad.as_os_str(), other.as_os_str()];
            let contenders =
                vec![ours("1"), ours("2"), self.anndata(ANNDATA, &peer, Some("concat.h5ad"))];
            let note =
                "anndata: experimental.concat_on_disk, which does not compress what it writes.";
            let goals = vec![goal(TWO, Bar::Over(ANNDATA, 5.0)), goal(TWO, Bar::Peak(BOUNDED))];
            let concat = row("two h5ad concatenated", note, contenders, goals, &[h5ad, other]);
            Row { entries: 2 * entries, ..concat }
        };
        vec![
            to_packed("h5ad (gzip) to packed directory", h5ad, ANNDATA, "read"),
            to_packed("10x HDF5 (gzip) to packed directory", tenx, SCANPY, "read-10x"),
            into_memory("h5ad (gzip) into memory", h5ad, "read", ANNDATA, 4.0),
            written,
            cut,
            concat,
            into_memory("SciPy npz (stored) into memory", npz, "load-npz", LOAD_NPZ, 0.9),
        ]
    }

    fn wheel(&self, words: &[&str], source: &Path) -> [Contender; 2] {
        let with = |threads| [&["--threads", threads], words].concat();
        [
            self.peer(WHEEL_ONE, "bpcells_peer.py", &with("1"), source),
            self.peer(WHEEL_TWO, "bpcells_peer.py", &with("2"), source),
        ]
    }

    fn sums(&self, name: &str, call: &str, bar: f64) -> Row {
        let counts = &self.data.counts;
        let [wheel_one, wheel_two] = self.wheel(&[call], &counts.packed);
        Row {
            name: name.to_owned(),
            entries: counts.entries,
            note: "bpcells: blocks of columns, each times ones. scipy: an uncompressed matrix that \
                   is in memory already.",
            contenders: vec![
                self.call(ONE, &[call], &counts.packed, 1),
                self.call(TWO, &[call], &counts.packed, 2),
                wheel_one,
                wheel_two,
                self.peer(SCIPY, "scipy_peer.py", &[call], &counts.raw),
            ],
            goals: vec![goal(TWO, Bar::Rate(bar))],
            inputs: vec![counts.packed.clone(), counts.raw.clone()],
            at_hand: 0,
        }
    }

    fn read_all(&self) -> Row {
        let counts = &self.data.counts;
        let [wheel_one, wheel_two] = self.wheel(&["read"], &counts.packed);
        Row {
            name: "whole matrix into memory, packed directory".to_owned(),
            entries: counts.entries,
            note: "bpcells: blocks of columns, stacked, which is faster than all in one.",
            contenders: vec![
                self.call(ONE, &["read"], &counts.packed, 1),
                self.call(TWO, &["read"], &counts.packed, 2),
                wheel_one,
                wheel_two,
            ],
            goals: vec![goal(ONE, Bar::OverCopy(0.8)), goal(TWO, Bar::OverCopy(0.8))],
            inputs: vec![counts.packed.clone()],
            at_hand: 0,
        }
    }

    fn hdf5(&self) -> Row {
        let counts = &self.data.counts;
        Row {
            name: "column sums, packed HDF5 group".to_owned(),
            entries: counts.entries,
            note: "The bpcells wheel does not open its HDF5 groups.",
            contenders: vec![
                self.call(ONE, &["col-sums"], &counts.hdf5, 1),
                self.call(TWO, &["col-sums"], &counts.hdf5, 2),
                self.call(DIRECTORY, &["col-sums"], &counts.packed, 2),
            ],
            goals: vec![goal(TWO, Bar::Over(DIRECTORY, 0.5))],
            inputs: vec![counts.packed.clone(), counts.hdf5.clone()],
            at_hand: 0,
        }
    }

    fn pack(&self) -> Row {
        let counts = &self.data.counts;
        Row {
            name: "unpacked to packed directory".to_owned(),
            entries: counts.entries,
            note: "bpcells: from arrays in memory, whose reading is not timed: the wheel does not \
                   open unpacked directories.",
            contenders: vec![
                self.verb("convert", &counts.unpacked, "packed.bpcells", 1),
                self.verb("convert", &counts.unpacked, "packed.bpcells", 2),
                self.peer_to(WHEEL, "bpcells_peer.py", &["pack"], &counts.raw, "packed.bpcells"),
            ],
            goals: vec![goal(TWO, Bar::Rate(700e6)), goal(TWO, Bar::Peak(BOUNDED))],
            inputs: vec![counts.unpacked.clone(), counts.raw.clone()],
            at_hand: 0,
        }
    }

    fn columns(&self, name: &str, count: u64, bar: f64) -> Row {
        let counts = &self.data.counts;
        let words = ["columns", "--count", &count.to_string()];
        let [wheel_one, wheel_two] = self.wheel(&words, &counts.packed);
        let ours = self.call(ONE, &words, &counts.packed, 0);
        Row {
            name: format!("{name}, packed directory"),
            // Those of columns of average length.
            entries: counts.entries * count / counts.cells,
            note: "Including opening, but not starting the process and importing.",
            contenders: vec![ours, wheel_one, wheel_two],
            goals: vec![goal(ONE, Bar::Seconds(bar))],
            inputs: vec![counts.packed.clone()],
            at_hand: 0,
        }
    }

    fn transpose(&self, name: &str, counts: &Counts, goals: bool) -> Row {
        let target = "transposed.bpcells";
        Row {
            name: format!("{name}, packed directory"),
            entries: counts.entries,
            note: "bpcells: the whole matrix into memory, transposed there by scipy, packed.",
            contenders: vec![
                self.verb("transpose", &counts.packed, target, 1),
                self.verb("transpose", &counts.packed, target, 2),
                self.peer_to(
                    WHEEL_TWO,
                    "bpcells_peer.py",
                    &["--threads", "2", "transpose"],
                    &counts.packed,
                    target,
                ),
            ],
            goals: if goals {
                vec![goal(TWO, Bar::Seconds(2.0)), goal(TWO, Bar::Peak(600e6))]
            } else {
                Vec::new()
            },
            inputs: vec![counts.packed.clone()],
            at_hand: 0,
        }
    }

    fn import(&self, name: &str, text: &Path) -> Row {
        let target = "imported.bpcells";
        let words = ["--threads", "2", "import-text"];
        Row {
            name: format!("{name}, counts of a fifth"),
            entries: self.data.fewer.entries,
            note: "The other program reads with fast_matrix_market and packs from memory with bpcells.",
            contenders: vec![
                self.verb("convert", text, target, 1),
                self.verb("convert", text, target, 2),
                self.peer_to(WHEEL_TWO, "bpcells_peer.py", &words, text, target),
            ],
            goals: vec![
                goal(TWO, Bar::Rate(90e6)),
                goal(TWO, Bar::Over(ONE, 1.8)),
                goal(TWO, Bar::Peak(BOUNDED)),
            ],
            inputs: vec![text.to_path_buf()],
            at_hand: 0,
        }
    }

    fn inflated(&self) -> Row {
        let fewer = &self.data.fewer;
        let target = "inflated.bpcells";
        Row {
            name: "gzipped Matrix Market to packed directory, counts of a fifth".to_owned(),
            entries: fewer.entries,
            note: "fast_matrix_market reads no gzip.",
            contenders: vec![
                self.verb("convert", &fewer.gzip, target, 1),
                self.verb("convert", &fewer.gzip, target, 2),
                self.call(INFLATE, &["inflate"], &fewer.gzip, 0),
            ],
            goals: vec![goal(TWO, Bar::Over(INFLATE, 0.85)), goal(TWO, Bar::Peak(BOUNDED))],
            inputs: vec![fewer.gzip.clone()],
            at_hand: 0,
        }
    }

    fn binsparse(&self, name: String, text: &Text, [own, other]: [&PathBuf; 2], bar: f64) -> Row {
        Row {
            name: format!("Binsparse in HDF5 into memory, {name}"),
            entries: text.entries,
            note: "h5py: the arrays as they are, in one piece each unless they are deflated. nnz: \
                   checked, too.",
            contenders: vec![
                self.call(ONE, &["read"], own, 1),
                self.call(TWO, &["read"], own, 2),
                self.peer(H5PY, "binsparse_peer.py", &["read"], other),
            ],
            goals: vec![goal(TWO, Bar::Over(H5PY, bar))],
            inputs: vec![own.clone(), other.clone()],
            at_hand: 2,
        }
    }

    fn write_binsparse(&self, name: &str, text: &Text) -> Row {
        let target = "written.bsp.h5";
        Row {
            name: format!("Binsparse in HDF5 written, {name}"),
            entries: text.entries,
            note: "From memory, without the time to fill it, except for the command.",
            contenders: vec![
                self.write_call(ONE, "write", &text.rows, target, 1),
                self.write_call(TWO, "write", &text.rows, target, 2),
                Contender { name: COMMAND, ..self.verb("convert", &text.rows, target, 2) },
                self.peer_to(H5PY, "binsparse_peer.py", &["write"], &text.rows, target),
            ],
            goals: vec![goal(TWO, Bar::Over(H5PY, 0.8)), goal(COMMAND, Bar::Peak(BOUNDED))],
            inputs: vec![text.rows.clone()],
            at_hand: 3,
        }
    }

    fn import_binsparse(&self, name: &str, text: &Text) -> Row {
        let target = "imported.bsp.h5";
        let words = ["import-text"];
        let rows = |threads| {
            let mut contender = self.verb("convert", &text.text, target, threads);
            contender.command.extend(["--to", "CSR"].map(Into::into));
            contender
        };
        Row {
            name: format!("Matrix Market to Binsparse in HDF5, {name}"),
            entries: text.entries,
            note: "The other program reads with fast_matrix_market, sorts with scipy and writes with binsparse.",
            contenders: vec![
                rows(1),
                rows(2),
                self.peer_to(PYTHON, "binsparse_peer.py", &words, &text.text, target),
            ],
            goals: vec![goal(TWO, Bar::Over(PYTHON, 2.0)), goal(TWO, Bar::Peak(FROM_TEXT))],
            inputs: vec![text.text.clone()],
            at_hand: 0,
        }
    }

    /// The command on fragments.
    fn on_fragments(&self, words: &[&OsStr], target: &str, threads: u8) -> Contender {
        let output = self.data.out.join(target);
        let mut command: Vec<OsString> = vec![self.tools.nnz.clone().into()];
        command.push("fragments".into());
        command.extend(words.iter().map(Into::into));
        command.extend([output.clone().into(), "--quiet".into(), NO_SYNC.into()]);
        command.extend(["--threads".into(), threads.to_string().into()]);
        Contender {
            name: if threads == 1 { ONE } else { TWO },
            clock: Clock::Process,
            command,
            output: Some(output),
            no_sync: Some(NO_SYNC),
        }
    }

    fn import_fragments(&self) -> Row {
        let fragments = &self.data.fragments;
        let target = "imported.bpcells";
        let ours = |threads| {
            let words = [OsStr::new("import"), fragments.text.as_os_str()];
            self.on_fragments(&words, target, threads)
        };
        let words = ["import-fragments"];
        Row {
            name: "fragments, bgzipped text to packed directory".to_owned(),
            entries: fragments.count,
            note: "",
            contenders: vec![
                ours(1),
                ours(2),
                self.peer_to(WHEEL, "bpcells_peer.py", &words, &fragments.text, target),
            ],
            goals: vec![
                goal(ONE, Bar::Over(WHEEL, 2.5)),
                goal(TWO, Bar::Over(WHEEL, 5.0)),
                goal(TWO, Bar::Peak(FEW)),
            ],
            inputs: vec![fragments.text.clone()],
            at_hand: 0,
        }
    }

    fn scan_fragments(&self) -> Row {
        let fragments = &self.data.fragments;
        Row {
            name: "fragments, all columns decoded, packed directory".to_owned(),
            entries: fragments.count,
            note: "The bpcells wheel has no call to read fragments.",
            contenders: vec![self.call(ONE, &["fragments"], &fragments.packed, 0)],
            goals: vec![goal(ONE, Bar::Rate(1e9)), goal(ONE, Bar::Peak(FEW))],
            inputs: vec![fragments.packed.clone()],
            at_hand: 0,
        }
    }

    fn query_fragments(&self) -> Row {
        let fragments = &self.data.fragments;
        Row {
            name: "fragments of 100,000 bases, packed directory".to_owned(),
            // The genome has 3.1 G bases.
            entries: fragments.count * 100_000 / 3_088_269_832,
            note: "The mean of a hundred regions, including opening but not starting the process.",
            contenders: vec![self.call(ONE, &["query"], &fragments.packed, 0)],
            goals: vec![goal(ONE, Bar::Seconds(0.001))],
            inputs: vec![fragments.packed.clone()],
            at_hand: 0,
        }
    }

    fn count_fragments(&self) -> Row {
        let fragments = &self.data.fragments;
        let ours = |threads| {
            let [count, peaks] = ["count", "--peaks"].map(OsStr::new);
            let words = [count, peaks, fragments.peaks.as_os_str(), fragments.packed.as_os_str()];
            self.on_fragments(&words, "counts.bpcells", threads)
        };
        Row {
            name: "fragments counted over 200,000 peaks, packed matrix written".to_owned(),
            entries: fragments.count,
            note: "The bpcells wheel does not count over peaks.",
            contenders: vec![ours(1), ours(2)],
            goals: vec![goal(TWO, Bar::Rate(150e6)), goal(TWO, Bar::Peak(FEW))],
            inputs: vec![fragments.packed.clone(), fragments.peaks.clone()],
            at_hand: 0,
        }
    }

    fn read_daphne(&self, file: &Daphne) -> Row {
        Row {
            name: format!("DAPHNE file into memory, {}", file.name),
            entries: file.entries,
            note: "Into untouched memory, as for the plain bytes.",
            contenders: vec![
                self.call(ONE, &[file.read()], &file.file, 1),
                self.call(TWO, &[file.read()], &file.file, 2),
                self.call(PLAIN, &["plain-read"], &file.file, 0),
            ],
            goals: vec![goal(TWO, Bar::Over(PLAIN, file.share()))],
            inputs: vec![file.file.clone()],
            at_hand: 3,
        }
    }

    fn write_daphne(&self, file: &Daphne) -> Row {
        let target = "written.dbdf";
        Row {
            name: format!("DAPHNE file written, {}", file.name),
            entries: file.entries,
            note: "From memory, without the time to fill it, and without the final sync.",
            contenders: vec![
                self.write_call(ONE, "write", &file.file, target, 1),
                self.write_call(TWO, "write", &file.file, target, 2),
                self.write_call(PLAIN, "plain-write", &file.file, target, 0),
            ],
            goals: vec![goal(TWO, Bar::Over(PLAIN, file.share()))],
            inputs: vec![file.file.clone()],
            at_hand: 7,
        }
    }

    fn text(&self, name: &str, entries: u64, text: &Path, call: &[&str], bar: f64) -> Row {
        let read = |threads| ["--threads", threads, "read"];
        Row {
            name: format!("Matrix Market into memory, {name}"),
            entries,
            note: "nnz: compressed, by row or column as the file is sorted. fast_matrix_market: the \
                   entries as they come.",
            contenders: vec![
                self.call(ONE, call, text, 1),
                self.call(TWO, call, text, 2),
                self.peer(FMM_ONE, "fmm_peer.py", &read("1"), text),
                self.peer(FMM_TWO, "fmm_peer.py", &read("2"), text),
            ],
            goals: vec![goal(ONE, Bar::Over(FMM_ONE, bar)), goal(TWO, Bar::Over(ONE, 1.8))],
            inputs: vec![text.to_path_buf()],
            at_hand: 0,
        }
    }

    fn write(&self, name: &str, text: &Text) -> Row {
        let target = "written.mtx";
        let write = |threads| ["--threads", threads, "write"];
        Row {
            name: format!("Matrix Market written, {name}"),
            entries: text.entries,
            note: "nnz: from a packed directory, whose reading is timed too. fast_matrix_market: \
                   from memory, whose filling is not.",
            contenders: vec![
                self.verb("convert", &text.packed, target, 1),
                self.verb("convert", &text.packed, target, 2),
                self.peer_to(FMM_ONE, "fmm_peer.py", &write("1"), &text.arrays, target),
                self.peer_to(FMM_TWO, "fmm_peer.py", &write("2"), &text.arrays, target),
            ],
            goals: vec![goal(ONE, Bar::Over(FMM_ONE, 1.5)), goal(TWO, Bar::Peak(BOUNDED))],
            inputs: vec![text.packed.clone(), text.arrays.clone()],
            at_hand: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::data::Fragments;
    use super::*;

    fn rows() -> Vec<Row> {
        let counts = |cells: u64| Counts {
            cells,
            entries: cells * 1869,
            raw: "raw".into(),
            packed: "packed.bpcells".into(),
            unpacked: "unpacked.bpcells".into(),
            hdf5: "packed.h5".into(),
            text: "counts.mtx".into(),
            gzip: "counts.mtx.gz".into(),
        };
        let text = |name: &str| Text {
            entries: 7,
            text: name.into(),
            arrays: "arrays.npz".into(),
            packed: "text.bpcells".into(),
            rows: "text.bsp.h5".into(),
            deflated: "text-gzip1.bsp.h5".into(),
            contiguous: "text-contiguous.h5".into(),
        };
        let fragments = Fragments {
            count: 50_000_000,
            text: "fragments.tsv.gz".into(),
            packed: "fragments.bpcells".into(),
            peaks: "peaks.tsv".into(),
        };
        let data = Data {
            fragments,
            daphne: ["dense", "sparse, few rows", "sparse, many rows"].map(|name| Daphne {
                name,
                entries: 7,
                file: "daphne.dbdf".into(),
            }),
            counts: counts(100_000),
            fewer: counts(20_000),
            graph: text("graph.mtx"),
            stencil: text("stencil.mtx"),
            single_cell: SingleCell {
                entries: 7,
                h5ad: ["a.h5ad", "b.h5ad"].map(Into::into),
                tenx: "10x.h5".into(),
                npz: "a.npz".into(),
                packed: "packed.bpcells".into(),
                large: ("large.h5ad".into(), 70),
                tenth: "tenth.txt".into(),
            },
            out: "out".into(),
        };
        let [nnz, measure, python, scanpy] =
            ["nnz", "nnz-measure", "python", "scanpy"].map(PathBuf::from);
        all(&data, &Tools { nnz, measure, python, scanpy })
    }

    #[test]
    fn goals_name_contenders_of_their_row() {
        for row in rows() {
            let names: HashSet<_> = row.contenders.iter().map(|one| one.name).collect();
            assert_eq!(names.len(), row.contenders.len(), "{}: duplicate names", row.name);
            for goal in &row.goals {
                assert!(names.contains(goal.who), "{}: no {}", row.name, goal.who);
                if let Bar::Over(whom, _) = goal.bar {
                    assert!(names.contains(whom), "{}: no {whom}", row.name);
                }
            }
        }
    }

    #[test]
    fn outputs_can_be_synced() {
        let mut names = HashSet::new();
        for row in rows() {
            for one in &row.contenders {
                let writes = |word: &OsString| Path::new(word).starts_with("out");
                assert_eq!(one.output.is_some(), one.command.iter().any(writes), "{}", row.name);
                let unsynced = one.command.iter().any(|word| word == NO_SYNC);
                assert_eq!(one.no_sync.is_some(), unsynced, "{}", row.name);
            }
            assert!(names.insert(row.name.clone()), "{} twice", row.name);
        }
    }
}
