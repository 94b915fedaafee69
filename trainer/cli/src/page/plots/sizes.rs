//! The price of size: bytes against F1 lost, one mark per size, and the table as the command prints it.
//!
//! Most losses are near 0, so the axis shows their square root.

use crate::flags::size::{price_names, prices};
use crate::page::axis::{Axis, sizes};
use crate::page::svg::{Anchor, Figure, WIDTH, place};
use crate::page::table::table;
use crate::show::grouped;
use pual_infer::Encoding;
use pual_trainer::{Ladder, Rung};

const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 216.0;

/// The figure alone.
pub fn draw(ladder: &Ladder) -> String {
    let bytes = || ladder.rungs.iter().map(|rung| rung.bytes as f64);
    let least = bytes().fold(f64::INFINITY, f64::min);
    let most = bytes().fold(0.0, f64::max);
    let across = Axis::logarithmic((least / 1.25, most * 1.25), (LEFT, RIGHT));
    let worst = ladder.rungs.iter().map(|rung| rung.measured.loss).fold(2.0 * ladder.tolerance, f64::max);
    let up = Axis::new((0.0, worst.max(0.001).sqrt()), (BOTTOM, TOP));
    let at = |rung: &Rung| (across.at(rung.bytes as f64), up.at(rung.measured.loss.max(0.0).sqrt()));
    let told: Vec<String> = ladder.rungs.iter().map(describe).collect();
    let mut figure = Figure::new("sizes", BOTTOM + 38.0, "Bytes against F1 lost", &format!("{}.", told.join("; ")));
    for loss in [0.0, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0] {
        if loss <= worst {
            let y = up.at(f64::sqrt(loss));
            figure.line((LEFT, y), (RIGHT, y), "rule");
            figure.text((LEFT - 5.0, y + 4.0), Anchor::End, "s", &format!("{} %", 100.0 * loss));
        }
    }
    for size in sizes(least / 1.25, most * 1.25) {
        figure.text((across.at(size), BOTTOM + 16.0), Anchor::Middle, "s", &grouped(size as u64));
    }
    figure.axis_names((RIGHT, BOTTOM + 33.0), "bytes", "estimated loss of F1");
    let limit = up.at(ladder.tolerance.sqrt());
    figure.line((LEFT, limit), (RIGHT, limit), "cut");
    figure.text((RIGHT, limit - 5.0), Anchor::End, "s", &format!("tolerance {} %", 100.0 * ladder.tolerance));
    for rung in &ladder.rungs {
        let (x, y) = at(rung);
        figure.raw(&format!(
            "<path d=\"{}\" class=\"{}\"><title>{}</title></path>",
            shape(rung.encoding, x, y),
            rung.encoding.name(),
            describe(rung)
        ));
    }
    let (x, y) = at(ladder.taken());
    figure.circle((x, y), 10.0, "ring");
    let (anchor, side) = if x > 0.6 * WIDTH { (Anchor::End, -14.0) } else { (Anchor::Start, 14.0) };
    let text = format!("{} bytes, taken", grouped(ladder.taken().bytes));
    // Above the line of the tolerance, which would make it hard to read.
    figure.text((x + side, y.min(limit) - 16.0), anchor, "b", &text);
    figure.svg()
        + "<p class=\"key\"><span><b class=\"t8\">●</b> i8</span> <span><b class=\"t16\">▲</b> i16</span> <span><b class=\"t32\">■</b> f32</span></p>\n"
}

/// What was left out to meet a budget, if anything: the file then has fewer bytes than its size in the ladder.
pub fn note(ladder: &Ladder) -> Option<String> {
    (ladder.taken().bytes != ladder.bytes.len()).then(|| {
        format!(
            "Sizes include names and training range. To meet the budget, some of these were left out: the file has {} bytes.",
            grouped(ladder.bytes.len())
        )
    })
}

/// The table as the command prints it.
pub fn numbers(ladder: &Ladder) -> String {
    let row = |rung: &Rung| {
        let notes = [if rung.taken { ", taken" } else { "" }, if rung.as_trained { ", as trained" } else { "" }];
        let name = format!("{} supports in {}{}", rung.supports, rung.encoding.name(), notes.concat());
        [&[name], &prices(ladder, rung)[..]].concat()
    };
    let rows: Vec<Vec<String>> = ladder.rungs.iter().map(row).collect();
    let header = [&["size"], &price_names(ladder)[..]].concat();
    table("Every size that was built, and its price", &header, &rows, Some(ladder.taken))
}

fn describe(rung: &Rung) -> String {
    format!(
        "{} bytes in {} with {} supports lose {:.2} %{}",
        grouped(rung.bytes),
        rung.encoding.name(),
        rung.supports,
        100.0 * rung.measured.loss,
        if rung.taken { ", taken" } else { "" }
    )
}

/// A circle, a triangle or a square.
fn shape(encoding: Encoding, x: f64, y: f64) -> String {
    match encoding {
        Encoding::I8 => format!("M{} {}a5 5 0 1 0 10 0a5 5 0 1 0-10 0", place(x - 5.0), place(y)),
        Encoding::I16 => format!("M{} {}l5.5 9.5h-11z", place(x), place(y - 6.0)),
        _ => format!("M{} {}h9v9h-9z", place(x - 4.5), place(y - 4.5)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pual_infer::ModelBytes;
    use pual_trainer::experiments::random_model;
    use pual_trainer::{CompressOptions, Goal, Scenario, Silent, compress};

    #[test]
    fn every_size_is_marked_and_the_taken_one_ringed() {
        let model = random_model(40, 2, Encoding::F32).unwrap();
        let options = CompressOptions { goal: Goal::Supports(4), tolerance: 0.005, encoding: None, seed: 0 };
        let compressed = compress(&model, None, Scenario::default(), &options, &Silent).unwrap();
        let mut ladder = compressed.ladder;
        assert_eq!(note(&ladder), None);
        let svg = draw(&ladder);
        for encoding in [Encoding::I8, Encoding::I16, Encoding::F32] {
            let rungs = ladder.rungs.iter().filter(|rung| rung.encoding == encoding).count();
            assert_eq!(svg.matches(&format!("class=\"{}\"", encoding.name())).count(), rungs);
        }
        assert_eq!(svg.matches("class=\"ring\"").count(), 1);
        let taken = ladder.taken();
        assert!(svg.contains(&format!("{} bytes, taken", taken.bytes)) && svg.contains("tolerance 0.5 %"));
        let table = numbers(&ladder);
        let name = format!("4 supports in {}, taken", taken.encoding.name());
        assert!(table.contains(&format!("<tr class=\"taken\"><th scope=\"row\">{name}</th>")), "{table}");
        assert!(table.contains(">40 supports in f32, as trained<"), "{table}");
        ladder.bytes = ModelBytes::new(&ladder.bytes[..70]);
        assert!(note(&ladder).unwrap().contains("the file has 70 bytes"));
    }
}
