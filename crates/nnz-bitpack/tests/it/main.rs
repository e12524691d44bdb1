//! Integration tests, in one program so that it is linked once.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test stops where it fails")]

mod backends;
mod encoder;
mod golden;
mod hostile;
mod layout;
mod pick;
