//! Parquet: columns with names and types, read some rows of a row group at a time.
//!
//! Features are bool, integers, float or double. Label, truth and group may be text too, spelt as in a CSV file, and a label
//! that is null is no label; any other null is an error.

use super::layout::Layout;
use super::numbers::{self, Cells, Number, NumberOrText};
use super::{Block, Columns, CsvError, CsvProblem, Role};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::path::Path;

pub(super) struct Parquet {
    file: SerializedFileReader<File>,
    /// The columns that have a job, once each.
    used: Vec<usize>,
    /// Readers of the current row group, by column; `None` for columns without a job.
    readers: Vec<Option<ColumnReader>>,
    next_group: usize,
    /// Unread rows of the current row group.
    left: u64,
    next_row: u64,
    rows: u64,
}

impl Parquet {
    /// Reads what the file says about itself; `path` is `None` where it can only be read from front to back.
    pub(super) fn start(file: &str, columns: &Columns, path: Option<&Path>) -> Result<(Layout, Self), CsvError> {
        let Some(path) = path else {
            let problem = "Parquet is read only from a plain file, not compressed and not from a pipe";
            return Err(CsvError::new(file, CsvProblem::Parquet(problem.to_owned())));
        };
        let opened = File::open(path).map_err(|error| CsvError::new(file, error))?;
        let reader = SerializedFileReader::new(opened).map_err(|error| CsvError::new(file, error))?;
        let about = reader.metadata().file_metadata();
        let schema = about.schema_descr();
        let names = schema.columns().iter().map(|column| column.path().string());
        let layout = Layout::new(file, names.collect(), columns)?;
        let mut used = Vec::new();
        let places = &layout.places;
        let marks = [(places.label, Role::Label), (places.truth, Role::Truth), (places.group, Role::Group)];
        let features = places.features.iter().map(|&at| (at, Role::Feature));
        let marks = marks.iter().filter_map(|&(at, role)| Some((at?, role)));
        for (at, role) in features.chain(marks) {
            check_type(&layout, &schema.column(at), at, role).map_err(|problem| CsvError::new(file, problem))?;
            used.push(at);
        }
        let rows = about.num_rows().max(0) as u64;
        let parquet = Self { used, readers: Vec::new(), next_group: 0, left: 0, next_row: 0, rows, file: reader };
        Ok((layout, parquet))
    }

    /// How much is read, from 0 to 1.
    pub(super) fn share_read(&self) -> f64 {
        self.next_row as f64 / self.rows.max(1) as f64
    }

    /// The next rows, about `bytes` of them; an empty block at the end.
    pub(super) fn next_block(&mut self, layout: &Layout, bytes: usize) -> Result<Block, CsvProblem> {
        while self.left == 0 {
            if self.next_group == self.file.num_row_groups() {
                return Ok(Block::default());
            }
            self.open_group()?;
        }
        let most = (bytes / size_of::<f64>() / self.used.len()).max(1) as u64;
        let rows = most.min(self.left) as usize;
        let read = |(at, reader): (usize, &mut Option<ColumnReader>)| match reader {
            Some(reader) => ColumnValues::read(reader, rows, unsigned(self.file.metadata(), at)),
            None => Ok(ColumnValues::Numbers(Vec::new())),
        };
        let columns: Result<Vec<ColumnValues>, ParquetError> = self.readers.iter_mut().enumerate().map(read).collect();
        let block = numbers::block_of(layout, self.next_row, rows, &columns?)?;
        self.left -= rows as u64;
        self.next_row += rows as u64;
        Ok(block)
    }

    fn open_group(&mut self) -> Result<(), ParquetError> {
        let group = self.file.get_row_group(self.next_group)?;
        let about = group.metadata();
        self.left = about.num_rows().max(0) as u64;
        self.readers.clear();
        self.readers.resize_with(about.num_columns(), || None);
        for &at in &self.used {
            let pages = group.get_column_page_reader(at)?;
            self.readers[at] = Some(get_column_reader(about.column(at).column_descr_ptr(), pages));
        }
        self.next_group += 1;
        Ok(())
    }
}

impl From<ParquetError> for CsvProblem {
    fn from(error: ParquetError) -> Self {
        CsvProblem::Parquet(error.to_string())
    }
}

fn unsigned(about: &parquet::file::metadata::ParquetMetaData, at: usize) -> bool {
    let column = about.file_metadata().schema_descr().column(at);
    match column.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(
            column.converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        ),
    }
}

/// Whether a column of this type can have this job.
fn check_type(layout: &Layout, column: &ColumnDescriptor, at: usize, role: Role) -> Result<(), CsvProblem> {
    use ConvertedType as C;
    let plain_number = matches!(
        column.converted_type(),
        C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64 | C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64
    ) && matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_)));
    let fits = match column.physical_type() {
        Type::BOOLEAN | Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE => plain_number,
        Type::BYTE_ARRAY => role != Role::Feature,
        Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY => false,
    };
    if fits && column.max_rep_level() == 0 {
        return Ok(());
    }
    let found = if column.max_rep_level() > 0 {
        "a list".to_owned()
    } else {
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(logical), _) => format!("{logical:?}"),
            (None, C::NONE) => column.physical_type().to_string(),
            (None, converted) => converted.to_string(),
        }
    };
    Err(CsvProblem::ColumnType { column: layout.header[at].clone(), role, found })
}

/// Some rows of a column: `None` is null.
enum ColumnValues {
    Numbers(Vec<Option<Number>>),
    Texts(Vec<Option<ByteArray>>),
}

impl ColumnValues {
    fn read(reader: &mut ColumnReader, rows: usize, unsigned: bool) -> Result<Self, ParquetError> {
        let numbers = match reader {
            ColumnReader::BoolColumnReader(reader) => numbers_of(reader, rows, |x| Number::of_unsigned(x.into())),
            ColumnReader::Int32ColumnReader(reader) if unsigned => {
                numbers_of(reader, rows, |x| Number::of_unsigned((x as u32).into()))
            }
            ColumnReader::Int32ColumnReader(reader) => numbers_of(reader, rows, |x| Number::of_signed(x.into())),
            ColumnReader::Int64ColumnReader(reader) if unsigned => {
                numbers_of(reader, rows, |x| Number::of_unsigned(x as u64))
            }
            ColumnReader::Int64ColumnReader(reader) => numbers_of(reader, rows, Number::of_signed),
            ColumnReader::FloatColumnReader(reader) => numbers_of(reader, rows, Number::of_float),
            ColumnReader::DoubleColumnReader(reader) => numbers_of(reader, rows, Number::of_double),
            ColumnReader::ByteArrayColumnReader(reader) => {
                return Ok(ColumnValues::Texts(values(reader, rows)?));
            }
            ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
                return Err(ParquetError::General("unexpected column type".to_owned()));
            }
        };
        Ok(ColumnValues::Numbers(numbers?))
    }
}

fn numbers_of<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    number: impl Fn(T::T) -> Number,
) -> Result<Vec<Option<Number>>, ParquetError> {
    let values = values(reader, rows)?;
    Ok(values.into_iter().map(|x| x.map(&number)).collect())
}

/// Exactly `rows` values.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < rows {
        let (more, ..) = reader.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if more == 0 {
            return Err(ParquetError::EOF("a column ends early".to_owned()));
        }
        read += more;
    }
    // A column that cannot be null has no levels.
    let all_there = values.len() == rows;
    let highest = levels.iter().copied().max().unwrap_or(0);
    let mut values = values.into_iter();
    Ok((0..rows).map(|row| (all_there || levels[row] == highest).then(|| values.next()).flatten()).collect())
}

impl Cells for Vec<ColumnValues> {
    fn cell(&self, row: usize, column: usize) -> NumberOrText<'_> {
        match &self[column] {
            ColumnValues::Numbers(numbers) => numbers[row].map_or(NumberOrText::Null, NumberOrText::Number),
            ColumnValues::Texts(texts) => {
                texts[row].as_ref().map_or(NumberOrText::Null, |text| NumberOrText::Text(text.data()))
            }
        }
    }
}
