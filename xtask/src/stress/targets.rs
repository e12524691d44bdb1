//! Kinds of targets.

/// The form of a target on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A file that appears in one step.
    File,
    /// A directory that appears in one step.
    Directory,
    /// A file or directory with a second file, each of which appears in one step.
    Pair,
    /// A group of an HDF5 file.
    Hdf5Group,
    /// A group of a Zarr store.
    ZarrGroup,
}

/// The content that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Matrix,
    Fragments,
    /// Fragments as text, which only `fragments import` reads.
    FragmentText,
}

/// One kind of target.
#[derive(Debug)]
pub(super) struct TargetKind {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) content: Content,
    /// The argument of nnz, including the group.
    pub(super) target: &'static str,
    /// The files that appear in the directory, the target first.
    pub(super) names: &'static [&'static str],
    pub(super) flags: &'static [&'static str],
}

const fn matrix(
    name: &'static str,
    form: Form,
    target: &'static str,
    names: &'static [&'static str],
    flags: &'static [&'static str],
) -> TargetKind {
    TargetKind { name, form, content: Content::Matrix, target, names, flags }
}

/// All kinds.
pub(super) const KINDS: &[TargetKind] = &[
    matrix(".bpcells", Form::Directory, "t.bpcells", &["t.bpcells"], &[]),
    matrix(".mtx", Form::File, "t.mtx", &["t.mtx"], &[]),
    matrix(".mtx.gz", Form::File, "t.mtx.gz", &["t.mtx.gz"], &[]),
    matrix(".zarr", Form::Directory, "t.zarr", &["t.zarr"], &[]),
    matrix(".zarr::g", Form::ZarrGroup, "t.zarr::g", &["t.zarr"], &[]),
    matrix(".bsp.npz", Form::File, "t.bsp.npz", &["t.bsp.npz"], &[]),
    matrix(".npz", Form::File, "t.npz", &["t.npz"], &[]),
    matrix(".bsp", Form::Directory, "t.bsp", &["t.bsp"], &[]),
    matrix(".bsp.h5", Form::File, "t.bsp.h5", &["t.bsp.h5"], &[]),
    matrix(".h5::g", Form::Hdf5Group, "t.h5::g", &["t.h5"], &["--to", "bpcells"]),
    matrix(
        ".h5::g of Binsparse, gzip",
        Form::Hdf5Group,
        "t.h5::g",
        &["t.h5"],
        &["--to", "binsparse", "--compress", "gzip:1"],
    ),
    matrix(".nc", Form::File, "t.nc", &["t.nc"], &[]),
    matrix(".rds", Form::File, "t.rds", &["t.rds"], &[]),
    matrix(".dbdf", Form::File, "t.dbdf", &["t.dbdf"], &[]),
    matrix(".dbdf with .meta", Form::Pair, "t.dbdf", &["t.dbdf", "t.dbdf.meta"], &["--meta"]),
    matrix(
        ".dbdf for DAPHNE",
        Form::Pair,
        "t.dbdf",
        &["t.dbdf", "t.dbdf.meta"],
        &["--dialect", "daphne"],
    ),
    matrix(
        ".dbdf.hdfs",
        Form::Pair,
        "t.dbdf.hdfs",
        &["t.dbdf.hdfs", "t.dbdf.hdfs.meta"],
        &["--segments", "3"],
    ),
    TargetKind {
        name: "fragments",
        form: Form::Directory,
        content: Content::Fragments,
        target: "t.fragments",
        names: &["t.fragments"],
        flags: &[],
    },
    TargetKind {
        name: "fragments.tsv.gz",
        form: Form::Pair,
        content: Content::FragmentText,
        target: "t.tsv.gz",
        names: &["t.tsv.gz", "t.tsv.gz.tbi"],
        flags: &[],
    },
];

impl TargetKind {
    /// Returns whether the target is a part of a file or store.
    pub(super) fn is_group(&self) -> bool {
        matches!(self.form, Form::Hdf5Group | Form::ZarrGroup)
    }

    /// Returns the file or directory of the target.
    pub(super) fn file(&self) -> &'static str {
        self.names.first().copied().unwrap_or(self.target)
    }

    /// The verb that writes it.
    pub(super) fn verb(&self) -> &'static [&'static str] {
        match self.content {
            Content::Matrix => &["convert"],
            Content::Fragments => &["fragments", "import"],
            Content::FragmentText => &["fragments", "export"],
        }
    }

    /// Returns whether a reader sees a consistent target while it is replaced; otherwise it may
    /// report a change.
    pub(super) fn is_read_at_once(&self) -> bool {
        matches!(self.form, Form::File | Form::Hdf5Group)
    }
}
