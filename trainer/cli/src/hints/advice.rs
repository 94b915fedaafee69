//! What to do about a warning.

use pual_trainer::WarningId;

/// What to do about it.
pub fn advice(warning: WarningId) -> &'static str {
    match warning {
        WarningId::ConstantColumn => {
            "Was the sensor connected, and do the rows include what it should detect? To leave it out, name it with --ignore; the firmware then does not pass that reading."
        }
        WarningId::DuplicateRows => {
            "Remove copies, or thin the log, for example to one reading per minute. Until then expect worse results in the field than on held-out rows."
        }
        WarningId::MayBeTheAnswer => {
            "If the column is known only afterwards, leave it out with --ignore, or name it with --truth-column to compare with it. If it is a reading like any other, do nothing."
        }
        WarningId::CoarseColumn => {
            "Subtract the constant part (a base time, an absolute pressure) before the reading is stored, both in the CSV and in the firmware."
        }
        WarningId::OrderAmongFeatures => {
            "Leave the column out with --ignore. If what matters is the time since an event, store that instead."
        }
        WarningId::LabelsLookBiased => {
            "Label positives as they come, not the clearest or those of one sensor or one cause. Check that labeled rows were recorded and computed like the others. If every positive is labeled, do nothing."
        }
        WarningId::UnlabeledGroup => {
            "Look at some of these rows. If they are positives of another kind, label some of them with 1 and train again. If they are one more kind of normal, label some with -1: then this warning ends."
        }
        WarningId::FewEvents => {
            "Label more events, in other recordings if there are any. Until then check the model on rows of your own with `pual evaluate`."
        }
        WarningId::RowsInSequence => {
            "Nothing, if rows are a log. If they are independent and only sorted, add --independent-rows."
        }
        WarningId::MostRowsUnused => {
            "Raise --sample to use more rows, up to 4,000 for an ensemble; or give --method gllc, which is fitted to all rows."
        }
        WarningId::FewLabels => {
            "Label more positives: twice as many help more than any flag. If the truth of some rows is known, give it with --truth-column and look at F1; or set the settings yourself."
        }
        WarningId::NoUnlabeledRows => {
            "If nothing is known of those rows, write 0 or leave the label empty. If they are known to be normal, add readings of which nothing is known: what the model will see in the field."
        }
        WarningId::TimesOutOfOrder => {
            "Look at the lines that are named: a clock that was set, a log that was joined in another order, a line written twice. Windows do not reach across such a place, so nothing is wrong where it is rare."
        }
        WarningId::FalseAlarmsAboveTarget => {
            "Say which stretches are known to be normal, with kind `normal` in --events: of unlabeled time the rate is only an upper bound. Or accept more with --false-alarms, take longer windows, label more events."
        }
        WarningId::TooFewRows => {
            "Collect more rows: a search needs at least 2 labeled and 2 unlabeled ones, and about 20 and 100 are useful. No rows were held out, so nothing here tells how good the model is."
        }
        WarningId::GraphOfSample => "Raise --memory, or add --graph sample to confirm; --neighbours 0 uses no graph.",
        WarningId::EverySettingCollapsed | WarningId::NoBetterThanAllPositive | WarningId::AllPositive => {
            "Do not deploy it. Add features that separate the classes (slope, spread, difference from a set point), check that the labels are on the right rows, and see with `pual compare` whether any method separates them."
        }
        WarningId::LearnedNothing => {
            "Do not deploy it. Let the settings be searched, without --no-tune. If they were, see `pual compare`, and add features that separate the classes."
        }
        WarningId::WorseThanAllPositive => {
            "Do not deploy it as it is. `pual calibrate` shows whether another threshold does better; if none does, add features that separate the classes, and check that the labels are on the right rows."
        }
        WarningId::FarFromTraining => {
            "Compare the columns, their units and the sensor with those of the training rows (`pual inspect` lists the ranges). If readings really have changed, train again with rows like these."
        }
        WarningId::FewCheckedRows => {
            "Check more rows: with 100 positive and 100 negative ones the standard error of a share of 95 % is 2 points. For a target near 0 or 1, 5 rows should be left on the far side: 500 positive ones for a recall of 99 %."
        }
        WarningId::ClassesChanged => {
            "First subtract large constant parts of readings. Then raise --lambda, widen --bandwidth or use fewer --supports, which makes coefficients smaller."
        }
        WarningId::LeftOut => {
            "Raise --budget to keep them. Without names, rows are matched by order; without an envelope, the device cannot tell that a reading is outside the training range."
        }
        WarningId::ToleranceExceeded => {
            "Raise --budget or --supports, leave --encoding open, or accept the loss with --tolerance."
        }
        WarningId::StandInRows => "Give the training rows with --rows; labels are not needed.",
        WarningId::OtherCompiler => {
            "Use the compiler that is named, or write a baseline for this one with --write-baseline."
        }
        WarningId::FlagGivesWay => "Nothing, if that is what you want; --no-config ignores the whole file.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_has_advice() {
        for warning in WarningId::ALL {
            assert!(advice(warning).ends_with('.'), "{warning:?}");
        }
    }
}
