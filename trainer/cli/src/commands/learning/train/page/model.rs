//! What the page shows of the written model: its support instances, sizes, ranges and cost.

use crate::commands::learning::train::finish::Finish;
use crate::page::{Range, Rung, Sizes, Support};
use crate::show;
use pual_device::bench::encoding_name;
use pual_device::cost;
use pual_infer::{AnyModel, Kernel};
use pual_trainer::data::dataset::Dataset;
use pual_trainer::model::compress::{Ladder, Rung as LadderRung};

/// In raw units; a linear model has none.
pub fn supports(model: &AnyModel<'_>) -> Vec<Support> {
    if model.kernel() == Kernel::Linear {
        return Vec::new();
    }
    let value = |index: usize, at: usize| {
        let (scale, offset) = (
            f64::from(model.scales()[at]),
            f64::from(model.offsets()[at]),
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

pub fn sizes(ladder: &Ladder, finish: &Finish<'_>) -> Sizes {
    let rung = |(at, rung): (usize, &LadderRung)| Rung {
        supports: rung.supports,
        encoding: encoding_name(rung.encoding),
        bytes: rung.bytes,
        puf: rung.measured.puf,
        score_error: rung.measured.score_error,
        changed: rung.measured.changed_classes as f64 / ladder.rows.max(1) as f64,
        loss: rung.measured.loss,
        as_trained: rung.as_trained,
        taken: at == ladder.taken,
    };
    Sizes {
        rungs: ladder.rungs.iter().enumerate().map(rung).collect(),
        tolerance: finish.size.options(finish.options.seed).tolerance,
        written: ladder.bytes.len(),
    }
}

/// As the model carries them, and where the rows lie.
pub fn ranges(model: &AnyModel<'_>, rows: &Dataset) -> Vec<Range> {
    (rows.names().iter().enumerate())
        .map(|(at, name)| {
            let values: Vec<f64> = (rows.rows()[at..].iter())
                .step_by(rows.features())
                .copied()
                .collect();
            let carried = model.range(at);
            let range = carried.map(|(low, high)| (low.into(), high.into()));
            Range::new(name, range, &values, rows.labeled())
        })
        .collect()
}

/// As `pual inspect` shows it.
pub fn cores(model: &AnyModel<'_>) -> Vec<Vec<String>> {
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
