//! BP-128 bit packing: plain, minus-one, delta and zigzag-delta codecs with SIMD kernels
