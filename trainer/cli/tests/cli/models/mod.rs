//! From data to model to scores: training, its report, thresholds, export and signatures.

mod calibrate;
mod export;
mod integers;
mod report;
mod round_trip;
mod signing;
