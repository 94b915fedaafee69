//! What every other folder may use: random numbers, hashing, small dense algebra, statistics, files, threads, warnings.

pub mod dense;
pub mod files;
pub mod fnv;
pub mod nearest;
pub mod pool;
pub mod random;
pub mod scenario;
pub mod statistics;
pub mod timing;
pub mod warnings;
pub mod watch;
