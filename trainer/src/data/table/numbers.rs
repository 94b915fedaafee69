//! The same rules for values that are numbers, not text.

use super::columns::ColumnPlaces;
use super::error::shown;
use super::layout::{Label, Layout, Marks, group_of, label_of, label_of_number, spellings, truth_of, truth_of_number};
use super::{Block, CsvProblem, Role, ValueError};
use std::borrow::Cow;

/// A number as the file has it, and rounded once to what the device reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub exact: f64,
    pub device: f32,
}

impl Number {
    pub(super) fn of_unsigned(x: u64) -> Self {
        Self { exact: x as f64, device: x as f32 }
    }

    pub(super) fn of_signed(x: i64) -> Self {
        Self { exact: x as f64, device: x as f32 }
    }

    pub(super) fn of_float(x: f32) -> Self {
        Self { exact: f64::from(x), device: x }
    }

    pub(super) fn of_double(x: f64) -> Self {
        Self { exact: x, device: x as f32 }
    }
}

/// A value as stored.
#[derive(Debug, Clone, Copy)]
pub(super) enum NumberOrText<'c> {
    Number(Number),
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "arrays have neither"))]
    Text(&'c [u8]),
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "arrays have neither"))]
    Null,
}

/// Some rows of a file, as stored.
pub(super) trait Cells {
    fn cell(&self, row: usize, column: usize) -> NumberOrText<'_>;
}

/// The `rows` rows of `cells`. The first of them is row `first` of the file.
pub(super) fn block_of(layout: &Layout, first: u64, rows: usize, cells: &impl Cells) -> Result<Block, CsvProblem> {
    let ColumnPlaces { features, label, truth, group } = &layout.places;
    let mut block = Block::default();
    for row in 0..rows {
        let bad = |column: usize, source| CsvProblem::Value {
            row: first + row as u64,
            column: layout.header[column].clone(),
            source,
        };
        for &column in features {
            let value = finite(cells.cell(row, column)).map_err(|source| bad(column, source))?;
            block.rows.push(f64::from(value));
        }
        let label = label.map(|at| label_in(cells.cell(row, at)).map_err(|source| bad(at, source)));
        let truth = truth.map(|at| truth_in(cells.cell(row, at)).map_err(|source| bad(at, source)));
        let group = group.map(|at| group_in(cells.cell(row, at)).map_err(|source| bad(at, source)));
        block.push(&Marks::new(label.transpose()?, truth.transpose()?, group.transpose()?));
    }
    Ok(block)
}

fn finite(cell: NumberOrText<'_>) -> Result<f32, ValueError> {
    match cell {
        NumberOrText::Number(number) if number.device.is_finite() => Ok(number.device),
        NumberOrText::Number(number) if number.exact.is_finite() => Err(ValueError::TooLarge(number.exact)),
        NumberOrText::Number(number) => Err(ValueError::NotFinite(number.exact)),
        NumberOrText::Text(_) | NumberOrText::Null => Err(ValueError::Missing),
    }
}

fn label_in(cell: NumberOrText<'_>) -> Result<Label, ValueError> {
    let expected = "1 for a labeled row, 0 for an unlabeled one, or -1 for one known to be normal";
    mark(cell, Role::Label, expected, label_of_number, label_of)
}

fn truth_in(cell: NumberOrText<'_>) -> Result<bool, ValueError> {
    mark(cell, Role::Truth, "1, or 0 or -1", truth_of_number, truth_of)
}

/// A null is an empty cell.
fn mark<T>(
    cell: NumberOrText<'_>,
    role: Role,
    expected: &'static str,
    of_number: impl Fn(f64) -> Option<T>,
    of_text: impl Fn(&[u8]) -> Option<T>,
) -> Result<T, ValueError> {
    let text = match cell {
        NumberOrText::Number(Number { exact, .. }) => {
            let wrong = || ValueError::NotAMark { role, expected, found: exact.to_string() };
            return of_number(exact).ok_or_else(wrong);
        }
        NumberOrText::Text(text) => text.trim_ascii(),
        NumberOrText::Null => &[],
    };
    of_text(text).ok_or_else(|| ValueError::NotAMark { role, expected: spellings(role), found: shown(text) })
}

fn group_in(cell: NumberOrText<'_>) -> Result<Cow<'_, str>, ValueError> {
    // From here on two whole numbers may be the same 64-bit float.
    const MOST: f64 = 9_007_199_254_740_992.0;
    let (name, found) = match cell {
        // Adding zero turns -0 into 0.
        NumberOrText::Number(Number { exact, .. }) if exact.abs() < MOST => {
            (Some((exact + 0.0).to_string().into()), String::new())
        }
        NumberOrText::Number(Number { exact, .. }) => (None, exact.to_string()),
        NumberOrText::Text(text) => (group_of(text.trim_ascii()).map(Cow::Borrowed), shown(text.trim_ascii())),
        NumberOrText::Null => (None, "a null".to_owned()),
    };
    name.ok_or(ValueError::NotAGroup { found })
}
