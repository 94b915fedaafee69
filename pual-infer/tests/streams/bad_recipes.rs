//! What can be wrong with a recipe: every field out of its range is refused by name, and nothing that is not makes a stream panic.

use crate::common::streams::{GOLDEN_STREAMS, golden_model, golden_recipe};
use crate::forged::seal;
use pual_infer::{
    DecodeError, EncodeError, FloatModel, ModelBytes, RecipeField, Stream, StreamError, Windows, with_recipe,
};

/// Offsets in the recipe: see FORMAT.md.
const INPUT: usize = 0;
const CHANNELS: usize = 1;
const MAGNITUDES: usize = 2;
const BLOCKS: usize = 3;
const HOP: usize = 4;
const BASELINE: usize = 6;
const RATE: usize = 8;
const ALARM: usize = 12;
const FEATURES: usize = 16;
const CHARTS: usize = 24;
const TABLES: usize = 48;

/// Where the recipe begins.
fn recipe_of(model: &[u8]) -> usize {
    let bytes = ModelBytes::new(model);
    let decoded = bytes.decode().unwrap();
    let mut sections = decoded.description().sections();
    sections.find(|section| section.name == "recipe").unwrap().offset
}

/// The first golden stream's model with other bytes at `at` of its recipe.
fn forged(golden: usize, at: usize, with: &[u8]) -> Result<(), RecipeField> {
    let model = GOLDEN_STREAMS[golden].bytes;
    let bytes = crate::forged::forged(model, recipe_of(model) + at, with);
    match bytes.decode() {
        Ok(_) => Ok(()),
        Err(DecodeError::Recipe(field)) => Err(field),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn every_field_out_of_range_is_refused_by_name() {
    let magnitude = TABLES + 3 * 8;
    let features = magnitude + 8;
    let nan = f32::NAN.to_le_bytes();
    let huge = 1e20_f32.to_le_bytes();
    let refused: [(usize, &[u8], RecipeField); 40] = [
        (INPUT, &[2], RecipeField::Input),
        (CHANNELS, &[0], RecipeField::Channels),
        (CHANNELS, &[33], RecipeField::Channels),
        (MAGNITUDES, &[33], RecipeField::Magnitudes),
        (CHANNELS, &[32, 32], RecipeField::Length),
        (BLOCKS, &[0], RecipeField::Blocks),
        (BLOCKS, &[65], RecipeField::Blocks),
        (HOP, &[0, 0], RecipeField::Hop),
        (HOP, &[0, 0x80], RecipeField::Hop),
        (HOP, &[1, 0x20], RecipeField::Window),
        (BASELINE, &[0, 0], RecipeField::Relative),
        (RATE, &nan, RecipeField::Rate),
        (RATE, &[0; 4], RecipeField::Rate),
        (RATE, &[1, 0, 0, 0], RecipeField::Rate),
        (RATE, &(-1.0_f32).to_le_bytes(), RecipeField::Rate),
        (RATE, &f32::INFINITY.to_le_bytes(), RecipeField::Rate),
        (ALARM, &[0, 0, 1], RecipeField::Alarm),
        (ALARM, &[33, 2, 1], RecipeField::Alarm),
        (ALARM, &[4, 0, 1], RecipeField::Alarm),
        (ALARM, &[4, 5, 1], RecipeField::Alarm),
        (ALARM, &[4, 2, 0], RecipeField::Alarm),
        (ALARM + 3, &[1], RecipeField::Reserved),
        (FEATURES, &[11, 0], RecipeField::Features),
        (FEATURES + 2, &[1], RecipeField::Reserved),
        (CHARTS + 4, &[1, 0, 0, 0x40], RecipeField::Drift),
        (CHARTS + 20, &[0xFF; 4], RecipeField::Drift),
        (TABLES, &nan, RecipeField::Offset),
        (TABLES + 16, &huge, RecipeField::Offset),
        (TABLES, &f32::NEG_INFINITY.to_le_bytes(), RecipeField::Offset),
        (TABLES + 4, &[61], RecipeField::Exponent),
        (TABLES + 4, &[-61_i8 as u8], RecipeField::Exponent),
        (TABLES + 5, &[9], RecipeField::MomentShift),
        (magnitude, &[0; 4], RecipeField::Mask),
        (magnitude, &[8, 0, 0, 0], RecipeField::Mask),
        // A channel with another exponent and an offset.
        (magnitude, &[4, 0, 0, 0], RecipeField::Mask),
        (magnitude + 4, &[0], RecipeField::Mask),
        (features, &[13], RecipeField::Kind),
        (features + 1, &[4], RecipeField::FeatureChannel),
        (features + 2, &[1], RecipeField::Reserved),
        (features + 4 * 12, &[200], RecipeField::Names),
    ];
    for (at, with, field) in refused {
        assert_eq!(forged(0, at, with), Err(field), "{at}: {with:?}");
    }
    let band = TABLES + 2 * 8;
    for bins in [[0, 3], [4, 3], [1, 16], [1, 255]] {
        assert_eq!(forged(1, band + 2, &bins), Err(RecipeField::Band), "{bins:?}");
    }
    assert_eq!(forged(1, HOP, &[1, 2]), Err(RecipeField::Band));
    assert_eq!(forged(1, band + 2, &[1, 15]), Ok(()));
}

#[test]
fn the_encoder_refuses_the_same() {
    let bytes = golden_model("v2-i16-counts");
    let mut recipe = golden_recipe("v2-i16-counts");
    recipe.alarm.of = 0;
    let refused = EncodeError::Refused(DecodeError::Recipe(RecipeField::Alarm));
    assert_eq!(recipe.encode().unwrap_err(), refused);
    assert_eq!(with_recipe(&bytes, &recipe).unwrap_err(), refused);
    recipe.alarm.of = 4;
    recipe.channels[0].name = "x".repeat(256);
    assert_eq!(recipe.encode().unwrap_err(), EncodeError::Names);
    recipe.channels[0].name = "x".repeat(255);
    assert!(recipe.encode().is_ok());
    recipe.magnitudes[0].of = vec![3];
    assert_eq!(recipe.encode().unwrap_err(), EncodeError::Refused(DecodeError::Recipe(RecipeField::Mask)));
}

#[test]
fn a_stream_refuses_what_the_small_decoders_leave_to_it() {
    let model = GOLDEN_STREAMS[1].bytes;
    let bytes = crate::forged::forged(model, recipe_of(model) + BLOCKS, &[0]);
    let decoded = FloatModel::decode(&bytes).unwrap();
    assert!(decoded.recipe().is_none());
    let refused = Stream::<8, 8, 64, FloatModel<'_>>::new(&decoded).unwrap_err();
    assert_eq!(refused, StreamError::Recipe(RecipeField::Blocks));
}

#[test]
fn padding_before_a_recipe_is_zero() {
    for length in 0..4 {
        let name = "x".repeat(length);
        let mut recipe = golden_recipe("v2-i16-counts");
        recipe.channels[2].name = name;
        let names = ["mean"; 12];
        let plain = crate::common::random::RandomModel::new(1, 3, 12);
        let spec = pual_infer::ModelSpec { names: Some(&names[..]), recipe: Some(&recipe), ..plain.spec() };
        let bytes = pual_infer::encode(&spec).unwrap();
        let at = recipe_of(&bytes);
        // 12 names of 5 bytes: no padding; a longer one has some.
        let longer = [["longer"; 1].as_slice(), &names[1..]].concat();
        let padded = pual_infer::encode(&pual_infer::ModelSpec { names: Some(&longer), ..spec }).unwrap();
        let mut changed = padded.to_vec();
        assert_eq!(changed[at + 2..at + 4], [0, 0]);
        changed[at + 3] = 1;
        seal(&mut changed);
        let refused = ModelBytes::new(&changed).decode().map(drop);
        assert_eq!(refused, Err(DecodeError::Recipe(RecipeField::Names)));
    }
}

/// With the checksum corrected: whatever still decodes runs without a panic, and gives finite features.
#[test]
fn no_flipped_bit_makes_a_stream_panic() {
    let (mut refused, mut harmless) = (0, 0);
    for golden in GOLDEN_STREAMS {
        let start = recipe_of(golden.bytes);
        for bit in 8 * start..8 * (golden.bytes.len() - 4) {
            let mut bytes = golden.bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(ModelBytes::new(&bytes).decode().map(drop), Err(DecodeError::Checksum));
            seal(&mut bytes);
            let bytes = ModelBytes::new(&bytes);
            let Ok(model) = bytes.decode() else {
                refused += 1;
                continue;
            };
            harmless += 1;
            let recipe = model.recipe().unwrap();
            let mut windows = Windows::new(vec![0_u32; recipe.memory()], &recipe).unwrap();
            let mut features = vec![0.0; recipe.features()];
            for t in 0..(3 * recipe.window()).min(2000) {
                let sample = vec![[i16::MIN, i16::MAX, 3][t % 3]; recipe.raw_channels()];
                windows.push(&recipe, &sample, &mut features).unwrap();
            }
            assert!(features.iter().all(|x| x.is_finite()), "{}: bit {bit}", golden.name);
        }
    }
    println!("{refused} refused, {harmless} harmless");
    assert!(refused > 500 && harmless > 500, "{refused} {harmless}");
}
