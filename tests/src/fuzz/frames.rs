//! The frames of the UART, as firmware and host take them apart: after whatever came, the frame after the next zero byte is
//! understood. What the commands in them do is target `update`'s.

use pual_protocol::update::{Answer, Command, Sealed};
use pual_protocol::{Assembler, Frame, MAX_FRAME, Reading, Request, Response, decode, encode};

/// The target. Input: what the wire carries.
pub fn frames(data: &[u8]) {
    let mut assembler = Assembler::new();
    for &byte in data {
        if let Some(frame) = assembler.push(byte) {
            look_into(&frame);
        }
    }
    let sent = Request::Score(Reading::from_slice(&[1.5, -2.0]).expect("two fit"));
    let mut buffer = [0; MAX_FRAME];
    let frame = encode(&sent, &mut buffer).expect("it fits");
    let mut last = None;
    for &byte in [0].iter().chain(frame) {
        last = assembler.push(byte);
    }
    let mut last = last.expect("a zero byte ends a frame");
    assert_eq!(decode::<Request>(&mut last), Some(sent), "out of step");
}

fn look_into(frame: &Frame) {
    if let Some(Request::Update(sealed)) = said_again::<Request>(frame)
        && let Some((number, command)) = sealed.open::<Command<'_>>()
    {
        let again = Sealed::new(number, &command).expect("what fitted fits");
        assert_eq!(again.open(), Some((number, command)));
    }
    if let Some(Response::Update(sealed)) = said_again::<Response>(frame)
        && let Some((number, answer)) = sealed.open::<Answer>()
    {
        let again = Sealed::new(number, &answer).expect("what fitted fits");
        assert_eq!(again.open(), Some((number, answer)));
    }
}

/// What is understood can be said again, and is then understood alike.
fn said_again<T: serde::Serialize + serde::de::DeserializeOwned>(frame: &Frame) -> Option<T> {
    let mut frame = frame.clone();
    let message: T = decode(&mut frame)?;
    let mut buffer = [0; MAX_FRAME];
    let said = encode(&message, &mut buffer).expect("whatever arrives in a frame fits one");
    let mut heard = Frame::from_slice(said).expect("a frame");
    let again: T = decode(&mut heard).expect("what was said");
    // Compared as bytes: a NaN is not itself.
    let mut buffer = [0; MAX_FRAME];
    assert_eq!(encode(&again, &mut buffer), Some(said));
    Some(message)
}
