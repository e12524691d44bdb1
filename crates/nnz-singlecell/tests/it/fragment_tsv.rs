//! Reading and writing fragments as text.

mod common;
mod golden;
mod hostile;
mod reading;
mod regions;
mod round_trip;
mod tabix;
mod writing;
