//! What the page shows of the written model: its support instances, sizes, ranges and cost.

use crate::page::{FeatureRange, SizeMark, Sizes, Support};
use crate::show;
use pual_device::cost;
use pual_infer::{Kernel, Model};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::pipeline::summary::{Compression, SizeStep};

/// In raw units; a linear model has none.
pub fn supports(model: &Model<'_>) -> Vec<Support> {
    if model.kernel() == Kernel::Linear {
        return Vec::new();
    }
    let value = |index: usize, at: usize| {
        let (scale, offset) = (
            f64::from(model.description().scales()[at]),
            f64::from(model.description().offsets()[at]),
        );
        let scaled = f64::from(model.support(index, at)?);
        // What has no scale is not looked at.
        Some(if scale == 0.0 {
            offset
        } else {
            scaled / scale + offset
        })
    };
    (0..model.supports())
        .filter_map(|index| {
            Some(Support {
                coefficient: model.coefficient(index)?.into(),
                values: (0..model.features())
                    .map(|at| value(index, at))
                    .collect::<Option<_>>()?,
            })
        })
        .collect()
}

pub fn sizes(compression: &Compression) -> Sizes {
    let rung = |step: &SizeStep| SizeMark {
        supports: step.supports,
        encoding: step.encoding,
        bytes: step.bytes,
        puf: step.puf,
        score_error: step.score_error,
        changed: step.changed_classes as f64 / compression.rows.max(1) as f64,
        loss: step.loss,
        as_trained: step.as_trained,
        taken: step.taken,
    };
    Sizes {
        marks: compression.ladder.iter().map(rung).collect(),
        tolerance: compression.tolerance,
        written: compression.bytes,
    }
}

/// As the model carries them, and where the rows lie.
pub fn ranges(model: &Model<'_>, rows: &Dataset) -> Vec<FeatureRange> {
    (rows.names().iter().enumerate())
        .map(|(at, name)| {
            let values: Vec<f64> = (rows.rows()[at..].iter())
                .step_by(rows.features())
                .copied()
                .collect();
            let carried = model.range(at);
            let range = carried.map(|(low, high)| (low.into(), high.into()));
            FeatureRange::new(name, range, &values, rows.labeled())
        })
        .collect()
}

/// As `pual inspect` shows it.
pub fn cores(model: &Model<'_>) -> Vec<Vec<String>> {
    (cost::estimate(model).iter())
        .map(|cost| {
            vec![
                cost.core.to_owned(),
                show::grouped(cost.code_bytes),
                show::grouped(u64::from(cost.code_bytes) + model.length() as u64),
                show::grouped(cost.ram_bytes),
                show::grouped(cost.stack_bytes),
                show::grouped(cost.instructions),
                cost.counts_instructions
                    .map_or("-".to_owned(), show::grouped),
            ]
        })
        .collect()
}
