//! Every check of a model, each made once, at decode.

use crate::crc::crc32;
use crate::description::Description;
use crate::error::{DecodeError, Field};
use crate::fixed::{FixedParts, lanes_of_i8, lanes_of_i16};
use crate::keep_rolled;
use crate::wire::{
    CHECKSUM_BYTES, Encoding, FIXED_LANES, FORMAT_VERSION, FixedUnits, HAS_ENVELOPE, HAS_NAMES,
    Header, Kernel, MAGIC, MAX_SCALED,
};

/// Checks an f32 model and takes it apart. (Results are written and not returned, because an error alone fits a
/// register: that halves the code.)
#[inline(never)]
pub(crate) fn float<'a>(
    bytes: &'a [u8],
    about: &mut Description<'a>,
    expansion: &mut &'a [f32],
) -> Result<(), DecodeError> {
    let (header, body) = sealed(bytes, about)?;
    if about.encoding != Encoding::F32 {
        return Err(DecodeError::Encoding(header.encoding));
    }
    // Everything from the header's numbers to the last support instance is f32.
    let payload = header.payload(about.kernel).ok_or(DecodeError::Length)?;
    let (numbers, names) = split(body, Header::NUMBERS, payload)?;
    let numbers = finite(numbers)?;
    *expansion = tables(&header, split_at(numbers, 3).1, about)?;
    if !all_within(expansion, MAX_SCALED) {
        return Err(DecodeError::OutOfRange(Field::Expansion));
    }
    check_names(&header, names, about)
}

/// Checks an integer model and takes it apart. No floating-point operation is used: a core without an FPU need not
/// link one.
#[inline(never)]
pub(crate) fn fixed<'a>(
    bytes: &'a [u8],
    about: &mut Description<'a>,
    parts: &mut FixedParts<'a>,
) -> Result<(), DecodeError> {
    let (header, body) = sealed(bytes, about)?;
    let narrow = match about.encoding {
        Encoding::F32 => return Err(DecodeError::Encoding(header.encoding)),
        Encoding::I16 => false,
        Encoding::I8 => true,
    };
    if about.kernel != Kernel::Rbf {
        return Err(DecodeError::Kernel(header.kernel));
    }
    let (units, rest) = split(body, Header::BYTES, FixedUnits::BYTES)?;
    parts.units = FixedUnits::read(units.first_chunk().ok_or(DecodeError::Length)?);
    let (numbers, rest) = split(rest, 0, 4 * header.tables())?;
    finite(body.get(Header::NUMBERS..Header::BYTES).unwrap_or_default())?;
    tables(&header, finite(numbers)?, about)?;

    let features = usize::from(header.features);
    let instances = header.fixed_instances();
    let shifts = if narrow {
        features.next_multiple_of(4)
    } else {
        0
    };
    let (shifts, rest) = split(rest, 0, shifts)?;
    // Of each block: two words of coefficients, then a row a feature, of one word or two.
    let words = if narrow { 1 } else { 2 };
    let block = 2 + words * features;
    let bytes = (instances / FIXED_LANES)
        .checked_mul(4 * block)
        .ok_or(DecodeError::Length)?;
    let (blocks, names) = split(rest, 0, bytes)?;
    let (shifts, filling) = shifts.split_at_checked(features).unwrap_or_default();
    parts.shifts = shifts;
    parts.blocks = bytemuck::try_cast_slice(blocks).map_err(|_| DecodeError::Misaligned)?;
    let units = parts.units;
    let mut fits = filling.iter().all(|&byte| byte == 0)
        && shifts
            .iter()
            .all(|&shift| shift <= FixedUnits::MAX_SUPPORT_SHIFT);
    let mut rest = parts.blocks;
    while let Some((block, next)) = rest.split_at_checked(block) {
        let rows = block.get(2..).unwrap_or_default();
        fits &= if narrow {
            let rows = rows.as_chunks().0.iter().zip(shifts);
            { rows }.all(|(row, shift)| {
                lanes_within(lanes_of_i8(row).map(|s| s << (shift & 15)), units.limit)
            })
        } else {
            rows.as_chunks()
                .0
                .iter()
                .all(|row| lanes_within(lanes_of_i16(row), units.limit))
        };
        if next.is_empty() {
            break;
        }
        rest = next;
    }
    if !fits
        || units.distance_shift > FixedUnits::MAX_DISTANCE_SHIFT
        || !FixedUnits::COEFFICIENT_SHIFTS.contains(&units.coefficient_shift)
        || !FixedUnits::distances_fit(units.limit, header.features)
        || units.limit > i16::MAX as u16
    {
        return Err(DecodeError::OutOfRange(Field::Expansion));
    }
    check_names(&header, names, about)
}

fn lanes_within(lanes: [i32; FIXED_LANES], limit: u16) -> bool {
    keep_rolled();
    lanes
        .iter()
        .all(|lane| lane.unsigned_abs() <= u32::from(limit))
}

/// What all encodings share: version, lengths, checksum, padding, tags, counts. Returns all but the checksum.
#[inline(always)]
fn sealed<'a>(
    bytes: &'a [u8],
    about: &mut Description<'a>,
) -> Result<(Header, &'a [u8]), DecodeError> {
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
    about.checksum = u32::from_le_bytes(*checksum);
    if crc32(body) != about.checksum {
        return Err(DecodeError::Checksum);
    }
    for &byte in padding {
        if byte != 0xFF {
            return Err(DecodeError::TrailingBytes);
        }
        keep_rolled();
    }
    about.kernel = Kernel::from_tag(header.kernel)?;
    about.encoding = Encoding::from_tag(header.encoding)?;
    if header.flags & !(HAS_ENVELOPE | HAS_NAMES) != 0 {
        return Err(DecodeError::Flags(header.flags));
    }
    if header.features == 0 {
        return Err(DecodeError::NoFeatures);
    }
    if header.supports == 0 {
        return Err(DecodeError::NoSupports);
    }
    about.length = header.length;
    about.supports = header.supports;
    about.bias = header.bias;
    about.threshold = header.threshold;
    about.bandwidth = header.bandwidth;
    // With the bounds of the expansion, this keeps every score finite: see MAX_SCALED.
    if !all_within(&[header.bias], MAX_SCALED) {
        return Err(match header.bias.is_finite() {
            true => DecodeError::OutOfRange(Field::Expansion),
            false => DecodeError::NotFinite,
        });
    }
    Ok((header, body))
}

/// The bytes of `body` from `start` on: the first `length`, and the rest.
fn split(body: &[u8], start: usize, length: usize) -> Result<(&[u8], &[u8]), DecodeError> {
    body.get(start..)
        .and_then(|rest| rest.split_at_checked(length))
        .ok_or(DecodeError::Length)
}

/// Bytes as f32, each of them finite.
fn finite(bytes: &[u8]) -> Result<&[f32], DecodeError> {
    let numbers: &[f32] = bytemuck::try_cast_slice(bytes).map_err(|_| DecodeError::Misaligned)?;
    if all_within(numbers, f32::MAX) {
        Ok(numbers)
    } else {
        Err(DecodeError::NotFinite)
    }
}

/// Offsets, scales and envelope from the front of `numbers`; returns what follows them.
#[inline(always)]
fn tables<'a>(
    header: &Header,
    numbers: &'a [f32],
    about: &mut Description<'a>,
) -> Result<&'a [f32], DecodeError> {
    let features = usize::from(header.features);
    let rest;
    (about.offsets, rest) = split_at(numbers, features);
    (about.scales, about.envelope) = split_at(rest, features);
    let envelope = if header.has(HAS_ENVELOPE) {
        2 * features
    } else {
        0
    };
    let rest;
    (about.envelope, rest) = split_at(about.envelope, envelope);
    for scale in about.scales {
        // As integers, negative numbers are below all others.
        if (scale.to_bits() as i32) < f32::MIN_POSITIVE.to_bits() as i32 {
            return Err(DecodeError::OutOfRange(Field::Scale));
        }
        keep_rolled();
    }
    let (minima, maxima) = split_at(about.envelope, features);
    for (minimum, maximum) in minima.iter().zip(maxima) {
        if minimum.total_cmp(maximum).is_gt() {
            return Err(DecodeError::OutOfRange(Field::Envelope));
        }
        keep_rolled();
    }
    Ok(rest)
}

/// As `split_at`, but empty behind the end instead of a panic: the length has been checked.
fn split_at(numbers: &[f32], at: usize) -> (&[f32], &[f32]) {
    numbers.split_at_checked(at).unwrap_or((numbers, &[]))
}

/// The names must fill their section: a length byte and that many bytes for each feature.
#[inline(always)]
fn check_names<'a>(
    header: &Header,
    names: &'a [u8],
    about: &mut Description<'a>,
) -> Result<(), DecodeError> {
    about.names = names;
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
