//! Fixed-size RAM for a model that arrives over a wire in pieces.

use crate::error::DecodeError;
use crate::fixed::FixedModel;
use crate::model::Model;
use core::fmt;

/// Room for a model of up to `4 * WORDS` bytes, aligned for the decoder.
///
/// ```
/// # use pual_infer::{ModelBuffer, DecodeError};
/// let mut buffer = ModelBuffer::<256>::new(); // 1 KiB
/// buffer.extend(b"PUAL")?;                    // ... as the pieces come in
/// assert_eq!(buffer.decode().unwrap_err(), DecodeError::Truncated);
/// # Ok::<(), pual_infer::BufferFull>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelBuffer<const WORDS: usize> {
    words: heapless::Vec<u32, WORDS>,
    length: usize,
}

/// More bytes arrived than the buffer holds; its content is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BufferFull;

impl fmt::Display for BufferFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the model is larger than its buffer")
    }
}

impl core::error::Error for BufferFull {}

impl<const WORDS: usize> ModelBuffer<WORDS> {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: heapless::Vec::new(), length: 0 }
    }

    /// Appends a piece.
    ///
    /// # Errors
    /// [`BufferFull`] if it does not fit; then none of it is kept.
    pub fn extend(&mut self, piece: &[u8]) -> Result<(), BufferFull> {
        let length = self.length.checked_add(piece.len()).ok_or(BufferFull)?;
        self.words.resize(length.div_ceil(4), u32::MAX).map_err(|_| BufferFull)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
        let room = bytes.get_mut(self.length..length).ok_or(BufferFull)?;
        for (to, from) in room.iter_mut().zip(piece) {
            *to = *from;
        }
        self.length = length;
        Ok(())
    }

    /// Empties the buffer.
    pub fn clear(&mut self) {
        self.words.clear();
        self.length = 0;
    }

    /// Number of bytes that have arrived.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Has nothing arrived yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Checks what has arrived and reads it in place. Do it once, when everything has arrived, and keep the [`Model`].
    ///
    /// # Errors
    /// As [`Model::decode`].
    pub fn decode(&self) -> Result<Model<'_>, DecodeError> {
        Model::decode(self.bytes())
    }

    /// As [`decode`](Self::decode), for firmware that runs integer models only.
    ///
    /// # Errors
    /// As [`FixedModel::decode`].
    pub fn decode_fixed(&self) -> Result<FixedModel<'_>, DecodeError> {
        FixedModel::decode(self.bytes())
    }

    fn bytes(&self) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(&self.words);
        bytes.get(..self.length).unwrap_or(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_takes_what_fits() {
        let mut buffer = ModelBuffer::<4>::new();
        assert!(buffer.is_empty());
        buffer.extend(&[1; 15]).unwrap();
        assert!(buffer.extend(&[2; 2]).is_err());
        assert_eq!(buffer.len(), 15);
        buffer.extend(&[3]).unwrap();
        assert!(buffer.extend(&[4]).is_err());
        buffer.clear();
        assert!(buffer.is_empty() && buffer.extend(&[5; 16]).is_ok());
    }
}
