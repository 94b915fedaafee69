//! What is deployed: classifier, export, compression, signature.

pub(crate) mod classifier;
pub(crate) mod compress;
pub(crate) mod export;
pub(crate) mod outside;
pub mod signing;
pub(crate) mod summary;
pub(crate) mod trained;
