//! The dataspace message (section IV.A.2.b): the shape of data.

use nnz_core::Result;

use super::super::bytes::PutFields as _;
use super::super::dataspace::Dataspace;
use super::Message;

/// Encodes the message.
pub(in super::super) fn message(space: &Dataspace) -> Result<Message> {
    Ok(Message::new(0x0001, encode(space)?))
}

/// Encodes a dataspace in version 1, or in version 2 if it is null.
pub(in super::super) fn encode(space: &Dataspace) -> Result<Vec<u8>> {
    let rank = space.rank()?;
    match space {
        // Version, no dimensions, no flags, type 2: null.
        Dataspace::Null => Ok(vec![2, 0, 0, 2]),
        Dataspace::Scalar => Ok(vec![1, 0, 0, 0, 0, 0, 0, 0]),
        Dataspace::Simple { shape, max_shape } => {
            let mut out = vec![1, rank, u8::from(max_shape.is_some()), 0, 0, 0, 0, 0];
            shape.iter().for_each(|len| out.put_u64(*len));
            for max in max_shape.iter().flatten() {
                out.put_u64(max.unwrap_or(u64::MAX));
            }
            Ok(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_dataspace_is_encoded() {
        assert_eq!(encode(&Dataspace::Null).unwrap(), [2, 0, 0, 2]);
        assert_eq!(encode(&Dataspace::Scalar).unwrap(), [1, 0, 0, 0, 0, 0, 0, 0]);
        let growing =
            Dataspace::Simple { shape: vec![3, 258], max_shape: Some(vec![None, Some(258)]) };
        let expected = [
            1, 2, 1, 0, 0, 0, 0, 0, // version, rank, has maximum, reserved
            3, 0, 0, 0, 0, 0, 0, 0, // shape
            2, 1, 0, 0, 0, 0, 0, 0, //
            255, 255, 255, 255, 255, 255, 255, 255, // unlimited
            2, 1, 0, 0, 0, 0, 0, 0,
        ];
        assert_eq!(encode(&growing).unwrap(), expected);
    }
}
