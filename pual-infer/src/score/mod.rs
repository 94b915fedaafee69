//! From a scaled reading to its score: the exponential, and the sums over support instances.

pub(crate) mod exp;
pub(crate) mod fixed_sum;
pub(crate) mod float_sum;
pub(crate) mod quantise;
