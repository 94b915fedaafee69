//! The frames of the UART, as the firmware takes them apart: after whatever came, the frame after the next zero byte is
//! understood.

use pual_protocol::{MAX_FRAME, Reading, Request, Response, decode, encode};

/// The target. Input: what the wire carries.
pub fn frames(data: &[u8]) {
    let mut line = Line::default();
    for &byte in data {
        if let Some(frame) = line.push(byte) {
            answer::<Request>(&frame);
            answer::<Response>(&frame);
        }
    }
    let reading = Reading::from_slice(&[1.5, -2.0]).expect("two fit");
    let sent = Request::Score(reading);
    let mut buffer = [0; MAX_FRAME];
    let frame = encode(&sent, &mut buffer).expect("it fits");
    let received = [&[0], frame]
        .concat()
        .into_iter()
        .filter_map(|byte| line.push(byte));
    let mut last = received.last().expect("a zero byte ends a frame");
    assert_eq!(decode::<Request>(&mut last), Some(sent), "out of step");
}

/// What is understood can be said again, and is then understood alike.
fn answer<T: serde::Serialize + serde::de::DeserializeOwned>(frame: &[u8]) {
    let said = |frame: &[u8]| {
        let message: T = decode(&mut frame.to_vec())?;
        let mut buffer = [0; MAX_FRAME];
        Some(
            encode(&message, &mut buffer)
                .expect("whatever arrives in a frame fits one")
                .to_vec(),
        )
    };
    if let Some(again) = said(frame) {
        assert_eq!(said(&again).as_ref(), Some(&again));
    }
}

/// Bytes up to the next zero byte; of a frame that is too long, nothing.
#[derive(Default)]
struct Line {
    frame: Vec<u8>,
    too_long: bool,
}

impl Line {
    fn push(&mut self, byte: u8) -> Option<Vec<u8>> {
        if byte != 0 {
            self.too_long |= self.frame.len() == MAX_FRAME;
            if !self.too_long {
                self.frame.push(byte);
            }
            return None;
        }
        let frame = std::mem::take(&mut self.frame);
        Some(if std::mem::take(&mut self.too_long) {
            Vec::new()
        } else {
            frame
        })
    }
}
