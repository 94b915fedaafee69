//! Bytes at an address where a model can be read in place.

/// Gives its content the alignment that [`Model::decode`](crate::Model::decode) needs. Usually made by
/// [`include_model!`](crate::include_model).
#[derive(Clone, Copy, Debug)]
#[repr(C, align(4))]
pub struct Aligned<T: ?Sized>(pub T);

const _: () = assert!(align_of::<Aligned<u8>>() == crate::format::wire::ALIGNMENT);

/// As `include_bytes!`, but aligned: the model becomes part of the program, and stays in flash.
#[macro_export]
macro_rules! include_model {
    ($path:expr) => {{
        static MODEL: &$crate::Aligned<[u8]> = &$crate::Aligned(*include_bytes!($path));
        &MODEL.0
    }};
}
