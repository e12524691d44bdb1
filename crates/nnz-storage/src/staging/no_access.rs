//! Permissions of an output on systems where they follow from its directory.

use std::fs::File;
use std::io;
use std::path::Path;

/// Nothing: files and directories inherit who may use them.
#[derive(Clone, Debug)]
pub(super) struct Access;

impl Access {
    /// Returns an access if there is a file or directory.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        match path.symlink_metadata() {
            Ok(found) => Ok((found.is_file() || found.is_dir()).then_some(Self)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn of_member(&self, _: u32) -> Self {
        Self
    }

    pub(super) fn mode(&self) -> u32 {
        0
    }

    /// Changes nothing.
    pub(super) fn apply_to_directory(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Changes nothing.
    pub(super) fn apply(&self, _: &File) -> io::Result<()> {
        Ok(())
    }
}
