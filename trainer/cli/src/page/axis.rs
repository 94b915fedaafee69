//! From values to places in a figure, round numbers for ticks, and numbers as text.

/// A straight or logarithmic axis.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    logarithmic: bool,
}

impl Axis {
    /// Maps values from `low` to `high` to places from `from` to `to`.
    pub fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let (low, high) = apart(low, high);
        Self { low, high, from, to, logarithmic: false }
    }

    /// The same on a logarithmic scale; values must be above 0.
    pub fn logarithmic(values: (f64, f64), places: (f64, f64)) -> Self {
        let (low, high) = (values.0.max(f64::MIN_POSITIVE), values.1);
        Self { logarithmic: true, ..Self::new((low.ln(), high.max(low).ln()), places) }
    }

    /// The place of a value; values beyond an end are placed at that end.
    pub fn at(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
    }

    /// About this many round values on a straight axis.
    pub fn ticks(&self, about: usize) -> Vec<f64> {
        ticks(self.low, self.high, about)
    }
}

/// Two ends, moved apart if they are equal.
fn apart(low: f64, high: f64) -> (f64, f64) {
    if high > low {
        return (low, high);
    }
    let step = (low.abs() * 0.1).max(0.5);
    (low - step, low + step)
}

/// About this many multiples of 1, 2 or 5 times a power of ten, from `low` to `high`.
fn ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let (low, high) = apart(low, high);
    let raw = (high - low) / about.max(1) as f64;
    let power = 10f64.powi(raw.log10().floor() as i32);
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= raw * 0.999).unwrap_or(raw);
    let first = (low / step - 1e-9).ceil() as i64;
    let last = (high / step + 1e-9).floor() as i64;
    (first..=last).map(|at| at as f64 * step).collect()
}

/// Ticks of a logarithmic axis of bytes: 1, 2 and 5 times powers of ten.
pub fn sizes(low: f64, high: f64) -> Vec<f64> {
    (0..10)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)))
        .filter(|size| (low..=high).contains(size))
        .collect()
}

/// A number with three significant digits, as short as possible.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.1e}").replace(".0e", "e");
    }
    let digits = (2 - size.log10().floor() as i32).clamp(0, 6) as usize;
    without_zeros(format!("{value:.digits$}"))
}

fn without_zeros(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A value among others with this span, with enough digits to tell them apart.
pub fn within(value: f64, span: f64) -> String {
    if !(1e-3..1e6).contains(&span) || value.abs() >= 1e6 {
        return short(value);
    }
    let digits = (2 - span.log10().floor() as i32).clamp(0, 6);
    let unit = 10f64.powi(digits);
    let rounded = (value * unit).round() / unit + 0.0;
    without_zeros(format!("{rounded:.*}", digits as usize))
}

/// The values of the labeled or of the unlabeled rows.
pub fn values_of<T: Copy>(kind: bool, values: &[T], labeled: &[bool]) -> Vec<T> {
    (values.iter().zip(labeled)).filter(|(_, labeled)| **labeled == kind).map(|(value, _)| *value).collect()
}

/// In ascending order.
pub fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(-1.3, 2.2, 4), [-1.0, 0.0, 1.0, 2.0]);
        assert_eq!(ticks(0.0, 0.1, 5).len(), 6);
        assert_eq!(ticks(980.0, 1020.0, 4), [980.0, 990.0, 1000.0, 1010.0, 1020.0]);
        // One value only: something around it.
        assert!(ticks(3.0, 3.0, 4).len() > 1);
        assert_eq!(sizes(90.0, 1200.0), [100.0, 200.0, 500.0, 1000.0]);
    }

    #[test]
    fn values_find_their_places_and_do_not_leave_the_axis() {
        let axis = Axis::new((0.0, 10.0), (100.0, 300.0));
        assert_eq!([0.0, 5.0, 10.0, 99.0, -1.0].map(|v| axis.at(v)), [100.0, 200.0, 300.0, 300.0, 100.0]);
        let axis = Axis::logarithmic((1.0, 100.0), (0.0, 10.0));
        assert!((axis.at(10.0) - 5.0).abs() < 1e-12);
        assert!(Axis::new((2.0, 2.0), (0.0, 1.0)).at(2.0).is_finite());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 1.0, 0.0123, 12.345, 1234.5, -2.0, 1e-5, 2.5e7].map(short),
            ["0", "1", "0.0123", "12.3", "1234", "-2", "1e-5", "2.5e7"]
        );
        let among = |value| within(value, 2.0);
        assert_eq!([-0.00138, 1.0, 0.999, -0.5, 123.456].map(among), ["0", "1", "1", "-0.5", "123.46"]);
        assert_eq!(within(1234.4, 800.0), "1234");
    }
}
