//! Opens a file or standard input (`-`), unpacks gzip, and recognises the format by its first bytes.

use super::{CsvError, CsvProblem};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const GZIP: [u8; 2] = [0x1f, 0x8b];
const UTF8_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];
const UTF16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];
const NPY: &[u8] = b"\x93NUMPY";
/// The magic, and the byte every Parquet file goes on with: a CSV's first column may well be called PAR1.
const PARQUET: &[u8] = b"PAR1\x15";

/// Bytes requested at a time, the same by every reader: how much a decompressor delivers before it finds the
/// damage in an archive depends on it, and so would the message.
pub(super) const READ_SIZE: usize = 1 << 16;

/// How messages call standard input.
pub(super) const STANDARD_INPUT: &str = "standard input";

struct CountingReader<R> {
    raw: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// What an input holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Npy,
    Parquet,
}

impl Format {
    pub(super) fn name(self) -> &'static str {
        match self {
            Format::Text => "CSV",
            Format::Npy => "NPY",
            Format::Parquet => "Parquet",
        }
    }
}

/// An input, unpacked and recognised.
pub(super) struct Source<'a> {
    /// The name to use in messages.
    pub file: String,
    pub format: Format,
    /// Whether it was gzip.
    packed: bool,
    /// All of the content, but for UTF-8 marks.
    pub bytes: Box<dyn Read + Send + 'a>,
    /// Given where the file can also be read out of order.
    pub path: Option<PathBuf>,
    /// How many of the raw bytes have been read.
    pub bytes_read: Arc<AtomicU64>,
    /// Length of the file; `None` for anything that is no ordinary file.
    pub total_bytes: Option<u64>,
}

impl Source<'static> {
    /// Opens `path` (`-` is standard input).
    pub(super) fn open(path: &Path) -> Result<Self, CsvError> {
        let (file, raw, total_bytes): (_, Box<dyn Read + Send>, _) = if path == Path::new("-") {
            (STANDARD_INPUT.to_owned(), Box::new(io::stdin()), None)
        } else {
            let file = path.display().to_string();
            let opened = File::open(path).and_then(|opened| Ok((opened.metadata()?, opened)));
            let (about, opened) = opened.map_err(|error| CsvError::new(&file, error))?;
            (file, Box::new(opened), about.is_file().then_some(about.len()))
        };
        let bytes_read = Arc::default();
        let source = Self::new(&file, CountingReader { raw, count: Arc::clone(&bytes_read) })?;
        let path = total_bytes.filter(|_| !source.packed).map(|_| path.to_owned());
        Ok(Self { path, bytes_read, total_bytes, ..source })
    }
}

impl<'a> Source<'a> {
    /// Unpacks gzip and tells the format, both by content because names lie; drops UTF-8 marks.
    pub(super) fn new(file: &str, mut raw: impl Read + Send + 'a) -> Result<Self, CsvError> {
        let failed = |error| CsvError::new(file, error);
        let start = first_bytes(&mut raw, 2).map_err(failed)?;
        let packed = start == GZIP;
        let whole = Cursor::new(start).chain(raw);
        let mut text: Box<dyn Read + Send + 'a> =
            if packed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
        let mut start = first_bytes(&mut text, NPY.len() as u64).map_err(failed)?;
        if UTF16_MARKS.iter().any(|mark| start.starts_with(mark)) {
            return Err(CsvError::on_line(file, 1, CsvProblem::NotUtf8));
        }
        // Tools put theirs before another's. The reader of rows would take one more off, or with it the whole text.
        let marked = start.starts_with(&UTF8_MARK);
        while start.starts_with(&UTF8_MARK) {
            start.drain(..UTF8_MARK.len());
            let more = (NPY.len() - start.len()) as u64;
            start.extend(first_bytes(&mut text, more).map_err(failed)?);
        }
        let format = if marked {
            Format::Text
        } else if start.starts_with(NPY) {
            Format::Npy
        } else if start.starts_with(PARQUET) {
            Format::Parquet
        } else {
            Format::Text
        };
        let bytes = Box::new(Cursor::new(start).chain(text));
        let bytes_read = Arc::default();
        Ok(Self { file: file.to_owned(), format, packed, bytes, path: None, bytes_read, total_bytes: None })
    }
}

/// The first `count` bytes, fewer only at the end of the input: a pipe may hand over a single byte at a time.
fn first_bytes(input: &mut impl Read, count: u64) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    input.take(count).read_to_end(&mut start)?;
    Ok(start)
}
