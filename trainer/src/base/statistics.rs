//! The few statistics that several folders need.

/// The value below which this share of the ascending values lies: the one at the nearest rank. NaN if there are none.
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    match sorted.len() {
        0 => f64::NAN,
        length => sorted[(share * (length - 1) as f64).round() as usize],
    }
}

/// The middle value, the upper of two; none if there are no values. Changes their order.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let (_, median, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    Some(*median)
}

/// Standard error of a share `p` estimated from `n` rows; 0 for no rows.
pub(crate) fn standard_error(p: f64, n: f64) -> f64 {
    if n > 0.0 { (p * (1.0 - p) / n).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 3.0], 0.9), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(3.0));
        assert_eq!(median(&mut []), None);
        assert_eq!(standard_error(0.5, 25.0), 0.1);
        assert_eq!(standard_error(0.5, 0.0), 0.0);
    }
}
