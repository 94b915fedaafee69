//! What a row of text means: which cell does what, and how a cell becomes a number, a mark or a group's name.

use super::columns::{ColumnPlaces, Columns, Role};
use super::error::{CsvError, CsvProblem, shown};
use csv::ByteRecord;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What a row says besides its features: `None` where there is no such column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marks<'r> {
    /// Labeled positive, as against unlabeled or normal.
    pub labeled: Option<bool>,
    /// Known to be normal, that is not positive.
    pub normal: bool,
    /// Really positive.
    pub truth: Option<bool>,
    /// The name of its group.
    pub group: Option<Cow<'r, str>>,
}

impl<'r> Marks<'r> {
    pub(super) fn new(label: Option<Label>, truth: Option<bool>, group: Option<Cow<'r, str>>) -> Self {
        let labeled = label.map(|label| label == Label::Positive);
        Self { labeled, normal: label == Some(Label::Normal), truth, group }
    }
}

/// What the label column says about a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Positive,
    Unlabeled,
    Normal,
}

/// A file's header, resolved: everything needed to read one of its rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Layout {
    /// The file as messages call it.
    pub file: String,
    /// Every column's name, as in the file.
    pub header: Vec<String>,
    /// The features' names, in the model's order.
    pub names: Vec<String>,
    pub places: ColumnPlaces,
}

impl Layout {
    /// Resolves the header of a CSV file.
    pub(super) fn of_record(file: &str, header: &ByteRecord, columns: &Columns) -> Result<Self, CsvError> {
        let header: Option<Vec<String>> =
            header.iter().map(|cell| String::from_utf8(cell.trim_ascii().to_vec()).ok()).collect();
        Self::new(file, header.ok_or_else(|| CsvError::on_line(file, 1, CsvProblem::NotUtf8))?, columns)
    }

    pub(super) fn new(file: &str, header: Vec<String>, columns: &Columns) -> Result<Self, CsvError> {
        let places = ColumnPlaces::new(&header, columns).map_err(|problem| CsvError::on_line(file, 1, problem))?;
        let names = places.features.iter().map(|&at| header[at].clone()).collect();
        Ok(Self { file: file.to_owned(), header, names, places })
    }

    /// Puts the features in the order of `names`, which are those of the file `first`.
    pub(super) fn arrange(&mut self, names: &[String], first: &str) -> Result<(), CsvError> {
        let wrong = |problem| CsvError::on_line(&self.file, 1, problem);
        let places: HashMap<&str, usize> =
            self.names.iter().map(String::as_str).zip(self.places.features.iter().copied()).collect();
        let place = |name: &String| {
            let missing = || CsvProblem::MissingColumn {
                column: name.clone(),
                role: Role::Feature,
                hint: format!("{first} has it, and every file needs the same features"),
            };
            places.get(name.as_str()).copied().ok_or_else(missing)
        };
        let features = names.iter().map(place).collect::<Result<Vec<usize>, _>>().map_err(wrong)?;
        let known: HashSet<&String> = names.iter().collect();
        if let Some(column) = self.names.iter().find(|name| !known.contains(name)) {
            return Err(wrong(CsvProblem::ExtraColumn { column: column.clone(), first: first.to_owned() }));
        }
        self.places.features = features;
        self.names = names.to_vec();
        Ok(())
    }

    /// Appends the features of a row of `count` cells to `values`.
    pub(super) fn parse<'r>(
        &self,
        count: usize,
        cell: impl Fn(usize) -> &'r [u8],
        values: &mut Vec<f64>,
    ) -> Result<Marks<'r>, CsvProblem> {
        if count != self.header.len() {
            let has_line_end = (0..count).any(|at| cell(at).contains(&b'\n'));
            let hint = if has_line_end { "is a quote opened here that is never closed?" } else { "" };
            return Err(CsvProblem::Ragged { expected: self.header.len(), found: count, hint });
        }
        for &at in &self.places.features {
            let text = cell(at).trim_ascii();
            match number_of(text) {
                Some(value) if value.is_finite() => values.push(f64::from(value)),
                _ => return Err(self.bad_number(at, text)),
            }
        }
        let ColumnPlaces { label, truth, group, .. } = self.places;
        let text = |at: usize| cell(at).trim_ascii();
        let not_a_mark = |at: usize, role| CsvProblem::NotAMark {
            column: self.header[at].clone(),
            role,
            expected: spellings(role),
            found: shown(text(at)),
        };
        let label = label.map(|at| label_of(text(at)).ok_or_else(|| not_a_mark(at, Role::Label)));
        let truth = truth.map(|at| truth_of(text(at)).ok_or_else(|| not_a_mark(at, Role::Truth)));
        let group = group.map(|at| {
            let name = group_of(text(at)).map(Cow::Borrowed);
            name.ok_or_else(|| CsvProblem::NotAGroup { column: self.header[at].clone(), found: shown(text(at)) })
        });
        Ok(Marks::new(label.transpose()?, truth.transpose()?, group.transpose()?))
    }

    /// The error for a feature cell that is no finite 32-bit number.
    fn bad_number(&self, at: usize, cell: &[u8]) -> CsvProblem {
        let (column, found) = (self.header[at].clone(), shown(cell));
        let text = String::from_utf8_lossy(cell);
        match text.parse::<f64>() {
            // Whether "1e999" or "1e39": digits were given, so a number was meant.
            Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => CsvProblem::TooLarge { column, found },
            Ok(_) => CsvProblem::NotFinite { column, found },
            Err(_) => CsvProblem::NotANumber { column, found, hint: hint_for_text(&text) },
        }
    }
}

fn number_of(text: &[u8]) -> Option<f32> {
    short_decimal(text).or_else(|| std::str::from_utf8(text).ok()?.parse().ok())
}

/// The value of a plain decimal of few digits, by a short way: digits up to 2^24 and powers of ten up to
/// 10^10 are 32-bit floats without rounding, so their quotient is rounded once, as it should be.
fn short_decimal(text: &[u8]) -> Option<f32> {
    const POWERS: [f32; 9] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if text.len() > POWERS.len() || matches!(text, b"" | b".") {
        return None;
    }
    let (mut digits, mut decimals, mut point) = (0u32, 0, false);
    for &byte in text {
        match byte {
            b'0'..=b'9' => {
                digits = 10 * digits + u32::from(byte - b'0');
                decimals += usize::from(point);
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    if digits > 1 << 24 {
        return None;
    }
    let value = digits as f32 / POWERS[decimals];
    Some(if negative { -value } else { value })
}

/// What a cell of the label column says, if it says anything.
pub(crate) fn label_of(cell: &[u8]) -> Option<Label> {
    if is_one_of(cell, &["1", "true", "positive"]) {
        Some(Label::Positive)
    } else if is_one_of(cell, &["0", "", "false", "unlabeled", "unlabelled"]) {
        Some(Label::Unlabeled)
    } else if is_one_of(cell, &["-1", "normal", "negative"]) {
        Some(Label::Normal)
    } else {
        label_of_number(std::str::from_utf8(cell).ok()?.parse().ok()?)
    }
}

/// What a cell of the truth column says, if it says anything.
pub(crate) fn truth_of(cell: &[u8]) -> Option<bool> {
    if is_one_of(cell, &["1", "true", "positive"]) {
        Some(true)
    } else if is_one_of(cell, &["0", "-1", "false", "negative", "normal"]) {
        Some(false)
    } else {
        truth_of_number(std::str::from_utf8(cell).ok()?.parse().ok()?)
    }
}

fn is_one_of(cell: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| cell.eq_ignore_ascii_case(word.as_bytes()))
}

/// The same for a number.
pub(super) fn label_of_number(value: f64) -> Option<Label> {
    match value {
        1.0 => Some(Label::Positive),
        0.0 => Some(Label::Unlabeled),
        -1.0 => Some(Label::Normal),
        _ => None,
    }
}

/// The same for a number.
pub(super) fn truth_of_number(value: f64) -> Option<bool> {
    match value {
        1.0 => Some(true),
        0.0 | -1.0 => Some(false),
        _ => None,
    }
}

/// The name of a group, unless the cell is empty or no text.
pub(super) fn group_of(cell: &[u8]) -> Option<&str> {
    std::str::from_utf8(cell).ok().filter(|name| !name.is_empty())
}

/// The accepted spellings of a label or a truth, as messages list them.
pub(super) fn spellings(role: Role) -> &'static str {
    match role {
        Role::Label => {
            "1, true or positive for a labeled row, 0, false, unlabeled or nothing for an unlabeled one, or -1, normal or negative for one known to be normal"
        }
        _ => "1, true or positive, or 0, -1, false, negative or normal",
    }
}

/// Why a cell may not be a number.
fn hint_for_text(cell: &str) -> &'static str {
    const MISSING: [&str; 6] = ["", "na", "n/a", "null", "none", "?"];
    if MISSING.contains(&cell.to_ascii_lowercase().as_str()) {
        "missing values are not supported: fill the gap or drop the row"
    } else if cell.replacen(',', ".", 1).parse::<f64>().is_ok() {
        "write a decimal point, not a comma"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the standard library says is right.
    fn check(text: &str) {
        let standard = text.parse::<f32>().ok().map(f32::to_bits);
        assert_eq!(number_of(text.as_bytes()).map(f32::to_bits), standard, "{text:?}");
    }

    #[test]
    fn short_decimals_at_the_edges() {
        let texts = "|.|-|-.|+|+1|0|-0|-0.0|00|1.|.5|-.5|1..|..1|1.2.3|--1|16777215|16777216|16777217|\
                     1.6777217|99999999|0.0000001|.00000001|123456789|1234567890|1e5|0x1|inf|nan|1 2|1,5";
        for text in texts.split('|') {
            check(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn short_decimals_are_what_the_standard_library_reads(text in "[-+]?[0-9]{0,9}[.e]?[0-9]{0,9}") {
            check(&text);
        }
    }
}
