//! Scores the readings that arrive over the UART with the model in the flash region; if the model has a recipe, takes raw
//! samples and judges their windows.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::{answers::answer, board, flash, serve, streaming::Streamer};
use pual_infer::{MAX_FEATURES_ON_STACK, Model};
use pual_protocol::MAX_FEATURES;

const _: () = assert!(MAX_FEATURES == MAX_FEATURES_ON_STACK);

#[entry]
fn main() -> ! {
    let (counter, mut server) = serve::start();
    let model = Model::decode(flash::model_region());
    match &model {
        Ok(model) => board::say(format_args!(
            "model of {} features and {} support instances ({} bytes); frames come and go over the UART",
            model.features(),
            model.supports(),
            model.length()
        )),
        Err(error) => board::say(format_args!("no model: {error}")),
    }
    let model = model.as_ref().ok();
    let mut streamer = Streamer::new(model);
    loop {
        server.serve(|request| answer(model, &mut streamer, &counter, &request));
    }
}

firmware_example::report_failures!();
