mod common;
mod golden;
mod writing;
