//! All checks of a model, each made once, at decode. Numbers are checked by their bits, as integers: on a core without an
//! FPU no software floating point is linked for that.

use crate::error::{DecodeError, Field};
use crate::format::crc::crc32;
use crate::format::wire::{
    CHECKSUM_BYTES, FORMAT_VERSION, HAS_ENVELOPE, HAS_NAMES, Head, Kernel, LANES, MAGIC, MAX_SCALED, RECIPE_VERSION,
};
use crate::read::description::Description;
use crate::rolled::keep_rolled;

/// A model whose header, length, checksum and trailing bytes are in order.
pub(crate) struct Sealed<'a> {
    pub head: Head<'a>,
    pub kernel: Kernel,
    /// Everything between header and checksum.
    body: &'a [u8],
    checksum: u32,
}

impl<'a> Sealed<'a> {
    /// What all encodings share: version, lengths, checksum, trailing bytes, tags, counts, the header's numbers.
    #[inline(always)]
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let head = bytes.split_at_checked(Head::BYTES).ok_or(DecodeError::Truncated)?;
        let head = Head::new(words(head.0)?)?;
        if head.magic() != MAGIC {
            return Err(DecodeError::NotAModel);
        }
        if !matches!(head.version(), FORMAT_VERSION | RECIPE_VERSION) {
            return Err(DecodeError::Version(head.version()));
        }
        let Some((model, padding)) = bytes.split_at_checked(head.length()) else {
            return Err(DecodeError::Truncated);
        };
        let Some((sealed, checksum)) = model.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(DecodeError::Length);
        };
        let body = sealed.get(Head::BYTES..).ok_or(DecodeError::Length)?;
        let checksum = u32::from_le_bytes(*checksum);
        if crc32(sealed) != checksum {
            return Err(DecodeError::Checksum);
        }
        for &byte in padding {
            if byte != 0xFF {
                return Err(DecodeError::TrailingBytes);
            }
            keep_rolled();
        }
        let kernel = Kernel::from_tag(head.kernel())?;
        if head.flags() & !(HAS_ENVELOPE | HAS_NAMES) != 0 {
            return Err(DecodeError::Flags(head.flags()));
        }
        if head.features() == 0 {
            return Err(DecodeError::NoFeatures);
        }
        if head.supports() == 0 {
            return Err(DecodeError::NoSupports);
        }
        if !all_within(head.numbers(), f32::MAX) {
            return Err(DecodeError::NotFinite);
        }
        // With the bounds of the expansion, this keeps every score finite: see MAX_SCALED.
        if !within(head.bias_bits(), MAX_SCALED) {
            return Err(DecodeError::OutOfRange(Field::Expansion));
        }
        Ok(Self { head, kernel, body, checksum })
    }

    /// The words that follow the header, and the names after them.
    #[inline(always)]
    pub(crate) fn payload(&self, word_count: Option<usize>) -> Result<(&'a [u32], &'a [u8]), DecodeError> {
        let (payload, names) = word_count
            .and_then(|count| count.checked_mul(4))
            .and_then(|bytes| self.body.split_at_checked(bytes))
            .ok_or(DecodeError::Length)?;
        Ok((words(payload)?, names))
    }

    /// The description, with offsets and scales from the front of the payload, and the rest of the payload.
    #[inline(always)]
    pub(crate) fn describe(
        &self,
        payload: &'a [u32],
        names: &'a [u8],
    ) -> Result<(Description<'a>, &'a [u32]), DecodeError> {
        let features = usize::from(self.head.features());
        let (offsets, rest) = split_at(payload, features);
        let (scales, rest) = split_at(rest, features);
        if !(all_within(offsets, f32::MAX) && all_within(scales, f32::MAX)) {
            return Err(DecodeError::NotFinite);
        }
        for &scale in scales {
            // As integers, negative numbers come before all others.
            if (scale as i32) < f32::MIN_POSITIVE.to_bits() as i32 {
                return Err(DecodeError::OutOfRange(Field::Scale));
            }
            keep_rolled();
        }
        self.check_tail(names)?;
        let about = Description {
            head: self.head,
            offsets: bytemuck::cast_slice(offsets),
            scales: bytemuck::cast_slice(scales),
            tail: names,
            checksum: self.checksum,
        };
        Ok((about, rest))
    }

    /// The names: a length byte and that many bytes for each feature. Nothing follows them but a recipe, if the version says so.
    #[inline(always)]
    fn check_tail(&self, tail: &'a [u8]) -> Result<(), DecodeError> {
        let mut rest = tail;
        if self.head.has(HAS_NAMES) {
            for _ in 0..self.head.features() {
                rest = next_name(rest).ok_or(DecodeError::Names)?.1;
                keep_rolled();
            }
        }
        // What a recipe says is checked where it is needed: `Description::checked_recipe`.
        if rest.is_empty() || self.head.version() == RECIPE_VERSION { Ok(()) } else { Err(DecodeError::Names) }
    }
}

/// Splits what follows the names into the padding, up to a multiple of 4, and the recipe. The tail begins at such a multiple.
pub(crate) fn split_padding<'a>(tail: &[u8], after_names: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let names = tail.len().wrapping_sub(after_names.len());
    after_names.split_at_checked(names.wrapping_neg() & 3)
}

/// Description, envelope (minima, then maxima) and expansion of an f32 model.
type FloatParts<'a> = (Description<'a>, &'a [f32], &'a [f32]);

/// Checks an f32 model and returns its parts.
#[inline(always)]
pub(crate) fn float(bytes: &[u8]) -> Result<FloatParts<'_>, DecodeError> {
    let sealed = Sealed::new(bytes)?;
    let head = sealed.head;
    if head.encoding() != 0 {
        return Err(DecodeError::Encoding(head.encoding()));
    }
    let features = usize::from(head.features());
    let instances = match sealed.kernel {
        Kernel::Rbf => usize::from(head.supports()).next_multiple_of(LANES),
        Kernel::Linear => usize::from(head.supports()),
    };
    // Per instance: its coefficient and its features. Per feature: offset, scale, minimum, maximum.
    let tables = features * if head.has(HAS_ENVELOPE) { 4 } else { 2 };
    let count = { instances.checked_mul(features + 1) }.and_then(|count| count.checked_add(tables));
    let (payload, names) = sealed.payload(count)?;
    if !all_within(payload, f32::MAX) {
        return Err(DecodeError::NotFinite);
    }
    let (about, rest) = sealed.describe(payload, names)?;
    let (envelope, expansion) = split_at(rest, tables - 2 * features);
    let envelope: &[f32] = bytemuck::cast_slice(envelope);
    let (minima, maxima) = envelope.split_at_checked(features).unwrap_or_default();
    for (minimum, maximum) in minima.iter().zip(maxima) {
        if minimum.total_cmp(maximum).is_gt() {
            return Err(DecodeError::OutOfRange(Field::Envelope));
        }
        keep_rolled();
    }
    if !all_within(expansion, MAX_SCALED) {
        return Err(DecodeError::OutOfRange(Field::Expansion));
    }
    Ok((about, envelope, bytemuck::cast_slice(expansion)))
}

/// Bytes as words, read in place.
pub(crate) fn words(bytes: &[u8]) -> Result<&[u32], DecodeError> {
    bytemuck::try_cast_slice(bytes).map_err(|_| DecodeError::Misaligned)
}

/// As `split_at`, but without a panic. The length has been checked.
pub(crate) fn split_at(numbers: &[u32], at: usize) -> (&[u32], &[u32]) {
    numbers.split_at_checked(at).unwrap_or((numbers, &[]))
}

/// Splits a length-prefixed name off.
pub(crate) fn next_name(names: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = names.split_first()?;
    rest.split_at_checked(usize::from(length))
}

/// Is every number's magnitude at most `limit`?
#[inline(never)]
pub(crate) fn all_within(numbers: &[u32], limit: f32) -> bool {
    for &number in numbers {
        if !within(number, limit) {
            return false;
        }
        keep_rolled();
    }
    true
}

/// Magnitudes are ordered like their bits, with NaN above all others.
fn within(number: u32, limit: f32) -> bool {
    number & (u32::MAX >> 1) <= limit.to_bits()
}
