//! The firmware with a model store: scores readings as the example does, and takes new models over the same UART. The old
//! model scores until the new one is committed.
//!
//! With the feature `signed` it runs only what the holder of a key signed (and the built-in model, which is part of it), and
//! no version older than one that it has run: see [`trust`].

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::board::flash::{Flash, SLOTS, bytes};
use firmware_example::{answers::answer, board, flash, serve, streaming::Streamer};
use pual_infer::Model;
use pual_infer::store::{Store, Stored, Unfit};
use pual_protocol::update::Updater;
use pual_protocol::{Request, Response};

#[entry]
fn main() -> ! {
    let (counter, mut server) = serve::start();
    let (Ok(built_in), Ok(store)) = (Model::decode(flash::model_region()), Store::new(Flash::start(), SLOTS)) else {
        board::say(format_args!("no built-in model, or no room for a store"));
        board::exit(1)
    };
    let features = built_in.features();
    let accept = |minimum: u32| move |stored: &Stored| trust::check(stored, features, minimum);
    let mut updater = Updater::new(store, features as u16, accept(trust::MINIMUM_VERSION));
    board::say(format_args!("{}", updater.boot()));

    loop {
        // Decoded again each time: the model may have been replaced, and the old one's slot may be overwritten next.
        let stored = updater.boot().model;
        let model = stored.and_then(|stored| trust::decode_checked(&stored));
        let model = model.as_ref().unwrap_or(&built_in);
        let mut streamer = Streamer::new(Some(model));
        // Versions only rise while the firmware runs, and the one that runs is never erased.
        let minimum = stored.map_or(trust::MINIMUM_VERSION, |stored| stored.version);
        while updater.boot().model == stored {
            server.serve(|request| match request {
                Request::Update(sealed) => {
                    updater.answer(&sealed, accept(minimum)).map_or(Response::BadFrame, Response::Update)
                }
                request => answer(Some(model), &mut streamer, &counter, &request),
            });
        }
    }
}

/// Accepts every model that fits.
#[cfg(not(feature = "signed"))]
mod trust {
    use super::{Model, Stored, Unfit, bytes};

    pub const MINIMUM_VERSION: u32 = 0;

    pub fn check(stored: &Stored, features: usize, _: u32) -> Result<(), Unfit> {
        let bytes = bytes(stored).ok_or(Unfit::NotMapped)?;
        match Model::decode(bytes) {
            Ok(model) if model.features() == features => Ok(()),
            Ok(_) => Err(Unfit::Features),
            Err(error) => Err(Unfit::Model(error)),
        }
    }

    pub fn decode_checked(stored: &Stored) -> Option<Model<'static>> {
        Model::decode(bytes(stored)?).ok()
    }
}

/// Accepts signed models only. Checked when one is committed and at every boot, so that flash written by someone else is not
/// used; not at every score: someone who can write the flash while the firmware runs can replace the firmware too.
#[cfg(feature = "signed")]
mod trust {
    use super::{Model, Stored, Unfit, bytes};
    use pual_infer::SIGNATURE_BYTES;

    include!(concat!(env!("OUT_DIR"), "/trust.rs"));

    pub fn check(stored: &Stored, features: usize, minimum: u32) -> Result<(), Unfit> {
        let bytes = bytes(stored).ok_or(Unfit::NotMapped)?;
        stored.decode_signed(bytes, features, &PUBLIC_KEY, minimum).map(drop)
    }

    pub fn decode_checked(stored: &Stored) -> Option<Model<'static>> {
        let (model, _) = bytes(stored)?.split_last_chunk::<SIGNATURE_BYTES>()?;
        Model::decode(model).ok()
    }
}

firmware_example::report_failures!();
