//! The shuffle filter: bytes of elements, grouped by their position in the element.

/// Restores elements of `width` bytes: the input has their first bytes, then their second ones, and
/// so on. Bytes after the last complete element are unchanged.
pub fn unshuffle(from: &[u8], width: usize, out: &mut [u8]) {
    match width {
        4 => unshuffle_by::<4>(from, out),
        8 => unshuffle_by::<8>(from, out),
        2 => unshuffle_by::<2>(from, out),
        0 | 1 => out.copy_from_slice(from),
        _ => {
            let count = from.len() / width;
            let (planes, rest) = from.split_at(count * width);
            let (elements, tail) = out.split_at_mut(count * width);
            for (at, element) in elements.chunks_exact_mut(width).enumerate() {
                element.iter_mut().zip(planes[at..].iter().step_by(count)).for_each(copy);
            }
            tail.copy_from_slice(rest);
        }
    }
}

/// Shuffles elements of `width` bytes.
pub fn shuffle(from: &[u8], width: usize, out: &mut [u8]) {
    match width {
        4 => return shuffle_by::<4>(from, out),
        8 => return shuffle_by::<8>(from, out),
        2 => return shuffle_by::<2>(from, out),
        _ => {}
    }
    let count = from.len() / width.max(1);
    let (elements, rest) = from.split_at(count * width);
    let (planes, tail) = out.split_at_mut(count * width);
    if count > 0 {
        for (place, plane) in planes.chunks_exact_mut(count).enumerate() {
            plane.iter_mut().zip(elements[place..].iter().step_by(width)).for_each(copy);
        }
    }
    tail.copy_from_slice(rest);
}

fn copy((to, from): (&mut u8, &u8)) {
    *to = *from;
}

/// The number of elements processed at a time, so that the compiler can use vectors.
const BLOCK: usize = 64;

fn unshuffle_by<const WIDTH: usize>(from: &[u8], out: &mut [u8]) {
    let count = from.len() / WIDTH;
    let (all, rest) = from.split_at(count * WIDTH);
    let mut planes = [&all[..0]; WIDTH];
    for (place, plane) in planes.iter_mut().enumerate() {
        *plane = &all[place * count..(place + 1) * count];
    }
    let (elements, tail) = out.split_at_mut(count * WIDTH);
    tail.copy_from_slice(rest);
    let elements = elements.as_chunks_mut::<WIDTH>().0;
    let mut done = 0;
    let (blocks, last) = elements.as_chunks_mut::<BLOCK>();
    for block in blocks {
        let mut bytes = [[0; BLOCK]; WIDTH];
        for (bytes, plane) in bytes.iter_mut().zip(&planes) {
            bytes.copy_from_slice(&plane[done..done + BLOCK]);
        }
        for (at, element) in block.iter_mut().enumerate() {
            *element = std::array::from_fn(|place| bytes[place][at]);
        }
        done += BLOCK;
    }
    for (at, element) in last.iter_mut().enumerate() {
        *element = std::array::from_fn(|place| planes[place][done + at]);
    }
}

fn shuffle_by<const WIDTH: usize>(from: &[u8], out: &mut [u8]) {
    let count = from.len() / WIDTH;
    let (elements, rest) = from.as_chunks::<WIDTH>();
    let (mut planes, tail) = out.split_at_mut(count * WIDTH);
    tail.copy_from_slice(rest);
    let mut all: [&mut [u8]; WIDTH] = std::array::from_fn(|_| {
        let (plane, others) = std::mem::take(&mut planes).split_at_mut(count);
        planes = others;
        plane
    });
    let (blocks, last) = elements.as_chunks::<BLOCK>();
    let mut done = 0;
    for block in blocks {
        for (place, plane) in all.iter_mut().enumerate() {
            let bytes: [u8; BLOCK] = std::array::from_fn(|at| block[at][place]);
            plane[done..done + BLOCK].copy_from_slice(&bytes);
        }
        done += BLOCK;
    }
    for (at, element) in last.iter().enumerate() {
        for (plane, byte) in all.iter_mut().zip(element) {
            plane[done + at] = *byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_grouped_by_position() {
        let mut out = [0; 7];
        shuffle(&[1, 2, 3, 4, 5, 6, 7], 3, &mut out);
        assert_eq!(out, [1, 4, 2, 5, 3, 6, 7]);
    }

    #[test]
    fn unshuffle_inverts_shuffle() {
        for len in [0, 1, 7, 8, 64, 1000, 1024, 4099] {
            let bytes: Vec<u8> = (0..len).map(|n| u8::try_from(n % 251).unwrap()).collect();
            for width in [0, 1, 2, 3, 4, 5, 8, 16, 5000] {
                let mut there = vec![0; len];
                let mut back = vec![0; len];
                shuffle(&bytes, width, &mut there);
                unshuffle(&there, width, &mut back);
                assert_eq!(back, bytes, "{len} bytes, elements of {width}");
            }
        }
    }
}
