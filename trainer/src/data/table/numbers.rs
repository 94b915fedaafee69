//! The same rules for values that are numbers, not text.

use super::layout::{Layout, mark_of_number};
use super::{Block, CsvProblem, Role, ValueError};

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

/// Some rows of a file, as stored.
pub(super) trait Cells {
    fn number(&self, row: usize, column: usize) -> Result<Number, ValueError>;

    /// What a label or truth says.
    fn mark(&self, row: usize, column: usize, role: Role) -> Result<bool, ValueError> {
        mark_of_cell(self.number(row, column)?, role)
    }
}

/// What a label or truth says that is a number.
pub(super) fn mark_of_cell(number: Number, role: Role) -> Result<bool, ValueError> {
    mark_of_number(number.exact).ok_or_else(|| ValueError::NotAMark {
        role,
        expected: match role {
            Role::Label => "1 for a labeled row, or 0 or -1 for an unlabeled one",
            _ => "1, or 0 or -1",
        },
        found: number.exact.to_string(),
    })
}

/// The `rows` rows of `cells`. The first of them is row `first` of the file.
pub(super) fn block_of(layout: &Layout, first: u64, rows: usize, cells: &impl Cells) -> Result<Block, CsvProblem> {
    let mut block = Block::default();
    for row in 0..rows {
        let bad = |column: usize, source| CsvProblem::Value {
            row: first + row as u64,
            column: layout.header[column].clone(),
            source,
        };
        let mark = |column: Option<usize>, role| {
            column.map(|at| cells.mark(row, at, role).map_err(|source| bad(at, source))).transpose()
        };
        for &column in &layout.places.features {
            let value = cells.number(row, column).and_then(finite);
            let value = value.map_err(|source| bad(column, source))?;
            block.rows.push(f64::from(value));
        }
        block.labeled.extend(mark(layout.places.label, Role::Label)?);
        block.truth.extend(mark(layout.places.truth, Role::Truth)?);
    }
    Ok(block)
}

fn finite(number: Number) -> Result<f32, ValueError> {
    if number.device.is_finite() {
        Ok(number.device)
    } else if number.exact.is_finite() {
        Err(ValueError::TooLarge(number.exact))
    } else {
        Err(ValueError::NotFinite(number.exact))
    }
}
