//! The example firmware with a stream model: raw samples over the UART, verdicts back.

use pual_device::DeviceError;
use pual_device::emulator::{Clock, Link};
use pual_device::firmware::Board;
use pual_device::samples::{ComparedWindow, StreamComparison};
use pual_device::verify::Asker;
use pual_infer::{ModelBytes, with_recipe};
use pual_protocol::{
    ALARM, Counts, LimitKind, Request, Response, SampleValues, Samples, SamplesRefused, StreamAnswer, StreamLimit,
    StreamSupport,
};
use pual_tests::bits::boot;
use pual_tests::streams::{random_recipe, random_stream_model};

/// Levels that change, spikes, and a trend.
fn samples(channels: usize, count: usize, seed: usize) -> Vec<i16> {
    let value = |at: usize| {
        let (sample, channel) = (at / channels, at % channels);
        let noise = (at.wrapping_mul(2_654_435_761) >> 7) % 400;
        let level = [0, 9000, -12_000, 300][(sample / 90 + channel + seed) % 4];
        (level + noise as i32 + sample as i32 % 50) as i16
    };
    (0..channels * count).map(value).collect()
}

fn channels(model: &ModelBytes) -> usize {
    model.decode().unwrap().recipe().unwrap().raw_channels()
}

/// Windows seen, and how many were the workstation's to the bit.
fn compare(
    link: Link,
    model: &ModelBytes,
    run: impl Fn(&mut StreamComparison<'_, '_, Link>, &mut Seen),
) -> (Seen, Link) {
    let mut asker = Asker::new(link);
    let model = model.decode().unwrap();
    let mut seen = Seen::default();
    let mut comparison = StreamComparison::new(&mut asker, &model).unwrap();
    run(&mut comparison, &mut seen);
    seen.samples_cost = comparison.samples_cost;
    assert_eq!(asker.repeated, 0);
    (seen, asker.into_line())
}

#[derive(Debug, Default)]
struct Seen {
    windows: usize,
    identical: usize,
    alarms: usize,
    costs: Vec<u32>,
    samples_cost: (u64, u64),
}

impl Seen {
    fn add(&mut self, window: &ComparedWindow) -> Result<(), DeviceError> {
        self.windows += 1;
        self.identical += usize::from(window.is_identical());
        let there = window.there.as_ref().unwrap();
        self.alarms += usize::from(there.is(ALARM));
        self.costs.push(there.cost);
        Ok(())
    }
}

#[test]
fn samples_over_the_wire_give_the_workstation_s_verdicts() {
    for (board, seed) in [(Board::CortexM4F, 3), (Board::CortexM4F, 4), (Board::Microbit, 5), (Board::CortexM33, 6)] {
        let model = random_stream_model(seed);
        let width = channels(&model);
        let link = boot(board, &model, &format!("stream-{}-{seed}", board.machine()), Clock::Instructions);
        let (seen, link) = compare(link, &model, |comparison, seen| {
            for run in 0..2 {
                // In step, then without waiting for answers.
                comparison.send_ahead(1 + 20 * run);
                let counts = samples(width, 1500, run);
                comparison.push(&counts[..300 * width], &mut |window| seen.add(&window)).unwrap();
                comparison.gap();
                comparison.push(&counts[300 * width..], &mut |window| seen.add(&window)).unwrap();
                // The same as f32, in whatever units; then a new recording.
                let units: Vec<f32> = counts.iter().map(|&count| f32::from(count) * 0.37).collect();
                comparison.push(&units, &mut |window| seen.add(&window)).unwrap();
                comparison.restart().unwrap();
            }
        });
        let recipe = random_recipe(seed);
        let (cost, count) = seen.samples_cost;
        println!(
            "{}, {width} channels, {} features: {} windows, {:.0} instructions per sample, {} to {} per window",
            board.name(),
            recipe.features.len(),
            seen.windows,
            cost as f64 / count.max(1) as f64,
            seen.costs.iter().min().unwrap(),
            seen.costs.iter().max().unwrap()
        );
        assert!(seen.windows > 4, "{seen:?}");
        assert_eq!(seen.identical, seen.windows, "{}, seed {seed}", board.name());
        assert_eq!(link.stop().unwrap(), Some(0));
    }
}

fn ask(link: &mut Link, samples: Samples) -> Response {
    let mut buffer = [0; pual_protocol::MAX_FRAME];
    let frame = pual_protocol::encode(&Request::Samples(samples), &mut buffer).unwrap().to_vec();
    link.exchange(&frame).unwrap()
}

#[test]
fn a_batch_counts_once_and_a_lost_one_is_noticed() {
    let model = random_stream_model(3);
    let width = channels(&model);
    let mut link = boot(Board::CortexM4F, &model, "stream-steps", Clock::Fast);
    let hello = link.hello().unwrap().unwrap();
    assert_eq!(hello.stream, StreamSupport::Ready { channels: width as u8 });
    let batch = |number: u8, restart: bool, count: usize| Samples {
        number,
        restart,
        gap: false,
        values: SampleValues::Counts(Counts::from_slice(&samples(width, 20, 0)[..count]).unwrap()),
    };
    let refused = |why| Response::SamplesRefused(why);
    // Nothing has begun.
    assert_eq!(ask(&mut link, batch(7, false, width)), refused(SamplesRefused::OutOfStep));
    assert_eq!(
        ask(&mut link, batch(7, true, width + 1)).clone(),
        match width {
            1 => Response::Samples(StreamAnswer { number: 7, taken: 2, samples_cost: 0, window: None }),
            _ => refused(SamplesRefused::Length),
        }
    );
    let first = ask(&mut link, batch(255, true, width));
    assert!(matches!(&first, Response::Samples(answer) if answer.number == 255 && answer.taken == 1), "{first:?}");
    // Asked again: the same answer, to the cost.
    assert_eq!(ask(&mut link, batch(255, false, width)), first);
    assert_eq!(ask(&mut link, batch(1, false, width)), refused(SamplesRefused::OutOfStep));
    assert!(matches!(ask(&mut link, batch(0, false, width)), Response::Samples(_)));
    let mut values = pual_protocol::Reading::from_slice(&vec![1.0; width]).unwrap();
    values[width - 1] = f32::NAN;
    let not_finite = Samples { number: 1, restart: false, gap: false, values: SampleValues::Units(values) };
    let channel = (width - 1) as u8;
    assert_eq!(ask(&mut link, not_finite), refused(SamplesRefused::NotFinite { channel }));
    assert_eq!(link.stop().unwrap(), Some(0));
}

#[test]
fn a_model_that_needs_more_than_the_firmware_has_is_refused_by_name() {
    let model = random_stream_model(3);
    let mut recipe = random_recipe(3);
    recipe.blocks = 40;
    let large = with_recipe(&model, &recipe).unwrap();
    let mut link = boot(Board::CortexM4F, &large, "stream-large", Clock::Fast);
    let expected = StreamSupport::TooLarge(StreamLimit { what: LimitKind::Blocks, needed: 40, room: 32 });
    assert_eq!(link.hello().unwrap().unwrap().stream, expected);
    let values = SampleValues::Counts(Counts::new());
    let answer = ask(&mut link, Samples { number: 0, restart: true, gap: false, values });
    assert_eq!(answer, Response::SamplesRefused(SamplesRefused::NoStream));
    // It still scores rows of features.
    let features = large.decode().unwrap().features();
    assert!(link.score(&[vec![0.5; features]]).unwrap()[0].is_some());
    assert_eq!(link.stop().unwrap(), Some(0));
}
