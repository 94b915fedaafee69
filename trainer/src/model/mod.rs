//! What is deployed: classifier, export, compression, signature.

pub mod classifier;
pub mod compress;
pub mod export;
pub mod signing;
pub mod summary;
pub mod trained;
