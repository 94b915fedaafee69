//! What to do about an error. The library's errors say what is wrong; the advice, which names flags, is here.

pub mod advice;

use pual_device::DeviceError;
use pual_infer::{DecodeError, SignatureError};
use pual_trainer::errors::{
    BulkError, CalibrateError, CompressError, CsvError, CsvProblem, DatasetError, EnsembleError, ExportError, FitError,
    JournalError, LogError, LogProblem, NpyError, RecipeError, SigningError, TrainError, TuneError, ValueError,
};
use pual_trainer::experiments::BenchError;
use pual_trainer::internals::nearest;
use std::error::Error;
use std::io;
use std::path::Path;

const FILL: &str = "missing values are not supported: fill the gap or drop the row";
const SMALLER_COEFFICIENTS: &str = "raise --lambda, widen --bandwidth or give fewer --supports";

/// Advice on an error, or on the first of its causes that has any.
#[must_use]
pub fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    causes.find_map(of_one)
}

/// Without its causes.
fn of_one(error: &(dyn Error + 'static)) -> Option<String> {
    // A transparent error does not name the error it wraps as its cause, so each function looks inside.
    None.or_else(|| csv(error.downcast_ref()?))
        .or_else(|| log(error.downcast_ref()?))
        .or_else(|| recipe(error.downcast_ref()?))
        .or_else(|| pipeline(error.downcast_ref()?))
        .or_else(|| dataset(error.downcast_ref()?))
        .or_else(|| bench(error.downcast_ref()?))
        .or_else(|| train(error.downcast_ref()?))
        .or_else(|| fit(error.downcast_ref()?))
        .or_else(|| compress(error.downcast_ref()?))
        .or_else(|| fixed(error).map(str::to_owned))
}

/// Advice without anything filled in.
fn fixed(error: &(dyn Error + 'static)) -> Option<&'static str> {
    None.or_else(|| tune(error.downcast_ref()?))
        .or_else(|| export(error.downcast_ref()?))
        .or_else(|| calibrate(error.downcast_ref()?))
        .or_else(|| bulk(error.downcast_ref()?))
        .or_else(|| signing(error.downcast_ref()?))
        .or_else(|| signature(error.downcast_ref()?))
        .or_else(|| decode(error.downcast_ref()?))
        .or_else(|| device(error.downcast_ref()?))
}

fn bench(error: &BenchError) -> Option<String> {
    match error {
        BenchError::Dataset(error) => dataset(error),
        BenchError::Train(error) => train(error),
        _ => None,
    }
}

/// Errors of the whole pipeline, which wrap others.
fn pipeline(error: &pual_trainer::Error) -> Option<String> {
    match error {
        pual_trainer::Error::Log(error) => log(error),
        pual_trainer::Error::Recipe(error) => recipe(error),
        _ => None,
    }
}

fn log(error: &LogError) -> Option<String> {
    let text = match &error.problem {
        LogProblem::Read(source) => return file_error(Path::new(&error.file), source),
        LogProblem::NotUtf8 => "save the file as \"CSV UTF-8\"",
        LogProblem::NoHeader => "write a line with the columns' names above them",
        LogProblem::DuplicateColumn(_) => "give each column its own name",
        LogProblem::MissingColumn { role: "labels", .. } => {
            "name the column of labels with --label-column, or give a file of --events"
        }
        LogProblem::MissingColumn { role: "a channel", .. } => {
            "give a recording with this column, or name its channels, in the model's order, with --features"
        }
        LogProblem::MissingColumn { role: "of an event", .. } => {
            "name its columns recording, start, end and, if needed, kind"
        }
        LogProblem::OtherColumn { .. } => "leave it out with --ignore, or choose the channels with --features",
        LogProblem::NoTimes => {
            "name the column with --time-column, or say how many samples there are per second with --rate"
        }
        LogProblem::Cell { expected: "a number", .. } => "leave a column of text out with --ignore",
        LogProblem::Ragged { .. } => "is that the delimiter? choose it with --delimiter",
        LogProblem::WindowTooLong { .. } => {
            "take a shorter --window; --missing hold fills empty cells, which end windows otherwise"
        }
        LogProblem::EventOutside { .. } => "are these times in the log's zone?",
        LogProblem::GivenTwice => "name each recording once",
        _ => return None,
    };
    Some(text.to_owned())
}

fn recipe(error: &RecipeError) -> Option<String> {
    let text = match error {
        RecipeError::Hop { .. } | RecipeError::TooLong { .. } => {
            "choose --window and --hop so that one divides the other"
        }
        RecipeError::Feature { .. } | RecipeError::Channel { .. } => "see --window-features in `pual train --help`",
        RecipeError::NoBaseline(_) => "add --baseline, such as --baseline 5min",
        _ => return None,
    };
    Some(text.to_owned())
}

fn csv(error: &CsvError) -> Option<String> {
    let text = match &error.problem {
        CsvProblem::Read(source) => return file_error(Path::new(&error.file), source),
        CsvProblem::MissingColumn { hint, .. } => hint.as_str(),
        CsvProblem::NotANumber { hint: "", .. } => "leave a column of text out with --ignore",
        CsvProblem::Ragged { hint, .. } | CsvProblem::NotANumber { hint, .. } => hint,
        CsvProblem::NotUtf8 => "save the file as \"CSV UTF-8\"",
        CsvProblem::DuplicateColumn { .. } => "give each column its own name",
        CsvProblem::UnnamedColumn(_) => {
            "name it, or choose the features with --features (pandas leaves row numbers out with index=False)"
        }
        CsvProblem::TwoRoles { .. } => "choose one",
        CsvProblem::NotFinite { .. } => FILL,
        CsvProblem::TooLarge { .. } => "use a larger unit",
        CsvProblem::NotAMark { .. } => {
            "choose another column with --label-column or --truth-column, or rewrite this one"
        }
        CsvProblem::NotAGroup { .. } => "name the group of every row, or choose another column with --group",
        CsvProblem::ExtraColumn { .. } => "leave it out with --ignore, or choose the features with --features",
        CsvProblem::GivenTwice => "its rows would count twice: name each file once",
        CsvProblem::Value { source, .. } => match source {
            ValueError::NotFinite(_) | ValueError::Missing => FILL,
            ValueError::TooLarge(_) => "use a larger unit",
            ValueError::NotAGroup { .. } => "choose another column with --group, or store the groups as text",
            ValueError::NotAMark { .. } => "name the column of labels with --label-column: x0, x1, ...",
            _ => return None,
        },
        CsvProblem::Npy(source) => match source {
            NpyError::Dtype { .. } => "convert it with .astype(\"float32\")",
            NpyError::Fortran => "store it with np.save(file, np.ascontiguousarray(array))",
            NpyError::Shape(_) => "give one row per reading: array.reshape(len(array), -1)",
            NpyError::Truncated { .. } | NpyError::Header(_) => "write or copy the file again",
            _ => return None,
        },
        CsvProblem::NoParquet => "build with `cargo install --path trainer --features parquet`, or convert the file",
        CsvProblem::Parquet(_) => "write or copy the file again",
        CsvProblem::ColumnType { .. } => "convert it, or leave it out with --ignore",
        CsvProblem::NotText(_) => "convert the file to CSV",
        _ => return None,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// Where a file is.
pub fn directory(path: &Path) -> &Path {
    path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Advice on a file that cannot be read or written.
#[must_use]
pub fn file_error(path: &Path, error: &io::Error) -> Option<String> {
    match error.kind() {
        io::ErrorKind::NotFound => {
            let asked = path.file_name()?.to_str()?;
            let directory = directory(path);
            let Ok(entries) = directory.read_dir() else {
                return Some(format!("there is no directory {}", directory.display()));
            };
            let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
            let near = nearest(asked, names.iter().map(String::as_str))?;
            let near = path.with_file_name(near);
            Some(format!("did you mean {}?", near.display()))
        }
        io::ErrorKind::IsADirectory => Some("name a file in it".to_owned()),
        io::ErrorKind::PermissionDenied => Some("check the permissions of the file and its directory".to_owned()),
        io::ErrorKind::StorageFull => Some("free some space, or write elsewhere".to_owned()),
        _ => None,
    }
}

fn dataset(error: &DatasetError) -> Option<String> {
    let text = match error {
        DatasetError::Csv(error) => return csv(error),
        DatasetError::NoLabels => "name the column of labels with --label-column",
        DatasetError::TooFewPositives { .. } => {
            "label at least ten readings that are known to be positive; 1 marks a labeled row, 0 or an empty cell the others"
        }
        DatasetError::NoUnlabeled { .. } => {
            "add readings from everyday operation; 0 or an empty cell marks an unlabeled row"
        }
        DatasetError::OnlyConstants { .. } => {
            "is the sensor connected, and are these the right columns? choose others with --features"
        }
        DatasetError::NotFinite { .. } => FILL,
        _ => return None,
    };
    Some(text.to_owned())
}

fn train(error: &TrainError) -> Option<String> {
    match error {
        TrainError::Fit(error) | TrainError::Tune(TuneError::Fit(error)) => fit(error),
        TrainError::Tune(error) => tune(error).map(str::to_owned),
        TrainError::NotCertified(_) => Some("raise --lambda, lower --c-p or --c-u, or use another --solver".to_owned()),
        TrainError::Ensemble(EnsembleError::Decomposition) => {
            Some("give readings in a larger unit, or train a single model: --ensemble 1".to_owned())
        }
        TrainError::Threads(_) => Some("give fewer --threads".to_owned()),
        _ => None,
    }
}

fn tune(error: &TuneError) -> Option<&'static str> {
    match error {
        TuneError::TooFewRows { .. } => Some("use --no-tune, or give more rows"),
        TuneError::NothingFitted { .. } => Some("use --no-tune, or give a larger --lambda"),
        TuneError::Journal(error) => match error {
            JournalError::Exists(_) => Some("resume it with --resume, or name another file with --log"),
            JournalError::Line { .. } => Some("give a file that was written by --log"),
            JournalError::Other { .. } => Some("repeat the command that wrote it, or start a new one with --log"),
            _ => None,
        },
        _ => None,
    }
}

fn fit(error: &FitError) -> Option<String> {
    match error {
        FitError::Singular => Some("raise --lambda or give fewer --supports".to_owned()),
        FitError::UnsafeMu1 { safe, .. } => Some(format!("{safe:e} is safe for --mu-1")),
        _ => None,
    }
}

fn compress(error: &CompressError) -> Option<String> {
    match error {
        CompressError::Budget { smallest, .. } => {
            Some(format!("give at least --budget {smallest}B, or fewer features"))
        }
        CompressError::Linear => Some("leave --encoding out, or train with --kernel rbf".to_owned()),
        CompressError::NothingFits => Some("leave --encoding out".to_owned()),
        CompressError::Export(error) => export(error).map(str::to_owned),
        _ => None,
    }
}

fn export(error: &ExportError) -> Option<&'static str> {
    match error {
        ExportError::Differs(_) => Some(SMALLER_COEFFICIENTS),
        ExportError::Encode(_) => Some("give shorter names, or fewer features or --supports"),
        _ => None,
    }
}

fn calibrate(error: &CalibrateError) -> Option<&'static str> {
    match error {
        CalibrateError::OneKind { .. } => Some("check some rows of the other kind too, or name another --truth-column"),
        CalibrateError::OneScore { .. } => {
            Some("choosing a threshold cannot help: train a model that separates the classes")
        }
        CalibrateError::Recall { .. } => Some("give a lower --recall"),
        CalibrateError::FalseAlarms { .. } => Some("give higher --false-alarms"),
        CalibrateError::Encode(_) => Some("give a --threshold among the model's scores"),
        _ => None,
    }
}

fn bulk(error: &BulkError) -> Option<&'static str> {
    match error {
        BulkError::NotThat { what, .. } if what.contains("plan") => Some("a plan is written by `pual plan`"),
        BulkError::NotThat { .. } => Some("a part is written by `pual accumulate`"),
        BulkError::Version { .. } | BulkError::Damaged { .. } => Some("make it again"),
        BulkError::OtherPlan => Some("make all parts with the same plan"),
        BulkError::SameShard { .. } => Some("each part counts once: leave it out"),
        _ => None,
    }
}

fn signing(error: &SigningError) -> Option<&'static str> {
    match error {
        SigningError::Exists(_) => Some("choose another name, or move the old key away"),
        SigningError::NotAKey { .. } => Some("`pual keygen` makes a pair: .secret to sign, .public to check"),
        SigningError::Model(error) => decode(error),
        SigningError::Signature(error) => signature(error),
        _ => None,
    }
}

fn signature(error: &SignatureError) -> Option<&'static str> {
    match error {
        SignatureError::Unsigned => Some("sign it with `pual sign`"),
        SignatureError::Forged => Some("the key may belong to another pair, or the file was changed after signing"),
        SignatureError::Version(_) => Some("sign a newer model, with a higher --model-version"),
        _ => None,
    }
}

fn decode(error: &DecodeError) -> Option<&'static str> {
    match error {
        DecodeError::NotAModel => Some("expected a file written by `pual train`"),
        DecodeError::Version(_) | DecodeError::Kernel(_) | DecodeError::Encoding(_) | DecodeError::Flags(_) => {
            Some("a newer program may have written it: update this one")
        }
        _ => Some("the file is damaged: copy it again, or train again"),
    }
}

fn device(error: &DeviceError) -> Option<&'static str> {
    match error {
        DeviceError::NoFirmware(_) => Some("set PUAL_FIRMWARE to the directory `firmware-example` of the sources"),
        DeviceError::ModelTooLarge { .. } => Some("make the model smaller: `pual compress --budget`"),
        DeviceError::Silent(..) => {
            Some("is the board powered, does it run the firmware, and are port and --baud right?")
        }
        DeviceError::NotAFlash(_) => Some("name another file with --flash, or delete this one"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
