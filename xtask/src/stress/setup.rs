//! Shared state of all rounds: the command, the inputs, and the expected targets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::helper::Helper;
use super::random::Random;
use super::snapshot::{Snapshot, copy};
use super::targets::{Content, TargetKind};
use crate::cargo::{build_nnz, target_directory};
use crate::error::{Error, Result};

/// Entries per column of the inputs. Two have the same size, so that a reader who mixes them does not
/// notice by size.
const ENTRIES: [u32; 4] = [40, 40, 12, 250];
const ROWS: u32 = 3000;
const COLS: u32 = 1200;

/// The input that takes longest to write.
pub(super) const LARGEST: usize = 3;

/// All inputs.
pub(super) const INPUTS: [usize; 4] = [0, 1, 2, LARGEST];

/// Shared state of all rounds.
pub(super) struct Setup {
    pub(super) seed: u64,
    pub(super) directory: PathBuf,
    nnz: PathBuf,
    /// Reads and writes HDF5 files with h5py.
    pub(super) helpers: Option<(Helper, Helper)>,
    expected: RefCell<BTreeMap<(&'static str, usize), Expected>>,
}

/// A target that was written without others.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) snapshot: Snapshot,
    /// The output of a reader.
    pub(super) read: String,
}

/// The content of the directory before a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    /// The file or store to which the group is added.
    Others,
    /// The target, written from this input.
    Target(usize),
}

impl Setup {
    /// Builds the command and creates the inputs.
    pub(super) fn make(seed: u64, python: Option<&Path>) -> Result<Self> {
        let built = build_nnz()?;
        let directory = target_directory()?.join("stress").join(std::process::id().to_string());
        fs::create_dir_all(&directory).map_err(|error| Error::at(&directory, &error))?;
        // A copy, as others may build the command in the meantime.
        let nnz = directory.join(built.file_name().unwrap_or_default());
        fs::copy(&built, &nnz).map_err(|error| Error::at(&built, &error))?;
        let helpers = match python {
            Some(python) => Some((Helper::start(python)?, Helper::start(python)?)),
            None => None,
        };
        let setup = Self { seed, directory, nnz, helpers, expected: RefCell::default() };
        for (number, entries) in INPUTS.into_iter().zip(ENTRIES) {
            setup.make_matrix(number, entries)?;
            setup.make_fragments(number, entries)?;
        }
        Ok(setup)
    }

    /// The nnz command, independent of the environment.
    pub(super) fn nnz(&self) -> Command {
        let mut command = Command::new(&self.nnz);
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
        command
    }

    /// The path of the command.
    pub(super) fn binary(&self) -> &Path {
        &self.nnz
    }

    fn input(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    /// The path of an input.
    pub(super) fn source(&self, content: Content, number: usize) -> String {
        self.input(&match content {
            Content::Matrix => format!("{number}.bpcells"),
            Content::Fragments => format!("{number}.tsv"),
            Content::FragmentText => format!("{number}.fragments"),
        })
    }

    /// The arguments that write an input to a target.
    pub(super) fn write(&self, kind: &TargetKind, number: usize, to: &str) -> Vec<String> {
        let source = self.source(kind.content, number);
        let words = kind.verb().iter().chain(&["-q"]).chain(kind.flags);
        let words = words.map(|&word| word.to_owned());
        words.chain([source, to.to_owned()]).collect()
    }

    fn make_matrix(&self, number: usize, entries: u32) -> Result<()> {
        let mut random = Random::of(0, "matrix", u64::try_from(number).unwrap_or(0));
        let mut text = "%%MatrixMarket matrix coordinate integer general\n".to_owned();
        let _ = writeln!(text, "{ROWS} {COLS} {}", COLS * entries);
        let step = ROWS / entries;
        for col in 1..=COLS {
            for entry in 0..entries {
                let row = 1 + entry * step + random.range(0, step);
                let _ = writeln!(text, "{row} {col} {}", random.range(1, 900));
            }
        }
        let path = self.input(&format!("{number}.mtx"));
        fs::write(&path, text).map_err(|error| Error::at(Path::new(&path), &error))?;
        self.quietly(&["convert", &path, &self.source(Content::Matrix, number)])
    }

    fn make_fragments(&self, number: usize, entries: u32) -> Result<()> {
        let mut random = Random::of(0, "fragments", u64::try_from(number).unwrap_or(0));
        let mut text = String::new();
        for chromosome in 1..=3 {
            let mut start = 0;
            for _ in 0..entries * 200 {
                start += random.range(0, 50);
                let (end, cell) = (start + random.range(1, 400), random.range(0, 300));
                let _ = writeln!(text, "chr{chromosome}\t{start}\t{end}\tcell{cell}");
            }
        }
        let path = self.source(Content::Fragments, number);
        fs::write(&path, text).map_err(|error| Error::at(Path::new(&path), &error))?;
        let store = self.source(Content::FragmentText, number);
        self.quietly(&["fragments", "import", &path, &store])
    }

    fn quietly(&self, arguments: &[&str]) -> Result<()> {
        let (verb, rest) = arguments.split_first().unwrap_or((&"", &[]));
        crate::cargo::output(self.nnz().arg("-q").arg(verb).args(rest)).map(drop)
    }

    /// Creates the content before a target is written.
    pub(super) fn put(&self, kind: &TargetKind, before: Before, directory: &Path) -> Result<()> {
        let name = match before {
            Before::Nothing => return Ok(()),
            Before::Others => format!("{} with others", kind.file()),
            Before::Target(number) => format!("{} of {number}", kind.name.replace('/', "_")),
        };
        let template = self.directory.join("templates").join(name);
        if !template.exists() {
            let made = template.with_extension("making");
            let _ = fs::remove_dir_all(&made);
            fs::create_dir_all(&made).map_err(|error| Error::at(&made, &error))?;
            if kind.is_group() {
                self.make_others(kind, &made)?;
            }
            if let Before::Target(number) = before {
                let target = made.join(kind.target).to_string_lossy().into_owned();
                let words = self.write(kind, number, &target);
                crate::cargo::output(self.nnz().args(words))?;
            }
            fs::rename(&made, &template).map_err(|error| Error::at(&template, &error))?;
        }
        for name in kind.names.iter().map(Path::new) {
            let from = template.join(name);
            if from.exists() {
                let to = directory.join(name);
                copy(&from, &to).map_err(|error| Error::at(&to, &error))?;
            }
        }
        Ok(())
    }

    /// Creates a file or store with other groups.
    fn make_others(&self, kind: &TargetKind, directory: &Path) -> Result<()> {
        let file = directory.join(kind.file()).to_string_lossy().into_owned();
        if let (super::targets::Form::Hdf5Group, Some((helper, _))) = (kind.form, &self.helpers) {
            helper.make(&file)?;
        }
        let to = match kind.form {
            super::targets::Form::Hdf5Group => "bpcells",
            _ => "binsparse",
        };
        for group in ["others/first", "others/second"] {
            let target = format!("{file}::{group}");
            let source = self.source(Content::Matrix, 2);
            self.quietly(&["convert", "--to", to, &source, &target])?;
        }
        Ok(())
    }

    /// Returns the expected target of an input.
    pub(super) fn expected(&self, kind: &TargetKind, number: usize) -> Result<Expected> {
        if let Some(expected) = self.expected.borrow().get(&(kind.name, number)) {
            return Ok(expected.clone());
        }
        let directory = self.directory.join("expected");
        let io = |error| Error::at(&directory, &error);
        if directory.exists() {
            fs::remove_dir_all(&directory).map_err(io)?;
        }
        fs::create_dir_all(&directory).map_err(io)?;
        let target = directory.join(kind.target).to_string_lossy().into_owned();
        crate::cargo::output(self.nnz().args(self.write(kind, number, &target)))?;
        let snapshot = Snapshot::of(&directory, kind.names).map_err(io)?;
        let read = match kind.content {
            Content::Matrix | Content::Fragments => {
                crate::cargo::output(self.nnz().args(read(kind, &target)))?
            }
            Content::FragmentText => String::new(),
        };
        let expected = Expected { snapshot, read };
        self.expected.borrow_mut().insert((kind.name, number), expected.clone());
        Ok(expected)
    }
}

/// Returns the arguments that read all of a target.
pub(super) fn read(kind: &TargetKind, target: &str) -> Vec<String> {
    let words: &[&str] = match kind.content {
        Content::Matrix => &["stats", "--json", "--axis", "cols", target],
        Content::Fragments | Content::FragmentText => &["cat", target],
    };
    words.iter().map(|&word| word.to_owned()).collect()
}
