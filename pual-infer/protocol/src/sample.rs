//! What a device with a sensor of its own measured, and what it made of it.

use crate::{Reading, Scored};
use serde::{Deserialize, Serialize};

/// A measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The sensor's count.
    pub count: i16,
    /// What the model says; `None` until there are enough measurements to compute features.
    pub judgement: Option<Judgement>,
}

/// The features that a device computed, and what follows from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The features. Their bits must be identical to the host's.
    pub features: Reading,
    /// As for a reading that came over the wire.
    pub scored: Scored,
    /// Is the alarm on?
    pub alarm: bool,
}
