//! What is held out together, and what counts as one observation.
//!
//! | rows | held out together | one observation of a positive |
//! |---|---|---|
//! | independent | each row by itself | a labeled row |
//! | of several recordings | a recording | an event: a stretch of labeled rows |
//! | of one recording, in the order of time | a block of time around each event, with a gap to what is learned from | an event |
//! | with one event | either half of it, with its side of the recording | none: the halves are no two observations |
//!
//! Two stretches less than a correlation length apart are one event. Blocks meet halfway between two events; rows less than a
//! correlation length from the block are neither learned from nor judged while it is held out, or they would be recognised by their
//! neighbours.

use std::ops::Range;

use super::sequence::{Ordered, runs};
use crate::base::random::Random;

/// Keeps the draw of folds apart from other draws of a seed.
const STREAM_OF_FOLDS: u64 = 0xF01D_0000;
/// The gap takes at most this share of the shortest block, on either side.
const MOST_OF_BLOCK: usize = 4;

/// Units and events of a data set, in the order of its rows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Units {
    /// The unit of each row.
    unit_of: Vec<u32>,
    count: usize,
    /// The event of each labeled row.
    event_of: Vec<Option<u32>>,
    /// Events that were labeled; one event is judged by its two halves.
    events: usize,
    /// The recording of each row.
    recording_of: Vec<u32>,
    /// Rows on either side of a unit that are not learned from while it is held out.
    gap: usize,
    /// Whether units are blocks of time, not recordings.
    pub by_time: bool,
    /// Whether nobody said so: rows and labels look like those of a log.
    pub is_detected: bool,
    /// Whether labels are stretches of time that somebody wrote down: rows of an event need not all be positive.
    pub are_intervals: bool,
}

impl Units {
    /// Recordings, where at least two have events; otherwise blocks of time within them.
    pub(crate) fn new(ordered: Ordered<'_>, labeled: &[bool]) -> Self {
        let length = ordered.correlation_length();
        let recording_of = ordered.group_of.map_or_else(|| vec![0; labeled.len()], <[u32]>::to_vec);
        let mut events = events(labeled, &recording_of, length);
        let count = events.len();
        if let [one] = &events[..] {
            let middle = one.start + one.len().div_ceil(2);
            events = [one.start..middle, middle..one.end].into_iter().filter(|half| !half.is_empty()).collect();
        }
        let mut event_of = vec![None; labeled.len()];
        for (event, rows) in events.iter().enumerate() {
            rows.clone().filter(|&row| labeled[row]).for_each(|row| event_of[row] = Some(event as u32));
        }
        let mut with_events: Vec<u32> = events.iter().map(|rows| recording_of[rows.start]).collect();
        with_events.dedup();
        with_events.sort_unstable();
        with_events.dedup();
        let by_time = with_events.len() < 2;
        let (unit_of, gap) = match by_time {
            false => (recording_of.clone(), 0),
            true => blocks(&events, &recording_of, length),
        };
        let units = unit_of.iter().max().map_or(0, |&last| last as usize + 1);
        Self {
            unit_of,
            count: units,
            event_of,
            events: count,
            recording_of,
            gap,
            by_time,
            is_detected: false,
            are_intervals: false,
        }
    }

    /// The same, where nobody said that rows are in sequence.
    pub(crate) fn detected(self) -> Self {
        Self { is_detected: true, ..self }
    }

    /// The same, where labels are stretches of time.
    pub(crate) fn of_intervals(self) -> Self {
        Self { are_intervals: true, ..self }
    }

    /// Number of units.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The unit of each row.
    pub(crate) fn of_row(&self) -> &[u32] {
        &self.unit_of
    }

    /// Number of units that have labeled rows.
    pub(crate) fn with_events(&self) -> usize {
        self.has_event().into_iter().filter(|&has| has).count()
    }

    fn has_event(&self) -> Vec<bool> {
        let mut has_event = vec![false; self.count];
        for (row, event) in self.event_of.iter().enumerate() {
            has_event[self.unit_of[row] as usize] |= event.is_some();
        }
        has_event
    }

    /// Number of events.
    pub(crate) fn events(&self) -> usize {
        self.events
    }

    pub(crate) fn event_of(&self) -> &[Option<u32>] {
        &self.event_of
    }

    pub(crate) fn recording_of(&self) -> &[u32] {
        &self.recording_of
    }

    /// The units dealt into at most `most` folds, those with events first, so that events are spread evenly. Every `repeat`
    /// reshuffles.
    pub(crate) fn folds(&self, most: usize, seed: u64, repeat: u64) -> UnitFolds {
        let random = &mut Random::new(seed, STREAM_OF_FOLDS + repeat);
        let has_event = self.has_event();
        let folds = most.min(self.count).max(1);
        let mut fold_of_unit = vec![0; self.count];
        let mut turn = 0;
        for with_event in [true, false] {
            let mut units: Vec<usize> = (0..self.count).filter(|&unit| has_event[unit] == with_event).collect();
            random.shuffle(&mut units);
            for unit in units {
                fold_of_unit[unit] = turn % folds;
                turn += 1;
            }
        }
        let fold_of: Vec<usize> = self.unit_of.iter().map(|&unit| fold_of_unit[unit as usize]).collect();
        let learned = (0..folds).map(|fold| self.learned(&fold_of, fold)).collect();
        UnitFolds { fold_of, learned }
    }

    /// Which rows are learned from while a fold is held out.
    fn learned(&self, fold_of: &[usize], fold: usize) -> Vec<bool> {
        let mut learned: Vec<bool> = fold_of.iter().map(|&of| of != fold).collect();
        if self.gap > 0 {
            for border in 1..fold_of.len() {
                if (fold_of[border] == fold) != (fold_of[border - 1] == fold)
                    && self.recording_of[border] == self.recording_of[border - 1]
                {
                    let near = border.saturating_sub(self.gap)..(border + self.gap).min(fold_of.len());
                    learned[near].fill(false);
                }
            }
        }
        learned
    }
}

/// Units in folds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitFolds {
    /// The fold of each row.
    pub fold_of: Vec<usize>,
    /// By fold: which rows are learned from while it is held out.
    pub learned: Vec<Vec<bool>>,
}

impl UnitFolds {
    /// The same for rows in another order: `order[i]` is the place of row i here.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        Self {
            fold_of: order.iter().map(|&row| self.fold_of[row]).collect(),
            learned: (self.learned.iter()).map(|rows| order.iter().map(|&row| rows[row]).collect()).collect(),
        }
    }

    /// Number of folds.
    pub(crate) fn len(&self) -> usize {
        self.learned.len()
    }
}

/// Stretches of labeled rows of one recording, merged where they are less than `length` rows apart.
fn events(labeled: &[bool], recording_of: &[u32], length: usize) -> Vec<Range<usize>> {
    let mut events: Vec<Range<usize>> = Vec::new();
    for run in runs(labeled) {
        // A run may cross the border between two recordings.
        let mut start = run.start;
        while start < run.end {
            let same = (start..run.end).take_while(|&row| recording_of[row] == recording_of[start]).count();
            let part = start..start + same;
            match events.last_mut() {
                Some(last)
                    if recording_of[last.start] == recording_of[part.start] && part.start - last.end < length =>
                {
                    last.end = part.end;
                }
                _ => events.push(part.clone()),
            }
            start = part.end;
        }
    }
    events
}

/// A block around every event, with borders halfway between events; and the gap.
fn blocks(events: &[Range<usize>], recording_of: &[u32], length: usize) -> (Vec<u32>, usize) {
    let mut borders: Vec<usize> =
        (1..recording_of.len()).filter(|&row| recording_of[row] != recording_of[row - 1]).collect();
    for pair in events.windows(2) {
        if recording_of[pair[0].start] == recording_of[pair[1].start] {
            borders.push((pair[0].end + pair[1].start).div_ceil(2));
        }
    }
    borders.sort_unstable();
    borders.dedup();
    let mut unit_of = vec![0; recording_of.len()];
    let mut unit = 0;
    for (row, of_row) in unit_of.iter_mut().enumerate() {
        if borders.get(unit as usize) == Some(&row) {
            unit += 1;
        }
        *of_row = unit;
    }
    let ends = [&[0], &borders[..], &[recording_of.len()]].concat();
    let shortest = ends.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(0);
    // Nor may it take an event whole: halves of one event touch.
    let event = events.iter().map(Range::len).min().unwrap_or(0);
    let touches = events.windows(2).any(|pair| pair[0].end == pair[1].start);
    let most = if touches { shortest.min(event) } else { shortest };
    (unit_of, length.min(most / MOST_OF_BLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that rise within each recording of ten rows: a correlation length of about 1.
    fn rows(count: usize) -> Vec<f64> {
        let random = &mut Random::new(1, 0);
        (0..count).map(|_| random.normal()).collect()
    }

    #[allow(clippy::single_range_in_vec_init)] // One event.
    fn one_event() -> Vec<bool> {
        labels(80, &[30..42])
    }

    fn labels(count: usize, events: &[Range<usize>]) -> Vec<bool> {
        (0..count).map(|row| events.iter().any(|event| event.contains(&row))).collect()
    }

    #[test]
    fn recordings_are_units_and_stretches_are_events() {
        let group_of: Vec<u32> = (0..40).map(|row| row / 10).collect();
        // The second stretch crosses a border: two events.
        let labeled = labels(40, &[2..5, 18..23]);
        let rows = rows(40);
        let units = Units::new(Ordered { rows: &rows, features: 1, group_of: Some(&group_of) }, &labeled);
        assert_eq!((units.len(), units.events(), units.by_time), (4, 3, false));
        let folds = units.folds(10, 1, 0);
        assert_eq!(folds.len(), 4);
        for fold in 0..4 {
            let held: Vec<usize> = (0..40).filter(|&row| folds.fold_of[row] == fold).collect();
            assert_eq!(held.len(), 10);
            assert!(held.iter().all(|&row| group_of[row] == group_of[held[0]]));
            assert_eq!(folds.learned[fold].iter().filter(|&&learned| learned).count(), 30);
        }
        // Two folds: the three events are not all in one.
        let two = units.folds(2, 1, 0);
        let with_events: Vec<usize> = [2, 18, 20].map(|row| two.fold_of[row]).to_vec();
        assert!(with_events.contains(&0) && with_events.contains(&1));
    }

    #[test]
    fn one_recording_is_cut_between_events_and_the_gap_is_not_learned_from() {
        let rows: Vec<f64> = {
            let noise = rows(200);
            let mut x = 0.0;
            noise
                .iter()
                .map(|e| {
                    x = 0.8 * x + e;
                    x
                })
                .collect()
        };
        let labeled = labels(200, &[20..30, 100..110, 160..170]);
        let units = Units::new(Ordered { rows: &rows, features: 1, group_of: None }, &labeled);
        assert_eq!((units.len(), units.events(), units.by_time), (3, 3, true));
        assert!(units.gap > 1, "{}", units.gap);
        let folds = units.folds(10, 1, 0);
        for event in [20, 100, 160] {
            let fold = folds.fold_of[event];
            let learned = &folds.learned[fold];
            for (row, &is_learned) in learned.iter().enumerate() {
                let near = (0..200).any(|other| folds.fold_of[other] == fold && row.abs_diff(other) < units.gap);
                assert!(!(is_learned && near), "{row}");
            }
            assert!(learned.iter().filter(|&&learned| learned).count() > 60);
        }
    }

    #[test]
    fn one_event_is_judged_by_its_halves_and_counts_once() {
        let labeled = one_event();
        let rows = rows(80);
        let units = Units::new(Ordered { rows: &rows, features: 1, group_of: None }, &labeled);
        assert_eq!((units.len(), units.events(), units.by_time), (2, 1, true));
        assert_eq!((units.event_of()[35], units.event_of()[36]), (Some(0), Some(1)));
        let folds = units.folds(10, 1, 0);
        for fold in 0..2 {
            assert!((30..42).any(|row| folds.learned[fold][row]), "something to learn from is left");
        }
    }

    #[test]
    fn stretches_close_together_are_one_event() {
        let labeled = labels(60, &[5..8, 9..12, 40..45]);
        let recording = vec![0; 60];
        assert_eq!(events(&labeled, &recording, 3), [5..12, 40..45]);
        assert_eq!(events(&labeled, &recording, 1).len(), 3);
    }

    #[test]
    fn events_of_one_recording_among_several_are_cut_by_time() {
        let group_of: Vec<u32> = (0..90).map(|row| row / 30).collect();
        let labeled = labels(90, &[33..37, 52..56]);
        let rows = rows(90);
        let units = Units::new(Ordered { rows: &rows, features: 1, group_of: Some(&group_of) }, &labeled);
        assert_eq!((units.len(), units.by_time), (4, true));
    }
}
