//! Which column does what: the header's names against the requested ones.

use super::CsvProblem;
use crate::base::nearest::nearest;
use std::collections::HashMap;

/// The columns to use, by name. The default takes every column as a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// The features, in the order the model sees them. `None`: every column that has no other job, as in the file.
    pub features: Option<Vec<String>>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// The column that says which rows are labeled positive, and which are known to be normal.
    pub label: Option<String>,
    /// The column that says which rows are really positive. Never a feature.
    pub truth: Option<String>,
    /// The column that names each row's group: recording, machine, patient. Never a feature.
    pub group: Option<String>,
}

impl Columns {
    /// For training: everything is a feature but the label column.
    pub fn labeled_by(label: &str) -> Self {
        Self { label: Some(label.to_owned()), ..Self::default() }
    }

    /// For scoring: the model's features, wherever they are in the file; all other columns are ignored.
    pub fn of_features(names: &[String]) -> Self {
        Self { features: Some(names.to_vec()), ..Self::default() }
    }
}

/// The job of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A reading the model scores.
    Feature,
    /// Left out.
    Ignored,
    /// Says which rows are labeled positive, and which are known to be normal.
    Label,
    /// Says which rows are really positive; used only for evaluation.
    Truth,
    /// Names each row's group.
    Group,
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Role::Feature => "a feature",
            Role::Ignored => "an ignored column",
            Role::Label => "the label column",
            Role::Truth => "the truth column",
            Role::Group => "the group column",
        })
    }
}

/// The header resolved: where in a row each job's cell stands.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnPlaces {
    pub features: Vec<usize>,
    pub label: Option<usize>,
    pub truth: Option<usize>,
    pub group: Option<usize>,
}

impl ColumnPlaces {
    pub(super) fn new(header: &[String], columns: &Columns) -> Result<Self, CsvProblem> {
        let places = places(header)?;
        let find = |name: &str, role| {
            let place = places.get(name).copied();
            place.ok_or_else(|| CsvProblem::MissingColumn {
                column: name.to_owned(),
                role,
                hint: hint_for_missing(header, name),
            })
        };
        let find_one = |name: &Option<String>, role| name.as_deref().map(|name| find(name, role)).transpose();

        let mut roles: Vec<Option<Role>> = vec![None; header.len()];
        // Whether it is new.
        let mut assign = |at: usize, role: Role| match roles[at].replace(role) {
            Some(earlier) if earlier != role => {
                Err(CsvProblem::TwoRoles { column: header[at].clone(), first: earlier, second: role })
            }
            earlier => Ok(earlier.is_none()),
        };
        let label = find_one(&columns.label, Role::Label)?;
        let truth = find_one(&columns.truth, Role::Truth)?;
        let group = find_one(&columns.group, Role::Group)?;
        for (at, role) in [(label, Role::Label), (truth, Role::Truth), (group, Role::Group)] {
            if let Some(at) = at {
                assign(at, role)?;
            }
        }
        for name in &columns.ignore {
            assign(find(name, Role::Ignored)?, Role::Ignored)?;
        }

        let features: Vec<usize> = match &columns.features {
            Some(names) => {
                let mut chosen = Vec::with_capacity(names.len());
                for name in names {
                    let at = find(name, Role::Feature)?;
                    // Naming a feature twice would only double its weight in every distance.
                    if assign(at, Role::Feature)? {
                        chosen.push(at);
                    }
                }
                chosen
            }
            None => (0..header.len()).filter(|&at| roles[at].is_none()).collect(),
        };
        if let Some(&at) = features.iter().find(|&&at| header[at].is_empty()) {
            return Err(CsvProblem::UnnamedColumn(at + 1));
        }
        if features.is_empty() {
            let taken: Vec<String> = header.iter().map(|name| format!("`{name}`")).collect();
            return Err(CsvProblem::NoFeatures(taken.join(", ")));
        }
        Ok(Self { features, label, truth, group })
    }
}

/// Where each name stands; no two columns may share one.
fn places(header: &[String]) -> Result<HashMap<&str, usize>, CsvProblem> {
    let mut places = HashMap::with_capacity(header.len());
    for (at, name) in header.iter().enumerate() {
        let first = *places.entry(name.as_str()).or_insert(at);
        // Columns without a name are refused only if they would become features.
        if first != at && !name.is_empty() {
            return Err(CsvProblem::DuplicateColumn { column: name.clone(), first: first + 1, second: at + 1 });
        }
    }
    Ok(places)
}

/// Why a column may be missing.
fn hint_for_missing(header: &[String], name: &str) -> String {
    if let [only] = header
        && only.contains([';', '\t'])
    {
        return "cells must be separated by commas".to_owned();
    }
    if header.iter().all(|cell| cell.parse::<f64>().is_ok()) {
        return "line 1 looks like data, but a header naming the columns is needed".to_owned();
    }
    match nearest(name, header.iter().map(String::as_str)) {
        Some(column) => format!("did you mean `{column}`?"),
        None => {
            let few: Vec<String> = header.iter().take(12).map(|c| format!("`{c}`")).collect();
            let more = if header.len() > few.len() { ", ..." } else { "" };
            format!("the columns are {}{more}", few.join(", "))
        }
    }
}
