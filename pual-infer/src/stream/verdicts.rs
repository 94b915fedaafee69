//! From raw samples to verdicts: windows, model, alarm and drift flag together.

use super::{Debounce, Drift, Sample, Windows};
use crate::error::{ReadingError, RecipeField, SampleError, StreamError};
use crate::model::{FixedModel, FloatModel, MAX_FEATURES_ON_STACK, Model};
use crate::read::recipe::{Needs, Recipe};
use crate::read::verdict::{Class, Envelope, Verdict};
use crate::rolled::keep_rolled;

/// What a stream says about a window.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StreamVerdict {
    /// The score.
    pub score: f32,
    /// Is the score above the model's threshold?
    pub class: Class,
    /// Do the features lie within the range of the training data?
    pub envelope: Envelope,
    /// Is the alarm on, by the recipe's rule?
    pub alarm: bool,
    /// Is the drift flag raised?
    pub drift: bool,
}

/// A model that a [`Stream`] may have: [`Model`], or [`FloatModel`] or [`FixedModel`] to save flash.
pub trait Judge<'a> {
    /// The model's recipe, checked.
    ///
    /// # Errors
    /// The part of it that is wrong.
    fn recipe(&self) -> Result<Option<Recipe<'a>>, RecipeField>;
    /// Score, class and envelope of a window's features.
    ///
    /// # Errors
    /// As [`Model::judge`].
    fn judge(&self, features: &[f32]) -> Result<Verdict, ReadingError>;
}

macro_rules! judge {
    ($model:ident) => {
        impl<'a> Judge<'a> for $model<'a> {
            fn recipe(&self) -> Result<Option<Recipe<'a>>, RecipeField> {
                self.description().checked_recipe()
            }

            fn judge(&self, features: &[f32]) -> Result<Verdict, ReadingError> {
                $model::judge(self, features)
            }
        }
    };
}

judge!(Model);
judge!(FloatModel);
judge!(FixedModel);

/// Runs a model with a recipe on raw samples. Its size is all the RAM it uses.
///
/// `CHANNELS` are the recipe's raw channels and magnitudes, `BLOCKS` the blocks of a window, `WORDS` the words of four bytes per
/// channel and block, everything else included: [`Recipe::words`] is the least, and `pual inspect` prints all three.
/// Larger numbers do no harm; [`new`](Self::new) names the one that is too small.
#[derive(Clone, Debug)]
pub struct Stream<'m, const CHANNELS: usize, const BLOCKS: usize, const WORDS: usize = 5, T = Model<'m>> {
    model: &'m T,
    recipe: Recipe<'m>,
    windows: Windows<Memory<CHANNELS, BLOCKS, WORDS>>,
    alarm: Debounce,
    drift: Drift,
}

impl<'m, const CHANNELS: usize, const BLOCKS: usize, const WORDS: usize, T> Stream<'m, CHANNELS, BLOCKS, WORDS, T>
where
    T: Judge<'m>,
{
    /// A stream without samples.
    ///
    /// # Errors
    /// A model without a recipe, or one that needs more than `CHANNELS`, `BLOCKS` or `WORDS`.
    #[inline(always)] // made in place: copying it would take code, and twice the stack
    pub fn new(model: &'m T) -> Result<Self, StreamError> {
        let (recipe, needs) = fitting(model, [CHANNELS, BLOCKS, WORDS])?;
        Ok(Self {
            model,
            windows: Windows::of_zeros(Memory([[[0; WORDS]; BLOCKS]; CHANNELS]), &recipe, &needs),
            recipe,
            alarm: Debounce::default(),
            drift: Drift::default(),
        })
    }

    /// Takes a sample, a value per raw channel: i16 in steps, as a sensor gives them, or f32 in the channels' units. Every hop it
    /// returns a verdict, once the first window and the baseline are complete.
    ///
    /// # Errors
    /// A sample of another length, or with a NaN or an infinity: nothing has changed then.
    #[inline(never)] // one copy, however the caller is optimised
    pub fn push<S: Sample>(&mut self, sample: &[S]) -> Result<Option<StreamVerdict>, SampleError> {
        if let Some(counts) = S::counts(sample).and_then(|counts| counts.try_into().ok())
            && self.windows.took_simply::<CHANNELS>(counts)
        {
            return Ok(None);
        }
        self.push_any(sample)
    }

    #[inline(never)]
    fn push_any<S: Sample>(&mut self, sample: &[S]) -> Result<Option<StreamVerdict>, SampleError> {
        if !self.windows.advance(&self.recipe, sample)? {
            return Ok(None);
        }
        self.verdict().map(Some)
    }

    /// Of a complete window.
    #[inline(always)]
    fn verdict(&mut self) -> Result<StreamVerdict, SampleError> {
        let Verdict { score, class, envelope } =
            self.model.judge(self.windows.features(&self.recipe)).map_err(SampleError::Unscored)?;
        let positive = class == Class::Positive;
        let outside = matches!(envelope, Envelope::Outside { .. });
        let alarm = self.alarm.push(positive, &self.recipe.alarm());
        let drift = self.drift.push(outside, positive, &self.recipe.drift());
        Ok(StreamVerdict { score, class, envelope, alarm, drift })
    }

    /// The features of the last complete window; zeros before the first.
    #[must_use]
    pub fn features(&self) -> &[f32] {
        self.windows.features(&self.recipe)
    }

    /// Samples were lost: new windows begin with the next one. Baseline, alarm and drift flag stay.
    pub fn gap(&mut self) {
        self.windows.gap();
    }

    /// Counts of windows, and the drift flag.
    #[must_use]
    pub fn drift(&self) -> &Drift {
        &self.drift
    }

    /// Is the alarm on?
    #[must_use]
    pub fn alarm(&self) -> bool {
        self.alarm.is_on()
    }

    /// Complete windows since the start, those of the baseline included.
    #[must_use]
    pub fn windows(&self) -> u32 {
        self.windows.windows()
    }

    /// The model's recipe.
    #[must_use]
    pub fn recipe(&self) -> &Recipe<'m> {
        &self.recipe
    }
}

/// A stream's share of RAM, as one slice.
#[derive(Clone, Debug)]
struct Memory<const CHANNELS: usize, const BLOCKS: usize, const WORDS: usize>([[[u32; WORDS]; BLOCKS]; CHANNELS]);

impl<const CHANNELS: usize, const BLOCKS: usize, const WORDS: usize> AsRef<[u32]> for Memory<CHANNELS, BLOCKS, WORDS> {
    fn as_ref(&self) -> &[u32] {
        self.0.as_flattened().as_flattened()
    }
}

impl<const CHANNELS: usize, const BLOCKS: usize, const WORDS: usize> AsMut<[u32]> for Memory<CHANNELS, BLOCKS, WORDS> {
    fn as_mut(&mut self) -> &mut [u32] {
        self.0.as_flattened_mut().as_flattened_mut()
    }
}

/// The recipe, if a stream with these `CHANNELS`, `BLOCKS` and `WORDS` can run it.
#[inline(never)]
fn fitting<'m>(
    model: &impl Judge<'m>,
    [channels, blocks, words]: [usize; 3],
) -> Result<(Recipe<'m>, Needs), StreamError> {
    let recipe = model.recipe().map_err(StreamError::Recipe)?.ok_or(StreamError::NoRecipe)?;
    let needed = recipe.channels();
    if needed > channels {
        return Err(StreamError::Channels { needed });
    }
    let needed = recipe.blocks();
    if needed > blocks {
        return Err(StreamError::Blocks { needed });
    }
    let found = recipe.features();
    if found > MAX_FEATURES_ON_STACK {
        return Err(StreamError::Features { found });
    }
    let needs = Needs::new(&recipe);
    let mut needed = 0;
    // Without a division.
    while needed * channels * blocks < needs.memory {
        needed += 1;
        keep_rolled();
    }
    if needed > words { Err(StreamError::Words { needed }) } else { Ok((recipe, needs)) }
}
