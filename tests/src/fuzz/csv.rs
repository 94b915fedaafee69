//! Data files, CSV, gzip and NPY: blocks against rows read one by one, wherever blocks are cut.
//!
//! Input: a byte that says how, then the file. Of the byte, the lower three bits say which columns are label, truth and group, the
//! rest how long a block is.

use pual_trainer::errors::{CsvError, CsvProblem};
use pual_trainer::internals::fits_in_log;
use pual_trainer::{BlockReader, Columns, Groups, RowReader, Table};

/// What gzip may unpack to is some thousand times as long, and there is nothing to learn from that.
const MOST: usize = 4096;

/// The target.
pub fn csv(data: &[u8]) {
    let Some((&how, file)) = data.split_first() else {
        return;
    };
    if file.len() > MOST {
        return;
    }
    let columns = columns(how & 1 != 0, how & 2 != 0, how & 4 != 0);
    let segment = 1 + usize::from(how >> 3) * 8;
    let by_blocks = BlockReader::in_segments("data", file, &columns, segment).and_then(Table::collect);
    match one_by_one(file, &columns) {
        // Of other formats than text, rows come without marks.
        Err(CsvError { problem: CsvProblem::NotText(_), .. }) => {}
        by_rows => {
            assert_eq!(by_blocks.as_ref().map_err(CsvError::to_string), by_rows.as_ref().map_err(CsvError::to_string))
        }
    }
    if let Ok(table) = by_blocks {
        assert!(table.rows.iter().all(|&x| f64::from(x as f32) == x));
        assert_eq!(table.rows.len(), table.len() * table.names.len());
        for marks in [&table.labeled, &table.normal, &table.truth].into_iter().flatten() {
            assert_eq!(marks.len(), table.len());
        }
        let normal = table.normal.iter().flatten();
        assert!(!normal.zip(table.labeled.iter().flatten()).any(|(&normal, &labeled)| normal && labeled));
        if let Some(groups) = &table.groups {
            assert_eq!(groups.of_row().len(), table.len());
        }
        reads_back(&table);
    }
}

fn columns(label: bool, truth: bool, group: bool) -> Columns {
    let name = |is_there: bool, name: &str| is_there.then(|| name.to_owned());
    Columns {
        label: name(label, "label"),
        truth: name(truth, "truth"),
        group: name(group, "group"),
        ..Columns::default()
    }
}

fn one_by_one(file: &[u8], columns: &Columns) -> Result<Table, CsvError> {
    let mut reader = RowReader::new("data", file, columns)?;
    let mut rows = Vec::new();
    let (mut labeled, mut normal, mut truth, mut groups) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while let Some(marks) = reader.next_row(&mut rows)? {
        labeled.extend(marks.labeled);
        normal.push(marks.normal);
        truth.extend(marks.truth);
        groups.extend(marks.group.map(String::from));
    }
    let table = Table {
        names: reader.names().to_vec(),
        rows,
        labeled: columns.label.as_ref().map(|_| labeled),
        normal: normal.contains(&true).then_some(normal),
        truth: columns.truth.as_ref().map(|_| truth),
        groups: columns.group.as_ref().map(|_| Groups::of_rows(groups)),
    };
    match table.is_empty() {
        true => Err(CsvError { file: "data".to_owned(), line: None, problem: CsvProblem::NoRows }),
        false => Ok(table),
    }
}

/// What is written out is read again, unless the first column's name makes the text look like another format.
fn reads_back(table: &Table) {
    let first = table.names.first().map_or("", String::as_str);
    if first.starts_with("PAR1\u{15}") || first.starts_with('\u{feff}') {
        return;
    }
    let mut text = Vec::new();
    table.write(&mut text, "label", "truth").expect("memory takes all");
    let columns = columns(table.labeled.is_some(), table.truth.is_some(), table.groups.is_some());
    let again = one_by_one(&text, &columns).map_err(|error| error.to_string());
    assert_eq!(again.as_ref(), Ok(table));
}

/// The log of a search that is resumed: whatever reads, reads too when its end is missing, as after a crash. Input: two bytes that
/// say where it is cut, then the log.
pub fn tuning_log(data: &[u8]) {
    if let Some((cut, text)) = data.split_first_chunk()
        && let Ok(text) = std::str::from_utf8(text) // as the reader does, before it looks any further
        && let Ok(all) = fits_in_log("log", text)
    {
        let cut = usize::from(u16::from_le_bytes(*cut)) % (text.len() + 1);
        if let Some(start) = text.get(..cut) {
            let fits = fits_in_log("log", start);
            assert!(fits.is_ok_and(|fits| fits <= all), "cut at {cut}");
        }
        if text.ends_with('\n') {
            let torn = fits_in_log("log", &format!("{text}{{\"method\":\"pu"));
            assert_eq!(torn.ok(), Some(all), "a line without its end counts for nothing");
        }
    }
}
