//! Blocks of numbers as CSV text, for callers that want rows as text.

use crate::data::table::BlockReader;
use std::io::{self, Read};

/// The features of a binary file as text. Each value is the shortest that reads back as the same 32-bit float.
pub(super) struct BlockText<'a> {
    blocks: BlockReader<'a>,
    text: io::Cursor<Vec<u8>>,
}

impl<'a> BlockText<'a> {
    pub(super) fn new(blocks: BlockReader<'a>) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(blocks.names())?;
        let text = writer.into_inner().map_err(|e| e.into_error())?;
        Ok(Self { blocks, text: io::Cursor::new(text) })
    }
}

impl Read for BlockText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.text.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        let Some(block) = self.blocks.next_block().map_err(io::Error::other)? else {
            return Ok(0);
        };
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in block.rows.chunks(self.blocks.names().len()) {
            writer.write_record(row.iter().map(|value| (*value as f32).to_string()))?;
        }
        self.text = io::Cursor::new(writer.into_inner().map_err(|e| e.into_error())?);
        self.text.read(buffer)
    }
}
