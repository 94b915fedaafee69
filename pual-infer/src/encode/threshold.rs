//! Another threshold in a model that is there: the only change to written bytes.

use super::{EncodeError, ModelBytes};
use crate::format::crc::crc32;
use crate::format::wire::{CHECKSUM_BYTES, THRESHOLD_OFFSET};

/// The same model with another threshold. Only the threshold and the checksum change; every other byte is copied, so every score
/// keeps its bits.
///
/// # Errors
/// Bytes that are no model, a threshold that is not finite, or one that is too large for an integer model's sums.
pub fn with_threshold(model: &ModelBytes, threshold: f32) -> Result<ModelBytes, EncodeError> {
    if !threshold.is_finite() {
        return Err(EncodeError::NotFinite);
    }
    // Erased flash may follow the model.
    let end = model.decode().map_err(EncodeError::Refused)?.length() - CHECKSUM_BYTES;
    let mut bytes = model.to_vec();
    bytes[THRESHOLD_OFFSET..][..4].copy_from_slice(&threshold.to_le_bytes());
    let checksum = crc32(&bytes[..end]);
    bytes[end..][..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
    let bytes = ModelBytes::new(&bytes);
    bytes.decode().map_err(EncodeError::Refused)?;
    Ok(bytes)
}
