//! A smaller model in place of one that is there.

use pual_infer::ModelBytes;

use super::Error;
use crate::base::scenario::Scenario;
use crate::base::warnings::{Warning, WarningId};
use crate::base::watch::{Parts, Watch};
use crate::data::table::Table;
use crate::model::compress::{CompressOptions, Ladder, Readings, compress_model, stand_ins};

/// A smaller model, and what it costs.
#[derive(Debug)]
pub struct Compressed {
    /// Every size, and the model of the one taken.
    pub ladder: Ladder,
    /// What the user should know before relying on it.
    pub warnings: Vec<Warning>,
}

/// Makes a model small, so that it agrees with the large one on `rows`: those it was trained on, in its own order of features. Without
/// them, readings around the support instances stand in.
///
/// # Errors
/// Bytes that are no model, rows it refuses, a size that cannot be met.
pub fn compress(
    model: &ModelBytes,
    rows: Option<&Table>,
    scenario: Scenario,
    options: &CompressOptions,
    watch: &dyn Watch,
) -> Result<Compressed, Error> {
    let mut warnings = Vec::new();
    let stand_in = match rows {
        Some(_) => Vec::new(),
        None => {
            warnings.push(Warning::new(
                WarningId::StandInRows,
                "no rows given: readings around the support instances stand in for them, so the figures are rough",
            ));
            stand_ins(model, options.seed)?
        }
    };
    warnings.iter().for_each(|warning| watch.warn(warning));
    let readings = Readings {
        events: None,
        rows: rows.map_or(&stand_in, |table| &table.rows),
        labeled: rows.and_then(|table| table.labeled.as_deref()),
        scenario,
    };
    let parts = Parts::new(watch, vec![1.0]);
    let step = |done, of| parts.sizes(done, of);
    let ladder = compress_model(model, &readings, options, &step)?;
    for warning in ladder.warnings() {
        watch.warn(&warning);
        warnings.push(warning);
    }
    Ok(Compressed { ladder, warnings })
}
