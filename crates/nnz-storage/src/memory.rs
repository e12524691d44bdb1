//! The default memory limit and number of threads.

mod cgroup;

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The free memory to assume if the system does not report it.
const UNKNOWN: u64 = 4 << 30;

/// Returns a quarter of the memory that is available to this process, or 1 GiB if the system does
/// not report it.
///
/// Available is the minimum of the free memory of the machine, of what the limits of the control groups leave (as
/// set by SLURM, Docker and systemd), and of what `ulimit -v` and `ulimit -d` leave.
/// Reading the files that state this takes longer than reading the metadata of a matrix.
#[must_use]
pub fn default_memory() -> u64 {
    available(Path::new("/"), Limits::of_process()).unwrap_or(UNKNOWN) / 4
}

/// Address space of a thread in bytes: its stack, the 64 MiB that the C library of Linux reserves for its heap, and its
/// buffers.
const ADDRESSES: u64 = 128 << 20;

/// Returns the number of cores that this process may use, or fewer if `ulimit -v` leaves too little address space for a
/// thread on each.
#[must_use]
pub fn default_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let limits = Limits::of_process();
    if limits.address_space.is_none() {
        return cores;
    }
    let status = read(Path::new("/"), "proc/self/status").unwrap_or_default();
    threads_within(cores, left(limits.address_space, &status, "VmSize:"))
}

/// Returns how many threads have space for their addresses.
fn threads_within(cores: usize, addresses: Option<u64>) -> usize {
    let fit = addresses.map_or(u64::MAX, |left| left / ADDRESSES);
    cores.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1)
}

/// Returns what is left of a limit of this process.
fn left(limit: Option<u64>, status: &str, used: &str) -> Option<u64> {
    Some(limit?.saturating_sub(field(status, used).unwrap_or(0)))
}

/// Limits of the process, if any.
#[derive(Clone, Copy, Default)]
struct Limits {
    address_space: Option<u64>,
    data: Option<u64>,
}

impl Limits {
    #[cfg(unix)]
    fn of_process() -> Self {
        use rustix::process::{Resource, getrlimit};

        let limit = |resource| getrlimit(resource).current;
        Self { address_space: limit(Resource::As), data: limit(Resource::Data) }
    }

    #[cfg(not(unix))]
    fn of_process() -> Self {
        Self::default()
    }
}

/// Returns the bytes available to this process, as stated by the files below a root directory.
fn available(root: &Path, limits: Limits) -> Option<u64> {
    let machine = field(&read(root, "proc/meminfo").unwrap_or_default(), "MemAvailable:");
    let status = read(root, "proc/self/status").unwrap_or_default();
    let all = [
        machine,
        cgroup::available(root),
        left(limits.address_space, &status, "VmSize:"),
        left(limits.data, &status, "VmData:"),
    ];
    all.into_iter().flatten().min()
}

/// Parses a line such as `MemAvailable:  2048 kB`.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// Reads a file of the system, up to a few megabytes.
fn read(root: &Path, path: impl AsRef<Path>) -> Option<String> {
    const MOST: u64 = 4 << 20;
    // Larger than most files: for each small read, the kernel generates the whole file again.
    let mut bytes = Vec::with_capacity(16 << 10);
    File::open(root.join(path)).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;

    fn root(meminfo: &str, status: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("proc/self")).unwrap();
        std::fs::write(root.path().join("proc/meminfo"), meminfo).unwrap();
        std::fs::write(root.path().join("proc/self/status"), status).unwrap();
        root
    }

    #[test]
    fn free_memory_is_parsed_in_kibibytes() {
        let text = "MemTotal:       24689764 kB\nMemAvailable:   2048 kB\n";
        let root = root(text, "");
        assert_eq!(available(root.path(), Limits::default()), Some(2 << 20));
    }

    #[test]
    fn limits_of_the_process_are_respected() {
        let root = root("MemAvailable: 1048576 kB\n", "VmSize:\t  1024 kB\nVmData:\t  512 kB\n");
        let left = |address_space, data| {
            available(root.path(), Limits { address_space, data }).map(|bytes| bytes >> 10)
        };
        assert_eq!(left(None, None), Some(1 << 20));
        assert_eq!(left(Some(5 << 20), None), Some(4096));
        assert_eq!(left(None, Some(5 << 20)), Some(4608));
        assert_eq!(left(Some(1 << 40), Some(1 << 10)), Some(0));
    }

    #[test]
    fn threads_have_addresses_for_their_heaps() {
        assert_eq!(threads_within(8, None), 8);
        assert_eq!(threads_within(8, Some(1 << 40)), 8);
        assert_eq!(threads_within(8, Some(300 << 20)), 2);
        assert_eq!(threads_within(8, Some(0)), 1);
    }

    #[test]
    fn missing_and_invalid_files_are_ignored() {
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(available(empty.path(), Limits::default()), None);
        for garbage in ["", "MemAvailable:", "MemAvailable: -1 kB", "MemAvailable: 2 MB"] {
            assert_eq!(available(root(garbage, "").path(), Limits::default()), None, "{garbage}");
        }
        let huge = root("MemAvailable: 18446744073709551615 kB\n", "");
        assert_eq!(available(huge.path(), Limits::default()), None);
    }

    #[test]
    fn the_default_is_a_part_of_the_memory_of_this_machine() {
        assert!(default_memory() > 0);
    }
}
