//! The commands that are built beside `nnz`.

/// Each with its path.
pub const TOOLS: [(&str, &str); 7] = [
    ("mtx2bsp", env!("CARGO_BIN_EXE_mtx2bsp")),
    ("bsp2mtx", env!("CARGO_BIN_EXE_bsp2mtx")),
    ("bsp-ls", env!("CARGO_BIN_EXE_bsp-ls")),
    ("check_equivalence", env!("CARGO_BIN_EXE_check_equivalence")),
    ("npy_to_binsparse", env!("CARGO_BIN_EXE_npy_to_binsparse")),
    ("binsparse_to_npy", env!("CARGO_BIN_EXE_binsparse_to_npy")),
    ("binsparse_to_binsparse", env!("CARGO_BIN_EXE_binsparse_to_binsparse")),
];

/// Returns the path of a tool.
pub fn tool(name: &str) -> &'static str {
    TOOLS.iter().find(|(tool, _)| *tool == name).unwrap().1
}
