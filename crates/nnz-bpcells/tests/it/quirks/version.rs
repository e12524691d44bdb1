//! The member `version`.

use super::*;

#[test]
fn version_is_one_line() {
    packed().with("version", b"").breaks_at("version", None, "found no line");
    let two = b"packed-uint-matrix-v2\npacked-uint-matrix-v2\n";
    packed().with("version", two).breaks_at("version", None, "found several lines");
    packed().with("version", b"\n").breaks_at("version", None, "\"\" is not a version");
    packed().with("version", b"packed-uint-matrix-v2\n\n").breaks_at("version", None, "lines");
}

#[test]
fn other_versions_are_errors() {
    for (version, why) in [
        ("packed-uint-matrix-v9999", "never published"),
        ("packed-ulong-matrix-v2", "64-bit"),
        ("unpacked-ulong-matrix-v2", "64-bit"),
        ("packed-fragments-v2", "fragments"),
        ("unpacked-fragments-v1", "fragments"),
        ("packed-uint-matrix-v3", "not supported"),
        ("packed-half-matrix-v2", "not supported"),
        ("Packed-uint-matrix-v2", ""),
        (" packed-uint-matrix-v2", ""),
        ("something else", ""),
    ] {
        let store = packed().with("version", format!("{version}\n").as_bytes());
        let named = format!("\"{version}\"");
        let fault = store.breaks_at("version", None, &named);
        assert!(fault.contains(why), "{fault}");
        assert!(matches!(store.entries().unwrap_err().kind(), ErrorKind::Unsupported(_)));
    }
}
