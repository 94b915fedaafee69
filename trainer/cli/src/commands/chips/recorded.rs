//! Recordings for a device with a stream model.

use crate::exit::Failure;
use crate::show;
use anyhow::{Context, Result, bail};
use pual_device::DeviceError;
use pual_device::samples::{ComparedWindow, StreamComparison};
use pual_infer::{Input, Recipe};
use pual_protocol::update::Transport;
use pual_protocol::{LimitKind, StreamSupport};
use pual_trainer::{LogOptions, Recording, Recordings};
use std::path::PathBuf;

/// Reads recordings, by the names of the recipe's channels or by others.
pub fn open(path: &PathBuf, recipe: &Recipe<'_>, features: Option<&[String]>, rate: Option<f64>) -> Result<Recordings> {
    let names = || (0..recipe.raw_channels()).map(|channel| recipe.name(channel).map(str::to_owned)).collect();
    let channels: Option<Vec<String>> = features.map(<[String]>::to_vec).or_else(names);
    if let Some(channels) = &channels
        && channels.len() != recipe.raw_channels()
    {
        bail!("--features names {} channels; the model takes {}", channels.len(), recipe.raw_channels());
    }
    let options = LogOptions { channels, rate, ..LogOptions::default() };
    let recordings = Recordings::open(std::slice::from_ref(path), &options)?;
    for warning in &recordings.warnings {
        show::warn(warning.clone());
    }
    let (found, expected) = (1.0 / recordings.period, f64::from(recipe.rate()));
    if !(0.8..=1.25).contains(&(found / expected)) {
        let path = path.display();
        bail!("{path} has {found:.4} samples per second, the model was trained on {expected:.4}");
    }
    Ok(recordings)
}

/// Samples of all recordings.
pub fn samples_of(recordings: &Recordings) -> usize {
    recordings.all.iter().map(|recording| recording.times.len()).sum()
}

/// Sends a recording from its beginning. Windows are numbered by the recording's samples.
pub fn push_stretches<T: Transport<Error = DeviceError>>(
    comparison: &mut StreamComparison<'_, '_, T>,
    recipe: &Recipe<'_>,
    recording: &Recording,
    each: &mut dyn FnMut(ComparedWindow) -> Result<(), DeviceError>,
) -> Result<()> {
    comparison.restart()?;
    let width = recipe.raw_channels();
    for (at, stretch) in recording.stretches.iter().enumerate() {
        if at > 0 {
            comparison.gap();
        }
        let samples = &recording.samples[stretch.start * width..stretch.end * width];
        let mut each =
            |window: ComparedWindow| each(ComparedWindow { sample: stretch.start + window.sample, ..window });
        match recipe.input() {
            Input::Units => comparison.push(samples, &mut each),
            Input::Counts => comparison.push(&counts(samples, recording)?, &mut each),
        }
        .with_context(|| format!("in {}", recording.file))?;
    }
    Ok(())
}

fn counts(samples: &[f32], recording: &Recording) -> Result<Vec<i16>> {
    let count = |&value: &f32| {
        let count = value as i16;
        (f32::from(count) == value).then_some(count)
    };
    let all: Option<Vec<i16>> = samples.iter().map(count).collect();
    all.with_context(|| format!("{}: the model takes counts: integers from -32,768 to 32,767", recording.file))
}

/// Says why a device cannot take samples.
pub fn check_support(support: StreamSupport) -> Result<()> {
    match support {
        StreamSupport::Ready { .. } => Ok(()),
        StreamSupport::NoRecipe => bail!("the device's firmware takes no raw samples"),
        StreamSupport::TooLarge(limit) => {
            let (needed, room) = (limit.needed, limit.room);
            let (what, name) = match limit.what {
                LimitKind::Channels => ("channels", "CHANNELS"),
                LimitKind::Blocks => ("blocks per window", "BLOCKS"),
                LimitKind::Words => ("words per block and channel", "WORDS"),
                LimitKind::Features => ("features", "MAX_FEATURES_ON_STACK"),
            };
            let message = format!("the model needs {needed} {what}; the device's firmware has room for {room}");
            let hint = format!("raise {name} in the firmware, or train with a smaller window or fewer features");
            Err(Failure::new(message, hint).into())
        }
    }
}
