//! `pual inspect`: everything in a model file, and what it costs on a chip.

use crate::commands::learning::train::of_type;
use crate::model_file;
use crate::show;
use anyhow::Result;
use pual_device::cost::{CoreCost, estimate};
use pual_infer::{FORMAT_VERSION, Kernel, Model, RECIPE_VERSION, Recipe, RecipeSpec};
use pual_trainer::internals::stream_ram_bytes;
use serde::Serialize;
use std::io::Write;
use std::iter::once;
use std::path::PathBuf;

/// Show what is in a model and what it costs on a chip
///
/// Features with their scaling and training range, the recipe of a stream model, bytes by part, and for each core the flash, RAM, stack and instructions per score.
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
struct Inspection {
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
    bytes_by_part: Vec<ModelPart>,
    /// How features are made of raw samples, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipe: Option<RecipeFacts>,
    cores: Vec<CoreCost>,
    supports: Vec<SupportInstance>,
}

/// A recipe and the stream that runs it.
#[derive(Serialize)]
struct RecipeFacts {
    #[serde(flatten)]
    spec: RecipeSpec,
    /// Channels, blocks and words of the type `Stream`.
    stream_type: [usize; 3],
    ram_bytes: usize,
}

impl RecipeFacts {
    fn new(recipe: &Recipe<'_>) -> Self {
        let stream_type = [recipe.channels(), recipe.blocks(), recipe.words()];
        Self { spec: RecipeSpec::from(recipe), stream_type, ram_bytes: stream_ram_bytes(stream_type) }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let RecipeSpec { hop, blocks, rate, baseline, alarm, drift, channels, .. } = &self.spec;
        let (hop, window) = (usize::from(*hop), usize::from(*hop) * usize::from(*blocks));
        let seconds = |samples: usize| show::duration(samples as f64 / f64::from(*rate));
        let share = |share: u16| show::percent(f64::from(share) / 65_535.0);
        let names: Vec<&str> = channels.iter().map(|channel| channel.name.as_str()).collect();
        let mut facts = vec![
            ("samples", format!("{} at {} Hz", names.join(", "), show::number(f64::from(*rate)))),
            ("window", format!("{window} samples ({}), every {hop} ({})", seconds(window), seconds(hop))),
        ];
        if *baseline > 0 {
            facts.push(("baseline", format!("the first {baseline} windows")));
        }
        facts.push(("alarm", format!("on at {} of {} windows, off after {}", alarm.on, alarm.of, alarm.off)));
        let expected = (share(drift.outside_share), share(drift.positive_share));
        facts.push((
            "drift flag",
            format!("expects {} outside the training range, {} positive", expected.0, expected.1),
        ));
        facts.push(("on a chip", of_type(self.stream_type, self.ram_bytes)));
        facts
    }
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
struct ModelPart {
    part: &'static str,
    bytes: usize,
}

#[derive(Serialize)]
struct SupportInstance {
    coefficient: f32,
    /// The weights of a linear model, otherwise a reading in raw units.
    values: Vec<f32>,
}

impl Args {
    pub fn run(&self, out: &mut impl Write) -> Result<()> {
        let bytes = model_file::read(&self.model)?;
        let model = model_file::decode(&bytes, &self.model)?;
        let (_, signed) = model_file::split_signature(&bytes);
        let inspection = Inspection::new(&model, signed);
        show::result(self.json, out, &inspection, |inspection, out| inspection.show(out, self.supports))
    }
}

impl Inspection {
    fn new(model: &Model<'_>, signed_version: Option<u32>) -> Self {
        let about = model.description();
        let feature = |at| Feature {
            name: model.name(at).map(str::to_owned),
            offset: about.offsets()[at],
            scale: about.scales()[at],
            minimum: model.range(at).map(|(minimum, _)| minimum),
            maximum: model.range(at).map(|(_, maximum)| maximum),
        };
        Self {
            format_version: if model.recipe().is_some() { RECIPE_VERSION } else { FORMAT_VERSION },
            signed_version,
            checksum: format!("{:08x}", model.checksum()),
            encoding: model.encoding().name(),
            kernel: model.kernel().name(),
            bandwidth: (model.kernel() == Kernel::Rbf).then_some(about.bandwidth()),
            bias: about.bias(),
            threshold: model.threshold(),
            features: (0..model.features()).map(feature).collect(),
            bytes: model.length(),
            bytes_by_part: parts(model),
            recipe: model.recipe().map(|recipe| RecipeFacts::new(&recipe)),
            cores: estimate(model),
            supports: supports(model),
        }
    }

    fn show(&self, out: &mut impl Write, with_supports: bool) -> Result<()> {
        let number = |value: f32| show::number(value.into());
        let optional = |value: Option<f32>| value.map_or("-".to_owned(), number);
        let bandwidth =
            (self.bandwidth.map(number)).map_or(String::new(), |bandwidth| format!(", bandwidth {bandwidth}"));
        let format = format!("version {}, {}, checksum {}", self.format_version, self.encoding, self.checksum);
        let mut facts = vec![
            ("format", format),
            ("kernel", format!("{}{bandwidth}", self.kernel)),
            ("supports", self.supports.len().to_string()),
            ("bias", number(self.bias)),
            ("threshold", show::exact(self.threshold)),
        ];
        if let Some(version) = self.signed_version {
            let check = "not checked here: `pual verify-signature` does";
            facts.push(("signed", format!("as version {version}, {check}")));
        }
        facts.extend(self.recipe.iter().flat_map(RecipeFacts::facts));
        show::facts(out, &facts)?;

        let names: Vec<String> = (self.features.iter().enumerate())
            .map(|(at, feature)| feature.name.clone().unwrap_or_else(|| format!("#{at}")))
            .collect();
        let features: Vec<Vec<String>> = (self.features.iter().zip(&names))
            .map(|(feature, name)| {
                let (offset, scale) = (number(feature.offset), number(feature.scale));
                let ends = [feature.minimum, feature.maximum].map(optional);
                [name.clone(), offset, scale].into_iter().chain(ends).collect()
            })
            .collect();
        writeln!(out)?;
        let header = ["feature", "offset", "scale", "minimum", "maximum"];
        show::table(out, &header, &features)?;

        let all = ("all", self.bytes);
        let parts: Vec<Vec<String>> = (self.bytes_by_part.iter())
            .map(|part| (part.part, part.bytes))
            .chain([all])
            .map(|(part, bytes)| vec![part.to_owned(), show::grouped(bytes)])
            .collect();
        writeln!(out)?;
        show::table(out, &["part", "bytes"], &parts)?;

        let cores: Vec<Vec<String>> = self.cores.iter().map(show::core).collect();
        writeln!(out)?;
        show::table(out, &CORE_COLUMNS, &cores)?;
        if !with_supports {
            return Ok(());
        }
        let supports: Vec<Vec<String>> = (self.supports.iter().enumerate())
            .map(|(at, support)| {
                let numbers = once(support.coefficient).chain(support.values.iter().copied());
                once(at.to_string()).chain(numbers.map(number)).collect()
            })
            .collect();
        let header: Vec<&str> =
            (["support", "coefficient"].into_iter()).chain(names.iter().map(String::as_str)).collect();
        writeln!(out)?;
        show::table(out, &header, &supports)
    }
}

const CORE_COLUMNS: [&str; 7] =
    ["core", "flash: code", "+ model", "RAM", "stack", "instructions per score", "of counts"];

/// The sections of the format. They add up to the model's length.
fn parts(model: &Model<'_>) -> Vec<ModelPart> {
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
        ("recipe", bytes(&["recipe"])),
        ("checksum", bytes(&["checksum"])),
    ]
    .map(|(part, bytes)| ModelPart { part, bytes })
    .into()
}

fn supports(model: &Model<'_>) -> Vec<SupportInstance> {
    let about = model.description();
    let value = |index: usize, at: usize| {
        let scaled = model.support(index, at)?;
        Some(match model.kernel() {
            Kernel::Linear => scaled,
            _ => scaled / about.scales()[at] + about.offsets()[at],
        })
    };
    let values = |index: usize| (0..model.features()).map(move |at| value(index, at));
    (0..model.supports())
        .filter_map(|index| {
            Some(SupportInstance {
                coefficient: model.coefficient(index)?,
                values: values(index).collect::<Option<_>>()?,
            })
        })
        .collect()
}
