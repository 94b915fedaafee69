//! A monitor on an emulated board, with a thermometer on its I2C bus that is moved while it runs: does it raise the alarm in
//! time, and only then? And is all it computes the workstation's, to the bit?

use pual_device::emulator::{Clock, Measurement, Monitor, thermometer_recipe};
use pual_infer::{Alarm, Class, Model, ModelBytes, with_recipe};
use pual_tests::bits::LIMIT;
use pual_tests::trained::trained;
use pual_trainer::synth::{AlarmReport, IN_A_ROW, Moment, Temperatures, day, monitored, thermometer};
use std::sync::LazyLock;

/// Readings within which an excursion must raise the alarm.
const SOON: usize = 3;

/// Trained once for all tests, on rows; the recipe computes the same features from the thermometer's counts.
static TRAINED: LazyLock<ModelBytes> =
    LazyLock::new(|| with_recipe(&trained(monitored(1000, 1), 1), &thermometer_recipe()).unwrap());

/// Of many days: excursions, those with an alarm in time, normal readings, false alarms.
fn totals(days: &[AlarmReport]) -> [usize; 4] {
    let counts = days.iter().map(|day| [day.delays.len(), day.within(SOON), day.normal, day.false_alarms]);
    counts.fold([0; 4], |sums, counts| std::array::from_fn(|at| sums[at] + counts[at]))
}

fn expose(monitor: &mut Monitor<'_>, millidegrees: i32) -> Measurement {
    monitor.expose(millidegrees, thermometer(millidegrees)).unwrap()
}

/// The alarms of a day, from the sensor's counts, without a device.
fn alarms(model: &Model<'_>, day: &[Moment]) -> Vec<bool> {
    let (mut temperatures, mut alarm) = (Temperatures::default(), Alarm::new(IN_A_ROW));
    let is_on = |moment: &Moment| {
        let features = temperatures.push(thermometer(moment.millidegrees));
        let class = features.map(|features| model.classify(&features).unwrap());
        class.is_some_and(|class| alarm.push(class == Class::Positive))
    };
    day.iter().map(is_on).collect()
}

#[test]
fn alarms_come_within_three_readings_and_never_in_normal_operation() {
    let model = TRAINED.decode().unwrap();
    let (mut days, mut readings, mut identical) = (Vec::new(), 0, 0);
    for seed in 1..=10 {
        let day = day(seed);
        let mut monitor = Monitor::boot(&TRAINED, &model, &format!("live-{seed}"), Clock::Fast, LIMIT).unwrap();
        let seen: Vec<_> = day.iter().map(|moment| expose(&mut monitor, moment.millidegrees)).collect();
        assert_eq!(monitor.stop().unwrap(), Some(0));
        let on_device: Vec<_> = seen.iter().map(|seen| seen.alarm).collect();
        let watched = AlarmReport::new(&day, &on_device);
        println!(
            "day {seed}: {} readings, alarm after {:?} (on before: {:?}), false alarms in {} of {} normal readings",
            watched.readings, watched.delays, watched.early, watched.false_alarms, watched.normal
        );
        assert_eq!(watched.delays.len(), 2, "too warm, then freezing");
        assert!(watched.normal > watched.readings / 3, "{watched:?}");
        // The device's alarms, and not only what it says of them, are those of an independent run over the temperatures, whose
        // features have other last bits.
        assert_eq!(on_device, alarms(&model, &day));
        days.push(watched);
        readings += seen.len();
        identical += seen.iter().filter(|seen| seen.identical).count();
    }
    let [excursions, in_time, normal, false_alarms] = totals(&days);
    println!(
        "{in_time} of {excursions} excursions within {SOON} readings, {false_alarms} alarms in {normal} readings of normal \
         operation, {identical} of {readings} identical to the bit"
    );
    assert_eq!((in_time, false_alarms), (excursions, 0));
    assert_eq!(identical, readings);
}

#[test]
fn ten_days_were_not_ten_lucky_ones() {
    // The same code without a device: what the model does on many more days, and what on days of its own.
    let model = TRAINED.decode().unwrap();
    let days: Vec<_> = (1000..1500).map(day).map(|day| AlarmReport::new(&day, &alarms(&model, &day))).collect();
    let [excursions, in_time, normal, false_alarms] = totals(&days);
    println!("{in_time} of {excursions} excursions in time, {false_alarms} alarms in {normal} normal readings");
    assert!(excursions == 1000 && in_time >= 980, "{in_time}");
    assert!(false_alarms * 1000 <= normal, "{false_alarms} of {normal}");
}

#[test]
fn the_device_reads_what_the_thermometer_is_exposed_to() {
    let model = TRAINED.decode().unwrap();
    let mut monitor = Monitor::boot(&TRAINED, &model, "counts", Clock::Fast, LIMIT).unwrap();
    // Steps of 1/16 degree, cut off downwards; below zero as well; the ends of what the sensor can be set to.
    for (millidegrees, count) in [
        (0, 0),
        (62, 0),
        (63, 1),
        (4_500, 72),
        (-63, -1),
        (-70, -2),
        (-500, -8),
        (-10_000, -160),
        (127_990, 2047),
        (-128_000, -2048),
    ] {
        let seen = expose(&mut monitor, millidegrees);
        assert_eq!(seen.sample.count, count, "{millidegrees}");
        assert!(seen.identical, "{millidegrees}");
    }
    // Hotter than it can be: an error that says so, and the machine goes on.
    let error = monitor.expose(200_000, 0).unwrap_err().to_string();
    assert!(error.contains("QEMU"), "{error}");
    assert!(expose(&mut monitor, 5_000).identical);
}
