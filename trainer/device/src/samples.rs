//! Sends raw samples to a device with a stream model, and computes the workstation's verdicts of the same samples.
//!
//! The workstation runs the device's code ([`Stream`]), with room for every recipe. A batch ends with the sample that completes
//! a window, so an answer holds one verdict at most.

use crate::error::DeviceError;
use crate::verify::Asker;
use pual_infer::{Model, Sample, SampleError, Stream, StreamError};
use pual_protocol::update::Transport;
use pual_protocol::{
    Counts, MAX_FEATURES, Reading, Request, Response, SampleValues, Samples, SamplesRefused, StreamAnswer,
    WindowVerdict,
};
use std::collections::VecDeque;

/// Room for every recipe: see the format's limits.
const CHANNELS: usize = 64;
const BLOCKS: usize = 64;
const WORDS: usize = 24;

/// A value of a sample, and how a batch of them is sent.
pub trait Value: Sample {
    /// At most [`MAX_FEATURES`] values.
    fn batch(values: &[Self]) -> SampleValues;
}

impl Value for i16 {
    fn batch(values: &[Self]) -> SampleValues {
        SampleValues::Counts(Counts::from_slice(values).unwrap_or_default())
    }
}

impl Value for f32 {
    fn batch(values: &[Self]) -> SampleValues {
        SampleValues::Units(Reading::from_slice(values).unwrap_or_default())
    }
}

/// The workstation's stream, without a device.
#[derive(Debug)]
pub struct Workstation<'m> {
    model: &'m Model<'m>,
    stream: Box<Stream<'m, CHANNELS, BLOCKS, WORDS>>,
}

impl<'m> Workstation<'m> {
    /// Of a model with a recipe.
    ///
    /// # Errors
    /// If it has none, or too many features.
    pub fn new(model: &'m Model<'m>) -> Result<Self, StreamError> {
        Ok(Self { model, stream: Box::new(Stream::new(model)?) })
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// None after [`new`](Self::new).
    pub fn restart(&mut self) -> Result<(), StreamError> {
        *self.stream = Stream::new(self.model)?;
        Ok(())
    }

    /// Samples were lost.
    pub fn gap(&mut self) {
        self.stream.gap();
    }

    /// Takes a sample.
    ///
    /// # Errors
    /// If it has the wrong length, or a NaN or an infinity in it.
    pub fn push<S: Value>(&mut self, sample: &[S]) -> Result<Option<WindowVerdict>, SampleError> {
        let verdict = self.stream.push(sample)?;
        Ok(verdict.and_then(|verdict| WindowVerdict::new(self.stream.features(), &verdict, 0)))
    }
}

/// A window that the workstation, the device or both completed.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedWindow {
    /// The sample that completed it, counted from the start of what was pushed.
    pub sample: usize,
    /// On the workstation.
    pub here: Option<WindowVerdict>,
    /// On the device.
    pub there: Option<WindowVerdict>,
}

impl ComparedWindow {
    /// The same features, score, class, envelope, alarm and drift flag, to the bit?
    #[must_use]
    pub fn is_identical(&self) -> bool {
        matches!((&self.here, &self.there), (Some(here), Some(there)) if here.equals(there))
    }
}

/// A batch whose answer has not come yet.
#[derive(Debug)]
struct SentBatch {
    number: u8,
    samples: usize,
    /// The number of its last sample.
    last: usize,
    here: Option<WindowVerdict>,
}

/// A device and the workstation, in step.
#[derive(Debug)]
pub struct StreamComparison<'a, 'm, T> {
    asker: &'a mut Asker<T>,
    workstation: Workstation<'m>,
    channels: usize,
    number: u8,
    restart: bool,
    gap: bool,
    /// Batches that are sent before the first of them is answered.
    ahead: usize,
    sent: VecDeque<SentBatch>,
    /// Cost of samples that completed no window, and their number.
    pub samples_cost: (u64, u64),
}

impl<'a, 'm, T: Transport<Error = DeviceError>> StreamComparison<'a, 'm, T> {
    /// With this device, which runs this model.
    ///
    /// # Errors
    /// If the model has no recipe.
    pub fn new(asker: &'a mut Asker<T>, model: &'m Model<'m>) -> Result<Self, StreamError> {
        let workstation = Workstation::new(model)?;
        let channels = model.description().recipe().ok_or(StreamError::NoRecipe)?.raw_channels();
        Ok(Self {
            asker,
            workstation,
            channels,
            number: 0,
            restart: true,
            gap: false,
            ahead: 1,
            sent: VecDeque::new(),
            samples_cost: (0, 0),
        })
    }

    /// From now on this many batches are on their way at once: for a line that loses nothing, such as an emulated board's. A device
    /// that completes a window where the workstation does not ends the comparison then.
    pub fn send_ahead(&mut self, batches: usize) {
        self.ahead = batches.max(1);
    }

    /// Both forget everything: a new recording.
    ///
    /// # Errors
    /// None after [`new`](Self::new).
    pub fn restart(&mut self) -> Result<(), StreamError> {
        (self.restart, self.gap) = (true, false);
        self.workstation.restart()
    }

    /// Samples were lost.
    pub fn gap(&mut self) {
        self.gap = true;
        self.workstation.gap();
    }

    /// Sends samples, and calls `each` for every window.
    ///
    /// # Errors
    /// If the device does not answer, or refuses the samples.
    pub fn push<S: Value>(
        &mut self,
        samples: &[S],
        each: &mut dyn FnMut(ComparedWindow) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let refused = |error: SampleError| DeviceError::Answer(format!("the workstation refused a sample: {error}"));
        let width = self.channels;
        let all = samples.len() / width;
        let most = MAX_FEATURES / width;
        let mut at = 0;
        while at < all {
            let end = all.min(at + most);
            let (mut taken, mut here) = (at, None);
            while taken < end && here.is_none() {
                here = self.workstation.push(&samples[taken * width..(taken + 1) * width]).map_err(refused)?;
                taken += 1;
            }
            if self.ahead > 1 {
                let batch = self.batch(S::batch(&samples[at * width..taken * width]));
                self.asker.send(&Request::Samples(batch))?;
                let (number, samples, last) = (self.number, taken - at, taken - 1);
                self.sent.push_back(SentBatch { number, samples, last, here });
                at = taken;
                while self.sent.len() >= self.ahead {
                    self.collect(each)?;
                }
                continue;
            }
            // The device takes fewer if it sees a window where the workstation saw none.
            while at < taken {
                let answer = self.send(S::batch(&samples[at * width..taken * width]))?;
                let progress = usize::from(answer.taken).min(taken - at);
                if progress == 0 {
                    return Err(DeviceError::Answer("the device took no sample".into()));
                }
                at += progress;
                self.samples_cost.0 += u64::from(answer.samples_cost);
                self.samples_cost.1 += (progress - usize::from(answer.window.is_some())) as u64;
                let here = if at == taken { here.take() } else { None };
                if here.is_some() || answer.window.is_some() {
                    each(ComparedWindow { sample: at - 1, here, there: answer.window })?;
                }
            }
        }
        while !self.sent.is_empty() {
            self.collect(each)?;
        }
        Ok(())
    }

    /// Waits for the oldest answer.
    fn collect(&mut self, each: &mut dyn FnMut(ComparedWindow) -> Result<(), DeviceError>) -> Result<(), DeviceError> {
        let Some(batch) = self.sent.pop_front() else {
            return Ok(());
        };
        let answer = match self.asker.next_answer()? {
            Response::Samples(answer) if answer.number == batch.number => answer,
            Response::SamplesRefused(why) => return Err(refusal(why)),
            other => return Err(DeviceError::Answer(format!("{other:?}"))),
        };
        let taken = usize::from(answer.taken);
        self.samples_cost.0 += u64::from(answer.samples_cost);
        self.samples_cost.1 += taken.saturating_sub(answer.window.is_some().into()) as u64;
        if batch.here.is_some() || answer.window.is_some() {
            each(ComparedWindow { sample: batch.last, here: batch.here, there: answer.window })?;
        }
        match taken == batch.samples {
            true => Ok(()),
            false => Err(DeviceError::Answer("the device completed a window where the workstation did not".into())),
        }
    }

    fn send(&mut self, values: SampleValues) -> Result<StreamAnswer, DeviceError> {
        let batch = self.batch(values);
        self.asker.samples(&batch)
    }

    fn batch(&mut self, values: SampleValues) -> Samples {
        let (restart, gap) = (std::mem::take(&mut self.restart), std::mem::take(&mut self.gap));
        self.number = self.number.wrapping_add(1);
        Samples { number: self.number, restart, gap, values }
    }
}

impl<T: Transport<Error = DeviceError>> Asker<T> {
    /// Sends a batch of samples.
    ///
    /// # Errors
    /// If the device does not answer, answers something else, or refuses the samples.
    pub fn samples(&mut self, samples: &Samples) -> Result<StreamAnswer, DeviceError> {
        let answer = self.ask(&Request::Samples(samples.clone()), |response| match response {
            Response::Samples(answer) if answer.number == samples.number => Some(Ok(answer.clone())),
            Response::SamplesRefused(why) => Some(Err(*why)),
            _ => None,
        })?;
        answer.map_err(refusal)
    }
}

fn refusal(why: SamplesRefused) -> DeviceError {
    DeviceError::SamplesRefused(match why {
        SamplesRefused::NoStream => "it has no model with a recipe that fits",
        SamplesRefused::Length => "not a whole number of samples",
        SamplesRefused::NotFinite { .. } => "a NaN or an infinity",
        SamplesRefused::OutOfStep => "it has restarted, or a batch was lost",
    })
}
