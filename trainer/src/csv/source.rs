//! Where the bytes come from: a file, standard input (`-`), plain or gzip, with or without a byte-order mark.

use super::CsvError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const UTF8_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// How messages call standard input.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// Opens `path` (`-` is standard input) and returns the name to use in messages with the raw bytes.
pub(super) fn open(path: &Path) -> Result<(String, Box<dyn Read>), CsvError> {
    if path == Path::new("-") {
        return Ok((STANDARD_INPUT.to_owned(), Box::new(io::stdin().lock())));
    }
    let file = path.display().to_string();
    match File::open(path) {
        Ok(opened) => Ok((file, Box::new(opened))),
        Err(source) => Err(CsvError::Read { file, source }),
    }
}

/// Text out of raw bytes: unpacks gzip, recognised by its content because names lie, and drops a UTF-8 mark.
pub(super) fn decode<'a>(
    file: &str,
    mut raw: impl Read + 'a,
) -> Result<Box<dyn Read + 'a>, CsvError> {
    let failed = |source| CsvError::Read {
        file: file.to_owned(),
        source,
    };
    let start = first_bytes(&mut raw, 2).map_err(failed)?;
    let packed = start == GZIP;
    let whole = Cursor::new(start).chain(raw);
    let mut text: Box<dyn Read + 'a> = if packed {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    };
    let mut start = first_bytes(&mut text, 3).map_err(failed)?;
    if UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
        let file = file.to_owned();
        return Err(CsvError::NotUtf8 { file });
    }
    if start == UTF8_MARK {
        start.clear();
    }
    Ok(Box::new(Cursor::new(start).chain(text)))
}

/// The first `count` bytes, fewer only at the end of the input: a pipe may hand over a single byte at a time.
fn first_bytes(input: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    input.take(count).read_to_end(&mut start)?;
    Ok(start)
}
