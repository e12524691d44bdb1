//! Concurrent commands and their results.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// A command that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A running command.
pub(super) struct RunningCommand {
    line: String,
    child: Child,
    started: Instant,
    out: PathBuf,
    err: PathBuf,
}

/// A finished command.
#[derive(Clone, Debug)]
pub(super) struct FinishedCommand {
    /// The command as it can be typed.
    pub(super) line: String,
    pub(super) code: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) took: Duration,
    /// Whether it was killed because it hung.
    pub(super) hung: bool,
}

impl RunningCommand {
    /// Starts a command whose output is written to files of this name.
    pub(super) fn start(command: &mut Command, output: &Path) -> io::Result<Self> {
        let (out, err) = (output.with_extension("out"), output.with_extension("err"));
        command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
        let line = show(command);
        let started = Instant::now();
        Ok(Self { line, child: command.spawn()?, started, out, err })
    }

    pub(super) fn line(&self) -> &str {
        &self.line
    }

    /// Sends a signal; the process may have ended already.
    pub(super) fn signal(&self, signal: Signal) {
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    /// Returns whether it has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the end.
    pub(super) fn finish(mut self) -> io::Result<FinishedCommand> {
        let (status, hung) = self.wait()?;
        let took = self.started.elapsed();
        let read = |path: &Path| {
            let bytes = fs::read(path)?;
            fs::remove_file(path)?;
            Ok::<_, io::Error>(String::from_utf8_lossy(&bytes).into_owned())
        };
        Ok(FinishedCommand {
            line: self.line,
            code: status.code(),
            signal: status.signal(),
            out: read(&self.out)?,
            err: read(&self.err)?,
            took,
            hung,
        })
    }

    fn wait(&mut self) -> io::Result<(ExitStatus, bool)> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, false));
            }
            if self.started.elapsed() > LIMIT {
                self.child.kill()?;
                return Ok((self.child.wait()?, true));
            }
            thread::sleep(Duration::from_micros(300));
        }
    }
}

impl FinishedCommand {
    /// Returns whether it succeeded.
    pub(super) fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns whether it failed with status 1 and a message.
    pub(super) fn refused(&self) -> bool {
        // Errors of `validate`, `diff` and `report` have status 2.
        matches!(self.code, Some(1 | 2)) && self.err.starts_with("nnz: ")
    }

    /// Returns the result as text.
    pub(super) fn outcome(&self) -> String {
        let status = match (self.code, self.signal) {
            _ if self.hung => "did not end".to_owned(),
            (Some(code), _) => format!("status {code}"),
            (_, Some(signal)) => format!("signal {signal}"),
            _ => "no status".to_owned(),
        };
        let shorten = |text: &str| text.trim_end().chars().take(600).collect::<String>();
        let mut outcome = format!("{} -> {status}, {} ms", self.line, self.took.as_millis());
        for text in [&self.out, &self.err] {
            for line in shorten(text).lines() {
                outcome += &format!("\n    {line}");
            }
        }
        outcome
    }
}

/// Formats a command as it can be typed.
fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quote = |word: &std::ffi::OsStr| {
        let word = word.to_string_lossy().into_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._:-=+,@".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{word}'") }
    };
    let mut shown: Vec<_> = words.map(quote).collect();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let set = format!("{}={}", name.to_string_lossy(), value.to_string_lossy());
            shown.insert(0, set);
        }
    }
    shown.join(" ")
}
