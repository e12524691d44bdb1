//! Tests of the text formats.

mod table;
