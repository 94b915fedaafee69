//! Parquet files, written by the library that reads them.

use super::read;
use crate::tests::common::Scratch;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use pual_trainer::data::groups::Groups;
use pual_trainer::data::table::{BlockReader, Columns, Table};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const SCHEMA: &str = "message rows {
    required boolean flag;
    required int32 count;
    optional int32 small (UINT_8);
    required int64 large (UINT_64);
    required float reading;
    optional double fine;
    optional binary label (UTF8);
    required int64 time (TIMESTAMP_MILLIS);
    optional group list (LIST) { repeated group list { optional double element; } }
}";

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, values: &[T::T], levels: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().unwrap();
    let repeats = vec![0; levels.map_or(0, <[i16]>::len)];
    let nested = column.typed::<T>().get_descriptor().max_rep_level() > 0;
    let repeats = nested.then_some(&repeats[..]);
    column.typed::<T>().write_batch(values, levels, repeats).unwrap();
    column.close().unwrap();
}

/// Row groups of these many rows. Row i has: flag i odd, count -i, small 200, large 2^63, reading i/10, fine i/10, label.
fn write(path: &Path, compression: Compression, groups: &[usize], fine_is_null_in: Option<usize>) {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(compression);
    let properties = Arc::new(properties.build());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    let mut first = 0;
    for &rows in groups {
        let all: Vec<usize> = (first..first + rows).collect();
        let mut group = writer.next_row_group().unwrap();
        let flags: Vec<bool> = all.iter().map(|i| i % 2 == 1).collect();
        column::<BoolType>(&mut group, &flags, None);
        let counts: Vec<i32> = all.iter().map(|&i| -(i as i32)).collect();
        column::<Int32Type>(&mut group, &counts, None);
        column::<Int32Type>(&mut group, &vec![200; rows], Some(&vec![1; rows]));
        column::<Int64Type>(&mut group, &vec![i64::MIN; rows], None);
        let readings: Vec<f32> = all.iter().map(|&i| i as f32 / 10.0).collect();
        column::<FloatType>(&mut group, &readings, None);
        let there = |i: &&usize| Some(**i) != fine_is_null_in;
        let fine: Vec<f64> = all.iter().filter(there).map(|&i| i as f64 / 10.0).collect();
        let levels: Vec<i16> = all.iter().map(|i| i16::from(there(&i))).collect();
        column::<DoubleType>(&mut group, &fine, Some(&levels));
        // positive, null, normal, positive, null, unlabeled, ...
        let label = |i: usize| match i % 6 {
            0 | 3 => "Positive",
            2 => "Normal",
            _ => "unlabeled",
        };
        let labels: Vec<ByteArray> = all.iter().filter(|&&i| i % 3 != 1).map(|&i| label(i).into()).collect();
        let levels: Vec<i16> = all.iter().map(|i| i16::from(i % 3 != 1)).collect();
        column::<ByteArrayType>(&mut group, &labels, Some(&levels));
        column::<Int64Type>(&mut group, &vec![0; rows], None);
        column::<DoubleType>(&mut group, &[], Some(&vec![0; rows]));
        group.close().unwrap();
        first += rows;
    }
    writer.close().unwrap();
}

fn columns() -> Columns {
    Columns { ignore: vec!["time".into(), "list.list.element".into()], ..Columns::labeled_by("label") }
}

fn expected_row(i: usize) -> [f64; 6] {
    let tenth = f64::from(i as f32 / 10.0);
    let fine = f64::from((i as f64 / 10.0) as f32);
    let flag = f64::from(u8::from(i % 2 == 1));
    [flag, -(i as f64), 200.0, 9_223_372_036_854_775_808.0, tenth, fine]
}

#[test]
fn row_groups_are_streamed_whatever_the_compression() {
    let scratch = Scratch::new("parquet-groups");
    let file = scratch.path("rows.parquet");
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())] {
        write(&file, compression, &[3, 120_000, 70_000], None);
        let mut reader = BlockReader::open(&file, &columns()).unwrap();
        assert_eq!(reader.names(), ["flag", "count", "small", "large", "reading", "fine"]);
        let (mut next, mut blocks) = (0, 0);
        while let Some(block) = reader.next_block().unwrap() {
            let marks = block.labeled.iter().zip(block.normal.unwrap());
            for (row, (&labeled, normal)) in block.rows.chunks(6).zip(marks) {
                assert_eq!(row, expected_row(next), "{next}");
                assert_eq!((labeled, normal), (next % 3 == 0, next % 6 == 2), "{next}");
                next += 1;
            }
            blocks += 1;
        }
        assert_eq!(next, 190_003);
        assert!(blocks > 3, "{blocks}");
        assert_eq!(reader.bytes_read(), reader.total_bytes().unwrap());
    }
}

#[test]
fn groups_are_text_or_numbers() {
    let scratch = Scratch::new("parquet-group");
    let file = scratch.path("rows.parquet");
    write(&file, Compression::SNAPPY, &[3, 2], None);
    let by = |group: &str| {
        let columns = Columns { group: Some(group.into()), ..Columns::of_features(&["reading".into()]) };
        Table::open(&file, &columns).map(|table| table.groups.unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(by("flag"), Ok(Groups::of_rows(["0", "1", "0", "1", "0"])));
    assert_eq!(by("count"), Ok(Groups::of_rows(["0", "-1", "-2", "-3", "-4"])));
    let wrong = |group: &str, row: usize, found: &str| {
        format!(
            "{}: row {row} (from 0), column `{group}`: expected a name or a number below 2^53 (the group column), found {found}",
            file.display()
        )
    };
    assert_eq!(by("label"), Err(wrong("label", 1, "a null")));
    assert_eq!(by("large"), Err(wrong("large", 0, "9223372036854775808")));
    let refused = by("time").unwrap_err();
    assert!(refused.contains("column `time` (the group column): expected bool, integers"), "{refused}");
    // Words without a null among them.
    write(&file, Compression::SNAPPY, &[1], None);
    assert_eq!(by("label"), Ok(Groups::of_rows(["Positive"])));
}

#[test]
fn nulls_and_other_types_are_refused_by_name() {
    let scratch = Scratch::new("parquet-refused");
    let file = scratch.path("rows.parquet");
    let message = |columns: &Columns| Table::open(&file, columns).unwrap_err().to_string();
    let name = file.display().to_string();
    write(&file, Compression::SNAPPY, &[3, 5], Some(6));
    assert_eq!(message(&columns()), format!("{name}: row 6 (from 0), column `fine`: expected a number, found a null"));
    let truth = Columns { features: Some(vec!["count".into()]), truth: Some("label".into()), ..Columns::default() };
    let null = message(&truth);
    assert!(null.starts_with(&format!("{name}: row 1 (from 0), column `label`: expected 1, true")), "{null}");
    for (feature, kind) in [("time", "TIMESTAMP_MILLIS"), ("label", "UTF8"), ("list.list.element", "a list")] {
        let refused = message(&Columns::of_features(&[feature.into()]));
        assert!(
            refused.starts_with(&format!("{name}: column `{feature}` (a feature): expected bool"))
                && refused.contains(kind),
            "{refused}"
        );
    }
    write(&file, Compression::SNAPPY, &[], None);
    assert!(message(&columns()).ends_with("no rows after the header; expected at least one"));
}

#[test]
fn damage_is_an_error_and_pipes_are_refused() {
    let scratch = Scratch::new("parquet-damage");
    let file = scratch.path("rows.parquet");
    write(&file, Compression::SNAPPY, &[50], None);
    let bytes = std::fs::read(&file).unwrap();
    let piped = read(&bytes, &columns()).unwrap_err();
    assert!(piped.contains("only from a plain file"), "{piped}");
    for length in (5..bytes.len()).step_by(97) {
        std::fs::write(&file, &bytes[..length]).unwrap();
        let message = Table::open(&file, &columns()).unwrap_err().to_string();
        assert!(message.starts_with(&file.display().to_string()), "{message}");
    }
}
