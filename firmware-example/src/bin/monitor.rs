//! A monitor with a thermometer on I2C: its counts are the samples of the stream model in the flash region, which computes windows,
//! features, score and alarm.
//!
//! It measures when the host asks, so that both stay in step and hours of operation take seconds. On a refrigerator a timer
//! would ask, every 5 minutes.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::tmp105::{ADDRESS, Tmp105};
use firmware_example::{answers, board, flash, serve, streaming::Streamer};
use pual_infer::Model;
use pual_protocol::{ALARM, Judgement, OUTSIDE, POSITIVE, Request, Response, Sample, Scored};

#[entry]
fn main() -> ! {
    let (counter, mut server) = serve::start();
    let model = Model::decode(flash::model_region());
    let model = model.as_ref().ok();
    let Ok(mut thermometer) = Tmp105::start(board::I2c::start(), ADDRESS) else {
        board::say(format_args!("no thermometer answers at address {ADDRESS:#x}"));
        board::exit(1)
    };
    let mut streamer = Streamer::new(model);
    loop {
        server.serve(|request| match request {
            Request::Sample => {
                let Ok(count) = thermometer.count() else {
                    return Response::ReadingRefused;
                };
                match streamer.measure(&counter, &[count]) {
                    Ok(window) => Response::Sample(Sample {
                        count,
                        judgement: window.map(|window| Judgement {
                            scored: Scored {
                                score_bits: window.score.to_bits(),
                                positive: window.is(POSITIVE),
                                outside_envelope: window.is(OUTSIDE),
                                cost: window.cost,
                            },
                            alarm: window.is(ALARM),
                            features: window.features,
                        }),
                    }),
                    // No recipe, or one of several channels.
                    Err(_) => Response::ReadingRefused,
                }
            }
            request => answers::answer(model, &mut streamer, &counter, &request),
        });
    }
}

firmware_example::report_failures!();
