//! The header of the matrix, from the preamble of the file.

use nnz_core::{Duplicates, Header, Order, Storage, ValueType};

use super::banner::{Field, Layout};
use super::entries::Rules;
use super::peek::Guess;
use super::preamble::Preamble;

impl Preamble {
    pub(super) fn rules(&self, order: Order) -> Rules {
        Rules { shape: self.shape, field: self.banner.field, symmetry: self.banner.symmetry, order }
    }

    pub(super) fn header(&self, guess: Guess) -> Header {
        let Preamble { banner, shape, stored } = *self;
        let array = banner.layout == Layout::Array;
        Header::new(
            shape,
            guess.order,
            match banner.field {
                Field::Integer => ValueType::I64,
                Field::Unsigned => ValueType::U64,
                Field::Real => ValueType::F64,
                Field::Complex => ValueType::ComplexF64,
                Field::Pattern => ValueType::Bint8,
            },
        )
        .ordered(false)
        .sorted_majors(guess.ascend)
        .sorted_indices(array.then_some(true))
        .iso(banner.field == Field::Pattern)
        .nnz(stored)
        .storage(if array { Storage::Dense } else { Storage::Sparse })
        .structure(banner.symmetry.structure())
        .duplicates(Duplicates::Refused)
    }
}
