//! What every other folder may use: random numbers, hashing, small dense algebra, statistics, files, threads, warnings.

pub(crate) mod dense;
pub(crate) mod files;
pub(crate) mod fnv;
pub(crate) mod nearest;
pub(crate) mod pool;
pub(crate) mod random;
pub(crate) mod scenario;
pub(crate) mod statistics;
pub(crate) mod timing;
pub(crate) mod warnings;
pub(crate) mod watch;
