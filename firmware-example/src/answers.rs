//! Answers to requests that are about the model that runs.

use crate::{board, counter::Counter};
use pual_infer::{AnyModel, Class, Envelope, FixedModel};
use pual_protocol::{Hello, Response, Scored, ScoredCounts};

/// What model runs.
pub fn hello(model: &AnyModel<'_>) -> Response {
    Response::Hello(Hello {
        features: model.features() as u16,
        supports: model.supports() as u16,
        model_length: model.length() as u32,
        model_checksum: model.checksum(),
        cost_unit: board::COST_UNIT,
    })
}

/// The score of a reading, and what it cost.
pub fn score(model: &AnyModel<'_>, counter: &Counter, reading: &[f32]) -> Response {
    let (score, cost) = counter.cost(|| model.score(reading));
    match (score, model.classify(reading), model.envelope(reading)) {
        (Ok(score), Ok(class), Ok(envelope)) => Response::Score(Scored {
            score_bits: score.to_bits(),
            positive: class == Class::Positive,
            outside_envelope: matches!(envelope, Envelope::Outside { .. }),
            cost,
        }),
        _ => Response::ReadingRefused,
    }
}

/// The score of a reading in counts, and what it cost.
pub fn score_counts(model: &FixedModel<'_>, counter: &Counter, counts: &[i16]) -> Response {
    let (score, cost) = counter.cost(|| model.score_counts(counts));
    match (
        score,
        model.classify_counts(counts),
        model.envelope_counts(counts),
    ) {
        (Ok(score), Ok(class), Ok(envelope)) => Response::ScoreCounts(ScoredCounts {
            score,
            positive: class == Class::Positive,
            outside_envelope: matches!(envelope, Envelope::Outside { .. }),
            cost,
        }),
        _ => Response::ReadingRefused,
    }
}
