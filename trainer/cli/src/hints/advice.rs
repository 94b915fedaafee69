//! What to do about a warning.

use pual_trainer::base::warnings::WarningId;

/// What to do about it.
pub fn advice(warning: WarningId) -> &'static str {
    match warning {
        WarningId::ConstantColumn => {
            "Was the sensor connected, and did the rows include what it is there to notice? If it is to be left out, name it with --ignore; the firmware then does not pass that reading."
        }
        WarningId::DuplicateRows => {
            "Remove copies, or thin the log, such as to one reading a minute; until then expect less in the field than rows held out promise."
        }
        WarningId::MayBeTheAnswer => {
            "If the column is known only afterwards, leave it out with --ignore, or name it with --truth-column to be compared with. If it is a reading like any other, nothing is to be done."
        }
        WarningId::CoarseColumn => {
            "Subtract the constant part (a base time, an absolute pressure) before the reading is stored, in the CSV and in the firmware alike."
        }
        WarningId::FewLabels => {
            "Label more positives: twice as many help more than any flag. Where the truth of some rows is known, give it with --truth-column and read F1; or give the settings instead of having them searched for."
        }
        WarningId::TooFewRows => {
            "Collect more rows: 2 labeled and 2 unlabeled are the least for a search, some 20 and 100 are useful. Nothing was held out, so nothing here says how good the model is."
        }
        WarningId::GraphOfSample => {
            "Raise --memory, or write --graph sample to say that it is meant; --neighbours 0 does without the graph."
        }
        WarningId::EverySettingCollapsed
        | WarningId::NoBetterThanAllPositive
        | WarningId::AllPositive => {
            "Do not deploy it. Add features that differ where it matters (slope, spread, difference from a set point), check that labels belong to the rows they stand in, and see with `pual compare` whether any method tells the rows apart."
        }
        WarningId::LearnedNothing => {
            "Do not deploy it. Leave the settings to the search, without --no-tune; if they were searched for, see `pual compare`, and add features that differ where it matters."
        }
        WarningId::ClassesChanged => {
            "Subtract large constant parts of readings first. Then raise --lambda, widen --bandwidth or take fewer --supports: coefficients get smaller."
        }
        WarningId::LeftOut => {
            "Raise --budget to keep them. Without names, rows are matched by order; without an envelope, the device cannot tell that a reading is outside the training range."
        }
        WarningId::ToleranceExceeded => {
            "Raise --budget or --supports, leave --encoding open, or accept the loss with --tolerance."
        }
        WarningId::StandInRows => {
            "Give the rows it was trained on with --rows; no labels are needed."
        }
        WarningId::OtherCompiler => {
            "Take the compiler that is named, or write a baseline of this one with --write-baseline."
        }
        WarningId::FlagGivesWay => {
            "Nothing, if that is what you want; --no-config leaves the whole file out."
        }
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
