//! Decode, then score: whatever decodes gives finite scores, the same every time.
//!
//! Input: a byte that says how, a model, a reading. Of the byte, the upper six bits are the length of the reading, and
//!
//! | lower two | the model is |
//! |---|---|
//! | 0 | as it comes |
//! | 1 | given the right checksum |
//! | 2 | given the right length and checksum |
//! | 3 | made as long as its counts ask for, then given the right length and checksum |

use super::checksum::put_right;
use pual_infer::{Aligned, Encoding, FixedModel, Kernel, MAX_FEATURES_ON_STACK, Model, ReadingError};

/// Longest model. Much longer ones only take longer.
const ROOM: usize = 2048;
const HEAD: usize = 28;
const LENGTH: std::ops::Range<usize> = 12..16;
/// Scratch space, for more features than a reading on the stack has.
const MANY: usize = 4 * MAX_FEATURES_ON_STACK;

/// The target.
pub fn score(data: &[u8]) {
    let Some((&how, rest)) = data.split_first() else {
        return;
    };
    let reading_at = rest.len().saturating_sub(usize::from(how >> 2));
    let (model, reading) = rest.split_at(reading_at);
    let mut place = Aligned([0; ROOM]);
    let Some(start) = place.0.get_mut(..model.len()) else {
        return;
    };
    start.copy_from_slice(model);
    let mut length = model.len();
    if how & 3 == 3 && length >= HEAD {
        match length_asked_for(model).filter(|asked| *asked <= ROOM) {
            Some(asked) => length = asked,
            None => return,
        }
    }
    let bytes = &mut place.0[..length];
    if how & 3 >= 2 && length >= HEAD {
        bytes[LENGTH].copy_from_slice(&(length as u32).to_le_bytes());
    }
    if how & 3 >= 1
        && let Some(Ok(end)) = bytes.get(LENGTH).map(<[u8; 4]>::try_from)
        && let Some(model) = bytes.get_mut(..u32::from_le_bytes(end) as usize)
    {
        put_right(model);
    }
    if let Ok(model) = Model::decode(bytes) {
        check(&model, reading);
    }
}

/// How long a model with this header is, its names all empty (FORMAT.md).
fn length_asked_for(model: &[u8]) -> Option<usize> {
    let &[_, _, _, _, _, kernel, encoding, flags, f0, f1, s0, s1, ..] = model else {
        return None;
    };
    let features = usize::from(u16::from_le_bytes([f0, f1]));
    let supports = usize::from(u16::from_le_bytes([s0, s1]));
    let has_envelope = usize::from(flags & 1);
    let names = if flags & 2 == 0 { 0 } else { features };
    let blocks = supports.div_ceil(4);
    let words = match (encoding, kernel) {
        (0, 0) => supports.next_multiple_of(8) * (features + 1) + (2 + 2 * has_envelope) * features,
        (0, _) => supports * (features + 1) + (2 + 2 * has_envelope) * features,
        (1, _) => 1 + (2 + has_envelope) * features + blocks * (2 + 2 * features),
        _ => 1 + (2 + has_envelope) * features + features.div_ceil(4) + blocks * (2 + features),
    };
    Some(HEAD + 4 * words + names + 4)
}

/// Everything that a firmware may ask of a model.
fn check(model: &Model<'_>, bytes: &[u8]) {
    let features = model.features();
    let mut reading = [0.0; MANY];
    for (value, bytes) in reading.iter_mut().zip(bytes.chunks_exact(4)) {
        *value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let Some(reading) = reading.get(..features) else {
        return;
    };
    let finite = reading.iter().all(|x| x.is_finite());
    let scored = model.score(reading);
    assert!(same(scored, model.score(reading)), "scored twice: {scored:?}");
    match scored {
        Ok(score) => {
            assert!(score.is_finite() && finite, "{score} of {reading:?}");
            assert_eq!(model.classify(reading), Ok(model.description().class_of(score)));
        }
        Err(ReadingError::ScratchTooSmall { needed }) => {
            assert!(features > MAX_FEATURES_ON_STACK && needed == features);
        }
        Err(_) => assert!(!finite, "{scored:?} of {reading:?}"),
    }
    let judged = model.judge_with_scratch(reading, &mut [0.0; MANY]);
    match judged {
        Ok(verdict) => {
            assert!(verdict.score.is_finite() && finite);
            assert_eq!(Ok(verdict.envelope), model.envelope(reading));
        }
        Err(_) => assert!(!finite),
    }
    if features <= MAX_FEATURES_ON_STACK {
        let score = judged.map(|verdict| verdict.score);
        assert!(same(scored, score), "{scored:?}, {judged:?}");
        assert_eq!(model.judge(reading), judged);
    }
    assert!(model.score(&reading[1..]).is_err());
    assert!(model.envelope(reading).is_ok());
    if let Model::Fixed(model) = model {
        check_counts(model, bytes);
    }
    let (last, feature) = (model.supports() - 1, features - 1);
    assert!(model.coefficient(last).is_some() && model.coefficient(last + 1).is_none());
    assert!(model.support(last, feature).is_some() && model.support(last, features).is_none());
    assert!(model.kernel() == Kernel::Rbf || model.encoding() == Encoding::F32);
    let _ = (model.name(feature), model.range(feature), model.reach());
}

fn check_counts(model: &FixedModel<'_>, bytes: &[u8]) {
    let mut counts = [0; MAX_FEATURES_ON_STACK];
    for (count, bytes) in counts.iter_mut().zip(bytes.chunks_exact(2)) {
        *count = i16::from_le_bytes([bytes[0], bytes[1]]);
    }
    if let Some(counts) = counts.get(..model.features()) {
        let scored = model.score_counts(counts);
        assert!(scored.is_ok());
        assert_eq!(scored, model.score_counts(counts));
        let verdict = model.judge_counts(counts).expect("it was just scored");
        assert_eq!(Ok(verdict.score), scored);
        assert_eq!(Ok(verdict.class), model.classify_counts(counts));
        assert_eq!(Ok(verdict.envelope), model.envelope_counts(counts));
    }
}

/// To the bit: 0 and -0 differ.
fn same(a: Result<f32, ReadingError>, b: Result<f32, ReadingError>) -> bool {
    a.map(f32::to_bits) == b.map(f32::to_bits)
}
