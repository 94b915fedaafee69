//! The flash region that holds the model, as the linker script places it (memory/model.x).
#![allow(unsafe_code)]

use core::ptr::addr_of;

/// The model that is flashed with the firmware; another one can be written over it later.
#[used]
#[unsafe(link_section = ".model")]
static BUILT_IN: [u8; include_bytes!("../../pual-infer/tests/golden/v1-rbf-named.pual").len()] =
    *include_bytes!("../../pual-infer/tests/golden/v1-rbf-named.pual");

unsafe extern "C" {
    static _model_start: u8;
    static _model_end: u8;
}

/// All bytes of the region: a model, then erased flash. The region's start is a multiple of 4 KiB.
pub fn model_region() -> &'static [u8] {
    let start = addr_of!(_model_start);
    let end = addr_of!(_model_end);
    // SAFETY: both symbols come from the linker script, in this order, and nothing writes to the region.
    unsafe { core::slice::from_raw_parts(start, end as usize - start as usize) }
}
