//! Windows by the device's own code, and training on recordings: features, alarm, verdicts.

use super::{Folder, message, open};
use pual_infer::{Stream, StreamVerdict};
use pual_trainer::errors::{LogError, RecipeError};
use pual_trainer::{
    Error, LogOptions, Options, Recordings, Silent, Span, StreamOptions, StreamOutcome, evaluate_recordings,
    score_recordings, train_recordings,
};

use crate::base::random::Random;
use crate::streams::{WindowPlan, windows};

/// Noise on two channels; during the fault, samples 200 to 299, the first is 3 higher. Half of the fault is labeled in every second one.
fn machine(folder: &Folder, count: usize, normal: bool) -> Recordings {
    let random = &mut Random::new(7, 0);
    let mut events = "recording,start,end,kind\n".to_owned();
    let files: Vec<_> = (0..count)
        .map(|at| {
            let mut text = "time,a,b,broken\n".to_owned();
            for t in 0..400 {
                let fault = (200..300).contains(&t);
                let a = random.normal() + if fault { 3.0 } else { 0.0 };
                text += &format!("{t},{a},{},{}\n", 20.0 + random.normal(), u8::from(fault));
            }
            if at % 2 == 0 {
                events += &format!("run{at},200,249,fault\n");
            }
            if normal {
                events += &format!("run{at},0,150,normal\n");
            }
            folder.write(&format!("run{at}.csv"), &text)
        })
        .collect();
    let events = Some(folder.write("events.csv", &events));
    open(&files, &LogOptions { truth: Some("broken".into()), events, ..LogOptions::default() }).unwrap()
}

fn streams() -> StreamOptions {
    StreamOptions {
        windows: vec![Span::Seconds(20.0)],
        hop: Some(Span::Samples(10)),
        features: Some(vec!["mean".into(), "sd".into()]),
        ..StreamOptions::default()
    }
}

fn train(recordings: &Recordings, streams: &StreamOptions) -> Result<StreamOutcome, Error> {
    let options = Options { ensemble: Some(10), ..Options::default() };
    train_recordings(recordings, streams, &options, &Silent)
}

#[test]
fn rows_are_the_device_s_features_of_windows_that_end_at_gaps() {
    let folder = Folder::new("windows");
    let mut text = "time,a,b,fault\n".to_owned();
    // A gap after sample 24; the label covers half of the window from 10 to 19.
    for t in (0..25).chain(40..60) {
        text += &format!("{t},{},{},{}\n", t % 7, 100 - t, u8::from((15..20).contains(&t)));
    }
    let options = LogOptions { label: Some("fault".into()), ..LogOptions::default() };
    let recordings = open(&[folder.write("log.csv", &text)], &options).unwrap();
    let features = ["mean", "sd", "min", "max", "p2p", "rms"].map(str::to_owned).to_vec();
    let plan = WindowPlan { window: 10, hop: 5, features, baseline: 0, magnitudes: Vec::new() };
    let rows = windows(&recordings, &plan.recipe(&recordings).unwrap()).unwrap();
    let ends: Vec<usize> = rows.places.iter().map(|place| place.end).collect();
    assert_eq!(ends, [9, 14, 19, 24, 34, 39, 44]);
    let labeled = [false, false, true, true, false, false, false];
    assert_eq!(rows.table.labeled.as_deref(), Some(&labeled[..]));
    let names: Vec<&str> = rows.table.names.iter().map(String::as_str).collect();
    assert_eq!(names[..6], ["a mean", "a sd", "a min", "a max", "a p2p", "a rms"]);
    let width = rows.table.names.len();
    for (row, &end) in rows.table.rows.chunks(width).zip(&ends) {
        for channel in 0..2 {
            let values: Vec<f64> =
                (end - 9..=end).map(|sample| f64::from(recordings.all[0].samples[2 * sample + channel])).collect();
            let mean = values.iter().sum::<f64>() / 10.0;
            let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 10.0;
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let rms = (values.iter().map(|x| x * x).sum::<f64>() / 10.0).sqrt();
            let expected = [mean, variance.sqrt(), low, high, high - low, rms];
            for (found, expected) in row[6 * channel..6 * channel + 6].iter().zip(expected) {
                assert!((found - expected).abs() < 2e-2, "{found} {expected}");
            }
        }
    }
}

#[test]
fn a_model_of_recordings_finds_the_fault_and_the_chip_says_the_same() {
    let folder = Folder::new("machine");
    let recordings = machine(&folder, 6, true);
    let trained = train(&recordings, &streams()).unwrap();
    let stream = &trained.stream;
    assert_eq!((stream.window, stream.hop, stream.gaps), (20, 10, 0));
    assert_eq!(trained.outcome.summary.features, ["a mean", "a sd", "b mean", "b sd"]);
    assert!(stream.alarm.known_normal && stream.left_out && stream.alarm.is_met());
    assert_eq!((stream.alarm.left_out.events, stream.alarm.left_out.found), (3, 3));
    // Compressed, with the recipe in it.
    assert!(trained.outcome.ladder().is_some());
    assert_eq!(trained.outcome.summary.bytes, trained.outcome.model.bytes().len());
    let model = trained.outcome.model.decode().unwrap();
    let recipe = model.recipe().unwrap();
    assert_eq!((recipe.window(), recipe.alarm()), (20, stream.alarm.rule));
    assert!(recipe.drift().outside.limit > 0 && stream.ram_bytes < 1000);

    let evaluation = evaluate_recordings(&model, &recordings, None).unwrap();
    assert_eq!((evaluation.alarm.events, evaluation.alarm.found, evaluation.alarm.false_alarms), (6, 6, 0));
    assert!(evaluation.truth.f1 > 0.9 && evaluation.drifted == 0, "{evaluation:?}");
    assert!(evaluation.alarm.median_delay().unwrap() <= 60.0);

    // The library's word on a recording is the device's, to the bit.
    let verdicts = score_recordings(&model, &recordings, None).unwrap();
    for (at, recording) in recordings.all.iter().enumerate() {
        let mut device = Stream::<2, 2, 8>::new(&model).unwrap();
        let mut said: Vec<(usize, StreamVerdict)> = Vec::new();
        for (sample, values) in recording.samples.chunks(2).enumerate() {
            said.extend(device.push(values).unwrap().map(|verdict| (sample, verdict)));
        }
        let of: Vec<_> = verdicts.iter().filter(|verdict| verdict.recording == at).collect();
        assert_eq!(of.len(), said.len());
        for (verdict, (sample, said)) in of.iter().zip(&said) {
            let same = (verdict.sample, verdict.score.to_bits(), verdict.alarm, verdict.drift);
            assert_eq!(same, (*sample, said.score.to_bits(), said.alarm, said.drift));
        }
    }
    // Much higher on both channels: the drift flag goes up.
    let mut shifted = recordings.clone();
    for recording in &mut shifted.all {
        recording.samples.iter_mut().for_each(|x| *x += 30.0);
    }
    assert_eq!(evaluate_recordings(&model, &shifted, None).unwrap().drifted, 6);
}

#[test]
fn without_normal_time_false_alarms_are_an_upper_bound_and_a_window_can_be_chosen() {
    let folder = Folder::new("search");
    let recordings = machine(&folder, 6, false);
    let options =
        StreamOptions { windows: vec![Span::Samples(2), Span::Samples(40)], hop: None, features: None, ..streams() };
    let trained = train(&recordings, &options).unwrap();
    assert!(!trained.stream.alarm.known_normal);
    // Three deviations are far in the mean of 40 samples, less so in that of 2.
    assert_eq!(trained.stream.window, 40, "{:?}", trained.stream.tried);
    assert!(trained.stream.tried.len() > 4);
    let merit = |window: usize| {
        let of = trained.stream.tried.iter().filter(|tried| tried.window == window).map(|tried| tried.merit);
        of.fold(0.0, f64::max)
    };
    assert!(merit(40) > merit(2));
}

#[test]
fn a_baseline_forgives_a_recording_its_level() {
    let folder = Folder::new("baseline");
    let mut recordings = machine(&folder, 6, false);
    for (at, recording) in recordings.all.iter_mut().enumerate() {
        recording.samples.iter_mut().step_by(2).for_each(|x| *x += 10.0 * at as f32);
    }
    let relative = StreamOptions { baseline: Some(Span::Seconds(100.0)), ..streams() };
    let trained = train(&recordings, &relative).unwrap();
    assert_eq!((trained.stream.baseline, trained.stream.features[0].as_str()), (10, "a mean relative"));
    let model = trained.outcome.model.decode().unwrap();
    let evaluation = evaluate_recordings(&model, &recordings, None).unwrap();
    assert_eq!(evaluation.alarm.found, 6);
    assert!(evaluation.truth.f1 > 0.85, "{:?}", evaluation.truth);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new("refused");
    let recordings = machine(&folder, 2, false);
    let hop = StreamOptions { hop: Some(Span::Samples(7)), ..streams() };
    assert!(matches!(train(&recordings, &hop), Err(Error::Recipe(RecipeError::Hop { hop: 7, window: 20 }))));
    let long = StreamOptions { windows: vec![Span::Seconds(500.0)], hop: None, ..streams() };
    let Err(Error::Log(error)) = train(&recordings, &long) else { panic!() };
    assert_eq!(
        message(&folder, &error),
        "run0.csv and the others: a window of 500 samples is longer than every recording; the longest stretch without a gap has 400"
    );
    let trained = train(&recordings, &streams()).unwrap();
    let model = trained.outcome.model.decode().unwrap();
    // Ten times slower.
    let mut slow = recordings.clone();
    slow.all.iter_mut().for_each(|recording| recording.period = 10.0);
    let Err(Error::Log(error)) = score_recordings(&model, &slow, None) else { panic!() };
    let error: LogError = error;
    assert!(message(&folder, &error).starts_with("run0.csv: 0.1 samples per second, expected 1 (the model's)"));
    let rows = crate::data::synth::label(crate::data::synth::cold_chain(200, 1), 0.5, 1);
    let options = Options { ensemble: Some(5), ..Options::default() };
    let plain = pual_trainer::train(&pual_trainer::Dataset::new(rows).unwrap(), &options, &Silent).unwrap();
    let plain = plain.model.decode().unwrap();
    assert!(matches!(score_recordings(&plain, &recordings, None), Err(Error::NoRecipe)));
}
