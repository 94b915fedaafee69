//! Everything that `pual train` does, and what goes with it: compare, compress, evaluate, calibrate, training divided among machines.
//!
//! ```text
//! Options -> Request -> approach -> compare -> train -> Outcome
//! ```

pub(crate) mod approach;
pub(crate) mod calibrate;
pub(crate) mod compare;
pub(crate) mod compress;
pub(crate) mod distributed;
pub(crate) mod evaluate;
mod finish;
pub(crate) mod fit;
pub(crate) mod many_rows;
pub(crate) mod options;
pub(crate) mod outcome;
mod search;
pub(crate) mod streams;
pub(crate) mod train;

use pual_infer::{DecodeError, ReadingError};

use crate::bulk::BulkError;
use crate::data::dataset::DatasetError;
use crate::model::compress::CompressError;
use crate::model::export::ExportError;
use crate::model::trained::TrainError;
use crate::streams::{LogError, RecipeError, WindowError};
use many_rows::MemoryError;
use options::OptionsError;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Options that do not go together, or are out of range.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// Rows that cannot be trained on.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// More rows than memory holds.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The search or the fit.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The trained model cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// No model of the size asked for.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// A plan or a part.
    #[error(transparent)]
    Bulk(#[from] BulkError),
    /// Bytes that are no model.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A row that the model refuses.
    #[error("the model refuses a row: {0}")]
    Reading(#[from] ReadingError),
    /// A log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Windows and features that do not go together.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A model of feature rows, asked for recordings.
    #[error("the model takes feature rows, not samples: it has no recipe")]
    NoRecipe,
    /// Parts of one kind of rows only.
    #[error("the parts have {positives} labeled and {unlabeled} unlabeled rows")]
    OneSided {
        /// Labeled rows.
        positives: usize,
        /// Unlabeled rows.
        unlabeled: usize,
    },
}

impl From<WindowError> for Error {
    fn from(error: WindowError) -> Self {
        match error {
            WindowError::Log(error) => error.into(),
            WindowError::Recipe(error) => error.into(),
        }
    }
}

impl From<rayon::ThreadPoolBuildError> for Error {
    fn from(error: rayon::ThreadPoolBuildError) -> Self {
        Self::Train(error.into())
    }
}
