//! Answers to requests that are about the model that runs.

use crate::{board, counter::Counter};
use pual_infer::{AnyModel, Class, Envelope, FixedModel};
use pual_protocol::monitor::{Alarm, Judged};
use pual_protocol::{Hello, Request, Response, Scored, ScoredCounts};

/// What a firmware without sensors and without updates answers.
pub fn answer(model: Option<&AnyModel<'_>>, counter: &Counter, request: Request) -> Response {
    let Some(model) = model else {
        return Response::ModelRefused;
    };
    match (request, model) {
        (Request::Hello, _) => hello(model),
        (Request::Score(reading), _) => score(model, counter, &reading),
        (Request::Scan(scan), _) => match scan.reading(model.features()) {
            Some(reading) => score(model, counter, &reading),
            None => Response::ReadingRefused,
        },
        (Request::ScoreCounts(counts), AnyModel::Fixed(model)) => {
            score_counts(model, counter, &counts)
        }
        (Request::ScoreCounts(_), AnyModel::Float(_)) => Response::ReadingRefused,
        // Another firmware's: there is no sensor here. (A `Stop` does not come this far.)
        (Request::Sample | Request::Stop, _) => Response::ReadingRefused,
        // Without the feature it is not even understood.
        #[cfg(feature = "update")]
        (Request::Update(_), _) => Response::BadFrame,
    }
}

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

/// The score of what a sensor's features are, and the alarm that follows.
pub fn judge(
    model: &AnyModel<'_>,
    counter: &Counter,
    features: [f32; 3],
    alarm: &mut Alarm,
) -> Option<Judged> {
    let Response::Score(scored) = score(model, counter, &features) else {
        return None;
    };
    Some(Judged {
        feature_bits: features.map(f32::to_bits),
        scored,
        alarm: alarm.push(scored.positive),
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
