//! Results as a table next to the paper's: one row per data set and label frequency, one column per method.

use super::{BenchMethod, Record, paper};

/// Records grouped as the paper's tables are.
pub struct TableSummary<'a> {
    rows: Vec<SummaryRow<'a>>,
    methods: Vec<BenchMethod>,
}

/// The splits of one data set at one label frequency.
struct SummaryRow<'a> {
    table: u8,
    data_set: &'a str,
    label_frequency: f64,
    records: Vec<&'a Record>,
}

impl<'a> TableSummary<'a> {
    /// Groups `records`, rows in the order in which they first occur.
    pub fn new(records: impl IntoIterator<Item = &'a Record>, methods: &[BenchMethod]) -> Self {
        let mut rows: Vec<SummaryRow<'a>> = Vec::new();
        for record in records {
            let same = |row: &&mut SummaryRow<'a>| {
                row.table == record.table
                    && row.data_set == record.data_set
                    && row.label_frequency == record.label_frequency
            };
            match rows.iter_mut().find(same) {
                Some(row) => row.records.push(record),
                None => rows.push(SummaryRow {
                    table: record.table,
                    data_set: &record.data_set,
                    label_frequency: record.label_frequency,
                    records: vec![record],
                }),
            }
        }
        Self { rows, methods: methods.to_vec() }
    }

    /// Header and cells: F1 in percent with standard deviations, the paper's beside it, and "all positive".
    pub fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut header = vec!["data set".to_owned(), "labeled".to_owned()];
        header.extend(self.methods.iter().map(ToString::to_string));
        header.push("all positive".to_owned());
        if self.has_rare() {
            header.push("positive".to_owned());
            header.extend(self.methods.iter().map(|method| format!("{method} calls")));
        }
        if self.has_events() {
            header.extend(self.methods.iter().map(|method| format!("{method} events")));
            header.extend(self.methods.iter().map(|method| format!("{method} false alarms")));
            header.extend(self.methods.iter().map(|method| format!("{method} warned")));
        }
        header.extend(self.published_columns().map(|name| format!("paper {name}")));
        let mut rows: Vec<Vec<String>> = self.rows.iter().map(|row| self.cells(row)).collect();
        if self.rows.len() > 1 {
            rows.push(self.means());
        }
        (header, rows)
    }

    /// Whether positives are rare, so that it matters how many rows are called.
    fn has_rare(&self) -> bool {
        self.rows.iter().any(|row| row.table == 0)
    }

    /// Whether rows are windows of recordings.
    fn has_events(&self) -> bool {
        self.rows.iter().any(|row| row.table == 1)
    }

    /// Found events of all, false alarms per split, and splits with a warning of all, method by method.
    fn cells_of_events(&self, row: &SummaryRow<'_>) -> Vec<String> {
        let sum = |records: &[&Record], of: &dyn Fn(&Record) -> Option<usize>| -> usize {
            records.iter().filter_map(|record| of(record)).sum()
        };
        let by_method: Vec<Vec<&Record>> = self.methods.iter().map(|method| row.of(method).collect()).collect();
        let found = by_method
            .iter()
            .map(|records| format!("{} of {}", sum(records, &|r| r.events_found), sum(records, &|r| r.events)));
        let alarms = by_method
            .iter()
            .map(|records| format!("{:.1}", sum(records, &|r| r.false_alarms) as f64 / records.len().max(1) as f64));
        let warned = by_method
            .iter()
            .map(|records| format!("{} of {}", records.iter().filter(|record| record.warned).count(), records.len()));
        found.chain(alarms).chain(warned).collect()
    }

    /// The paper's columns that these rows have.
    fn published_columns(&self) -> impl Iterator<Item = &'static str> {
        let has = |name: &&str| self.rows.iter().any(|row| row.published(name).is_some());
        ["PUAL", "GLLC", "uPU", "nnPU"].into_iter().filter(has)
    }

    fn cells(&self, row: &SummaryRow<'_>) -> Vec<String> {
        let mut cells = vec![row.data_set.to_owned(), row.label_frequency.to_string()];
        cells.extend(self.methods.iter().map(|method| spread(&row.f1_of(method))));
        cells.push(spread(&row.all_positive()));
        if self.has_rare() {
            let percent = |of: &dyn Fn(&Record) -> usize, records: Vec<&Record>| match records.is_empty() {
                true => "-".to_owned(),
                false => {
                    let shares: Vec<f64> = records.iter().map(|r| of(r) as f64 / r.test_rows as f64).collect();
                    format!("{:.2} %", 100.0 * mean(&shares))
                }
            };
            cells.push(percent(&|record| record.test_positives, row.records.clone()));
            cells.extend(self.methods.iter().map(|m| percent(&|record| record.test_called, row.of(m).collect())));
        }
        if self.has_events() {
            cells.extend(self.cells_of_events(row));
        }
        cells.extend(self.published_columns().map(|name| {
            row.published(name).map_or("-".to_owned(), |(mean, deviation)| format!("{mean:.1} ± {deviation:.1}"))
        }));
        cells
    }

    /// The mean of each column over the rows that have it.
    fn means(&self) -> Vec<String> {
        let over_rows = |of: &dyn Fn(&SummaryRow<'_>) -> Vec<f64>| {
            self.mean_of_rows(of).map_or("-".to_owned(), |mean| format!("{mean:.2}"))
        };
        let mut cells = vec!["mean".to_owned(), String::new()];
        cells.extend(self.methods.iter().map(|method| over_rows(&|row| row.f1_of(method))));
        cells.push(over_rows(&|row| row.all_positive()));
        if self.has_rare() {
            cells.extend(vec![String::new(); 1 + self.methods.len()]);
        }
        if self.has_events() {
            cells.extend(vec![String::new(); 3 * self.methods.len()]);
        }
        cells.extend(
            self.published_columns()
                .map(|name| over_rows(&|row| row.published(name).map(|(mean, _)| mean).into_iter().collect())),
        );
        cells
    }

    /// The mean over the rows of the means of their values; none if no row has any.
    fn mean_of_rows(&self, of: impl Fn(&SummaryRow<'_>) -> Vec<f64>) -> Option<f64> {
        let values = self.rows.iter().map(of).filter(|values| !values.is_empty());
        let means: Vec<f64> = values.map(|values| mean(&values)).collect();
        (!means.is_empty()).then(|| mean(&means))
    }

    /// PUAL, tuned in whichever way, if it is among the methods.
    pub fn reference(&self) -> Option<BenchMethod> {
        let mut methods = self.methods.iter();
        methods.find(|method| method.in_paper() == Some("PUAL")).copied()
    }

    /// For each method: its mean difference from `reference` on the same splits, in points of F1, and that mean's standard error.
    pub fn paired_differences(&self, reference: &BenchMethod) -> Vec<(BenchMethod, f64, f64, usize)> {
        let others = self.methods.iter().filter(|method| *method != reference);
        others
            .map(|method| {
                let pairs = self.rows.iter().flat_map(|row| row.pairs(method, reference));
                let differences: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
                let error = deviation(&differences) / (differences.len() as f64).sqrt();
                (*method, mean(&differences), error, differences.len())
            })
            .collect()
    }

    /// For each method: its mean F1 in percent, over the rows of the table, if as many test rows were called as are positive.
    pub fn with_true_counts(&self) -> Vec<(BenchMethod, f64)> {
        let of_method = |method: &BenchMethod| {
            let of_row = |row: &SummaryRow<'_>| row.of(method).map(|record| 100.0 * record.f1_of_true_count).collect();
            self.mean_of_rows(of_row).map(|mean| (*method, mean))
        };
        self.methods.iter().filter_map(of_method).collect()
    }

    /// For each method: the split on which it falls farthest below "all positive", and by how many points.
    pub fn worst_splits(&self) -> Vec<(BenchMethod, &'a Record, f64)> {
        let worst = |method: &BenchMethod| {
            let of_method = self.rows.iter().flat_map(|row| row.of(method));
            let lead = |record: &&Record| 100.0 * (record.f1 - record.f1_of_all_positive);
            let least = of_method.min_by(|a, b| lead(a).total_cmp(&lead(b)))?;
            Some((*method, least, lead(&least)))
        };
        self.methods.iter().filter_map(worst).collect()
    }

    /// The table in Markdown.
    pub fn markdown(&self) -> String {
        let (header, rows) = self.table();
        let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rows: String = rows.iter().map(line).collect();
        format!("{}|{}\n{rows}", line(&header), "---|".repeat(header.len()))
    }
}

impl<'a> SummaryRow<'a> {
    /// In percent, one per split.
    fn f1_of(&self, method: &BenchMethod) -> Vec<f64> {
        self.of(method).map(|record| 100.0 * record.f1).collect()
    }

    /// The method's records.
    fn of(&self, method: &BenchMethod) -> impl Iterator<Item = &'a Record> {
        let name = method.to_string();
        let records = self.records.iter().copied();
        records.filter(move |record| record.method == name)
    }

    /// F1 of calling every test row positive, one per split.
    fn all_positive(&self) -> Vec<f64> {
        let mut splits: Vec<(u64, f64)> =
            (self.records.iter()).map(|record| (record.repeat, 100.0 * record.f1_of_all_positive)).collect();
        splits.sort_by_key(|split| split.0);
        splits.dedup_by_key(|split| split.0);
        splits.into_iter().map(|(_, f1)| f1).collect()
    }

    /// F1 of two methods on the same splits.
    fn pairs(&self, a: &BenchMethod, b: &BenchMethod) -> Vec<(f64, f64)> {
        let of_b = |repeat: u64| self.of(b).find(|record| record.repeat == repeat).map(|record| 100.0 * record.f1);
        self.of(a).filter_map(|record| Some((100.0 * record.f1, of_b(record.repeat)?))).collect()
    }

    fn published(&self, method: &str) -> Option<paper::Published> {
        match self.table {
            2 => paper::table2(self.data_set.parse().ok()?, method),
            _ => paper::table4(self.data_set, self.label_frequency, method),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Standard deviation, divisor n - 1; 0 for a single value.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// "93.1 ± 2.0".
fn spread(values: &[f64]) -> String {
    match values.is_empty() {
        true => "-".to_owned(),
        false => format!("{:.1} ± {:.1}", mean(values), deviation(values)),
    }
}
