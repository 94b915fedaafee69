//! Raw samples in, verdicts of windows out, for models with a recipe.
//!
//! A batch that is sent again is not pushed again: its answer is repeated (see `pual_protocol::Samples`).

use crate::counter::Counter;
use pual_infer::{Model, Sample, Stream, StreamError};
use pual_protocol::{
    LimitKind, Response, SampleValues, Samples, SamplesRefused, StreamAnswer, StreamLimit, StreamSupport, WindowVerdict,
};

/// Channels that a recipe may have, those that are computed from others included.
pub const CHANNELS: usize = if cfg!(feature = "microbit") { 4 } else { 8 };
/// Blocks that a window may have.
pub const BLOCKS: usize = if cfg!(feature = "microbit") { 16 } else { 32 };
/// Words of RAM per channel and block; a recipe with fewer channels or blocks may have more.
pub const WORDS: usize = 8;

/// A stream with this firmware's limits: 2 KiB of RAM on the micro:bit, 8 KiB elsewhere. While it is set up it takes three times that
/// of stack.
pub type ModelStream<'m> = Stream<'m, CHANNELS, BLOCKS, WORDS>;

/// A model's stream, and the last answer.
pub struct Streamer<'m> {
    model: Option<&'m Model<'m>>,
    stream: Result<ModelStream<'m>, StreamSupport>,
    last: Option<StreamAnswer>,
}

impl<'m> Streamer<'m> {
    /// Of this model, if it has a recipe and the recipe fits.
    pub fn new(model: Option<&'m Model<'m>>) -> Self {
        let mut streamer = Self { model, stream: Err(StreamSupport::NoRecipe), last: None };
        streamer.restart();
        streamer
    }

    /// Forgets everything. Apart, so that the copies of a new stream leave the stack again.
    #[inline(never)]
    fn restart(&mut self) {
        let Some(model) = self.model else {
            return;
        };
        match Stream::new(model) {
            Ok(stream) => self.stream = Ok(stream),
            Err(error) => self.stream = Err(support(error)),
        }
    }

    /// Does it take samples?
    pub fn support(&self) -> StreamSupport {
        match &self.stream {
            Ok(stream) => StreamSupport::Ready { channels: stream.recipe().raw_channels() as u8 },
            Err(support) => *support,
        }
    }

    /// Takes a batch of samples.
    pub fn answer(&mut self, counter: &Counter, samples: &Samples) -> Response {
        match self.take(counter, samples) {
            Ok(answer) => Response::Samples(answer),
            Err(refused) => Response::SamplesRefused(refused),
        }
    }

    fn take(&mut self, counter: &Counter, samples: &Samples) -> Result<StreamAnswer, SamplesRefused> {
        match &self.last {
            _ if samples.restart => {}
            Some(last) if last.number == samples.number => return Ok(last.clone()),
            Some(last) if last.number.wrapping_add(1) == samples.number => {}
            _ => return Err(SamplesRefused::OutOfStep),
        }
        match &samples.values {
            SampleValues::Counts(counts) => self.take_values(counter, samples, counts),
            SampleValues::Units(units) => {
                let channels = self.channels()?;
                if let Some(at) = units.iter().position(|x| !x.is_finite()) {
                    let channel = at.checked_rem(channels).unwrap_or_default() as u8;
                    return Err(SamplesRefused::NotFinite { channel });
                }
                self.take_values(counter, samples, units)
            }
        }
    }

    fn take_values<S: Sample>(
        &mut self,
        counter: &Counter,
        samples: &Samples,
        values: &[S],
    ) -> Result<StreamAnswer, SamplesRefused> {
        let channels = self.channels()?;
        if values.len().checked_rem(channels) != Some(0) {
            return Err(SamplesRefused::Length);
        }
        if samples.restart {
            self.restart();
        }
        let Ok(stream) = &mut self.stream else {
            return Err(SamplesRefused::NoStream);
        };
        if samples.gap {
            stream.gap();
        }
        let mut answer = StreamAnswer { number: samples.number, taken: 0, samples_cost: 0, window: None };
        for sample in values.chunks_exact(channels.max(1)) {
            let (pushed, cost) = counter.cost(|| stream.push(sample));
            answer.taken = answer.taken.wrapping_add(1);
            if let Ok(Some(verdict)) = pushed {
                answer.window = WindowVerdict::new(stream.features(), &verdict, cost);
                break;
            }
            answer.samples_cost = answer.samples_cost.wrapping_add(cost);
        }
        self.last = Some(answer.clone());
        Ok(answer)
    }

    /// A single sample of a sensor on this board, without a batch.
    pub fn measure(&mut self, counter: &Counter, counts: &[i16]) -> Result<Option<WindowVerdict>, SamplesRefused> {
        let Ok(stream) = &mut self.stream else {
            return Err(SamplesRefused::NoStream);
        };
        let (pushed, cost) = counter.cost(|| stream.push(counts));
        match pushed {
            Ok(Some(verdict)) => Ok(WindowVerdict::new(stream.features(), &verdict, cost)),
            Ok(None) => Ok(None),
            Err(_) => Err(SamplesRefused::Length),
        }
    }

    fn channels(&self) -> Result<usize, SamplesRefused> {
        match &self.stream {
            Ok(stream) => Ok(stream.recipe().raw_channels()),
            Err(_) => Err(SamplesRefused::NoStream),
        }
    }
}

fn support(error: StreamError) -> StreamSupport {
    let limit = |what, needed: usize, room: usize| {
        StreamSupport::TooLarge(StreamLimit { what, needed: needed as u16, room: room as u16 })
    };
    match error {
        StreamError::Channels { needed } => limit(LimitKind::Channels, needed, CHANNELS),
        StreamError::Blocks { needed } => limit(LimitKind::Blocks, needed, BLOCKS),
        StreamError::Words { needed } => limit(LimitKind::Words, needed, WORDS),
        StreamError::Features { found } => limit(LimitKind::Features, found, pual_infer::MAX_FEATURES_ON_STACK),
        _ => StreamSupport::NoRecipe,
    }
}
