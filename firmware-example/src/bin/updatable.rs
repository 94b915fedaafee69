//! The firmware with a model store: scores readings as the example does, and takes new models over the same UART. The old
//! one scores until the new one is committed.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::answers::answer;
use firmware_example::board::flash::{Flash, SLOTS, bytes};
use firmware_example::{board, counter::Counter, flash};
use pual_infer::AnyModel;
use pual_infer::store::{Store, Stored, Unfit};
use pual_protocol::update::Updater;
use pual_protocol::{Assembler, MAX_FRAME, Request, Response};

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let mut uart = board::Uart::start();

    let (Ok(built_in), Ok(store)) = (
        AnyModel::decode(flash::model_region()),
        Store::new(Flash::start(), SLOTS),
    ) else {
        board::say(format_args!("no built-in model, or no room for a store"));
        board::exit(1)
    };
    let features = built_in.features();
    let accept = |stored: &Stored| decode(stored, features).map(drop);
    let mut updater = Updater::new(store, features as u16, accept);
    board::say(format_args!("{}", updater.boot()));

    let mut assembler = Assembler::new();
    loop {
        // Anew each time: the model may have been replaced, and the old one's slot may be overwritten next.
        let stored = updater.boot().model;
        let model = stored.and_then(|stored| decode(&stored, features).ok());
        let model = model.as_ref().unwrap_or(&built_in);
        while updater.boot().model == stored {
            let Some(mut frame) = assembler.push(uart.read()) else {
                continue;
            };
            let response = match pual_protocol::decode::<Request>(&mut frame) {
                None => Response::BadFrame,
                Some(Request::Stop) => board::exit(0),
                Some(Request::Update(sealed)) => updater
                    .answer(&sealed, accept)
                    .map_or(Response::BadFrame, Response::Update),
                Some(request) => answer(Some(model), &counter, request),
            };
            let mut buffer = [0; MAX_FRAME];
            for &byte in pual_protocol::encode(&response, &mut buffer).unwrap_or_default() {
                uart.write(byte);
            }
        }
    }
}

/// A stored model, where it lies.
fn decode(stored: &Stored, features: usize) -> Result<AnyModel<'static>, Unfit> {
    let bytes = bytes(stored).ok_or(Unfit::NotMapped)?;
    let model = AnyModel::decode(bytes).map_err(Unfit::Model)?;
    if model.features() == features {
        Ok(model)
    } else {
        Err(Unfit::Features)
    }
}

firmware_example::report_failures!();
