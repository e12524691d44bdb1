//! Zip files.

/// Packs files into a zip file without compression.
pub fn pack_zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut all, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let at = u32::try_from(all.len()).unwrap();
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let size = u32::try_from(bytes.len()).unwrap();
        let length = u16::try_from(name.len()).unwrap();
        let mut common = Vec::new();
        // Version, flags, method, time, date.
        [20_u16, 0, 0, 0, 0x21].iter().for_each(|field| common.extend(field.to_le_bytes()));
        [crc.sum(), size, size].iter().for_each(|field| common.extend(field.to_le_bytes()));
        [length, 0].iter().for_each(|field| common.extend(field.to_le_bytes()));
        all.extend_from_slice(b"PK\x03\x04");
        all.extend_from_slice(&common);
        all.extend_from_slice(name.as_bytes());
        all.extend_from_slice(bytes);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&at.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (at, size) = (u32::try_from(all.len()).unwrap(), u32::try_from(directory.len()).unwrap());
    let count = u16::try_from(files.len()).unwrap();
    all.extend_from_slice(&directory);
    all.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    [count, count].iter().for_each(|field| all.extend(field.to_le_bytes()));
    [size, at].iter().for_each(|field| all.extend(field.to_le_bytes()));
    all.extend_from_slice(&[0, 0]);
    all
}
