//! What every other folder may use: random numbers, hashing, small dense algebra, warnings.

pub mod dense;
pub mod files;
pub mod fnv;
pub mod nearest;
pub mod pool;
pub mod random;
pub mod scenario;
pub mod timing;
pub mod warnings;
pub mod watch;
