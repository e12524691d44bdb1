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
            let bar = bar(what, total);
            bar.set_draw_target(ProgressDrawTarget::stderr());
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
                set_disk(bar, bytes);
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

/// Adds the temporary disk space to the message of a bar.
fn set_disk(bar: &ProgressBar, bytes: u64) {
    let message = bar.message();
    let what = message.split(',').next().unwrap_or_default();
    bar.set_message(format!("{what}, {} disk", crate::output::bytes(bytes)));
}

/// Makes a bar. A terminal of 80 columns has room for all of its text, and a bar of the rest of the line.
fn bar(what: &str, total: Option<u64>) -> ProgressBar {
    let known = "{msg} {wide_bar} {percent:>3}%  {done} entries, {rate}{memory}, {eta} left";
    let unknown = "{msg} {spinner} {done} entries, {rate}{memory}";
    let (bar, template) = match total {
        Some(total) => {
            (ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden()), known)
        }
        None => (ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()), unknown),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        // Errors of drawing the bar are ignored.
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{}/s", shortened(state.per_sec()));
        };
        let done = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&crate::output::rounded(state.pos().into()));
        };
        let memory = |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = match resident() {
                Some(bytes) => write!(out, ", {} memory", crate::output::bytes(bytes)),
                None => Ok(()),
            };
        };
        let style = style.with_key("rate", rate).with_key("done", done);
        bar.set_style(style.with_key("memory", memory));
    }
    bar.set_message(what.to_owned());
    bar
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
    use std::sync::{Arc, Mutex};

    use indicatif::{ProgressDrawTarget, TermLike};

    /// A terminal of 80 columns, and what was drawn on it.
    #[derive(Clone, Debug, Default)]
    struct Terminal(Arc<Mutex<String>>);

    impl TermLike for Terminal {
        fn width(&self) -> u16 {
            80
        }

        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn write_line(&self, line: &str) -> std::io::Result<()> {
            self.write_str(line)?;
            self.write_str("\n")
        }

        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_fits_on_80_columns() {
        let terminal = Terminal::default();
        let bar = super::bar("comparing", Some(2_620_000_000));
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        super::set_disk(&bar, 123_000_000_000);
        bar.set_position(1_870_000_000);
        bar.force_draw();
        let drawn = terminal.0.lock().unwrap().clone();
        // Each line begins with the message.
        let last = drawn.rsplit("comparing").next().unwrap();
        assert!(last.contains("1.8 G entries") && last.ends_with(" left"), "{drawn:?}");
        assert!("comparing".len() + last.chars().count() <= 80, "{drawn:?}");
    }

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
