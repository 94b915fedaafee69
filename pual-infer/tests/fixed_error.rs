//! FORMAT.md's bound on the error of integer scores, compared with f64 arithmetic on the same model.

mod common;

use common::random::{Random, RandomModel, floats};
use pual_infer::{Encoding, encode_fixed};

const SIZES: [(usize, usize); 8] = [(1, 1), (20, 2), (20, 7), (64, 4), (256, 7), (700, 7), (256, 16), (40, 64)];

/// The bound of FORMAT.md, from the bytes of the model.
fn bound(bytes: &[u8], truth: &RandomModel, narrow: bool) -> f64 {
    let (supports, features) = (truth.coefficients.len() as f64, truth.offsets.len());
    let exp2 = f64::exp2;
    let (distance_shift, coefficient_shift) = (f64::from(bytes[28]), f64::from(bytes[29]));
    let shifts = &bytes[32 + 12 * features..][..if narrow { features } else { 0 }];
    let shift = shifts.iter().max().map_or(0.0, |shift| f64::from(*shift));
    let rounding = 0.5 + exp2(shift - 1.0);
    let steps = exp2((distance_shift + 15.0) / 2.0);
    let kernel = 1.1e-4 + exp2(-13.0) + 0.715 * (features as f64).sqrt() * rounding / steps;
    let magnitudes: f64 = truth.coefficients.iter().map(|c| c.abs()).sum();
    magnitudes * kernel + supports / 2.0 * exp2(-coefficient_shift) + 2.0 * exp2(-14.0 - coefficient_shift)
}

#[test]
fn errors_stay_below_the_stated_bound() {
    for (encoding, narrow) in [(Encoding::I16, false), (Encoding::I8, true)] {
        for (seed, (supports, features)) in SIZES.into_iter().enumerate() {
            let truth = RandomModel::new(seed as u64, supports, features);
            let bytes = encode_fixed(&truth.spec(), encoding).unwrap();
            let model = bytes.decode_fixed().unwrap();
            let bound = bound(&bytes, &truth, narrow);
            let mut random = Random(99);
            let (mut worst, mut least, mut most) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
            for _ in 0..1000 {
                let counts = truth.counts(&mut random);
                let reading = floats(&counts);
                let exact = truth.score(&reading);
                let by_reading = f64::from(model.score(&reading).unwrap());
                // Scores of counts are rounded down to 1/65,536.
                let by_counts = f64::from(model.score_counts(&counts).unwrap()) / 65_536.0;
                worst = worst.max((by_reading - exact).abs());
                worst = worst.max((by_counts - exact).abs() - 1.0 / 65_536.0);
                (least, most) = (least.min(exact), most.max(exact));
            }
            let spread = most - least;
            println!(
                "{encoding:?} {supports} x {features}: largest error {worst:.1e}, {:.1e} of the spread; bound {bound:.1e}",
                worst / spread
            );
            assert!(worst <= bound, "{encoding:?} {supports} x {features}: {worst:e}, bound {bound:e}");
            // Over many instances errors cancel, which a bound cannot count on.
            assert!(supports > 20 || bound < 60.0 * worst, "the bound says nothing: {bound:e}, {worst:e}");
            if !narrow && features <= 16 && supports > 1 {
                assert!(worst <= 2e-3 * spread, "{supports} x {features}: {worst:e} of {spread}");
            }
        }
    }
}
