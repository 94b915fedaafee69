//! Rows that belong together: one recording, machine or patient.
//!
//! Rows of one group resemble each other more than rows of another, so a fold that holds out a row must hold out its group.

use std::collections::HashMap;

/// Which group each row belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    names: Vec<String>,
    of_row: Vec<u32>,
    /// Of each name, its place in `names`.
    ids: HashMap<String, u32>,
}

impl Groups {
    /// The group of each row, by name. Groups are numbered in order of first appearance.
    pub fn of_rows(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut groups = Self::default();
        names.into_iter().for_each(|name| groups.push(name.as_ref()));
        groups
    }

    /// Number of groups.
    #[allow(clippy::len_without_is_empty)] // Rows are what there may be none of.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Each row's group: groups are numbered in order of first appearance.
    pub fn of_row(&self) -> &[u32] {
        &self.of_row
    }

    /// The groups' names, in order of first appearance.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The groups of these rows, in this order. Groups that have no row left are dropped, the others renumbered.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self::of_rows(rows.iter().map(|&row| self.name(row)))
    }

    /// The name of a row's group.
    pub(crate) fn name(&self, row: usize) -> &str {
        &self.names[self.of_row[row] as usize]
    }

    /// Adds a row of this group.
    pub(crate) fn push(&mut self, name: &str) {
        // The rows of a recording mostly follow one another.
        let id = match self.of_row.last() {
            Some(&last) if self.names[last as usize] == name => last,
            _ => self.id(name),
        };
        self.of_row.push(id);
    }

    /// Adds the rows of `next` after its own.
    pub(crate) fn append(&mut self, next: &Self) {
        let ids: Vec<u32> = next.names.iter().map(|name| self.id(name)).collect();
        self.of_row.extend(next.of_row.iter().map(|&id| ids[id as usize]));
    }

    /// The number of this group, which is new if the name is.
    pub(crate) fn id(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_in_order_of_first_appearance() {
        let groups = Groups::of_rows(["b", "b", "a", "b", "c", "a"]);
        assert_eq!(groups.names(), ["b", "a", "c"]);
        assert_eq!(groups.of_row(), [0, 0, 1, 0, 2, 1]);
        assert_eq!(groups.len(), 3);
    }

    #[test]
    fn selected_rows_keep_their_groups_and_others_are_dropped() {
        let groups = Groups::of_rows(["b", "b", "a", "b", "c", "a"]);
        let selected = groups.select(&[4, 2, 5, 4]);
        assert_eq!(selected.names(), ["c", "a"]);
        assert_eq!(selected.of_row(), [0, 1, 1, 0]);
        assert_eq!(groups.select(&[]), Groups::default());
    }

    #[test]
    fn rows_added_in_parts_are_grouped_as_if_added_at_once() {
        let names = ["b", "b", "a", "b", "c", "a"];
        for cut in 0..=names.len() {
            let mut first = Groups::of_rows(names[..cut].iter().copied());
            first.append(&Groups::of_rows(names[cut..].iter().copied()));
            assert_eq!(first, Groups::of_rows(names), "{cut}");
        }
    }
}
