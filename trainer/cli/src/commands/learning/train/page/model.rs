//! What the page shows of the written model: its support instances and ranges.

use crate::page::{FeatureRange, Support};
use pual_infer::{Kernel, Model};
use pual_trainer::Dataset;

/// In raw units; a linear model has none.
pub fn supports(model: &Model<'_>) -> Vec<Support> {
    if model.kernel() == Kernel::Linear {
        return Vec::new();
    }
    let value = |index: usize, at: usize| {
        let (scale, offset) =
            (f64::from(model.description().scales()[at]), f64::from(model.description().offsets()[at]));
        let scaled = f64::from(model.support(index, at)?);
        // What has no scale is not looked at.
        Some(if scale == 0.0 { offset } else { scaled / scale + offset })
    };
    (0..model.supports())
        .filter_map(|index| {
            Some(Support {
                coefficient: model.coefficient(index)?.into(),
                values: (0..model.features()).map(|at| value(index, at)).collect::<Option<_>>()?,
            })
        })
        .collect()
}

/// As the model carries them, and where the rows lie.
pub fn ranges(model: &Model<'_>, rows: &Dataset) -> Vec<FeatureRange> {
    (rows.names().iter().enumerate())
        .map(|(at, name)| {
            let values: Vec<f64> = (rows.rows()[at..].iter()).step_by(rows.features()).copied().collect();
            let carried = model.range(at);
            let range = carried.map(|(low, high)| (low.into(), high.into()));
            FeatureRange::new(name, range, &values, rows.labeled())
        })
        .collect()
}
