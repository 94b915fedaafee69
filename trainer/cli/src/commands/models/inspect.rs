//! `pual inspect`: everything in a model file, and what it costs on a chip.

use crate::model_file;
use crate::show;
use anyhow::Result;
use pual_device::cost;
use pual_infer::{FORMAT_VERSION, Kernel, Model};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Show what is in a model and what it costs on a chip
///
/// Features with their scaling and training range, bytes by part, and for each core the flash, RAM, stack and instructions of a score.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  pual inspect fridge.pual
  pual inspect fridge.pual --json | jq .cores")]
pub struct Args {
    /// Model file written by `pual train`
    model: PathBuf,
    /// List the support instances too, in raw units (JSON always has them)
    #[arg(long)]
    supports: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    format_version: u8,
    /// Of a signed model; the signature is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed_version: Option<u32>,
    checksum: String,
    encoding: &'static str,
    kernel: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bandwidth: Option<f32>,
    bias: f32,
    threshold: f32,
    features: Vec<Feature>,
    bytes: usize,
    bytes_by_part: Vec<Part>,
    cores: Vec<Core>,
    supports: Vec<Support>,
}

#[derive(Serialize)]
struct Feature {
    name: Option<String>,
    offset: f32,
    scale: f32,
    minimum: Option<f32>,
    maximum: Option<f32>,
}

#[derive(Serialize)]
struct Part {
    part: &'static str,
    bytes: usize,
}

#[derive(Serialize)]
struct Core {
    core: &'static str,
    /// Code and model.
    flash_bytes: usize,
    code_bytes: u32,
    ram_bytes: u32,
    stack_bytes: u32,
    instructions_per_score: u64,
    /// Of counts, with an integer model.
    instructions_per_score_of_counts: Option<u64>,
}

#[derive(Serialize)]
struct Support {
    coefficient: f32,
    /// Of a linear model the weights, otherwise a reading in raw units.
    values: Vec<f32>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let (_, signed) = model_file::split_signature(&bytes);
        let report = Report::new(&model, signed);
        match self.json {
            true => show::json(out, &report),
            false => report.show(out, self.supports),
        }
    }
}

impl Report {
    fn new(model: &Model<'_>, signed_version: Option<u32>) -> Self {
        let about = model.description();
        let bandwidth = (model.kernel() == Kernel::Rbf).then_some(about.bandwidth());
        let features = (0..model.features())
            .map(|at| Feature {
                name: model.name(at).map(str::to_owned),
                offset: about.offsets()[at],
                scale: about.scales()[at],
                minimum: model.range(at).map(|(minimum, _)| minimum),
                maximum: model.range(at).map(|(_, maximum)| maximum),
            })
            .collect();
        let core = |cost: cost::CoreCost| Core {
            core: cost.core,
            flash_bytes: cost.code_bytes as usize + model.length(),
            code_bytes: cost.code_bytes,
            ram_bytes: cost.ram_bytes,
            stack_bytes: cost.stack_bytes,
            instructions_per_score: cost.instructions,
            instructions_per_score_of_counts: cost.counts_instructions,
        };
        Self {
            format_version: FORMAT_VERSION,
            signed_version,
            checksum: format!("{:08x}", model.checksum()),
            encoding: model.encoding().name(),
            kernel: model.kernel().name(),
            bandwidth,
            bias: about.bias(),
            threshold: model.threshold(),
            features,
            bytes: model.length(),
            bytes_by_part: parts(model),
            cores: cost::estimate(model).into_iter().map(core).collect(),
            supports: supports(model),
        }
    }

    fn show(&self, out: &mut impl Write, with_supports: bool) -> Result<()> {
        let bandwidth = self.bandwidth.map_or(String::new(), |bandwidth| {
            format!(", bandwidth {}", show::number(bandwidth.into()))
        });
        let mut facts = vec![
            (
                "format",
                format!(
                    "version {}, {}, checksum {}",
                    self.format_version, self.encoding, self.checksum
                ),
            ),
            ("kernel", format!("{}{bandwidth}", self.kernel)),
            ("supports", self.supports.len().to_string()),
            ("bias", show::number(self.bias.into())),
            ("threshold", show::number(self.threshold.into())),
        ];
        if let Some(version) = self.signed_version {
            let check = "not checked here: `pual verify-signature` does";
            facts.push(("signed", format!("as version {version}, {check}")));
        }
        show::facts(out, &facts)?;
        let number = |value: Option<f32>| match value {
            Some(value) => show::number(value.into()),
            None => "-".to_owned(),
        };
        let features: Vec<Vec<String>> = self
            .features
            .iter()
            .enumerate()
            .map(|(at, feature)| {
                vec![
                    feature.name.clone().unwrap_or_else(|| format!("#{at}")),
                    number(Some(feature.offset)),
                    number(Some(feature.scale)),
                    number(feature.minimum),
                    number(feature.maximum),
                ]
            })
            .collect();
        writeln!(out)?;
        let header = ["feature", "offset", "scale", "minimum", "maximum"];
        show::table(out, &header, &features)?;

        let mut parts: Vec<Vec<String>> = self
            .bytes_by_part
            .iter()
            .map(|part| vec![part.part.to_owned(), show::grouped(part.bytes as u64)])
            .collect();
        parts.push(vec!["all".to_owned(), show::grouped(self.bytes as u64)]);
        writeln!(out)?;
        show::table(out, &["part", "bytes"], &parts)?;

        let cores: Vec<Vec<String>> = self.cores.iter().map(Core::cells).collect();
        writeln!(out)?;
        let header = [
            "core",
            "flash: code",
            "+ model",
            "RAM",
            "stack",
            "instructions a score",
            "of counts",
        ];
        show::table(out, &header, &cores)?;
        if with_supports {
            self.show_supports(out)?;
        }
        Ok(())
    }

    fn show_supports(&self, out: &mut impl Write) -> Result<()> {
        let rows: Vec<Vec<String>> = self
            .supports
            .iter()
            .enumerate()
            .map(|(at, support)| {
                let numbers = std::iter::once(&support.coefficient).chain(&support.values);
                let cells = numbers.map(|&value| show::number(value.into()));
                std::iter::once(at.to_string()).chain(cells).collect()
            })
            .collect();
        let names: Vec<String> = (0..self.features.len())
            .map(|at| match &self.features[at].name {
                Some(name) => name.clone(),
                None => format!("#{at}"),
            })
            .collect();
        let header: Vec<&str> = ["support", "coefficient"]
            .into_iter()
            .chain(names.iter().map(String::as_str))
            .collect();
        writeln!(out)?;
        show::table(out, &header, &rows)
    }
}

impl Core {
    fn cells(&self) -> Vec<String> {
        vec![
            self.core.to_owned(),
            show::grouped(self.code_bytes),
            show::grouped(self.flash_bytes as u64),
            show::grouped(self.ram_bytes),
            show::grouped(self.stack_bytes),
            show::grouped(self.instructions_per_score),
            match self.instructions_per_score_of_counts {
                Some(instructions) => show::grouped(instructions),
                None => "-".to_owned(),
            },
        ]
    }
}

/// The sections of the format. They add up to the model's length.
fn parts(model: &Model<'_>) -> Vec<Part> {
    let (encoding, features, supports) = (model.encoding(), model.features(), model.supports());
    let bytes = |names: &[&str]| -> usize {
        let sections = model.description().sections();
        let named = sections.filter(|section| names.contains(&section.name));
        named.map(|section| section.length).sum()
    };
    let coefficients = supports * encoding.coefficient_bytes();
    let values = supports * features * encoding.value_bytes();
    [
        ("header", bytes(&["header", "units"])),
        ("scaling", bytes(&["offsets", "scales", "shifts"])),
        ("training range", bytes(&["training range"])),
        ("coefficients", coefficients),
        ("support instances", values),
        ("padding", bytes(&["expansion"]) - coefficients - values),
        ("names", bytes(&["names"])),
        ("checksum", bytes(&["checksum"])),
    ]
    .map(|(part, bytes)| Part { part, bytes })
    .into()
}

fn supports(model: &Model<'_>) -> Vec<Support> {
    let about = model.description();
    let value = |index: usize, at: usize| {
        let scaled = model.support(index, at)?;
        Some(match model.kernel() {
            Kernel::Linear => scaled,
            _ => scaled / about.scales()[at] + about.offsets()[at],
        })
    };
    (0..model.supports())
        .filter_map(|index| {
            Some(Support {
                coefficient: model.coefficient(index)?,
                values: (0..model.features())
                    .map(|at| value(index, at))
                    .collect::<Option<_>>()?,
            })
        })
        .collect()
}
