//! Assembles frames from single bytes.

use crate::MAX_FRAME;

/// A frame without its zero byte.
pub type Frame = heapless::Vec<u8, MAX_FRAME>;

/// Collects bytes up to the next zero byte.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    frame: Frame,
    too_long: bool,
}

impl Assembler {
    /// Empty.
    #[must_use]
    pub const fn new() -> Self {
        Self { frame: Frame::new(), too_long: false }
    }

    /// Takes a byte. At the end of a frame, returns it, to be [decoded](crate::decode) in place. A frame that was too long is
    /// returned empty, which never decodes.
    pub fn push(&mut self, byte: u8) -> Option<Frame> {
        if byte != 0 {
            self.too_long |= self.frame.push(byte).is_err();
            return None;
        }
        let mut frame = core::mem::take(&mut self.frame);
        if core::mem::take(&mut self.too_long) {
            frame.clear();
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_end_at_zeros_and_too_long_ones_come_to_nothing() {
        let mut assembler = Assembler::new();
        let mut frames = |bytes: &[u8]| -> heapless::Vec<usize, 4> {
            let lengths = bytes.iter().filter_map(|&byte| assembler.push(byte));
            lengths.map(|frame| frame.len()).collect()
        };
        assert_eq!(frames(&[1, 2, 0, 3]), [2]);
        assert_eq!(frames(&[4, 5, 0, 0]), [3, 0]);
        assert_eq!(frames(&[7; MAX_FRAME]), []);
        assert_eq!(frames(&[0]), [MAX_FRAME]);
        assert_eq!(frames(&[7; MAX_FRAME + 1]), []);
        assert_eq!(frames(&[0, 1, 0]), [0, 1]);
    }
}
