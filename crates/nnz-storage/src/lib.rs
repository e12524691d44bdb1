//! Where bytes are: files and directories that are read, and outputs that appear whole.

mod fresh;
mod mapped;
mod pinned;
mod spool;
pub mod staging;
pub mod stdio;
mod temporary;

pub use fresh::prefault;
pub use mapped::Mapped;
pub use pinned::Pinned;
pub use spool::{Spool, Texts};
pub use temporary::{TemporaryFile, set_temporary_directory, spill_directory, temporary_directory};
