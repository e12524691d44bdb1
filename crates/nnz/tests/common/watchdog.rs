//! Ends the tests when a case takes a minute, and says which one it was.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

/// The longest a case may take.
const LIMIT: Duration = Duration::from_secs(60);

type Running = Arc<Mutex<Option<(Instant, String)>>>;

static SLOTS: LazyLock<Mutex<Vec<Running>>> = LazyLock::new(|| {
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let slots = SLOTS.lock().unwrap().clone();
            for slot in slots {
                if let Some((since, name)) = &*slot.lock().unwrap()
                    && since.elapsed() > LIMIT
                {
                    eprintln!("{name}: still running after {LIMIT:?}");
                    std::process::abort();
                }
            }
        }
    });
    Mutex::default()
});

/// The current case of one thread.
pub struct Slot(Running);

pub fn slot() -> Slot {
    let slot = Running::default();
    SLOTS.lock().unwrap().push(slot.clone());
    Slot(slot)
}

impl Slot {
    pub fn begin(&self, name: &str) {
        *self.0.lock().unwrap() = Some((Instant::now(), name.to_owned()));
    }

    pub fn end(&self) {
        *self.0.lock().unwrap() = None;
    }
}
