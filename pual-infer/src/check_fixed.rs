//! The checks of integer models alone.

use crate::check::{Sealed, split_at};
use crate::description::Description;
use crate::error::{DecodeError, Field};
use crate::fixed::FixedParts;
use crate::keep_rolled;
use crate::wire::{Encoding, FIXED_LANES, FixedUnits, HAS_ENVELOPE, Kernel};

/// Checks an integer model and returns its parts, without a floating-point operation.
#[inline(always)]
pub(crate) fn fixed(bytes: &[u8]) -> Result<(Description<'_>, FixedParts<'_>), DecodeError> {
    let sealed = Sealed::new(bytes)?;
    let head = sealed.head;
    let narrow = match Encoding::from_tag(head.encoding())? {
        Encoding::F32 => return Err(DecodeError::Encoding(head.encoding())),
        Encoding::I16 => false,
        Encoding::I8 => true,
    };
    if sealed.kernel != Kernel::Rbf {
        return Err(DecodeError::Kernel(head.kernel()));
    }
    let features = usize::from(head.features());
    let envelope = if head.has(HAS_ENVELOPE) { features } else { 0 };
    let (shifts, values) = if narrow { (features.div_ceil(4), features) } else { (0, 2 * features) };
    // Per block: two words of coefficients, then a row of one or two words per feature. 2^14 blocks of 2^17 + 2 words and
    // the tables stay below 2^32.
    let blocks = usize::from(head.supports()).div_ceil(FIXED_LANES) * (2 + values);
    let (payload, names) = sealed.payload(Some(1 + 2 * features + envelope + shifts + blocks))?;
    let (units, rest) = payload.split_first().ok_or(DecodeError::Length)?;
    let units = FixedUnits::read(*units);
    let (about, rest) = sealed.describe(rest, names)?;
    let (envelope, rest) = split_at(rest, envelope);
    let envelope: &[[i16; 2]] = bytemuck::cast_slice(envelope);
    for &[minimum, maximum] in envelope {
        if minimum > maximum {
            return Err(DecodeError::OutOfRange(Field::Envelope));
        }
        keep_rolled();
    }
    let (shifts, blocks) = split_at(rest, shifts);
    let shifts = { bytemuck::cast_slice(shifts).get(..features) }.unwrap_or_default();
    let mut fits = units.are_possible(head.features(), head.bias_bits(), head.threshold_bits());
    for &shift in shifts {
        fits &= shift <= FixedUnits::MAX_SUPPORT_SHIFT;
        keep_rolled();
    }
    let mut rest = blocks;
    while let Some((block, next)) = rest.split_at_checked(2 + values) {
        fits &= rows_within(block.get(2..).unwrap_or_default(), shifts, units.limit);
        if next.is_empty() {
            break;
        }
        rest = next;
    }
    if !fits {
        return Err(DecodeError::OutOfRange(Field::Expansion));
    }
    let parts = FixedParts { units, envelope, shifts, blocks };
    Ok((about, parts))
}

/// Is every support value's magnitude at most `limit`? A word holds two of 16 bits, or, with shifts, four of 8.
#[inline(never)]
fn rows_within(rows: &[u32], shifts: &[u8], limit: u16) -> bool {
    let (bits, values) = if shifts.is_empty() { (16, 2) } else { (8, 4) };
    let mut fits = true;
    for (row, &word) in rows.iter().enumerate() {
        let shift = shifts.get(row).copied().unwrap_or_default() & 15;
        let mut left = word;
        for _ in 0..values {
            let value = (left << (32 - bits)) as i32 >> (32 - bits) << shift;
            fits &= value.unsigned_abs() <= limit.into();
            left >>= bits;
            keep_rolled();
        }
    }
    fits
}
