//! Answers to requests about the model that runs.

use crate::{board, counter::Counter, streaming::Streamer};
use pual_infer::{Class, Envelope, FixedModel, Model};
use pual_protocol::{Hello, Request, Response, Scored, ScoredCounts};

/// What firmware without sensors and without updates answers.
pub fn answer(
    model: Option<&Model<'_>>,
    streamer: &mut Streamer<'_>,
    counter: &Counter,
    request: &Request,
) -> Response {
    let Some(model) = model else {
        return Response::ModelRefused;
    };
    match (request, model) {
        (Request::Hello, _) => hello(model, streamer),
        (Request::Score(reading), _) => respond(score(model, counter, reading)),
        (Request::Scan(scan), _) => match scan.reading(model.features()) {
            Some(reading) => respond(score(model, counter, &reading)),
            None => Response::ReadingRefused,
        },
        (Request::ScoreCounts(counts), Model::Fixed(model)) => score_counts(model, counter, counts),
        (Request::ScoreCounts(_), Model::Float(_)) => Response::ReadingRefused,
        (Request::Samples(samples), _) => streamer.answer(counter, samples),
        // There is no sensor here. (A `Stop` never gets this far.)
        (Request::Sample | Request::Stop, _) => Response::ReadingRefused,
        (Request::Update(_), _) => Response::BadFrame,
    }
}

fn hello(model: &Model<'_>, streamer: &Streamer<'_>) -> Response {
    Response::Hello(Hello {
        features: model.features() as u16,
        supports: model.supports() as u16,
        model_length: model.length() as u32,
        model_checksum: model.checksum(),
        cost_unit: board::COST_UNIT,
        stream: streamer.support(),
    })
}

fn respond(scored: Option<Scored>) -> Response {
    scored.map_or(Response::ReadingRefused, Response::Score)
}

/// Score, class and envelope of a reading, and what they cost together.
pub fn score(model: &Model<'_>, counter: &Counter, reading: &[f32]) -> Option<Scored> {
    let (verdict, cost) = counter.cost(|| model.judge(reading));
    let verdict = verdict.ok()?;
    Some(Scored {
        score_bits: verdict.score.to_bits(),
        positive: verdict.class == Class::Positive,
        outside_envelope: matches!(verdict.envelope, Envelope::Outside { .. }),
        cost,
    })
}

fn score_counts(model: &FixedModel<'_>, counter: &Counter, counts: &[i16]) -> Response {
    let (verdict, cost) = counter.cost(|| model.judge_counts(counts));
    let Ok(verdict) = verdict else {
        return Response::ReadingRefused;
    };
    Response::ScoreCounts(ScoredCounts {
        score: verdict.score,
        positive: verdict.class == Class::Positive,
        outside_envelope: matches!(verdict.envelope, Envelope::Outside { .. }),
        cost,
    })
}
