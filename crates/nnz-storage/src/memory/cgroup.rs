//! Memory limits of control groups: `cgroups(7)`, versions 1 and 2.
//!
//! A process is in one group of each hierarchy, which is listed in `/proc/self/cgroup`. The limits
//! of that group and of all its ancestors apply, as far as the mounted file system shows them: in a
//! container, its root is a descendant. The usage of a group includes its descendants.

use std::path::{Component, Path, PathBuf};

use super::read;

/// Returns the bytes that the tightest limit leaves; `None` if there is none.
pub(super) fn available(root: &Path) -> Option<u64> {
    let groups = read(root, "proc/self/cgroup")?;
    let mounts = read(root, "proc/self/mountinfo")?;
    let left = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next()?, fields.next()?);
        let version = match controllers {
            "" => Version::V2,
            _ if controllers.split(',').any(|name| name == "memory") => Version::V1,
            _ => return None,
        };
        let (mount, group) = locate(&mounts, version, group)?;
        least(root, version, &mount, &group)
    });
    left.min()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V1,
    V2,
}

/// Returns the mount point of a hierarchy, and the path of a group below it.
///
/// If there are several, the one that shows most of the ancestors is used.
fn locate(mounts: &str, version: Version, group: &str) -> Option<(PathBuf, PathBuf)> {
    let group = normal(Path::new(group))?;
    let mut found: Option<(usize, PathBuf, PathBuf)> = None;
    for mount in mounts.lines().filter_map(|line| Mount::parse(line, version)) {
        // A mount whose root is not an ancestor of the group is from another namespace: the group
        // is then the root of the mount.
        let inside = mount.root.as_deref().and_then(|root| group.strip_prefix(root).ok());
        let (hidden, inside) = match inside {
            Some(inside) => (group.components().count() - inside.components().count(), inside),
            None => (usize::MAX, Path::new("")),
        };
        if found.as_ref().is_none_or(|(least, ..)| hidden < *least) {
            found = Some((hidden, mount.point, inside.to_path_buf()));
        }
    }
    found.map(|(_, point, inside)| (point, inside))
}

/// A line of `/proc/self/mountinfo`; paths without a leading slash.
struct Mount {
    /// The group at the root of the mount; `None` if it is outside of the namespace.
    root: Option<PathBuf>,
    point: PathBuf,
}

impl Mount {
    /// Parses a line, if it is of the hierarchy with the memory controller.
    fn parse(line: &str, version: Version) -> Option<Self> {
        // 36 35 0:30 /root /mount/point rw,relatime shared:9 - cgroup cgroup rw,memory
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1).unwrap_or_default());
        let wanted = match version {
            Version::V2 => kind == "cgroup2",
            Version::V1 => kind == "cgroup" && options.split(',').any(|name| name == "memory"),
        };
        let mut before = before.split(' ').skip(3);
        let (root, point) = (before.next()?, before.next()?);
        let point = normal(Path::new(&unescape(point)))?;
        wanted.then(|| Self { root: normal(Path::new(&unescape(root))), point })
    }
}

/// Returns a path without a leading slash; `None` if it contains `..`.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(normal)
}

/// Replaces the escapes that `mountinfo` uses for blanks, tabs, line breaks and backslashes.
fn unescape(text: &str) -> String {
    let known = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    known.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

/// Returns what the tightest limit of a group and its ancestors leaves.
fn least(root: &Path, version: Version, mount: &Path, group: &Path) -> Option<u64> {
    let left = group.ancestors().enumerate().filter_map(|(levels, group)| {
        let directory = root.join(mount).join(group);
        match version {
            Version::V2 => left_v2(&directory),
            // Their usage does not include the groups below.
            Version::V1 if levels > 0 && number(&directory, "memory.use_hierarchy") == Some(0) => {
                None
            }
            Version::V1 => left_v1(&directory),
        }
    });
    left.min()
}

/// Returns what the limits of a group of version 2 leave.
fn left_v2(group: &Path) -> Option<u64> {
    let limits = ["memory.max", "memory.high"].map(|file| number(group, file));
    let limit = limits.into_iter().flatten().min()?;
    let cache = read(group, "memory.stat").and_then(|all| stat(&all, "inactive_file"));
    Some(left(limit, number(group, "memory.current"), cache))
}

/// Returns the memory that the limits of a group of version 1 and of its invisible ancestors
/// leave.
fn left_v1(group: &Path) -> Option<u64> {
    let own = number(group, "memory.limit_in_bytes");
    // The kernel computes it with a delay.
    let all = read(group, "memory.stat");
    let stat = |key| stat(all.as_deref()?, key);
    let limit = own.into_iter().chain(stat("hierarchical_memory_limit")).min()?;
    let cache = stat("total_inactive_file");
    Some(left(limit, number(group, "memory.usage_in_bytes"), cache))
}

/// Returns what a limit leaves. The inactive file cache can be reclaimed.
fn left(limit: u64, used: Option<u64>, cache: Option<u64>) -> u64 {
    limit.saturating_sub(used.unwrap_or(0).saturating_sub(cache.unwrap_or(0)))
}

/// Reads a number; `None` if the file is missing, or has a word such as `max`.
fn number(group: &Path, file: &str) -> Option<u64> {
    read(group, file)?.trim().parse().ok()
}

/// Returns a field of `memory.stat`.
fn stat(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '))?;
    line.trim().parse().ok()
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const MIB: u64 = 1 << 20;
    const UNIFIED: &str =
        "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const MEMORY: &str =
        "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";
    const CPU: &str = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n";

    /// Files of a simulated system.
    struct System(tempfile::TempDir);

    impl System {
        fn new(cgroup: &str, mountinfo: &str) -> Self {
            let system = Self(tempfile::tempdir().unwrap());
            system.write("proc/self/cgroup", cgroup).write("proc/self/mountinfo", mountinfo);
            system
        }

        fn write(&self, path: &str, text: impl ToString) -> &Self {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text.to_string()).unwrap();
            self
        }

        /// Writes files of a group of version 2.
        fn group(&self, group: &str, max: &str, current: u64, stat: &str) -> &Self {
            let file = |name| format!("sys/fs/cgroup{group}/memory.{name}");
            self.write(&file("max"), format!("{max}\n"))
                .write(&file("current"), format!("{current}\n"))
                .write(&file("stat"), stat)
        }

        fn available(&self) -> Option<u64> {
            available(self.0.path())
        }
    }

    #[test]
    fn usage_counts_without_inactive_file_cache() {
        let system = System::new("0::/job\n", UNIFIED);
        system.group("/job", &(100 * MIB).to_string(), 30 * MIB, "anon 5\n");
        assert_eq!(system.available(), Some(70 * MIB));
        let stat = format!("anon 5\nfile 7\ninactive_anon 9\ninactive_file {}\n", 20 * MIB);
        system.group("/job", &(100 * MIB).to_string(), 30 * MIB, &stat);
        assert_eq!(system.available(), Some(90 * MIB));
        // More is used than the limit.
        system.group("/job", &MIB.to_string(), 30 * MIB, "");
        assert_eq!(system.available(), Some(0));
        // More cache than usage.
        system.group("/job", &MIB.to_string(), 5, &stat);
        assert_eq!(system.available(), Some(MIB));
    }

    #[test]
    fn the_tightest_ancestor_counts() {
        let system = System::new("0::/slurm/job/step\n", UNIFIED);
        system.group("/slurm/job/step", "max", 10 * MIB, "");
        assert_eq!(system.available(), None);
        system.group("/slurm/job", &(50 * MIB).to_string(), 40 * MIB, "");
        system.group("/slurm", &(90 * MIB).to_string(), 45 * MIB, "");
        assert_eq!(system.available(), Some(10 * MIB));
        system.group("/slurm", &(90 * MIB).to_string(), 85 * MIB, "");
        assert_eq!(system.available(), Some(5 * MIB));
        system.group("/slurm/job/step", &MIB.to_string(), 0, "");
        assert_eq!(system.available(), Some(MIB));
        // A sibling.
        system.group("/slurm/other", "1", 0, "");
        assert_eq!(system.available(), Some(MIB));
    }

    #[test]
    fn memory_high_is_a_limit() {
        let system = System::new("0::/job\n", UNIFIED);
        system.group("/job", "max", MIB, "");
        system.write("sys/fs/cgroup/job/memory.high", format!("{}\n", 5 * MIB));
        assert_eq!(system.available(), Some(4 * MIB));
        system.write("sys/fs/cgroup/job/memory.max", format!("{}\n", 3 * MIB));
        assert_eq!(system.available(), Some(2 * MIB));
    }

    #[test]
    fn version_1_is_read() {
        let system =
            System::new("9:cpu:/a\n4:hugetlb,memory:/docker/x\n0::/\n", &[CPU, MEMORY].concat());
        let file = |name| format!("sys/fs/cgroup/memory/docker/x/memory.{name}");
        system.write(&file("limit_in_bytes"), 9_223_372_036_854_771_712_u64);
        assert_eq!(system.available(), Some(9_223_372_036_854_771_712));
        system.write(&file("limit_in_bytes"), 64 * MIB);
        system.write(&file("usage_in_bytes"), 60 * MIB);
        assert_eq!(system.available(), Some(4 * MIB));
        let stat = format!("inactive_file 1\ntotal_inactive_file {}\n", 10 * MIB);
        system.write(&file("stat"), stat);
        assert_eq!(system.available(), Some(14 * MIB));
        // An ancestor that is not visible, or is.
        let stat = format!("hierarchical_memory_limit {}\n", 62 * MIB);
        system.write(&file("stat"), stat);
        assert_eq!(system.available(), Some(2 * MIB));
        system.write("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", MIB);
        assert_eq!(system.available(), Some(MIB));
        system.write("sys/fs/cgroup/memory/docker/memory.use_hierarchy", "0\n");
        assert_eq!(system.available(), Some(2 * MIB));
        system.write(&file("use_hierarchy"), "0\n");
        assert_eq!(system.available(), Some(2 * MIB));
    }

    #[test]
    fn the_root_in_a_container_is_its_group() {
        // Version 1 without a namespace of control groups: the mount starts at the group.
        let mounts = "40 31 0:32 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let limit = "sys/fs/cgroup/memory/memory.limit_in_bytes";
        let system = System::new("4:memory:/docker/x\n", mounts);
        assert_eq!(system.write(limit, MIB).available(), Some(MIB));
        // A descendant.
        let system = System::new("4:memory:/docker/x/y\n", mounts);
        system.write("sys/fs/cgroup/memory/y/memory.limit_in_bytes", 9);
        assert_eq!(system.write(limit, MIB).available(), Some(9));
        // A mount from outside of the namespace.
        let system = System::new("4:memory:/\n", mounts);
        assert_eq!(system.write(limit, MIB).available(), Some(MIB));
        let system = System::new("0::/\n", &UNIFIED.replace(" / /", " /../.. /"));
        assert_eq!(system.group("", "5", 0, "").available(), Some(5));
        // A group without a directory: its ancestors count.
        let system = System::new("0::/gone/away\n", UNIFIED);
        assert_eq!(system.group("/gone", "7", 0, "").available(), Some(7));
        // A group that was moved out of the namespace.
        let system = System::new("0::/../../outside\n", UNIFIED);
        assert_eq!(system.group("", "7", 0, "").available(), None);
    }

    #[test]
    fn the_mount_with_most_ancestors_is_used() {
        let part = UNIFIED.replace(" / /sys", " /a/b /part/sys");
        for mounts in [[&part, UNIFIED].concat(), [UNIFIED, &part].concat()] {
            let system = System::new("0::/a/b/c\n", &mounts);
            system.write("part/sys/fs/cgroup/c/memory.max", 50);
            system.group("/a/b/c", "50", 0, "").group("/a", "20", 0, "");
            assert_eq!(system.available(), Some(20));
        }
    }

    #[test]
    fn escapes_in_mount_points_are_decoded() {
        let system = System::new("0::/\n", &UNIFIED.replace("/sys/fs/cgroup", "/my\\040groups"));
        assert_eq!(system.write("my groups/memory.max", 3).available(), Some(3));
    }

    #[test]
    fn invalid_files_are_ignored() {
        for cgroup in ["", "0", "0:", "0::", "::::", ":memory:", "0::/a\0b\n", "\u{fffd}\n\n"] {
            for mounts in
                ["", " - ", "- cgroup2", "1 2 3 4 5 - cgroup2 a b\n", "/ / / / / - cgroup2"]
            {
                assert_eq!(System::new(cgroup, mounts).available(), None, "{cgroup:?} {mounts:?}");
            }
        }
        let system = System::new("0::/a\n", UNIFIED);
        for max in ["max", "", "-1", "1e9", "99999999999999999999999", "1 2", "\0"] {
            assert_eq!(system.group("/a", max, 1, "").available(), None, "{max:?}");
        }
        let most = u64::MAX.to_string();
        for stat in
            ["inactive_file", "inactive_file x\n", "inactive_file_no 5\n", "inactive_file -5"]
        {
            assert_eq!(
                system.group("/a", &most, 1, stat).available(),
                Some(u64::MAX - 1),
                "{stat}"
            );
        }
        let stat = format!("inactive_file {}\n", u64::MAX);
        assert_eq!(system.group("/a", &most, u64::MAX, &stat).available(), Some(u64::MAX));
        assert_eq!(available(Path::new("/nowhere/at/all")), None);
    }

    #[test]
    fn unreadable_files_are_ignored() {
        let system = System::new("0::/a/b\n", UNIFIED);
        system.group("/a/b", "5", 3, "").group("/a", "100", 40, "");
        let file = |name: &str| system.0.path().join("sys/fs/cgroup").join(name);
        // Not even root can read a directory.
        for name in ["a/b/memory.max", "a/memory.current", "a/memory.stat"] {
            fs::remove_file(file(name)).unwrap();
            fs::create_dir(file(name)).unwrap();
            fs::set_permissions(file(name), fs::Permissions::from_mode(0o000)).unwrap();
        }
        assert_eq!(system.available(), Some(100));
    }
}
