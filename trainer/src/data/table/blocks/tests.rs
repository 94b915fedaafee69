//! Blocks against rows read one by one: the same table, or the same message, wherever the segments are cut.

use super::*;
use crate::data::table::{CsvProblem, RowReader};
use crate::tests::data::gzip;
use proptest::prelude::*;
use std::io;

/// Yields at most `most` bytes at a time, and then, perhaps, fails.
struct Pipe<'a> {
    bytes: &'a [u8],
    most: usize,
    fails: bool,
}

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() && self.fails {
            return Err(io::Error::other("the cable is cut"));
        }
        let count = buffer.len().min(self.most);
        self.bytes.read(&mut buffer[..count])
    }
}

fn one_by_one(pipe: Pipe, columns: &Columns) -> Result<Table, CsvError> {
    let mut reader = RowReader::new("data.csv", pipe, columns)?;
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
        true => Err(CsvError::new("data.csv", CsvProblem::NoRows)),
        false => Ok(table),
    }
}

fn in_blocks(pipe: Pipe, columns: &Columns, segment: usize) -> Result<Table, CsvError> {
    Table::collect(BlockReader::in_segments("data.csv", pipe, columns, segment)?)
}

/// Both readers, fed alike.
fn compare(bytes: &[u8], columns: &Columns, most: usize, segment: usize, fails: bool) {
    let pipe = || Pipe { bytes, most, fails };
    assert_eq!(
        in_blocks(pipe(), columns, segment).map_err(|error| error.to_string()),
        one_by_one(pipe(), columns).map_err(|error| error.to_string()),
        "most {most}, segment {segment}, fails {fails}: {}",
        bytes.escape_ascii()
    );
}

fn columns() -> [Columns; 4] {
    [
        Columns::labeled_by("label"),
        Columns::of_features(&["a".into()]),
        Columns { truth: Some("label".into()), ..Columns::default() },
        Columns { group: Some("label".into()), ..Columns::default() },
    ]
}

const INPUTS: &[&[u8]] = &[
    b"",
    b"\r\n  \n",
    b"\n\n\n",
    b"a",
    b"a,label",
    b"a,label\n",
    b"a,label\n\n \r\n\n",
    b"a,a,label\n",
    b",a,label\n0,1,1\n",
    b"a,Lable\n1,1\n",
    b"a,b\n1,1\n",
    b"1.5,2\n1,1\n",
    b"a;b;label\n1;1;1\n",
    b"label\n1\n",
    b"a\n1\n\n2\n \n3",
    b"a,label,b\n1,0,2\n3.5,1,-4e-1\n",
    b"a,label,b\r\n1,0,2\r\n3.5,1,-4e-1\r\n",
    b"a,label,b\n1,0,2\n3.5,1,-4e-1",
    b"\xef\xbb\xbfa,label\n1,0\n2,1\n",
    b"\xef\xbb\xbf\n1,0\n2,1\n",
    b"\n\r\na,label\n\n1,0\n\n\n2,1\n\n",
    b" a , label,\tb\n 1 ,0 , +2.\n3.5, 1,-.4\n",
    b"a,label\n1,1\n2\n",
    b"a,label\n1,1,1\n",
    b"a,label\n1,1\n,\n",
    b"a,label\n1,1\nx,1\n2,2\ny,1\n",
    b"a,label\n1,1\n2,2\nx,1\n",
    b"a,label\n1,1\n2\nx,1\n",
    b"a,label\nx,1\n2\n",
    b"a,label\nNA,1\n",
    b"a,label\nNaN,1\n",
    b"a,label\n-inf,1\n",
    b"a,label\n1e39,1\n",
    b"a,label\n1e999,1\n",
    b"a,label\n1,maybe\n",
    b"a,label\n1,-1\n2,normal\n3,1\n4,\n5,negative\n",
    b"a,label\n1,x\n2,y\n3, x \n4,\"y\"\n5,\" z\nz\"\n6,x\n",
    b"a,label\n\xe9,1\n",
    b"a,label\n1,\xe9\n",
    b"temp\xe9,label\n1,1\n",
    b"a,note,label\n1,\xe9,1\n2,\xff,0\n",
    b"a,label\n1,1\n\xef\xbb\xbf2,1\n",
    b"a,label\n1,1\n2,1\n\xef\xbb\xbf3,\"1\"\n",
    b"a,label\r1,1\r2,0\r",
    b"a,label\n1,1\r2,0\n",
    b"a,label\n1\0,1\n",
    b"\"a\",\"label\"\n1,1\n2,0\nx,1\n",
    b"\"a\",\"label\"\r\n1,1\r\n2,0\r\n",
    b"\"a\nb\",a,label\n1,1,1\n2,2,0\nx,1,1\n",
    b"a\"b,\"c\nd\",a,label\n1,1,1,1\n1,1,x,1\n",
    b"\"a,label\n1,1\n",
    b"a,label\n1,1\n\"2\",1\n3,0\nx,0\n",
    b"a,label\n1,1\n\"2,1\n3,1\n4,1\n",
    b"a,label\n1,1\n2,\"\n1\"\n\n3,\"1\n\n\"\nx,1\n",
    b"a,label\n1,1\nx,1\n\"2,1\n3,1\n",
    b"a,label\n1,1\n2,\"1\nx,1\n",
    b"a,label\n1,1\n2,\"1",
    b"a,label\n1,1\n2\"\",1\nx,1\n",
    b"a,label\n\"1,5\",1\n",
    b"PAR1,a,label\n1,1,1\n",
];

#[test]
fn every_odd_input_reads_as_row_by_row() {
    for bytes in INPUTS {
        for columns in &columns() {
            for most in [1, 2, 5, 1 << 20] {
                for segment in [1, 2, 3, 7, 16, 1 << 20] {
                    compare(bytes, columns, most, segment, false);
                    compare(bytes, columns, most, segment, true);
                    compare(&gzip(bytes), columns, most, segment, false);
                }
            }
        }
    }
}

#[test]
fn damage_in_an_archive_is_told_after_what_is_wrong_before_it() {
    for last in ["5,1\n", "x,1\n"] {
        let rows: String = (0..30_000).map(|i| format!("{}.{},0\n", i * 7919 % 9973, i % 89)).collect();
        let packed = gzip(format!("a,label\n{rows}{last}{rows}").as_bytes());
        for cut in (0..packed.len()).step_by(packed.len() / 25) {
            compare(&packed[..cut], &columns()[0], 1 << 20, 1 << 12, false);
            let mut damaged = packed.clone();
            damaged[cut] ^= 0x55;
            compare(&damaged, &columns()[0], 1 << 20, 1 << 12, false);
        }
    }
}

#[test]
fn blocks_come_in_order_and_are_small() {
    let rows: String = (0..1000).map(|i| format!("{i},{}\n", i % 2)).collect();
    let text = format!("a,label\n{rows}");
    for pool in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(pool).build().unwrap();
        pool.install(|| {
            let pipe = Pipe { bytes: text.as_bytes(), most: 50, fails: false };
            let mut reader = BlockReader::in_segments("pipe", pipe, &columns()[0], 100).unwrap();
            assert_eq!(reader.names(), ["a"]);
            let mut next = 0;
            while let Some(block) = reader.next_block().unwrap() {
                assert!((1..80).contains(&block.rows.len()), "{}", block.rows.len());
                assert_eq!(block.labeled.len(), block.rows.len());
                for (value, labeled) in block.rows.iter().zip(block.labeled) {
                    assert_eq!((*value, labeled), (f64::from(next), next % 2 == 1));
                    next += 1;
                }
                assert!(block.truth.is_empty());
            }
            assert_eq!(next, 1000);
            assert_eq!(reader.next_block().unwrap(), None);
        });
    }
}

proptest! {
    #[test]
    fn anything_like_csv_reads_as_row_by_row(
        header in "(a,label|\"a\",label|a,\"x\ny\",label)\r?\n",
        body in "([1-9],[01]\n|[1-9],1,[01]\r\n|[a1,\"\r\n .e-]{0,3}){0,30}",
        most in 1usize..40,
        segment in 1usize..40,
        fails: bool,
    ) {
        compare(body.as_bytes(), &Columns::default(), most, segment, fails);
        for columns in &columns() {
            compare(format!("{header}{body}").as_bytes(), columns, most, segment, fails);
        }
    }

    #[test]
    fn any_bytes_read_as_row_by_row(
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
        most in 1usize..40,
        segment in 1usize..40,
    ) {
        let with_header = [b"a,label\n", &bytes[..]].concat();
        compare(&with_header, &columns()[0], most, segment, false);
        compare(&with_header, &columns()[1], most, segment, false);
        compare(&with_header, &columns()[3], most, segment, false);
    }
}
