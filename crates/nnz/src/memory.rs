//! How much memory work may take when nobody says, and how much of it is had at low cost.

/// Returns a quarter of the memory that is free, or a gibibyte where the system does not tell.
#[must_use]
pub fn default_memory() -> u64 {
    let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    free.map_or(1 << 30, |bytes| bytes / 4)
}

/// Asks the system for large pages behind memory that has not been touched yet.
///
/// The first touch of a page costs more than copying into it, so that few large ones fill faster
/// than many small ones. A system that has none to give changes nothing.
pub(crate) fn prefer_large_pages(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    {
        let aligned = bytes.as_ptr().align_offset(PAGE);
        let whole = bytes.get_mut(aligned..).unwrap_or_default();
        let len = whole.len() / PAGE * PAGE;
        if len < LARGE_PAGE {
            return;
        }
        let advice = rustix::mm::Advice::LinuxHugepage;
        // SAFETY: the pages lie inside of memory that is borrowed alone, and the advice changes
        // neither what they hold nor what may be done with them.
        #[allow(unsafe_code, reason = "there is no other way to say it to the system")]
        let advised = unsafe { rustix::mm::madvise(whole.as_mut_ptr().cast(), len, advice) };
        // It is an advice.
        let _ = advised;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Bytes that the system counts memory by, or a multiple.
#[cfg(target_os = "linux")]
const PAGE: usize = 64 << 10;

/// Less memory than that is not worth a word.
#[cfg(target_os = "linux")]
const LARGE_PAGE: usize = 2 << 20;

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_read_in_kibibytes() {
        let text = "MemTotal:       24689764 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(available(text), Some(2 << 20));
        assert_eq!(available(""), None);
    }
}
