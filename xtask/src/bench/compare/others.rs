//! Load of other processes: on a busy machine, results mean little, and short runs look better than
//! long ones.

use std::fs;

/// The maximum share of the processors that others may use.
pub(super) const MOST: f64 = 0.2;

/// 1/100 s, the unit of `/proc/stat` on Linux.
const TICK: f64 = 0.01;

/// CPU seconds of all processors so far, if the system reports them.
pub(super) fn busy() -> Option<f64> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
}

/// Adds up user, nice, system, interrupts and stolen time; not idle and waiting.
fn parse(stat: &str) -> Option<f64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<f64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, _idle, _waiting, irq, softirq, stolen, ..] = ticks[..] else {
        return None;
    };
    Some((user + nice + system + irq + softirq + stolen) * TICK)
}

/// The measured CPU time, and the part of other processes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OtherProcesses {
    used: f64,
    available: f64,
}

impl OtherProcesses {
    /// Adds a run: CPU seconds of all processes, of the run itself, and its duration.
    pub(super) fn count(&mut self, all: f64, own: f64, wall: f64) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.used += (all - own).max(0.0);
        self.available += wall * f64::from(u32::try_from(cores).unwrap_or(u32::MAX));
    }

    /// Returns the share of other processes; `None` if nothing was measured.
    pub(super) fn share(&self) -> Option<f64> {
        (self.available > 0.0).then(|| (self.used / self.available).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_waiting_do_not_count() {
        let stat = "cpu  100 50 35 99999 8888 4 5 6 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n";
        assert_eq!(parse(stat), Some(2.0));
        assert_eq!(parse("cpu  100 20\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn the_rest_is_the_share_of_others() {
        let mut others = OtherProcesses::default();
        assert_eq!(others.share(), None);
        others.count(1.0, 1.25, 1.0);
        assert_eq!(others.share(), Some(0.0));
        others.count(1e9, 0.0, 1.0);
        assert_eq!(others.share(), Some(1.0));
    }
}
