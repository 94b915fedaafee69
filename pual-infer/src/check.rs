//! Every check of a model, each made once, at decode.

use crate::crc::crc32;
use crate::error::{DecodeError, Field};
use crate::keep_rolled;
use crate::wire::{
    CHECKSUM_BYTES, Encoding, FORMAT_VERSION, HAS_ENVELOPE, HAS_NAMES, Header, Kernel, MAGIC,
    MAX_SCALED,
};

/// A model taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub kernel: Kernel,
    pub offsets: &'a [f32],
    pub scales: &'a [f32],
    /// Minima, then maxima; empty without an envelope.
    pub envelope: &'a [f32],
    pub expansion: &'a [f32],
    pub names: &'a [u8],
    pub checksum: u32,
    pub length: u32,
    pub supports: u16,
    pub bias: f32,
    pub threshold: f32,
    pub bandwidth: f32,
}

impl Parts<'_> {
    pub const NONE: Self = Self {
        kernel: Kernel::Rbf,
        offsets: &[],
        scales: &[],
        envelope: &[],
        expansion: &[],
        names: &[],
        checksum: 0,
        length: 0,
        supports: 0,
        bias: 0.0,
        threshold: 0.0,
        bandwidth: 0.0,
    };
}

/// Takes a model apart and checks all of it. (Results are written to `parts` and not returned, because an error
/// alone fits a register: that halves the code.)
#[inline(never)]
pub(crate) fn model<'a>(bytes: &'a [u8], parts: &mut Parts<'a>) -> Result<(), DecodeError> {
    let header = Header::read(bytes.first_chunk().ok_or(DecodeError::Truncated)?);
    if header.magic != MAGIC {
        return Err(DecodeError::NotAModel);
    }
    if header.version != FORMAT_VERSION {
        return Err(DecodeError::Version(header.version));
    }
    let Some((model, padding)) = bytes.split_at_checked(header.length as usize) else {
        return Err(DecodeError::Truncated);
    };
    let Some((body, checksum)) = model.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(DecodeError::Length);
    };
    parts.checksum = u32::from_le_bytes(*checksum);
    if crc32(body) != parts.checksum {
        return Err(DecodeError::Checksum);
    }
    for &byte in padding {
        if byte != 0xFF {
            return Err(DecodeError::TrailingBytes);
        }
        keep_rolled();
    }

    parts.kernel = Kernel::from_tag(header.kernel)?;
    let Encoding::F32 = Encoding::from_tag(header.encoding)?;
    if header.flags & !(HAS_ENVELOPE | HAS_NAMES) != 0 {
        return Err(DecodeError::Flags(header.flags));
    }
    if header.features == 0 {
        return Err(DecodeError::NoFeatures);
    }
    if header.supports == 0 {
        return Err(DecodeError::NoSupports);
    }

    // Everything from the header's numbers to the last support instance is f32.
    let payload = header.payload(parts.kernel).ok_or(DecodeError::Length)?;
    let (numbers, names) = body
        .get(Header::NUMBERS..)
        .and_then(|rest| rest.split_at_checked(payload))
        .ok_or(DecodeError::Length)?;
    let numbers: &[f32] = bytemuck::try_cast_slice(numbers).map_err(|_| DecodeError::Misaligned)?;
    if !all_within(numbers, f32::MAX) {
        return Err(DecodeError::NotFinite);
    }
    let features = usize::from(header.features);
    let (_, rest) = split_at(numbers, 3);
    (parts.offsets, parts.scales) = split_at(rest, features);
    (parts.scales, parts.envelope) = split_at(parts.scales, features);
    (parts.envelope, parts.expansion) = split_at(
        parts.envelope,
        if header.has(HAS_ENVELOPE) {
            2 * features
        } else {
            0
        },
    );
    parts.names = names;
    parts.length = header.length;
    parts.supports = header.supports;
    parts.bias = header.bias;
    parts.threshold = header.threshold;
    parts.bandwidth = header.bandwidth;
    check_ranges(parts)?;
    check_names(&header, names)
}

/// As `split_at`, but empty behind the end instead of a panic: the length has been checked.
fn split_at(numbers: &[f32], at: usize) -> (&[f32], &[f32]) {
    numbers.split_at_checked(at).unwrap_or((numbers, &[]))
}

/// With these ranges no score can be anything but finite: see [`MAX_SCALED`].
#[inline(always)]
fn check_ranges(parts: &Parts<'_>) -> Result<(), DecodeError> {
    for scale in parts.scales {
        if *scale < f32::MIN_POSITIVE {
            return Err(DecodeError::OutOfRange(Field::Scale));
        }
        keep_rolled();
    }
    let (minima, maxima) = split_at(parts.envelope, parts.scales.len());
    for (minimum, maximum) in minima.iter().zip(maxima) {
        if minimum > maximum {
            return Err(DecodeError::OutOfRange(Field::Envelope));
        }
        keep_rolled();
    }
    if !all_within(parts.expansion, MAX_SCALED) || parts.bias.abs() > MAX_SCALED {
        return Err(DecodeError::OutOfRange(Field::Expansion));
    }
    Ok(())
}

/// The names must fill their section: a length byte and that many bytes for each feature.
#[inline(always)]
fn check_names(header: &Header, names: &[u8]) -> Result<(), DecodeError> {
    let mut rest = names;
    if header.has(HAS_NAMES) {
        for _ in 0..header.features {
            rest = next_name(rest).ok_or(DecodeError::Names)?.1;
            keep_rolled();
        }
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(DecodeError::Names)
    }
}

/// Splits a length-prefixed name off.
pub(crate) fn next_name(names: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = names.split_first()?;
    rest.split_at_checked(usize::from(length))
}

/// Is every number's magnitude at most `limit`? Magnitudes are ordered as their bits are, with NaN above all.
#[inline(never)]
fn all_within(numbers: &[f32], limit: f32) -> bool {
    for number in numbers {
        if number.abs().to_bits() > limit.to_bits() {
            return false;
        }
        keep_rolled();
    }
    true
}
