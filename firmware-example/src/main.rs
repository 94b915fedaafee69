//! Scores the readings that arrive over the UART with the model in the flash region.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::answers::{hello, score, score_counts};
use firmware_example::{board, counter::Counter, flash};
use pual_infer::{AnyModel, MAX_FEATURES_ON_STACK};
use pual_protocol::{MAX_FEATURES, MAX_FRAME, Request, Response};

const _: () = assert!(MAX_FEATURES == MAX_FEATURES_ON_STACK);

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let mut uart = board::Uart::start();

    let model = AnyModel::decode(flash::model_region());
    match &model {
        Ok(model) => board::say(format_args!(
            "model of {} features and {} support instances ({} bytes); frames come and go over the UART",
            model.features(),
            model.supports(),
            model.length()
        )),
        Err(error) => board::say(format_args!("no model: {error}")),
    }

    let mut frame = heapless::Vec::<u8, MAX_FRAME>::new();
    loop {
        let complete = receive(&mut uart, &mut frame);
        let request = if complete {
            pual_protocol::decode::<Request>(&mut frame)
        } else {
            None
        };
        let response = match (request, &model) {
            (None, _) => Response::BadFrame,
            (Some(Request::Stop), _) => board::exit(0),
            (Some(_), Err(_)) => Response::ModelRefused,
            (Some(Request::Hello), Ok(model)) => hello(model),
            (Some(Request::Score(reading)), Ok(model)) => score(model, &counter, &reading),
            (Some(Request::ScoreCounts(counts)), Ok(AnyModel::Fixed(model))) => {
                score_counts(model, &counter, &counts)
            }
            (Some(Request::ScoreCounts(_)), Ok(AnyModel::Float(_))) => Response::ReadingRefused,
            // Without the feature, that is what becomes of it by itself.
            #[cfg(feature = "update")]
            (Some(Request::Update(_)), Ok(_)) => Response::BadFrame,
        };
        let mut buffer = [0; MAX_FRAME];
        for &byte in pual_protocol::encode(&response, &mut buffer).unwrap_or_default() {
            uart.write(byte);
        }
    }
}

/// Reads up to the next zero byte. False if the frame was too long; the rest of it is skipped then.
fn receive(uart: &mut board::Uart, frame: &mut heapless::Vec<u8, MAX_FRAME>) -> bool {
    frame.clear();
    let mut complete = true;
    loop {
        match uart.read() {
            0 => return complete,
            byte => complete &= frame.push(byte).is_ok(),
        }
    }
}

firmware_example::report_failures!();
