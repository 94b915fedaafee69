//! Tests that use more than one module, or much data.

mod common;

pub(crate) mod data;
mod learner;

mod bulk;
mod calibrate;
mod compress;
mod ensemble;
mod export;
mod recordings;
mod streams;
mod train;
mod tune;
