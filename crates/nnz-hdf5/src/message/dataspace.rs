//! The dataspace message (section IV.A.2.b): the shape of data.

use nnz_core::Result;

use super::Message;
use crate::bytes::{Fields, PutFields as _, Sizes};
use crate::dataspace::{Dataspace, MAX_RANK};
use crate::fault::invalid;

/// Parses the message.
pub(crate) fn parse(body: &[u8], sizes: Sizes) -> Result<Dataspace> {
    /// The maximum shape is stored.
    const HAS_MAX: u8 = 1;
    let mut fields = Fields(body);
    let (version, rank, flags) = (fields.u8()?, usize::from(fields.u8()?), fields.u8()?);
    let null = match version {
        1 => fields.take(5).map(|_| false)?,
        2 => fields.u8()? == 2,
        _ => return Err(invalid(format!("a dataspace of version {version}"))),
    };
    if rank > MAX_RANK {
        return Err(invalid(format!("{rank} dimensions, more than {MAX_RANK}")));
    }
    let mut shape = || (0..rank).map(|_| fields.length(sizes)).collect::<Result<Vec<u64>>>();
    let own = shape()?;
    let max_shape = if flags & HAS_MAX == 0 { None } else { Some(shape()?) };
    // Lengths of fewer bytes are unlimited if all their bits are set, too.
    let unlimited = u64::MAX >> (64 - 8 * sizes.length);
    let limit = |len: u64| (len != unlimited).then_some(len);
    Ok(match rank {
        _ if null => Dataspace::Null,
        0 => Dataspace::Scalar,
        _ => Dataspace::Simple {
            shape: own,
            max_shape: max_shape.map(|max| max.into_iter().map(limit).collect()),
        },
    })
}

/// Encodes the message.
pub(crate) fn message(space: &Dataspace) -> Result<Message> {
    Ok(Message::new(0x0001, encode(space)?))
}

/// Encodes a dataspace in version 1, or in version 2 if it is null.
pub(crate) fn encode(space: &Dataspace) -> Result<Vec<u8>> {
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
