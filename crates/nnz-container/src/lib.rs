//! Named arrays in a directory, in memory and (later) other containers, written all or nothing
