//! Names and attributes of axes.
