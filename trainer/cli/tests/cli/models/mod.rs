//! From data to model to scores: training, its report, export and signatures.

mod export;
mod integers;
mod report;
mod round_trip;
mod signing;
