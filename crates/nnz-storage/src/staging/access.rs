//! Permissions of an output, copied from the target that it replaces.

use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Gid, Uid, fchown};

/// The permission bits of a group.
const GROUP: u32 = 0o070;

/// The mode, owner and access control lists of a file or directory.
#[derive(Clone, Debug)]
pub(super) struct Access {
    mode: u32,
    uid: u32,
    gid: u32,
    acl: Acl,
}

impl Access {
    /// Reads the access of a file or directory. `None` if it does not exist, or is a link.
    pub(super) fn of(path: &Path) -> io::Result<Option<Self>> {
        let found = match path.symlink_metadata() {
            Ok(found) if found.is_file() || found.is_dir() => found,
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // New content must not run with the permissions of another user.
        let kept = if found.is_dir() { 0o7777 } else { 0o1777 };
        Ok(Some(Self {
            mode: bits(&found) & kept,
            uid: found.uid(),
            gid: found.gid(),
            acl: Acl::of(path, found.is_dir()),
        }))
    }

    /// Returns the access of a file in a directory with this access: without lists, and with no
    /// more bits than `mode`.
    pub(super) fn of_member(&self, mode: u32) -> Self {
        Self { mode, acl: Acl::default(), ..*self }
    }

    pub(super) fn mode(&self) -> u32 {
        self.mode
    }

    /// Gives a directory this access.
    pub(super) fn apply_to_directory(&self, path: &Path) -> io::Result<()> {
        self.apply(&File::open(path)?)
    }

    /// Applies the access to a file or directory, as far as permitted.
    ///
    /// If the group cannot be kept, the new group gets the permissions of others.
    pub(super) fn apply(&self, file: &File) -> io::Result<()> {
        let now = file.metadata()?;
        let mut mode = self.mode;
        let mut keeps_group = true;
        if (now.uid(), now.gid()) != (self.uid, self.gid) {
            let (uid, gid) = (Uid::from_raw(self.uid), Gid::from_raw(self.gid));
            if fchown(file, Some(uid), Some(gid)).is_err() {
                keeps_group = now.gid() == self.gid || fchown(file, None, Some(gid)).is_ok();
                // Programs of another owner must not run with the permissions of this one.
                mode &= 0o3777;
            }
        }
        if keeps_group {
            self.acl.apply(file);
        } else {
            Acl::default().apply(file);
            mode = (mode & 0o1777 & !GROUP) | (mode & GROUP & (mode << 3));
        }
        if bits(&file.metadata()?) != mode {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        Ok(())
    }
}

fn bits(found: &Metadata) -> u32 {
    found.mode() & 0o7777
}

/// Access control lists, as Linux stores them.
#[cfg(target_os = "linux")]
#[derive(Clone, Debug, Default)]
struct Acl {
    access: Option<Vec<u8>>,
    default: Option<Vec<u8>>,
}

#[cfg(target_os = "linux")]
impl Acl {
    const ACCESS: &str = "system.posix_acl_access";
    const DEFAULT: &str = "system.posix_acl_default";

    fn of(path: &Path, is_directory: bool) -> Self {
        let get = |name| {
            // Most files have none, and allocating a buffer for the largest takes longer than the
            // query.
            let mut few = [0; 512];
            match rustix::fs::lgetxattr(path, name, &mut few[..]) {
                Ok(len) => Some(few.get(..len)?.to_vec()),
                Err(rustix::io::Errno::RANGE) => {
                    // The largest value on Linux.
                    let mut value = vec![0; 64 << 10];
                    let len = rustix::fs::lgetxattr(path, name, value.as_mut_slice()).ok()?;
                    value.truncate(len);
                    Some(value)
                }
                Err(_) => None,
            }
        };
        Self {
            access: get(Self::ACCESS),
            default: is_directory.then(|| get(Self::DEFAULT)).flatten(),
        }
    }

    /// Sets the lists, or removes those inherited from the directory. Does nothing if the file
    /// system has none.
    fn apply(&self, file: &File) {
        use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
        for (name, list) in [(Self::ACCESS, &self.access), (Self::DEFAULT, &self.default)] {
            let _ = match list {
                Some(list) => fsetxattr(file, name, list, XattrFlags::empty()),
                None => fremovexattr(file, name),
            };
        }
    }
}

/// No access control lists.
#[cfg(not(target_os = "linux"))]
#[derive(Clone, Debug, Default)]
struct Acl;

#[cfg(not(target_os = "linux"))]
impl Acl {
    fn of(_: &Path, _: bool) -> Self {
        Self
    }

    fn apply(&self, _: &File) {}
}
