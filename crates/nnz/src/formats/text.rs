//! Functions shared by text formats without named arrays.

use crate::Context;
use std::path::{Path, PathBuf};

use nnz_core::{Axis, Error, MatrixSource, Result};
use nnz_storage::staging::{StagedFile, WriteOptions};
use nnz_storage::stdio::{self, TerminalEscapes};
use nnz_text::{Base, TextTarget};

use super::target::without_group;
use super::{FormatInfo, FormatOption};
use crate::{ConvertOptions, Location};

/// The most bytes of values that are kept in memory, so that a text is not parsed twice.
const KEPT: u64 = 256 << 20;

/// Returns how many bytes of values are kept in memory.
pub(super) fn kept(memory: u64) -> usize {
    usize::try_from((memory / 8).min(KEPT)).unwrap_or(0)
}

/// The option of the number of the first row, column or node in a source.
pub(super) const fn base(help: &'static str) -> FormatOption {
    FormatOption::parsed::<Base>("base", "0|1", help)
}

/// The same, in a target.
pub(super) const fn to_base(help: &'static str) -> FormatOption {
    FormatOption::parsed::<Base>("to-base", "0|1", help)
}

/// A choice.
pub(super) struct YesOrNo(pub(super) bool);

impl std::str::FromStr for YesOrNo {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match text {
            "yes" | "true" => Ok(Self(true)),
            "no" | "false" => Ok(Self(false)),
            _ => Err("expected yes or no"),
        }
    }
}

/// Where a text is written.
pub(super) struct TextPath {
    /// `None` for standard output.
    path: Option<PathBuf>,
    write: WriteOptions,
}

impl TextPath {
    /// Checks the location.
    pub(super) fn new(
        to: &Location,
        options: &ConvertOptions,
        info: &FormatInfo,
        context: &Context,
    ) -> Result<Self> {
        let name = info.name;
        if options.compress.is_some() {
            let what = "does not apply to";
            let gzip = "the extension .gz writes gzip";
            return Err(Error::argument(format!("the option compress {what} {name}; {gzip}")));
        }
        let path = match to {
            Location::Stream => None,
            Location::Path { .. } => Some(without_group(to, name.as_str())?.to_path_buf()),
        };
        if let Some(path) = &path {
            context.check_name(path, info, &[])?;
        }
        Ok(Self { path, write: options.output(context) })
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Checks that it can be written.
    pub(super) fn check(&self) -> Result<()> {
        match &self.path {
            Some(path) => StagedFile::create(path, &self.write).map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn target(&self) -> TextTarget {
        match &self.path {
            Some(path) => TextTarget::File { path: path.clone(), options: self.write.clone() },
            None => TextTarget::Stream {
                writer: Box::new(stdio::stdout(TerminalEscapes::Text)),
                name: "standard output".to_owned(),
                context: self.write.context.clone(),
            },
        }
    }
}

/// Lists the annotations of a source that are not stored: all but some of the rows.
pub(super) fn other_annotations(source: &dyn MatrixSource, rows: &[&str]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (axis, kept) in [(Axis::Rows, rows), (Axis::Cols, &[][..])] {
        let Some(table) = source.annotations(axis)? else { continue };
        let names = table.columns().iter().map(|column| &*column.name);
        let names: Vec<&str> = names.filter(|name| !kept.contains(name)).collect();
        if !names.is_empty() {
            let axis = if axis == Axis::Rows { "rows" } else { "columns" };
            found.push(format!("annotations of {axis}: {}", names.join(", ")));
        }
    }
    Ok(found)
}
