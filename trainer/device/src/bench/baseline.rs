//! The committed figures that new ones are compared with: `firmware-example/baseline.csv`.
//!
//! Another compiler gives other figures, so the file names its compiler. A figure may shrink freely, and grow by
//! [`MOST_GROWTH`].

use super::BenchRow;
use crate::error::{DeviceError, io};
use crate::firmware;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Share by which a figure may exceed its baseline.
const MOST_GROWTH: f64 = 0.02;

const HEADER: &str = "core,model,encoding,figure,value";

/// One number of a [`BenchRow`], instructions or bytes, by its name `core,model,encoding,figure`.
type Figure = (String, u32);

/// The committed figures.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// Version of the compiler that built the measured programs.
    pub compiler: String,
    figures: Vec<Figure>,
}

impl Baseline {
    /// Where the committed figures lie.
    pub fn path() -> Result<PathBuf, DeviceError> {
        Ok(firmware::sources()?.join("baseline.csv"))
    }

    /// The figures of measured rows.
    pub fn new<'r>(rows: impl IntoIterator<Item = &'r BenchRow>) -> Result<Self, DeviceError> {
        Ok(Self { compiler: firmware::compiler()?, figures: rows.into_iter().flat_map(figures).collect() })
    }

    /// Reads a file of figures.
    pub fn read(path: &Path) -> Result<Self, DeviceError> {
        let text = std::fs::read_to_string(path).map_err(io(format!("cannot read {}", path.display())))?;
        let bad = |line: &str| DeviceError::Answer(format!("{}: `{line}`", path.display()));
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let compiler = first.strip_prefix("# ").ok_or_else(|| bad(first))?.to_owned();
        let header = lines.next().unwrap_or_default();
        if header != HEADER {
            return Err(bad(header));
        }
        let figure = |line: &str| {
            let (name, value) = line.rsplit_once(',')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        let figures: Result<Vec<_>, _> = lines.map(|line| figure(line).ok_or_else(|| bad(line))).collect();
        Ok(Self { compiler, figures: figures? })
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n{HEADER}\n", self.compiler);
        for (name, value) in &self.figures {
            let _ = writeln!(text, "{name},{value}");
        }
        text
    }

    /// The figures of `new` that are more than 2 % above this baseline, with its values. Figures that it does not have are left
    /// out.
    #[must_use]
    pub fn grown(&self, new: &Self) -> Vec<String> {
        let grown = |(name, value): &Figure| {
            let old = self.find(name)?;
            let most = f64::from(old) * (1.0 + MOST_GROWTH);
            (f64::from(*value) > most).then(|| format!("{name}: {value}, was {old}"))
        };
        new.figures.iter().filter_map(grown).collect()
    }

    /// The names of the figures that `other` lacks.
    #[must_use]
    pub fn missing_in(&self, other: &Self) -> Vec<&str> {
        let names = self.figures.iter().map(|(name, _)| name.as_str());
        names.filter(|name| other.find(name).is_none()).collect()
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.figures.iter().find(|figure| figure.0 == name).map(|figure| figure.1)
    }
}

fn figures(row: &BenchRow) -> Vec<Figure> {
    let figure = |name: &str, value: u32| (format!("{},{},{},{name}", row.core, row.model, row.encoding), value);
    let mut figures = vec![figure("score", row.score)];
    figures.extend(row.score_counts.map(|value| figure("score_counts", value)));
    figures.extend([
        figure("decode", row.decode),
        figure("code_bytes", row.code_bytes),
        figure("ram_bytes", row.ram_bytes),
        figure("stack_bytes", row.stack_bytes),
        figure("model_bytes", row.model_bytes),
    ]);
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn baseline(value: u32) -> Baseline {
        Baseline { compiler: "rustc".to_owned(), figures: vec![("Cortex-M0,64x4,i8,score".to_owned(), value)] }
    }

    #[test]
    fn growth_of_two_percent_is_allowed_and_no_more() {
        let old = baseline(1000);
        assert!(old.grown(&baseline(1020)).is_empty());
        assert!(old.grown(&baseline(10)).is_empty());
        assert_eq!(old.grown(&baseline(1021)), ["Cortex-M0,64x4,i8,score: 1021, was 1000"]);
        assert!(Baseline::default().grown(&old).is_empty());
        assert_eq!(old.missing_in(&Baseline::default()), ["Cortex-M0,64x4,i8,score"]);
        assert!(old.missing_in(&baseline(3)).is_empty());
        // Zero must stay zero: no static RAM.
        assert_eq!(baseline(0).grown(&baseline(1)).len(), 1);
    }

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("pual-baseline-{}.csv", std::process::id()));
        std::fs::write(&path, baseline(7).text()).unwrap();
        let read = Baseline::read(&path).unwrap();
        assert_eq!(read.text(), baseline(7).text());
        std::fs::write(&path, "what?\n").unwrap();
        assert!(Baseline::read(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
