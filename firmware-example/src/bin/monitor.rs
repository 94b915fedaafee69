//! A refrigerator's monitor: reads a thermometer on I2C, keeps the last temperatures, judges their level, slope and spread
//! with the model in the flash region, and raises an alarm.
//!
//! It measures when the host asks, so that both stay in step and hours of operation take seconds. On a refrigerator a timer
//! would ask, every 5 minutes.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::monitor::{FEATURES, IN_A_ROW, Temperatures};
use firmware_example::tmp105::{ADDRESS, Tmp105};
use firmware_example::{answers, board, flash, serve, streaming::Streamer};
use pual_infer::{Alarm, Model};
use pual_protocol::{Judgement, Reading, Request, Response, Sample};

#[entry]
fn main() -> ! {
    let (counter, mut server) = serve::start();
    let model = Model::decode(flash::model_region());
    let Ok(mut thermometer) = Tmp105::start(board::I2c::start(), ADDRESS) else {
        board::say(format_args!("no thermometer answers at address {ADDRESS:#x}"));
        board::exit(1)
    };
    let mut temperatures = Temperatures::new();
    let mut alarm = Alarm::new(IN_A_ROW);
    let mut streamer = Streamer::new(model.as_ref().ok());
    loop {
        server.serve(|request| match (request, &model) {
            (Request::Sample, Ok(model)) if model.features() == FEATURES => {
                let Ok(count) = thermometer.count() else {
                    return Response::ReadingRefused;
                };
                let judgement = temperatures.push(count).and_then(|features| {
                    let scored = answers::score(model, &counter, &features)?;
                    Some(Judgement {
                        features: Reading::from_slice(&features).ok()?,
                        scored,
                        alarm: alarm.push(scored.positive),
                    })
                });
                Response::Sample(Sample { count, judgement })
            }
            (request, model) => answers::answer(model.as_ref().ok(), &mut streamer, &counter, &request),
        });
    }
}

firmware_example::report_failures!();
