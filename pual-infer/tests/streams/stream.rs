//! Models with a recipe: encoding, changing, and streams of samples to verdicts.

use crate::common::random::RandomModel;
use pual_infer::{
    AlarmRule, ChannelSpec, Chart, Class, DriftRule, Encoding, Envelope, Feature, FeatureKind, FixedModel, FloatModel,
    Input, Model, ModelBytes, ModelSpec, RECIPE_VERSION, RecipeSpec, SpecKernel, Stream, StreamError, Windows, encode,
    encode_fixed, with_recipe, with_threshold,
};

/// Mean and standard deviation of two channels.
fn recipe() -> RecipeSpec {
    let channel = |name: &str| ChannelSpec { name: name.into(), ..ChannelSpec::default() };
    let feature = |kind, channel| Feature { kind, channel, relative: false };
    RecipeSpec {
        input: Input::Counts,
        rate: 50.0,
        hop: 4,
        blocks: 3,
        baseline: 0,
        alarm: AlarmRule { on: 2, of: 3, off: 2 },
        drift: DriftRule { outside: Chart { hit: 2, miss: -1, limit: 20 }, ..DriftRule::default() },
        channels: vec![channel("x [counts]"), channel("y [counts]")],
        magnitudes: Vec::new(),
        features: [FeatureKind::Mean, FeatureKind::Sd]
            .into_iter()
            .flat_map(|kind| [feature(kind, 0), feature(kind, 1)])
            .collect(),
    }
}

/// Positive where the first mean is above 0.
fn spec(recipe: Option<&RecipeSpec>) -> ModelSpec<'_> {
    ModelSpec {
        kernel: SpecKernel::Rbf { bandwidth: 1.0 },
        offsets: &[0.0; 4],
        scales: &[0.001; 4],
        coefficients: &[1.0, -1.0],
        supports: &[1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0],
        bias: 0.0,
        threshold: 0.0,
        envelope: Some((&[-2000.0; 4], &[2000.0; 4])),
        names: Some(&["mean x", "mean y", "sd x", "sd y"]),
        recipe,
    }
}

fn all(recipe: Option<&RecipeSpec>) -> [ModelBytes; 3] {
    let spec = spec(recipe);
    [encode(&spec), encode_fixed(&spec, Encoding::I16), encode_fixed(&spec, Encoding::I8)].map(Result::unwrap)
}

#[test]
fn a_recipe_is_read_as_it_was_written() {
    let mut recipe = recipe();
    for name in ["", "x", "temperature [°C]", "xyzu"] {
        recipe.channels[0].name = name.into();
        recipe.channels[1].offset = 1.5;
        recipe.channels[1].exponent = -3;
        for (with, without) in all(Some(&recipe)).iter().zip(all(None)) {
            let model = with.decode().unwrap();
            let read = model.recipe().unwrap();
            assert_eq!(RecipeSpec::from(&read), recipe);
            assert_eq!((read.name(0), read.name(1), read.name(2)), (Some(name), Some("y [counts]"), None));
            assert_eq!((model.name(3), model.name(4)), (Some("sd y"), None));
            assert_eq!(model.description().format_version(), RECIPE_VERSION);
            let sections: Vec<_> = model.description().sections().collect();
            assert!(sections.iter().any(|section| section.name == "recipe" && section.length > 48));
            assert_eq!(sections.iter().map(|section| section.length).sum::<usize>(), with.len());
            // Nothing else changes.
            let plain = without.decode().unwrap();
            assert!(plain.recipe().is_none() && plain.description().format_version() == 1);
            let reading = [300.0, -20.0, 7.0, 8.0];
            assert_eq!(model.judge(&reading), plain.judge(&reading));
            assert_eq!(&**with, &*with_recipe(&without, &recipe).unwrap());
        }
    }
}

#[test]
fn threshold_and_recipe_can_be_changed() {
    let first = recipe();
    let mut second = recipe();
    second.alarm.off = 9;
    second.channels[1].name = "another, longer name".into();
    for (a, b) in all(Some(&first)).iter().zip(all(Some(&second))) {
        assert_eq!(&*with_recipe(a, &second).unwrap(), &*b);
        let changed = with_threshold(a, 0.25).unwrap();
        let model = changed.decode().unwrap();
        assert_eq!((model.threshold(), model.recipe().unwrap().alarm()), (0.25, first.alarm));
        assert_eq!(changed.len(), a.len());
        // Between threshold and checksum nothing changes.
        assert_eq!((&changed[..20], &changed[24..a.len() - 4]), (&a[..20], &a[24..a.len() - 4]));
    }
    let mut other = recipe();
    other.features.pop();
    assert!(with_recipe(&all(None)[0], &other).is_err());
}

#[test]
fn a_stream_is_windows_and_a_model_and_an_alarm() {
    let recipe = recipe();
    for bytes in all(Some(&recipe)) {
        let model = bytes.decode().unwrap();
        let mut stream = Stream::<2, 3>::new(&model).unwrap();
        let read = model.recipe().unwrap();
        let mut windows = Windows::new(vec![0_u32; read.memory()], &read).unwrap();
        let mut features = [0.0; 4];
        let (mut classes, mut alarms) = (Vec::new(), Vec::new());
        for t in 0..400_i16 {
            let sample = [if t / 100 % 2 == 0 { -600 } else { 700 } + t % 7, if t > 300 { 5000 } else { 3 * (t % 5) }];
            let verdict = stream.push(&sample).unwrap();
            let complete = windows.push(&read, &sample, &mut features).unwrap();
            assert_eq!(verdict.is_some(), complete);
            let Some(verdict) = verdict else { continue };
            assert_eq!(stream.features(), features);
            let judged = model.judge(&features).unwrap();
            assert_eq!((verdict.score.to_bits(), verdict.class), (judged.score.to_bits(), judged.class));
            assert_eq!(verdict.envelope, judged.envelope);
            assert_eq!(
                matches!(verdict.envelope, Envelope::Outside { .. }),
                features[1] > 2000.0 || features[3] > 2000.0
            );
            classes.push(verdict.class == Class::Positive);
            alarms.push(verdict.alarm);
            let row = stream.drift();
            assert_eq!(row.windows(), classes.len() as u32);
            assert_eq!(row.positive() as usize, classes.iter().filter(|positive| **positive).count());
            assert_eq!(verdict.drift, row.is_raised());
        }
        assert_eq!(stream.windows(), classes.len() as u32);
        assert!(stream.drift().is_raised() && stream.drift().outside() > 20);
        let on = alarms.iter().position(|on| *on).unwrap();
        assert!(classes[..=on].iter().filter(|positive| **positive).count() == 2);
        let off = on + alarms[on..].iter().position(|on| !on).unwrap();
        assert!(!classes[off] && !classes[off - 1] && classes[off - 2]);
    }
}

#[test]
fn a_gap_ends_windows_but_neither_alarm_nor_drift() {
    let recipe = recipe();
    let bytes = &all(Some(&recipe))[0];
    let model = bytes.decode().unwrap();
    let mut stream = Stream::<2, 3>::new(&model).unwrap();
    let mut at = 0;
    let mut until_verdict = |stream: &mut Stream<'_, 2, 3>| {
        (1..).find(|_| {
            at += 1;
            stream.push(&[900_i16, at]).unwrap().is_some()
        })
    };
    assert_eq!(until_verdict(&mut stream), Some(12));
    assert_eq!(until_verdict(&mut stream), Some(4));
    assert!(stream.alarm());
    stream.push(&[0_i16, 0]).unwrap();
    stream.gap();
    assert!(stream.alarm() && stream.windows() == 2 && stream.drift().windows() == 2);
    assert_eq!(until_verdict(&mut stream), Some(12));
    assert_eq!(until_verdict(&mut stream), Some(4));
}

#[test]
fn a_stream_names_what_is_too_small() {
    let plain = all(None);
    let with = all(Some(&recipe()));
    let (plain, model) = (plain[0].decode().unwrap(), with[0].decode().unwrap());
    assert_eq!(Stream::<2, 3>::new(&plain).unwrap_err(), StreamError::NoRecipe);
    assert_eq!(Stream::<1, 3>::new(&model).unwrap_err(), StreamError::Channels { needed: 2 });
    assert_eq!(Stream::<2, 2>::new(&model).unwrap_err(), StreamError::Blocks { needed: 3 });
    assert_eq!(Stream::<2, 3, 4>::new(&model).unwrap_err(), StreamError::Words { needed: 5 });
    assert_eq!(model.recipe().unwrap().words(), 5);
    assert!(Stream::<4, 3, 4>::new(&model).is_ok());
    let float = FloatModel::decode(&with[0]).unwrap();
    assert!(Stream::<2, 3, 5, FloatModel<'_>>::new(&float).is_ok());
    let fixed = FixedModel::decode(&with[1]).unwrap();
    assert!(Stream::<2, 3, 5, FixedModel<'_>>::new(&fixed).is_ok());
    // `Model` is the default.
    let model: &Model<'_> = &model;
    assert!(Stream::<2, 3>::new(model).is_ok());
}

#[test]
fn random_models_take_recipes() {
    let truth = RandomModel::new(1, 5, 4);
    let bytes = encode(&truth.spec()).unwrap();
    let changed = with_recipe(&bytes, &recipe()).unwrap();
    assert!(changed.decode().unwrap().recipe().is_some());
}

/// A window of 128 samples of 3 channels in 8 blocks: the samples alone would be 768 bytes.
#[test]
fn a_stream_is_small() {
    assert!(size_of::<Stream<'_, 3, 8>>() <= 600 + PER_POINTER * 6, "{}", size_of::<Stream<'_, 3, 8>>());
}

/// On the device, where the size is measured too, a pointer and a length have four bytes each.
const PER_POINTER: usize = size_of::<usize>() - 4;
