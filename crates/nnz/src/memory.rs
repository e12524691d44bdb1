//! How much memory work may take when nobody says.

/// Returns a quarter of the memory that is free, or a gibibyte where the system does not tell.
#[must_use]
pub fn default_memory() -> u64 {
    let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    free.map_or(1 << 30, |bytes| bytes / 4)
}

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
