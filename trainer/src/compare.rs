//! All methods on the same folds, and which of them to take.
//!
//! Each method is tuned by itself; the one whose chosen setting has the best number by the rule is recommended. Since the folds are the
//! same, so is most of their luck. A method that collapsed, or failed, is recommended only when nothing else is there.

use std::time::Instant;

use crate::dataset::Dataset;
use crate::options::{Method, TrainOptions};
use crate::train::{ScaledRows, TrainError, Trained, in_pool};
use crate::tune::{JournalFile, TuneOptions, Tuned, Tuner, Watch};

/// One method, tuned and trained on all rows.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The model.
    pub trained: Trained,
    /// How its settings were chosen.
    pub tuned: Tuned,
    /// What the search and the fit took.
    pub seconds: f64,
}

/// The methods, and which to take.
#[derive(Debug)]
pub struct Comparison {
    /// Each method with its result, in the order asked for.
    pub entries: Vec<(Method, Result<Entry, TrainError>)>,
    /// The place of the recommended one.
    pub recommended: usize,
}

impl Comparison {
    /// The recommended entry.
    pub fn best(&self) -> Option<&Entry> {
        self.entries.get(self.recommended)?.1.as_ref().ok()
    }

    /// The recommended entry, or why there is none.
    pub fn into_best(mut self) -> Result<Entry, TrainError> {
        self.entries.swap_remove(self.recommended).1
    }
}

/// Tunes and trains each of `methods`; what `options` fixes is fixed for all of them. The truth is not looked at.
pub fn compare(
    data: &Dataset,
    options: &TrainOptions,
    methods: &[Method],
    tuning: &TuneOptions,
    journal: Option<&JournalFile>,
    watch: &dyn Watch,
) -> Result<Comparison, TrainError> {
    in_pool(options, || {
        let rows = ScaledRows::new(data, options);
        let tuner = Tuner::new(rows.labeled_rows(), options, tuning, journal, watch)?;
        let entry = |method: Method| {
            let options = TrainOptions {
                method,
                // A method without local term has no use for it.
                sigma: options.sigma.filter(|_| method.has_local_term()),
                ..options.clone()
            };
            let start = Instant::now();
            let (trained, tuned) = rows.tune_and_fit(&tuner, &options)?;
            Ok(Entry {
                trained,
                tuned,
                seconds: start.elapsed().as_secs_f64(),
            })
        };
        let entries: Vec<_> = methods
            .iter()
            .map(|&method| (method, entry(method)))
            .collect();
        Ok(Comparison {
            recommended: recommend(&entries),
            entries,
        })
    })
}

/// The place of the best entry; the earlier of equals.
fn recommend(entries: &[(Method, Result<Entry, TrainError>)]) -> usize {
    let merit = |entry: &Result<Entry, TrainError>| match entry {
        Ok(entry) => {
            let choice = &entry.tuned.choice;
            (1 + u8::from(choice.collapsed.is_none()), choice.score)
        }
        Err(_) => (0, 0.0),
    };
    let mut best = 0;
    for at in 1..entries.len() {
        if merit(&entries[at].1) > merit(&entries[best].1) {
            best = at;
        }
    }
    best
}
