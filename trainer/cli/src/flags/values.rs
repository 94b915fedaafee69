//! Values of flags: numbers in a range, and names of the library's own values.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pual_trainer::base::scenario::Scenario;

/// A value with its name on the command line and its line in the help.
pub type Choice<T> = (&'static str, &'static str, T);

pub const SCENARIOS: [Choice<Scenario>; 2] = [
    (
        "single-training-set",
        "All rows are one sample; some of its positives were labeled",
        Scenario::SingleTrainingSet,
    ),
    (
        "case-control",
        "The unlabeled rows are a sample; labeled positives were collected separately",
        Scenario::CaseControl,
    ),
];

/// Parses the name of one of these values; the help lists them.
pub fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    choices: [Choice<T>; N],
) -> impl TypedValueParser<Value = T> {
    let listed = choices.map(|(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(listed).try_map(move |text| {
        let chosen = choices.iter().find(|(name, ..)| *name == text);
        chosen.map(|(.., value)| *value).ok_or("unknown name")
    })
}

/// Parses a positive number.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a positive number".to_owned()),
    }
}

/// Parses a share of a whole.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("expected a number above 0 and at most 1".to_owned()),
    }
}
