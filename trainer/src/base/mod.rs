//! What every other folder may use: random numbers, hashing, small dense algebra, warnings.

pub mod dense;
pub mod fnv;
pub mod nearest;
pub mod random;
pub mod warnings;
