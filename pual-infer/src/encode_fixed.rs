//! The writer of integer models: chooses the units and rounds to them.
//!
//! Distances are measured in steps of 2^-k, k = (distance shift + 15) / 2: the finest steps for which every squared distance
//! still fits 32 bits, with room around the outermost instances for readings whose kernels are not yet 0.

use crate::encode::{EncodeError, ModelBytes, ModelSpec, RBF_FOLD, SpecKernel};
use crate::wire::{Encoding, FIXED_LANES, FixedUnits, Kernel};
use alloc::vec::Vec;

/// Distance, in units where the kernel is 2^-distance^2, beyond which the kernel is below 2^-17.
const ROOM: f64 = 4.2;
/// The finest steps, 2^-13: even one feature leaves no room for finer ones.
const FINEST: u8 = 11;

/// Bits of resolution that the readings of an i8 model may give up for its envelope. Its instances have even fewer.
const COARSER: u8 = 2;

/// The integers' units, and the support instances in them.
struct Grid {
    distance_shift: u8,
    /// From the trainer's scaled units to integers.
    fold: f64,
    limit: u16,
    /// i8 only: how many bits each feature's values are shifted.
    shifts: Vec<u8>,
    /// Row-major, before the shift to i8.
    supports: Vec<i32>,
}

impl Grid {
    fn new(spec: &ModelSpec<'_>, encoding: Encoding) -> Result<Self, EncodeError> {
        let features = spec.offsets.len();
        let SpecKernel::Rbf { bandwidth } = spec.kernel else {
            return Err(EncodeError::NotForIntegers);
        };
        let narrow = match encoding {
            Encoding::F32 => return Err(EncodeError::NotForIntegers),
            Encoding::I16 => false,
            Encoding::I8 => true,
        };
        let count = u16::try_from(features).map_err(|_| EncodeError::TooLarge)?;
        let farthest = spec.supports.iter().fold(0.0_f64, |far, s| far.max(libm::fabs(*s))) * RBF_FOLD / bandwidth;
        if !farthest.is_finite() {
            return Err(EncodeError::NotFinite);
        }
        let steps = |shift: u8| libm::exp2((f64::from(shift) + 15.0) / 2.0);
        let fits = |limit: f64| limit <= 32_767.0 && FixedUnits::distances_fit(limit as u16, count);
        let (finest, least) = (1..=FINEST)
            .rev()
            .map(|shift| (shift, libm::ceil((farthest + ROOM) * steps(shift))))
            .find(|&(_, limit)| fits(limit))
            .ok_or(EncodeError::NotForIntegers)?;
        // Readings are clamped to the limit, so a reading outside the envelope is only detected if the limit lies outside it
        // too. Steps change by whole bits, so that instances rounded to coarser steps are not moved by finer ones.
        let coarser = if narrow { COARSER } else { 0 };
        let edge = spec.farthest_bound() * RBF_FOLD / bandwidth;
        let (distance_shift, limit) = (0..=coarser)
            .filter_map(|bits| finest.checked_sub(2 * bits).filter(|shift| *shift >= 1))
            .map(|shift| {
                let reach = libm::ceil((farthest + ROOM) * steps(shift));
                (shift, reach.max(libm::ceil(edge * steps(shift)) + 1.0))
            })
            .find(|&(_, limit)| fits(limit))
            .unwrap_or((finest, least));
        let fold = RBF_FOLD / bandwidth * steps(distance_shift);
        let mut supports: Vec<i32> = spec.supports.iter().map(|s| libm::round(s * fold) as i32).collect();
        let mut shifts = Vec::new();
        if narrow {
            for feature in 0..features {
                let column = || supports.iter().skip(feature).step_by(features);
                let largest = column().map(|s| s.unsigned_abs()).max().unwrap_or(0);
                let shift = (0..=FixedUnits::MAX_SUPPORT_SHIFT)
                    .find(|shift| (largest + (1 << shift >> 1)) >> shift <= 127)
                    .ok_or(EncodeError::NotForIntegers)?;
                for s in supports.iter_mut().skip(feature).step_by(features) {
                    // To the nearest multiple, halves away from zero.
                    let rounded = (s.abs() + (1 << shift >> 1)) >> shift << shift;
                    *s = if *s < 0 { -rounded } else { rounded };
                }
                shifts.push(shift);
            }
        }
        Ok(Self { distance_shift, fold, limit: limit as u16, shifts, supports })
    }

    /// A raw value in integer units, clamped but not rounded.
    fn quantised(&self, spec: &ModelSpec<'_>, feature: usize, raw: f64) -> f64 {
        let limit = f64::from(self.limit);
        let scaled = (raw - spec.offsets[feature]) * spec.scales[feature];
        (scaled * self.fold).clamp(-limit, limit)
    }
}

impl ModelSpec<'_> {
    /// The largest scaled magnitude in the envelope.
    fn farthest_bound(&self) -> f64 {
        let Some((minima, maxima)) = self.envelope else {
            return 0.0;
        };
        let scaling = || self.offsets.iter().zip(self.scales);
        let scaled = |(bound, (offset, scale)): (&f64, (&f64, &f64))| (bound - offset) * scale;
        let minima = minima.iter().zip(scaling());
        let bounds = minima.chain(maxima.iter().zip(scaling())).map(scaled);
        bounds.fold(0.0, |far, bound| far.max(libm::fabs(bound)))
    }
}

/// The support instances as an integer encoding will hold them, in the trainer's scaled units. Coefficients fitted to them
/// lose nothing when the instances are rounded.
///
/// # Errors
/// [`EncodeError::NotForIntegers`] if the encoding cannot hold the model.
pub fn quantised_supports(spec: &ModelSpec<'_>, encoding: Encoding) -> Result<Vec<f64>, EncodeError> {
    spec.header(Kernel::Rbf, encoding)?;
    let grid = Grid::new(spec, encoding)?;
    let scaled = |&s: &i32| f64::from(s) / grid.fold;
    Ok(grid.supports.iter().map(scaled).collect())
}

/// Writes an integer model. The result has already been decoded successfully.
///
/// # Errors
/// As [`encode`](crate::encode), and [`EncodeError::NotForIntegers`].
pub fn encode_fixed(spec: &ModelSpec<'_>, encoding: Encoding) -> Result<ModelBytes, EncodeError> {
    let header = spec.header(Kernel::Rbf, encoding)?;
    let grid = Grid::new(spec, encoding)?;
    let features = spec.offsets.len();
    let largest = spec.coefficients.iter().fold(0.0_f64, |far, c| far.max(libm::fabs(*c)));
    if !largest.is_finite() {
        return Err(EncodeError::NotFinite);
    }
    let (bias, threshold) = (header.bias.to_bits(), header.threshold.to_bits());
    let units = (0..=FixedUnits::MAX_COEFFICIENT_SHIFT)
        .rev()
        .map(|coefficient_shift| FixedUnits {
            distance_shift: grid.distance_shift,
            coefficient_shift,
            limit: grid.limit,
        })
        .find(|units| {
            let largest = libm::round(libm::ldexp(largest, units.coefficient_shift.into()));
            largest <= 32_767.0 && units.are_possible(header.features, bias, threshold)
        })
        .ok_or(EncodeError::NotForIntegers)?;

    let mut bytes = Vec::new();
    bytes.extend_from_slice(&units.write());
    spec.write_scaling(&mut bytes, grid.fold)?;
    if let Some((minima, maxima)) = spec.envelope {
        if !minima.iter().chain(maxima).all(|bound| bound.is_finite()) {
            return Err(EncodeError::NotFinite);
        }
        for (feature, (minimum, maximum)) in minima.iter().zip(maxima).enumerate() {
            // Rounded outwards, so that the training data lies inside. At the limit, where readings are clamped, it is open.
            let (low, high) = (
                libm::floor(grid.quantised(spec, feature, *minimum)),
                libm::ceil(grid.quantised(spec, feature, *maximum)),
            );
            bytes.extend_from_slice(&(low as i16).to_le_bytes());
            bytes.extend_from_slice(&(high as i16).to_le_bytes());
        }
    }
    if encoding == Encoding::I8 {
        bytes.extend_from_slice(&grid.shifts);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let instances = spec.coefficients.len().next_multiple_of(FIXED_LANES);
    for first in (0..instances).step_by(FIXED_LANES) {
        for lane in first..first + FIXED_LANES {
            let coefficient = spec.coefficients.get(lane).copied().unwrap_or(0.0);
            let rounded = libm::round(libm::ldexp(coefficient, units.coefficient_shift.into())) as i16;
            bytes.extend_from_slice(&rounded.to_le_bytes());
        }
        for feature in 0..features {
            for lane in first..first + FIXED_LANES {
                // Negated: see the scoring loop.
                let support = -grid.supports.get(lane * features + feature).copied().unwrap_or(0);
                match grid.shifts.get(feature) {
                    Some(shift) => bytes.push((support >> shift) as i8 as u8),
                    None => bytes.extend_from_slice(&(support as i16).to_le_bytes()),
                }
            }
        }
    }
    let bytes = spec.seal(header, bytes)?;
    bytes.decode_fixed().map_err(EncodeError::Refused)?;
    Ok(bytes)
}
