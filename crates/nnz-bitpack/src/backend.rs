//! Selection of kernels, and operations on a single chunk.

use std::mem::MaybeUninit;

use crate::kernels::{Kernels, Transformed, scalar};
use crate::{CHUNK, ChunkError, Codec, chunk_words};

/// A set of kernels for one instruction set.
///
/// All backends give the same results. The functions of this crate use [`Backend::best`]; the
/// others are for tests and benchmarks. A backend that this processor does not support runs the
/// scalar kernels.
///
/// ```
/// use nnz_bitpack::Backend;
///
/// assert!(Backend::available().contains(&Backend::best()));
/// assert!(Backend::available().contains(&Backend::Scalar));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Backend {
    /// Plain Rust, on every processor.
    Scalar,
    /// 128-bit vectors (SSE2), on every x86-64 processor.
    Sse2,
    /// 256-bit vectors (AVX2), on x86-64 processors that have them.
    Avx2,
    /// 512-bit vectors (AVX-512 F, BW and VBMI), on x86-64 processors that have them.
    Avx512,
    /// 128-bit vectors (NEON), on every 64-bit Arm processor.
    Neon,
}

impl Backend {
    /// Returns the fastest backend of this processor.
    ///
    /// ```
    /// println!("decoding with {}", nnz_bitpack::Backend::best().name());
    /// ```
    #[must_use]
    #[inline]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            // The standard library detects the features once and caches the result.
            if crate::kernels::x86::avx512::is_available() {
                Self::Avx512
            } else if is_x86_feature_detected!("avx2") {
                Self::Avx2
            } else {
                Self::Sse2
            }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        {
            Self::Neon
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_endian = "little")
        )))]
        {
            Self::Scalar
        }
    }

    /// Returns the backends of this processor, slowest first.
    ///
    /// ```
    /// for backend in nnz_bitpack::Backend::available() {
    ///     println!("{}", backend.name());
    /// }
    /// ```
    #[must_use]
    pub fn available() -> &'static [Self] {
        match Self::best() {
            Self::Scalar => &[Self::Scalar],
            Self::Sse2 => &[Self::Scalar, Self::Sse2],
            Self::Avx2 => &[Self::Scalar, Self::Sse2, Self::Avx2],
            Self::Avx512 => &[Self::Scalar, Self::Sse2, Self::Avx2, Self::Avx512],
            Self::Neon => &[Self::Scalar, Self::Neon],
        }
    }

    /// Returns the backend's name in lower case.
    ///
    /// ```
    /// assert_eq!(nnz_bitpack::Backend::Scalar.name(), "scalar");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Returns kernels that this processor supports.
    #[inline]
    pub(crate) fn kernels(self) -> &'static Kernels {
        #[cfg(target_arch = "x86_64")]
        {
            use crate::kernels::x86::{avx2, avx512, sse2};
            match self {
                Self::Avx512 if avx512::is_available() => &avx512::KERNELS,
                Self::Avx2 if is_x86_feature_detected!("avx2") => &avx2::KERNELS,
                Self::Sse2 => &sse2::KERNELS,
                _ => &scalar::KERNELS,
            }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        {
            match self {
                Self::Neon => &crate::kernels::neon::KERNELS,
                _ => &scalar::KERNELS,
            }
        }
        #[cfg(not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_endian = "little")
        )))]
        {
            &scalar::KERNELS
        }
    }

    /// Same as [`pack_chunk`], on this backend.
    ///
    /// ```
    /// use nnz_bitpack::{Backend, Codec};
    ///
    /// let mut packed = [0; 128];
    /// assert_eq!(Backend::Scalar.pack_chunk(Codec::Plain, &[5; 128], &mut packed), 3);
    /// ```
    #[allow(unsafe_code)]
    #[must_use = "the width is needed to decode the chunk"]
    pub fn pack_chunk(self, codec: Codec, values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) -> u32 {
        let kernels = self.kernels();
        let mut transformed = Transformed(MaybeUninit::uninit());
        // SAFETY: `kernels` returns a table that this processor supports.
        let all = unsafe { kernels.transform[codec.index()](values, &mut transformed.0) };
        let width = u32::BITS - all.leading_zeros();
        // At 32 bits per value the format stores the original values.
        let source = if width == 32 || codec == Codec::Plain {
            values
        } else {
            // SAFETY: the transform of every codec except the plain one initializes the whole
            // buffer.
            unsafe { transformed.0.assume_init_ref() }
        };
        // SAFETY: as above; the values fit in `width`, which is the bit length of their OR.
        unsafe { kernels.pack[width as usize](source, packed) };
        width
    }

    /// Packs values that fit in `width` bits, without checking them: the part of
    /// [`pack_chunk`](Self::pack_chunk) that benchmarks compare with other crates.
    ///
    /// Returns `false` if `width` is more than 32.
    #[allow(unsafe_code)]
    #[doc(hidden)]
    pub fn pack_bits(self, width: u32, values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) -> bool {
        let kernel = self.kernels().pack.get(width as usize);
        if let Some(pack) = kernel {
            // SAFETY: `kernels` returns a table that this processor supports. Values that are too
            // large for the width give wrong words, but no access out of bounds.
            unsafe { pack(values, packed) };
        }
        kernel.is_some()
    }

    /// Same as [`unpack_chunk`], on this backend.
    ///
    /// ```
    /// use nnz_bitpack::{Backend, Codec};
    ///
    /// let mut values = [0; 128];
    /// Backend::Scalar.unpack_chunk(Codec::Delta, 0, 7, &[], &mut values)?;
    /// assert_eq!(values, [7; 128]);
    /// # Ok::<(), nnz_bitpack::ChunkError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`unpack_chunk`].
    #[allow(unsafe_code)]
    #[inline]
    pub fn unpack_chunk(
        self,
        codec: Codec,
        width: u32,
        start: u32,
        packed: &[u32],
        out: &mut [u32; CHUNK],
    ) -> Result<(), ChunkError> {
        if width > 32 {
            return Err(ChunkError::Width { width });
        }
        if packed.len() != chunk_words(width) {
            let (found, expected) = (packed.len(), chunk_words(width));
            return Err(ChunkError::PackedLength { width, found, expected });
        }
        let unpack = self.kernels().unpack[codec.index()][width as usize];
        // SAFETY: `kernels` returns a table that this processor supports, and `packed` has the
        // length for `width`.
        unsafe { unpack(packed, start, out) };
        Ok(())
    }
}

/// Packs a chunk into the front of `packed` and returns its width in bits per value.
///
/// The width is the bit length of the largest transformed value. The chunk is the first
/// [`chunk_words`]`(width)` words of `packed`; the rest is unspecified. The start of the chunk, for
/// a codec with starts, is `values[0]`.
///
/// ```
/// use nnz_bitpack::{Codec, pack_chunk};
///
/// let mut packed = [0; 128];
/// let values = std::array::from_fn(|i| 1000 + i as u32);
/// assert_eq!(pack_chunk(Codec::Plain, &values, &mut packed), 11);
/// assert_eq!(pack_chunk(Codec::Delta, &values, &mut packed), 1);
/// ```
#[must_use = "the width is needed to decode the chunk"]
#[inline]
pub fn pack_chunk(codec: Codec, values: &[u32; CHUNK], packed: &mut [u32; CHUNK]) -> u32 {
    Backend::best().pack_chunk(codec, values, packed)
}

/// Decodes a chunk of `width` bits per value.
///
/// `start` is the first value of the chunk; it is ignored for a codec without starts.
///
/// ```
/// use nnz_bitpack::{Codec, chunk_words, pack_chunk, unpack_chunk};
///
/// let values = std::array::from_fn(|i| 1000 - i as u32);
/// let mut packed = [0; 128];
/// let width = pack_chunk(Codec::DeltaZigzag, &values, &mut packed);
///
/// let mut decoded = [0; 128];
/// let words = &packed[..chunk_words(width)];
/// unpack_chunk(Codec::DeltaZigzag, width, values[0], words, &mut decoded)?;
/// assert_eq!(decoded, values);
/// # Ok::<(), nnz_bitpack::ChunkError>(())
/// ```
///
/// # Errors
///
/// [`ChunkError::Width`] if the width is more than 32, and [`ChunkError::PackedLength`] unless
/// `packed` has exactly [`chunk_words`]`(width)` words.
#[inline]
pub fn unpack_chunk(
    codec: Codec,
    width: u32,
    start: u32,
    packed: &[u32],
    out: &mut [u32; CHUNK],
) -> Result<(), ChunkError> {
    Backend::best().unpack_chunk(codec, width, start, packed, out)
}
