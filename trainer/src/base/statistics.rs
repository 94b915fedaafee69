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

/// The cut above which this share of the scores lies, halfway between two of them; 0 for no scores.
pub(crate) fn cut_of_share(mut scores: Vec<f64>, share: f64) -> f64 {
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    let called = (share * scores.len() as f64).round() as usize;
    match (called.checked_sub(1).and_then(|last| scores.get(last)), scores.get(called)) {
        (Some(last), Some(next)) => 0.5 * (last + next),
        // All, or none.
        (Some(last), None) => last - 1.0,
        (None, Some(next)) => next + 1.0,
        (None, None) => 0.0,
    }
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
        let cut = |share| cut_of_share(vec![1.0, 4.0, 2.0, 3.0], share);
        assert_eq!([cut(0.0), cut(0.25), cut(0.5), cut(1.0)], [5.0, 3.5, 2.5, 0.0]);
        assert_eq!(cut_of_share(Vec::new(), 0.5), 0.0);
        assert_eq!(standard_error(0.5, 25.0), 0.1);
        assert_eq!(standard_error(0.5, 0.0), 0.0);
    }
}
