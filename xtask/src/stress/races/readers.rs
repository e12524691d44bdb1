//! Readers of a target that is being replaced.

use crate::error::Result;
use crate::stress::round::Round;
use crate::stress::scene::Scene;
use crate::stress::setup::read;
use crate::stress::targets::Content;

/// Reads a target repeatedly.
pub(super) struct Readers<'a> {
    scene: &'a Scene,
    /// Possible contents of the target.
    inputs: Vec<usize>,
    turn: u32,
}

impl<'a> Readers<'a> {
    /// The target is written from `old` at first, and from one of `inputs` in the end.
    pub(super) fn new(scene: &'a Scene, inputs: &[usize], old: usize) -> Self {
        let inputs = inputs.iter().copied().chain([old]).collect();
        Self { scene, inputs, turn: 0 }
    }

    /// Reads the target once.
    pub(super) fn read(&mut self, round: &mut Round<'_>) -> Result<()> {
        let kind = self.scene.kind;
        if kind.content == Content::FragmentText {
            std::thread::sleep(std::time::Duration::from_millis(1));
            return Ok(());
        }
        self.turn += 1;
        let target = self.scene.target(round);
        let validates = self.turn.is_multiple_of(2);
        let arguments =
            if validates { vec!["validate".to_owned(), target] } else { read(kind, &target) };
        let running = round.start(&arguments)?;
        let done = round.finish(running)?;
        if kind.is_read_at_once() {
            let class = format!("a reader of a file that is replaced fails: {}", kind.name);
            round.check(done.succeeded(), &class, || done.outcome());
        } else {
            let name = format!("readers refused while a directory is replaced: {}", kind.name);
            round.tally.rate(name, !done.succeeded());
            // An error is printed to standard error, or is a finding of `validate`.
            let reported =
                done.succeeded() || done.refused() || (done.code == Some(1) && validates);
            let class = format!("a reader fails without a message: {}", kind.name);
            round.check(reported, &class, || done.outcome());
        }
        if done.succeeded() && !validates {
            let mut known = false;
            for &input in &self.inputs {
                known |= round.setup.expected(kind, input)?.read == done.out;
            }
            let class = format!("a reader sees content that was not written: {}", kind.name);
            round.check(known, &class, || done.line.clone());
        }
        Ok(())
    }
}
