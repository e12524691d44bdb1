//! Objects of a server of our own: what is read, in how many requests, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops where it fails")]

mod counts;
mod hostile;
mod locations;
mod objects;
mod web;
mod writing;
