//! Loops compiled for several instruction sets.

/// Defines a function whose body is compiled for several instruction sets and dispatched at run
/// time.
macro_rules! for_each_processor {
    ($(#[$attribute:meta])* $visible:vis fn $name:ident($($value:ident: $type:ty),*) -> $result:ty
        = $portable:ident) => {
        $(#[$attribute])*
        #[allow(unsafe_code)]
        $visible fn $name($($value: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw")]
                fn avx512($($value: $type),*) -> $result {
                    $portable($($value),*)
                }
                #[target_feature(enable = "avx2")]
                fn avx2($($value: $type),*) -> $result {
                    $portable($($value),*)
                }
                if crate::kernels::x86::avx512::is_available() {
                    // SAFETY: the processor has the instructions.
                    return unsafe { avx512($($value),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has the instructions.
                    return unsafe { avx2($($value),*) };
                }
            }
            $portable($($value),*)
        }
    };
}
