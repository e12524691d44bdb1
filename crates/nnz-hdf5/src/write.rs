//! Writing new files, and changing existing ones.

mod attribute_change;
mod change;
pub(crate) mod dataset;
pub(crate) mod existing;
pub(crate) mod existing_group;
pub(crate) mod finish;
pub(crate) mod group;
mod header_edit;
mod link_change;
mod lost_links;
pub(crate) mod object;
pub(crate) mod output;
pub(crate) mod pack;
mod pool;
mod soft_links;
pub(crate) mod spec;
pub(crate) mod value;
pub(crate) mod writer;
