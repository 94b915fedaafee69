//! Scores what `pual_protocol::Digest` draws with the model in the flash region: `SCORES COUNTS DIGEST`.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use firmware_example::{board, flash};
use pual_infer::AnyModel;
use pual_protocol::Digest;

#[entry]
fn main() -> ! {
    match AnyModel::decode(flash::model_region()) {
        Ok(model) => {
            let digest = Digest::of(&model);
            board::say(format_args!(
                "{} {} {:016x}",
                digest.scores, digest.counts, digest.hash
            ));
            board::exit(0)
        }
        Err(error) => {
            board::say(format_args!("no model: {error}"));
            board::exit(1)
        }
    }
}

firmware_example::report_failures!();
