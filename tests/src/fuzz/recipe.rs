//! A recipe that anyone may have written, in a model that is in order, and samples: whatever decodes runs, and gives finite features
//! and scores.

use super::checksum::put_right;
use pual_infer::{ModelBytes, ModelSpec, SampleError, SpecKernel, Windows, encode};

/// Where version and length are in a model, and the number of features in a recipe: see FORMAT.md.
const VERSION: usize = 4;
const LENGTH: std::ops::Range<usize> = 12..16;
const FEATURES: usize = 16;

/// A linear model of so many features with these bytes for a recipe.
fn with_recipe(features: usize, recipe: &[u8]) -> ModelBytes {
    let ones = vec![1.0; features];
    let spec = ModelSpec {
        kernel: SpecKernel::Linear,
        offsets: &ones,
        scales: &ones,
        coefficients: &[0.5],
        supports: &ones,
        bias: 0.0,
        threshold: 0.0,
        envelope: None,
        names: None,
        recipe: None,
    };
    let mut bytes = encode(&spec).expect("a valid model").to_vec();
    bytes.truncate(bytes.len() - 4);
    bytes.extend_from_slice(recipe);
    bytes.extend_from_slice(&[0; 4]);
    bytes[VERSION] = 2;
    let length = bytes.len() as u32;
    bytes[LENGTH].copy_from_slice(&length.to_le_bytes());
    put_right(&mut bytes);
    ModelBytes::new(&bytes)
}

/// The target. Input: a byte whose lowest bit says whether samples are f32, the recipe's length in two bytes, the recipe, samples.
pub fn recipe(data: &[u8]) {
    let Some((&[how, low, high], rest)) = data.split_first_chunk() else {
        return;
    };
    let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
    let (recipe, samples) = rest.split_at(length);
    let features = recipe.get(FEATURES).map_or(1, |features| usize::from(*features).clamp(1, 64));
    let bytes = with_recipe(features, recipe);
    let Ok(model) = bytes.decode() else {
        return;
    };
    let recipe = model.recipe().expect("it has been checked");
    let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).expect("enough memory");
    let mut values = vec![0.0; features];
    // Each sample repeats some bytes, so that few of them fill a window.
    for (at, chunk) in samples.chunks(4).cycle().take(if samples.is_empty() { 0 } else { 2000 }).enumerate() {
        let byte = |index: usize| chunk.get(index).copied().unwrap_or(at as u8);
        let value = u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]).wrapping_add(at as u32);
        let channels = 0..recipe.raw_channels() as u32;
        let pushed = if how & 1 == 1 {
            let sample: Vec<f32> = channels.map(|channel| f32::from_bits(value.rotate_left(channel))).collect();
            windows.push(&recipe, &sample, &mut values)
        } else {
            let sample: Vec<i16> = channels.map(|channel| value.rotate_left(channel) as i16).collect();
            windows.push(&recipe, &sample, &mut values)
        };
        match pushed {
            Ok(true) => {
                assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
                assert!(model.score(&values).is_ok_and(f32::is_finite));
            }
            Ok(false) => {}
            Err(SampleError::NotFinite { .. }) => windows.gap(),
            Err(other) => panic!("{other}"),
        }
    }
}
