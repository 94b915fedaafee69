//! Scores the readings that arrive over the UART with the model in the flash region.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::answers::answer;
use firmware_example::{board, counter::Counter, flash, serve::serve};
use pual_infer::{AnyModel, MAX_FEATURES_ON_STACK};
use pual_protocol::MAX_FEATURES;

const _: () = assert!(MAX_FEATURES == MAX_FEATURES_ON_STACK);

#[entry]
fn main() -> ! {
    let Some(peripherals) = cortex_m::Peripherals::take() else {
        board::exit(board::EXIT_PANIC)
    };
    let counter = Counter::new(peripherals.SYST);
    let uart = board::Uart::start();

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
    serve(uart, |request| {
        answer(model.as_ref().ok(), &counter, request)
    })
}

firmware_example::report_failures!();
