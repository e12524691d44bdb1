//! A target, its previous content, and checks afterwards.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;

use super::round::Round;
use super::setup::Before;
use super::snapshot::{Access, Snapshot};
use super::targets::{Content, Form, TargetKind};
use crate::error::{Error, Result};

/// The id of another owner.
const STRANGER: u32 = 12_345;

/// A target in the directory of a round.
pub(super) struct Scene {
    pub(super) kind: &'static TargetKind,
    pub(super) before: Before,
    old: Snapshot,
    access: Vec<(&'static str, Access)>,
    /// The objects of an HDF5 file, if h5py is available.
    objects: Option<BTreeMap<String, String>>,
}

/// The content of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// The previous content.
    Old,
    /// Everything that was written of this input.
    New(usize),
    /// Anything else, with a description.
    Neither(String),
}

impl Scene {
    /// Creates the previous content in the empty directory of a round. Often only its owner can read
    /// it, and the owner may be another user.
    pub(super) fn set(
        round: &mut Round<'_>,
        kind: &'static TargetKind,
        before: Before,
    ) -> Result<Self> {
        let restricted = round.random.chance(70);
        Self::make(round, kind, before, restricted)
    }

    /// Does the same, readable for all users.
    pub(super) fn set_open(
        round: &mut Round<'_>,
        kind: &'static TargetKind,
        before: Before,
    ) -> Result<Self> {
        Self::make(round, kind, before, false)
    }

    fn make(
        round: &mut Round<'_>,
        kind: &'static TargetKind,
        before: Before,
        restricted: bool,
    ) -> Result<Self> {
        let work = round.work();
        let io = |error| Error::at(&work, &error);
        empty(&work).map_err(io)?;
        round.setup.put(kind, before, &work)?;
        round.note(format!("-- {}, {before:?}", kind.name));
        let old = Snapshot::of(&work, kind.names).map_err(io)?;
        let mut access = Vec::new();
        for name in kind.names {
            let path = work.join(name);
            if !path.exists() {
                continue;
            }
            if restricted {
                restrict(&path)?;
            }
            access.extend(Access::of(&path).map(|access| (*name, access)));
        }
        let objects = match (&round.setup.helpers, kind.form, old.is_empty()) {
            (Some((helper, _)), Form::Hdf5Group, false) => {
                Some(helper.digest(&round.path(kind.file()))?)
            }
            _ => None,
        };
        Ok(Self { kind, before, old, access, objects })
    }

    /// Returns the target as an argument of nnz.
    pub(super) fn target(&self, round: &Round<'_>) -> String {
        round.path(self.kind.target)
    }

    /// Returns the arguments that write an input to the target.
    pub(super) fn write(&self, round: &Round<'_>, number: usize, flags: &[&str]) -> Vec<String> {
        let mut words = round.setup.write(self.kind, number, &self.target(round));
        words.extend(flags.iter().map(|&flag| flag.to_owned()));
        words
    }

    /// Returns the content of the target: the previous one, or one of these inputs.
    pub(super) fn holds(&self, round: &mut Round<'_>, inputs: &[usize]) -> Result<Holds> {
        let work = round.work();
        let io = |error| Error::at(&work, &error);
        let found = Snapshot::of(&work, self.kind.names).map_err(io)?;
        if found == self.old {
            return Ok(Holds::Old);
        }
        if self.kind.form == Form::Hdf5Group {
            return self.hdf5_holds(round, inputs);
        }
        for &input in inputs {
            let expected = round.setup.expected(self.kind, input)?.snapshot;
            let same = match self.kind.form {
                Form::ZarrGroup if !self.old.is_empty() => {
                    let group = format!("{}/g", self.kind.file());
                    let (mine, others) = found.split(&group);
                    mine == expected.split(&group).0 && others == self.old.split(&group).1
                }
                _ => found == expected,
            };
            if same {
                return Ok(Holds::New(input));
            }
        }
        Ok(Holds::Neither(format!("found {found:?}\nbefore {:?}", self.old)))
    }

    fn hdf5_holds(&self, round: &mut Round<'_>, inputs: &[usize]) -> Result<Holds> {
        let target = self.target(round);
        let validated = round.run(&["validate", &target])?;
        if !validated.succeeded() {
            return Ok(Holds::Neither(validated.outcome()));
        }
        if self.objects.is_some() {
            let mine = |name: &str| name == "/g" || name.starts_with("/g/");
            match self.changed_objects(round, mine) {
                Err(error) => return Ok(Holds::Neither(error.to_string())),
                Ok(Some(changed)) => return Ok(Holds::Neither(changed)),
                Ok(None) => {}
            }
        } else if self.before != Before::Nothing {
            let other = format!("{}::others/first", round.path(self.kind.file()));
            let source = round.setup.source(Content::Matrix, 2);
            let same = round.run(&["diff", "--stored", &source, &other])?;
            if !same.succeeded() {
                return Ok(Holds::Neither(same.outcome()));
            }
        }
        let mut last = String::new();
        for &input in inputs {
            let source = round.setup.source(Content::Matrix, input);
            let same = round.run(&["diff", "--stored", &source, &target])?;
            if same.succeeded() {
                return Ok(Holds::New(input));
            }
            last = same.outcome();
        }
        Ok(Holds::Neither(last))
    }

    /// Finds objects of an HDF5 file that changed, except for those that were written.
    pub(super) fn changed_objects(
        &self,
        round: &Round<'_>,
        written: impl Fn(&str) -> bool,
    ) -> Result<Option<String>> {
        let (Some((helper, _)), Some(before)) = (&round.setup.helpers, &self.objects) else {
            return Ok(None);
        };
        let now = helper.digest(&round.path(self.kind.file()))?;
        let changed = before
            .iter()
            .find(|(name, hash)| !written(name) && now.get(*name) != Some(*hash))
            .map(|(name, _)| format!("{name} changed"));
        let strange = now
            .keys()
            .find(|name| !written(name) && !before.contains_key(*name))
            .map(|name| format!("{name} is new"));
        Ok(changed.or(strange))
    }

    /// Checks that mode and owner are unchanged.
    pub(super) fn check_access(&self, round: &mut Round<'_>) {
        for (name, before) in &self.access {
            let Some(now) = Access::of(&round.work().join(name)) else { continue };
            let class = format!("mode changed: {}", self.kind.name);
            round.check(now.mode == before.mode, &class, || {
                format!("{name}: {:o} became {:o}", before.mode, now.mode)
            });
            let class = format!("owner changed: {}", self.kind.name);
            round.check(now.owner == before.owner, &class, || {
                format!("{name}: {:?} became {:?}", before.owner, now.owner)
            });
        }
    }

    /// Checks that there are no files next to the target.
    pub(super) fn check_nothing_left(&self, round: &mut Round<'_>, what: &str) -> Result<()> {
        let left = round.leftovers(self.kind.names)?;
        let class = format!("{what} leaves files: {}", self.kind.name);
        round.check(left.is_empty(), &class, || format!("{left:?}"));
        Ok(())
    }
}

/// Removes the content of a directory, which may be the root of a file system.
fn empty(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }?;
    }
    Ok(())
}

/// Makes a target readable for its owner only, and changes the owner if possible.
fn restrict(path: &Path) -> Result<()> {
    let io = |error| Error::at(path, &error);
    let mode = if path.is_dir() { 0o700 } else { 0o640 };
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(io)?;
    if rustix::process::geteuid().is_root() {
        chown(path, Some(STRANGER), Some(STRANGER)).map_err(io)?;
    }
    Ok(())
}
