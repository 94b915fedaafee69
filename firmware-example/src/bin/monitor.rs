//! A refrigerator's monitor: reads a thermometer on I2C, keeps the last temperatures, scores their level, slope and spread with
//! the model in the flash region, and raises an alarm.
//!
//! It measures when the host asks, so that both are in step and a run of hours takes seconds. On a refrigerator a timer
//! would ask, every 5 minutes.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::answers::{answer, judge};
use firmware_example::tmp105::{ADDRESS, Tmp105};
use firmware_example::{board, counter::Counter, flash, serve::serve};
use pual_infer::AnyModel;
use pual_protocol::monitor::{Alarm, NAMES, Sample, Temperatures};
use pual_protocol::{Request, Response};

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let model = AnyModel::decode(flash::model_region());
    let Ok(mut thermometer) = Tmp105::start(board::I2c::start(), ADDRESS) else {
        board::say(format_args!(
            "no thermometer answers at address {ADDRESS:#x}"
        ));
        board::exit(1)
    };
    let mut temperatures = Temperatures::new();
    let mut alarm = Alarm::new();
    serve(board::Uart::start(), |request| match (request, &model) {
        (Request::Sample, Ok(model)) if model.features() == NAMES.len() => {
            let Ok(count) = thermometer.count() else {
                return Response::ReadingRefused;
            };
            let features = temperatures.push(count);
            let judged = features.and_then(|features| judge(model, &counter, features, &mut alarm));
            Response::Sample(Sample { count, judged })
        }
        (request, model) => answer(model.as_ref().ok(), &counter, request),
    })
}

firmware_example::report_failures!();
