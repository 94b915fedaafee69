//! Flags of nearly every command, and values of flags: numbers in a range, sizes, and the library's choices by name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pual_trainer::errors::NotBytes;
use pual_trainer::{Bytes, Named};

#[derive(clap::Args)]
pub struct RunFlags {
    /// Threads; the result does not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl RunFlags {
    /// The threads to use; 0 is one per core.
    pub fn threads(&self) -> usize {
        self.threads.map_or(0, usize::from)
    }
}

/// Parses the name of one of the library's choices; the help lists them.
pub fn choice<T: Named>() -> impl TypedValueParser<Value = T> {
    let listed = T::all().into_iter().map(|(name, _, help)| {
        let value = PossibleValue::new(name);
        if help.is_empty() { value } else { value.help(help) }
    });
    PossibleValuesParser::new(listed).try_map(|name| T::named(&name).ok_or("unknown name"))
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

/// Parses a share that may be 0.
pub fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1".to_owned()),
    }
}

/// Parses a threshold: a finite number, as the device holds it.
pub fn threshold(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a number".to_owned()),
    }
}

/// Parses a size, such as 512B or 2kB.
pub fn bytes(text: &str) -> Result<usize, NotBytes> {
    text.parse::<Bytes>().map(|bytes| bytes.0 as usize)
}

/// 0.5% as a share.
pub fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(|number| number.trim().parse());
    match number {
        Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
        _ => Err("expected a percentage from 0% to 100%, such as 0.5%".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read_as_people_write_them() {
        assert_eq!(percentage("0.5%"), Ok(0.005));
        for wrong in ["0.5", "%", "-1%", "101%", "x%", "NaN%"] {
            assert!(percentage(wrong).is_err(), "{wrong}");
        }
    }
}
