//! What a device and its host say to each other: postcard values, each in one COBS frame that ends with a zero
//! byte, as a radio or a sensor hub would send them over a UART.
//!
//! After a damaged frame both sides are in step again at the next zero byte.
//!
//! ```
//! use pual_protocol::{MAX_FRAME, Reading, Request, decode, encode};
//!
//! let request = Request::Score(Reading::from_slice(&[5.25, -1.0])?);
//! let mut buffer = [0; MAX_FRAME];
//! let mut frame = encode(&request, &mut buffer).ok_or("too long")?.to_vec(); // what goes over the wire
//! assert_eq!(frame.last(), Some(&0));
//! assert_eq!(decode(&mut frame), Some(request));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![no_std]
#![forbid(unsafe_code)]

mod assembler;
#[cfg(feature = "digest")]
mod digest;
mod sample;
mod scan;
mod stream;
#[cfg(feature = "digest")]
mod stream_digest;
#[cfg(feature = "update")]
pub mod update;

pub use assembler::{Assembler, Frame};
#[cfg(feature = "digest")]
pub use digest::Digest;
pub use sample::{Judgement, Sample};
pub use scan::{Heard, SILENCE, Scan};
pub use stream::{
    ALARM, DRIFT, LimitKind, OUTSIDE, POSITIVE, SampleValues, Samples, SamplesRefused, StreamAnswer, StreamLimit,
    StreamSupport, WindowVerdict,
};
#[cfg(feature = "digest")]
pub use stream_digest::StreamDigest;

use serde::{Deserialize, Serialize};

/// Largest number of features of a reading in a frame.
pub const MAX_FEATURES: usize = 64;

/// Longest frame, its zero byte included: a [`Sample`] of [`MAX_FEATURES`] f32, and COBS's bytes.
pub const MAX_FRAME: usize = 280;

/// A reading in raw units.
pub type Reading = heapless::Vec<f32, MAX_FEATURES>;

/// A reading in counts of an analog-to-digital converter.
pub type Counts = heapless::Vec<i16, MAX_FEATURES>;

#[cfg(feature = "update")]
use update::Sealed as UpdateMessage;

/// Stands for an update in programs built without them, so that messages have the same numbers with and without. It has no
/// values, so none is ever decoded.
#[cfg(not(feature = "update"))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum UpdateMessage {}

/// Host to device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant)] // no heap to box it on, and one request at a time
pub enum Request {
    /// Which model do you run?
    Hello,
    /// Score this reading.
    Score(Reading),
    /// Score these counts: integer models only.
    ScoreCounts(Counts),
    /// Stop: an emulated board exits the emulator with code 0, a real one restarts.
    Stop,
    /// An `update::Command`: firmware that takes no updates answers [`Response::BadFrame`].
    Update(UpdateMessage),
    /// Measure, and judge the measurement. Firmware without a sensor refuses.
    Sample,
    /// Score what a radio heard.
    Scan(Scan),
    /// Take these samples: models with a recipe only.
    Samples(Samples),
}

/// Device to host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "update", allow(clippy::large_enum_variant))] // as above
pub enum Response {
    /// Answer to [`Request::Hello`].
    Hello(Hello),
    /// Answer to [`Request::Score`] and [`Request::Scan`].
    Score(Scored),
    /// Answer to [`Request::ScoreCounts`].
    ScoreCounts(ScoredCounts),
    /// The reading was not scored: wrong length, a NaN or an infinity in it, or counts for an f32 model.
    ReadingRefused,
    /// The bytes in the model's flash region are not a valid model: nothing can be scored.
    ModelRefused,
    /// The frame was damaged, or too long.
    BadFrame,
    /// An `update::Answer`.
    Update(UpdateMessage),
    /// Answer to [`Request::Sample`].
    Sample(Sample),
    /// Answer to [`Request::Samples`].
    Samples(StreamAnswer),
    /// The samples were not taken.
    SamplesRefused(SamplesRefused),
}

/// The model on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Features of a reading.
    pub features: u16,
    /// Support instances.
    pub supports: u16,
    /// Bytes of the model.
    pub model_length: u32,
    /// CRC-32 of the model.
    pub model_checksum: u32,
    /// What [`Scored::cost`] counts.
    pub cost_unit: CostUnit,
    /// Does the model take raw samples?
    pub stream: StreamSupport,
}

/// What a board can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostUnit {
    /// Instructions, under QEMU's `-icount shift=6` (without it the number means nothing).
    Instructions,
    /// Clock cycles of a real core.
    Cycles,
}

/// A scored reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scored {
    /// The bits of the score, an f32: what must be identical to the host's.
    pub score_bits: u32,
    /// Is the score above the model's threshold?
    pub positive: bool,
    /// Does the reading lie outside the range of the training data?
    pub outside_envelope: bool,
    /// Cost of the score, class and envelope together, in [`Hello::cost_unit`].
    pub cost: u32,
}

/// Scored counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoredCounts {
    /// The score in 1/65,536.
    pub score: i32,
    /// Is the score above the model's threshold?
    pub positive: bool,
    /// Do the counts lie outside the range of the training data?
    pub outside_envelope: bool,
    /// Cost of the score, class and envelope together, in [`Hello::cost_unit`].
    pub cost: u32,
}

/// Writes one frame, its zero byte included, to the front of `buffer`. `None` if it does not fit.
pub fn encode<'b>(message: &impl Serialize, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    postcard::to_slice_cobs(message, buffer).ok().map(|frame| &*frame)
}

/// Reads one frame, with or without its zero byte. The bytes are decoded where they are.
pub fn decode<'b, T: Deserialize<'b>>(frame: &'b mut [u8]) -> Option<T> {
    postcard::from_bytes_cobs(frame).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_frame_fits() {
        let mut buffer = [0; MAX_FRAME];
        let reading = Reading::from_slice(&[f32::MIN_POSITIVE; MAX_FEATURES]).unwrap();
        let counts = Counts::from_slice(&[i16::MIN; MAX_FEATURES]).unwrap();
        let heard = Heard { access_point: 255, dbm: i8::MIN };
        let scan = Scan([heard; MAX_FEATURES].into_iter().collect());
        for request in [Request::Score(reading), Request::ScoreCounts(counts), Request::Scan(scan)] {
            let length = encode(&request, &mut buffer).unwrap().len();
            assert!(length <= MAX_FRAME && buffer[length - 1] == 0);
            assert_eq!(decode::<Request>(&mut buffer[..length]), Some(request));
        }
        let response = Response::Sample(Sample {
            count: i16::MIN,
            judgement: Some(Judgement {
                features: Reading::from_slice(&[f32::MIN_POSITIVE; MAX_FEATURES]).unwrap(),
                scored: Scored { score_bits: u32::MAX, positive: true, outside_envelope: true, cost: u32::MAX },
                alarm: true,
            }),
        });
        assert!(encode(&response, &mut buffer).is_some());
        let units = SampleValues::Units(Reading::from_slice(&[f32::MAX; MAX_FEATURES]).unwrap());
        let counts = SampleValues::Counts(Counts::from_slice(&[i16::MIN; MAX_FEATURES]).unwrap());
        for values in [units, counts] {
            let request = Request::Samples(Samples { number: 255, restart: true, gap: true, values });
            assert!(encode(&request, &mut buffer).is_some());
        }
        let window = WindowVerdict {
            features: Reading::from_slice(&[f32::MIN_POSITIVE; MAX_FEATURES]).unwrap(),
            score: f32::MIN_POSITIVE,
            flags: u8::MAX,
            cost: u32::MAX,
        };
        let answer = StreamAnswer { number: 255, taken: 255, samples_cost: u32::MAX, window: Some(window) };
        assert!(encode(&Response::Samples(answer), &mut buffer).is_some());
    }

    #[test]
    fn messages_have_the_same_numbers_with_and_without_updates() {
        let mut buffer = [0; MAX_FRAME];
        assert_eq!(encode(&Request::Sample, &mut buffer), Some(&[2, 5, 0][..]));
        let sample = Response::Sample(Sample { count: -1, judgement: None });
        assert_eq!(encode(&sample, &mut buffer), Some(&[3, 7, 1, 1, 0][..]));
    }

    #[test]
    fn a_damaged_frame_is_no_message() {
        let mut buffer = [0; MAX_FRAME];
        let reading = Reading::from_slice(&[1.0, 2.0]).unwrap();
        let length = encode(&Request::Score(reading), &mut buffer).unwrap().len();
        // Cut short, and with a count that claims more than there is.
        for end in 0..length - 1 {
            let mut cut = buffer;
            assert_eq!(decode::<Request>(&mut cut[..end]), None, "{end}");
        }
    }
}
