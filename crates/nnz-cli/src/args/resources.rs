//! Arguments of memory and threads.

use clap::Args as Group;

use super::values::{memory, threads};

#[derive(Debug, Group)]
pub(crate) struct Threads {
    /// Maximum number of threads; fewer are used if the limit of memory is too small for all [default: all cores]
    #[arg(long = "threads", value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    number: Option<usize>,
}

#[derive(Debug, Group)]
pub(crate) struct Memory {
    /// Memory limit for external sorting, buffers of threads and loading .rds files, such as 500M or 4G [default: a
    /// quarter of the free memory, taking ulimit and cgroup limits (SLURM, Docker) into account]
    #[arg(long, value_name = "SIZE", value_parser = memory, allow_negative_numbers = true)]
    memory: Option<u64>,
}
