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
            let known = "{msg} {bar:30} {percent:>3}%  {human_pos} entries, {rate}, {eta} left";
            let unknown = "{msg} {spinner} {human_pos} entries, {rate}";
            let (bar, template) = match total {
                Some(total) => (ProgressBar::new(total), known),
                None => (ProgressBar::new_spinner(), unknown),
            };
            bar.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(template) {
                let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                    // Errors of drawing the bar are ignored.
                    let _ = write!(out, "{:.1} M/s", state.per_sec() / 1e6);
                };
                bar.set_style(style.with_key("rate", rate));
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
