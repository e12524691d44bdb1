//! A progress bar on the terminal.

use std::io::IsTerminal as _;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use nnz::Progress;

/// Shows progress if standard error is a terminal, unless `--quiet` is given.
pub(crate) struct Bar {
    bar: Mutex<Option<ProgressBar>>,
    shown: bool,
}

impl Bar {
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        Self { bar: Mutex::new(None), shown }
    }

    fn with(&self, change: impl FnOnce(&mut Option<ProgressBar>)) {
        if self.shown
            && let Ok(mut bar) = self.bar.lock()
        {
            change(&mut bar);
        }
    }
}

impl Progress for Bar {
    fn begin(&self, what: &str, total: Option<u64>) {
        self.with(|slot| {
            let known =
                "{msg} {bar:30} {percent:>3}%  {human_pos} entries, {rate}{memory}, {eta} left";
            let unknown = "{msg} {spinner} {human_pos} entries, {rate}{memory}";
            let (bar, template) = match total {
                Some(total) => (ProgressBar::new(total), known),
                None => (ProgressBar::new_spinner(), unknown),
            };
            bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(template) {
                let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                    // Errors of drawing the bar are ignored.
                    let _ = write!(out, "{}/s", shortened(state.per_sec()));
                };
                let memory = |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = match resident() {
                        Some(bytes) => write!(out, ", {} of memory", crate::output::bytes(bytes)),
                        None => Ok(()),
                    };
                };
                bar.set_style(style.with_key("rate", rate).with_key("memory", memory));
            }
            bar.set_message(what.to_owned());
            *slot = Some(bar);
        });
    }

    fn advance(&self, entries: u64) {
        self.with(|slot| {
            if let Some(bar) = slot {
                bar.inc(entries);
            }
        });
    }

    fn disk(&self, bytes: u64) {
        self.with(|slot| {
            if let Some(bar) = slot.as_ref().filter(|_| bytes > 0) {
                let message = bar.message();
                let what = message.split(',').next().unwrap_or_default();
                bar.set_message(format!("{what}, {} on disk", crate::output::bytes(bytes)));
            }
        });
    }

    fn end(&self) {
        self.with(|slot| {
            if let Some(bar) = slot.take() {
                bar.finish_and_clear();
            }
        });
    }
}

/// Formats a number of entries.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is positive and shown with a few digits"
)]
fn shortened(rate: f64) -> String {
    crate::output::rounded(rate.max(0.0) as u128)
}

/// Returns the bytes of memory that this process uses, where the system lists them.
#[cfg(target_os = "linux")]
fn resident() -> Option<u64> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = sizes.split_ascii_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(u64::try_from(rustix::param::page_size()).ok()?)
}

/// Other systems do not list it in a file.
#[cfg(not(target_os = "linux"))]
fn resident() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn rates_are_short() {
        assert_eq!(super::shortened(57_312_000.0), "57.3 M");
        assert_eq!(super::shortened(812.7), "812");
        assert_eq!(super::shortened(f64::NAN), "0");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_is_that_of_the_process() {
        assert!(super::resident().is_some_and(|bytes| bytes > 100_000));
    }
}
