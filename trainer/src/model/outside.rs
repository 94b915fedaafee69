//! Rows outside the range of a model's training rows.

use pual_infer::{Envelope, Model, Verdict};

use crate::base::warnings::{Warning, WarningId};

/// From this share on the rows are probably of another kind. Even rows from the source of the training rows lie outside now and
/// then: with n training rows of m features about 2 m / (n + 1) of them, which is one in ten for 160 rows of 8 features.
const MANY: f64 = 0.1;
/// Among fewer rows than this, two make one in ten.
const ROWS_TO_TELL: usize = 20;

/// Counts rows, and those outside.
pub struct OutsideCount<'a> {
    model: Model<'a>,
    rows: usize,
    outside: usize,
    by_feature: Vec<usize>,
}

impl<'a> OutsideCount<'a> {
    /// Before the first row.
    #[must_use]
    pub fn new(model: Model<'a>) -> Self {
        Self { model, rows: 0, outside: 0, by_feature: vec![0; model.features()] }
    }

    /// Of raw readings, row after row, and the model's verdicts on them.
    pub(crate) fn of(model: &Model<'a>, rows: &[f64], verdicts: &[Verdict]) -> Self {
        let mut count = Self::new(*model);
        let mut reading = Vec::new();
        for (row, verdict) in rows.chunks(model.features()).zip(verdicts) {
            reading.clear();
            reading.extend(row.iter().map(|&value| value as f32));
            count.add(&reading, verdict.envelope);
        }
        count
    }

    /// The next row, and where the model says that it is.
    pub fn add(&mut self, reading: &[f32], envelope: Envelope) {
        self.rows += 1;
        let Envelope::Outside { feature: first } = envelope else {
            return;
        };
        self.outside += 1;
        self.by_feature[first] += 1;
        for (feature, value) in reading.iter().enumerate().skip(first + 1) {
            let range = self.model.range(feature);
            self.by_feature[feature] += usize::from(range.is_some_and(|(low, high)| *value < low || *value > high));
        }
    }

    /// Rows outside.
    pub(crate) fn outside(&self) -> usize {
        self.outside
    }

    /// A warning, if they are many.
    #[must_use]
    pub fn warning(&self) -> Option<Warning> {
        let Self { rows, outside, .. } = *self;
        if rows < ROWS_TO_TELL || outside as f64 <= MANY * rows as f64 {
            return None;
        }
        // The first of several.
        let most = (0..self.by_feature.len()).rev().max_by_key(|&feature| self.by_feature[feature])?;
        let name = self.model.name(most).map_or(format!("feature #{most}"), |name| format!("`{name}`"));
        let share = 100.0 * outside as f64 / rows as f64;
        Some(Warning::new(
            WarningId::FarFromTraining,
            format_args!(
                "{outside} of {rows} rows ({share:.1} %) are outside the range of the training rows, most often in {name}: their scores are extrapolations"
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pual_infer::{ModelSpec, SpecKernel, encode};

    #[test]
    fn many_rows_outside_are_told_with_the_feature_that_is_outside_most_often() {
        let spec = ModelSpec {
            kernel: SpecKernel::Linear,
            offsets: &[0.0, 0.0],
            scales: &[1.0, 1.0],
            coefficients: &[1.0],
            supports: &[1.0, 1.0],
            bias: 0.0,
            threshold: 0.0,
            envelope: Some((&[0.0, 0.0], &[1.0, 1.0])),
            names: Some(&["level", "slope"]),
            recipe: None,
        };
        let told = |spec: &ModelSpec<'_>, rows: &[[f64; 2]]| {
            let bytes = encode(spec).unwrap();
            let model = bytes.decode().unwrap();
            let verdict = |row: &[f64; 2]| model.judge(&row.map(|value| value as f32)).unwrap();
            let verdicts: Vec<Verdict> = rows.iter().map(verdict).collect();
            OutsideCount::of(&model, &rows.concat(), &verdicts).warning().map(|warning| warning.to_string())
        };
        let rows = |inside: usize, outside: &[[f64; 2]]| [&vec![[0.5, 0.5]; inside], outside].concat();
        let (both, second) = ([2.0, 2.0], [0.5, -1.0]);
        assert_eq!(told(&spec, &rows(18, &[both, second])), None, "one in ten");
        assert_eq!(told(&spec, &rows(16, &[both, second, second])), None, "19 rows");
        let text = told(&spec, &rows(17, &[both, second, second])).unwrap();
        assert!(text.starts_with("[far-from-training]: 3 of 20 rows (15.0 %)"), "{text}");
        assert!(text.contains("most often in `slope`"), "{text}");
        let unnamed = ModelSpec { names: None, ..spec };
        assert!(told(&unnamed, &rows(0, &[[2.0, 2.0]; 20])).unwrap().contains("in feature #0"));
        let unknown = ModelSpec { envelope: None, ..spec };
        assert_eq!(told(&unknown, &rows(0, &[[2.0, 2.0]; 20])), None);
    }
}
