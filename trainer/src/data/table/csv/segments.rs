//! Text in segments of whole lines, and a segment's rows parsed in parallel.
//!
//! Where no cell is quoted, every LF ends a row: a segment can be cut at any of them, and the pieces parsed at once.

use crate::data::table::layout::Layout;
use crate::data::table::source::READ_SIZE;
use crate::data::table::{Block, CsvError};
use rayon::prelude::*;
use std::io::{self, Read};

/// Pieces of a segment per thread: more than one, so that a slow thread does not hold up the others.
const PIECES_A_THREAD: usize = 4;

/// A text, read a segment at a time.
pub(in crate::data::table) struct Segments<'a> {
    text: TextSource<'a>,
    buffer: Vec<u8>,
    /// The segment: this many bytes of `buffer`. The rest is the beginning of a line.
    whole: usize,
    /// A segment has at least this many bytes, but for the last.
    size: usize,
}

impl<'a> Segments<'a> {
    pub(crate) fn new(bytes: Box<dyn Read + Send + 'a>, size: usize) -> Self {
        Self { text: TextSource { bytes, ended: false, failure: None }, buffer: Vec::new(), whole: 0, size }
    }

    /// Goes on to the next segment; `false` at the end of the text.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        self.go_back_to(self.whole);
        let mut line_end = last_line_end(&self.buffer, 0);
        while line_end.is_none() || self.buffer.len() < self.size {
            let before = self.buffer.len();
            self.buffer.resize(before + READ_SIZE, 0);
            let read = self.text.read(&mut self.buffer[before..]);
            self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => {
                    self.whole = before;
                    return Ok(before > 0);
                }
                Ok(_) => line_end = last_line_end(&self.buffer, before).or(line_end),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What is wrong in the lines before comes first.
                Err(error) if line_end.is_some() => {
                    self.text.failure = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        self.whole = line_end.unwrap_or(0);
        Ok(true)
    }

    /// The segment: whole lines, the last of the text perhaps without its LF.
    pub(crate) fn lines(&self) -> &[u8] {
        &self.buffer[..self.whole]
    }

    /// Lets the next segment begin `offset` bytes into this one.
    pub(crate) fn go_back_to(&mut self, offset: usize) {
        self.buffer.drain(..offset);
        self.whole = 0;
    }

    /// The segment and all that follows.
    pub(crate) fn into_text(self) -> impl Read + Send + 'a {
        io::Cursor::new(self.buffer).chain(self.text)
    }
}

/// Where the last line of `buffer` ends that ends after `from`.
fn last_line_end(buffer: &[u8], from: usize) -> Option<usize> {
    let found = buffer[from..].iter().rposition(|&byte| byte == b'\n');
    found.map(|at| from + at + 1)
}

/// Bytes, and a failure kept until the bytes before it are processed.
struct TextSource<'a> {
    bytes: Box<dyn Read + Send + 'a>,
    /// Reading a terminal again after its end would wait for more.
    ended: bool,
    failure: Option<io::Error>,
}

impl Read for TextSource<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.ended {
            return Ok(0);
        }
        let read = self.bytes.read(buffer)?;
        self.ended = read == 0;
        Ok(read)
    }
}

/// The rows in `lines`, the first of which is line `first` of the file. Nothing in them is quoted.
pub(in crate::data::table) fn parse(layout: &Layout, lines: &[u8], first: u64) -> Result<Block, CsvError> {
    let count = PIECES_A_THREAD * rayon::current_num_threads();
    let parsed: Vec<Result<Block, CsvError>> =
        pieces(lines, first, count).into_par_iter().map(|(first, piece)| parse_piece(layout, piece, first)).collect();
    let mut all = Block::default();
    for block in parsed {
        all.append(block?);
    }
    Ok(all)
}

/// How many lines end in `text`.
pub(in crate::data::table) fn line_ends(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// `lines` cut at line ends into about `count` pieces, each with the number of its first line.
fn pieces(mut lines: &[u8], mut first: u64, count: usize) -> Vec<(u64, &[u8])> {
    let least = lines.len().div_ceil(count).max(1);
    let mut pieces = Vec::with_capacity(count);
    while !lines.is_empty() {
        let least = least.min(lines.len());
        let more = lines[least - 1..].iter().position(|&byte| byte == b'\n');
        let (piece, rest) = lines.split_at(more.map_or(lines.len(), |more| least + more));
        pieces.push((first, piece));
        first += line_ends(piece);
        lines = rest;
    }
    pieces
}

fn parse_piece(layout: &Layout, piece: &[u8], first: u64) -> Result<Block, CsvError> {
    let mut block = Block::default();
    let mut cells: Vec<&[u8]> = Vec::with_capacity(layout.header.len());
    let mut rest = piece;
    for line in first.. {
        if rest.is_empty() {
            break;
        }
        rest = split_line(rest, &mut cells);
        if let [only] = cells[..]
            && only.trim_ascii().is_empty()
        {
            continue;
        }
        let marks = layout.parse(cells.len(), |at| cells[at], &mut block.rows);
        block.push(&marks.map_err(|problem| CsvError::on_line(&layout.file, line, problem))?);
    }
    Ok(block)
}

/// Puts the first line's cells into `cells` and returns what follows that line. One pass over the bytes: this is hot.
fn split_line<'t>(text: &'t [u8], cells: &mut Vec<&'t [u8]>) -> &'t [u8] {
    cells.clear();
    let mut start = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte == b',' || byte == b'\n' {
            cells.push(&text[start..at]);
            start = at + 1;
            if byte == b'\n' {
                return &text[start..];
            }
        }
    }
    cells.push(&text[start..]);
    &[]
}
