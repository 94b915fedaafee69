//! Values that come as numbers, not as text: the same rules.

use super::blocks::Block;
use super::error::{CsvError, Role, ValueError};
use super::layout::{Layout, mark_of_number};

/// A number as the file has it, and rounded once to what the device reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Number {
    pub exact: f64,
    pub device: f32,
}

/// What the accepted marks are where there are only numbers.
fn numeric_marks(role: Role) -> &'static str {
    match role {
        Role::Label => "1 for a labeled row, or 0 or -1 for an unlabeled one",
        _ => "1, or 0 or -1",
    }
}

/// Appends `rows` rows to `block`: `number(row, column)` is what stands there. The first of them is row `first` of the file.
pub(super) fn append_rows(
    layout: &Layout,
    first: u64,
    rows: usize,
    number: impl Fn(usize, usize) -> Number,
    block: &mut Block,
) -> Result<(), CsvError> {
    let mark = |row: usize, column: Option<usize>, role| {
        column
            .map(|column| {
                let found = number(row, column).exact;
                mark_of_number(found).ok_or_else(|| {
                    let found = found.to_string();
                    let expected = numeric_marks(role);
                    let problem = ValueError::NotAMark {
                        role,
                        expected,
                        found,
                    };
                    bad_value(layout, first + row as u64, column, problem)
                })
            })
            .transpose()
    };
    for row in 0..rows {
        for &column in &layout.plan.features {
            let Number { exact, device } = number(row, column);
            if !device.is_finite() {
                let problem = if exact.is_finite() {
                    ValueError::TooLarge(exact)
                } else {
                    ValueError::NotFinite(exact)
                };
                return Err(bad_value(layout, first + row as u64, column, problem));
            }
            block.rows.push(f64::from(device));
        }
        block
            .labeled
            .extend(mark(row, layout.plan.label, Role::Label)?);
        block
            .truth
            .extend(mark(row, layout.plan.truth, Role::Truth)?);
    }
    Ok(())
}

pub(super) fn bad_value(layout: &Layout, row: u64, column: usize, source: ValueError) -> CsvError {
    CsvError::Value {
        file: layout.file.clone(),
        row,
        column: layout.header[column].clone(),
        source,
    }
}
