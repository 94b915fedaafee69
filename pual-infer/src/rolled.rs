//! Loops that shall stay small.

/// Called in a loop, keeps the compiler from unrolling it, at no cost in instructions: where speed does not matter, flash
/// does. Only the code size depends on it.
#[inline(always)]
pub(crate) fn keep_rolled() {
    core::hint::black_box(());
}
