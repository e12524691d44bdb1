//! Unpacking the directories that `testdata` has as gzipped tar files.

use std::io::Read as _;
use std::path::Path;

/// Unpacks the regular files of a gzipped tar file into a directory.
pub fn unpack(archive: &Path, into: &Path) {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(archive).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let mut rest = &bytes[..];
    let mut long_name = None;
    while let Some((header, content)) = rest.split_first_chunk::<512>() {
        let text = |from: usize, length: usize| {
            let field = &header[from..from + length];
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(length);
            String::from_utf8(field[..end].to_vec()).unwrap()
        };
        if header[0] == 0 {
            break;
        }
        let size = usize::from_str_radix(text(124, 12).trim(), 8).unwrap();
        let data = &content[..size];
        match header[156] {
            // The name of the next file, where it is long.
            b'L' => long_name = Some(String::from_utf8(data[..size - 1].to_vec()).unwrap()),
            b'0' => {
                let path = into.join(long_name.take().unwrap_or_else(|| text(0, 100)));
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, data).unwrap();
            }
            _ => long_name = None,
        }
        rest = &content[size.next_multiple_of(512)..];
    }
}

/// Returns a tar archive of files.
pub fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        header[148..156].fill(b' ');
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend_from_slice(&header);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// Returns a gzipped tar archive of files.
pub fn pack_gzip(files: &[(&str, &[u8])]) -> Vec<u8> {
    gzip(&pack(files))
}

/// Compresses bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
