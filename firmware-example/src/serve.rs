//! Requests in, responses out.

use crate::{board, counter::Counter};
use pual_protocol::{Assembler, MAX_FRAME, Request, Response};

/// Starts what every program needs.
pub fn start() -> (Counter, Server) {
    let server = Server { uart: board::Uart::start(), assembler: Assembler::new() };
    (Counter::start(), server)
}

/// The UART, with the frame that is arriving.
pub struct Server {
    uart: board::Uart,
    assembler: Assembler,
}

impl Server {
    /// Waits for a request and answers it, or exits if it is a `Stop`.
    pub fn serve(&mut self, answer: impl FnOnce(Request) -> Response) {
        let mut frame = loop {
            if let Some(frame) = self.assembler.push(self.uart.read()) {
                break frame;
            }
        };
        let response = match pual_protocol::decode::<Request>(&mut frame) {
            None => Response::BadFrame,
            Some(Request::Stop) => board::exit(0),
            Some(request) => answer(request),
        };
        let mut buffer = [0; MAX_FRAME];
        for &byte in pual_protocol::encode(&response, &mut buffer).unwrap_or_default() {
            self.uart.write(byte);
        }
    }
}
