//! What the whole-product tests share.

pub mod models;
