//! What the page shows of the written model: its support instances, sizes, ranges and cost.

use crate::page::{FeatureRange, SizeMark, Sizes, Support};
use crate::show;
use pual_device::cost;
use pual_infer::{Kernel, Model};
use pual_trainer::Dataset;
use pual_trainer::Ladder;
use pual_trainer::Rung;

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

pub fn sizes(ladder: &Ladder) -> Sizes {
    let mark = |rung: &Rung| SizeMark {
        supports: rung.supports,
        encoding: rung.encoding.name(),
        bytes: rung.bytes,
        puf: rung.measured.puf,
        score_error: rung.measured.score_error,
        changed: rung.measured.changed_classes as f64 / ladder.rows.max(1) as f64,
        loss: rung.measured.loss,
        as_trained: rung.as_trained,
        taken: rung.taken,
    };
    Sizes { marks: ladder.rungs.iter().map(mark).collect(), tolerance: ladder.tolerance, written: ladder.bytes.len() }
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
                cost.counts_instructions.map_or("-".to_owned(), show::grouped),
            ]
        })
        .collect()
}
