//! Requests in, responses out.

use crate::board;
use pual_protocol::{Assembler, MAX_FRAME, Request, Response};

/// Answers what comes over the UART until it is told to stop.
pub fn serve(mut uart: board::Uart, mut answer: impl FnMut(Request) -> Response) -> ! {
    let mut assembler = Assembler::new();
    loop {
        let Some(mut frame) = assembler.push(uart.read()) else {
            continue;
        };
        let response = match pual_protocol::decode::<Request>(&mut frame) {
            None => Response::BadFrame,
            Some(Request::Stop) => board::exit(0),
            Some(request) => answer(request),
        };
        let mut buffer = [0; MAX_FRAME];
        for &byte in pual_protocol::encode(&response, &mut buffer).unwrap_or_default() {
            uart.write(byte);
        }
    }
}
