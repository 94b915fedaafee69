//! The price of size: bytes against F1 lost, one mark per size, and the table as the command prints it.
//!
//! Most losses are near 0, so the axis shows their square root.

use crate::page::axis::{Axis, sizes};
use crate::page::svg::{Anchor, Figure, WIDTH, place};
use crate::page::table::table;
use crate::show::{grouped, percent};

/// One size of the model.
pub struct SizeMark {
    pub supports: usize,
    /// f32, i16 or i8.
    pub encoding: &'static str,
    pub bytes: usize,
    /// On the rows.
    pub puf: Option<f64>,
    /// Root mean square, relative to the value scores are clipped at.
    pub score_error: f64,
    /// Share of rows whose class changed.
    pub changed: f64,
    /// Estimated loss of F1.
    pub loss: f64,
    /// Whether it is the model as trained.
    pub as_trained: bool,
    /// Whether it was written.
    pub taken: bool,
}

/// All sizes.
pub struct Sizes {
    /// By bytes, ascending.
    pub marks: Vec<SizeMark>,
    /// The largest acceptable loss.
    pub tolerance: f64,
    /// Bytes of the file: fewer than the mark's if names or envelope were left out to meet a budget.
    pub written: usize,
}

const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 216.0;

impl Sizes {
    /// The figure alone.
    pub fn draw(&self) -> String {
        let bytes = || self.marks.iter().map(|mark| mark.bytes as f64);
        let least = bytes().fold(f64::INFINITY, f64::min);
        let most = bytes().fold(0.0, f64::max);
        let across = Axis::logarithmic((least / 1.25, most * 1.25), (LEFT, RIGHT));
        let worst = self.marks.iter().map(|mark| mark.loss).fold(2.0 * self.tolerance, f64::max);
        let up = Axis::new((0.0, worst.max(0.001).sqrt()), (BOTTOM, TOP));
        let at = |mark: &SizeMark| (across.at(mark.bytes as f64), up.at(mark.loss.max(0.0).sqrt()));
        let told: Vec<String> = self.marks.iter().map(SizeMark::describe).collect();
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
        let limit = up.at(self.tolerance.sqrt());
        figure.line((LEFT, limit), (RIGHT, limit), "cut");
        figure.text((RIGHT, limit - 5.0), Anchor::End, "s", &format!("tolerance {} %", 100.0 * self.tolerance));
        for mark in &self.marks {
            let (x, y) = at(mark);
            figure.raw(&format!(
                "<path d=\"{}\" class=\"{}\"><title>{}</title></path>",
                shape(mark.encoding, x, y),
                mark.encoding,
                mark.describe()
            ));
        }
        if let Some(taken) = self.marks.iter().find(|mark| mark.taken) {
            let (x, y) = at(taken);
            figure.circle((x, y), 10.0, "ring");
            let (anchor, side) = match x > 0.6 * WIDTH {
                true => (Anchor::End, -14.0),
                false => (Anchor::Start, 14.0),
            };
            let text = format!("{} bytes, taken", grouped(taken.bytes));
            // Above the line of the tolerance, which would make it hard to read.
            figure.text((x + side, y.min(limit) - 16.0), anchor, "b", &text);
        }
        figure.svg()
            + "<p class=\"key\"><span><b class=\"t8\">●</b> i8</span> <span><b class=\"t16\">▲</b> i16</span> <span><b class=\"t32\">■</b> f32</span></p>\n"
    }

    /// What was left out to meet a budget, if anything.
    pub fn note(&self) -> Option<String> {
        let taken = self.marks.iter().find(|mark| mark.taken)?;
        (taken.bytes != self.written).then(|| {
            format!(
                "Sizes include names and training range. To meet the budget, some of these were left out: the file has {} bytes.",
                grouped(self.written)
            )
        })
    }

    /// The table as the command prints it.
    pub fn table(&self) -> String {
        let with_puf = self.marks.iter().any(|mark| mark.puf.is_some());
        let mut header = vec!["size", "bytes"];
        if with_puf {
            header.push("PUF");
        }
        header.extend(["score error", "classes changed", "F1 lost"]);
        let rows: Vec<Vec<String>> = (self.marks.iter())
            .map(|mark| {
                let notes = match (mark.taken, mark.as_trained) {
                    (true, true) => ", taken, as trained",
                    (true, false) => ", taken",
                    (false, true) => ", as trained",
                    (false, false) => "",
                };
                let name = format!("{} supports in {}{notes}", mark.supports, mark.encoding);
                let mut row = vec![name, grouped(mark.bytes)];
                if with_puf {
                    row.push(mark.puf.map_or(String::new(), |puf| format!("{puf:.3}")));
                }
                row.push(percent(mark.score_error));
                row.extend([mark.changed, mark.loss].map(|share| format!("{:.2} %", 100.0 * share)));
                row
            })
            .collect();
        let taken = self.marks.iter().position(|mark| mark.taken);
        table("Every size that was built, and its price", &header, &rows, taken)
    }
}

impl SizeMark {
    fn describe(&self) -> String {
        format!(
            "{} bytes in {} with {} supports lose {:.2} %{}",
            grouped(self.bytes),
            self.encoding,
            self.supports,
            100.0 * self.loss,
            if self.taken { ", taken" } else { "" }
        )
    }
}

/// A circle, a triangle or a square.
fn shape(encoding: &str, x: f64, y: f64) -> String {
    match encoding {
        "i8" => format!("M{} {}a5 5 0 1 0 10 0a5 5 0 1 0-10 0", place(x - 5.0), place(y)),
        "i16" => format!("M{} {}l5.5 9.5h-11z", place(x), place(y - 6.0)),
        _ => format!("M{} {}h9v9h-9z", place(x - 4.5), place(y - 4.5)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(supports: usize, encoding: &'static str, bytes: usize, loss: f64, taken: bool) -> SizeMark {
        SizeMark {
            supports,
            encoding,
            bytes,
            puf: Some(2.0),
            score_error: 0.1,
            changed: 0.02,
            loss,
            as_trained: encoding == "f32",
            taken,
        }
    }

    #[test]
    fn every_size_is_marked_and_the_taken_one_ringed() {
        let sizes = Sizes {
            marks: vec![
                mark(4, "i8", 98, 0.004, true),
                mark(4, "i16", 106, 0.003, false),
                mark(160, "f32", 2000, 0.0, false),
            ],
            tolerance: 0.005,
            written: 80,
        };
        assert!(sizes.note().unwrap().contains("the file has 80 bytes"));
        let svg = sizes.draw();
        for encoding in ["i8", "i16", "f32"] {
            assert_eq!(svg.matches(&format!("class=\"{encoding}\"")).count(), 1);
        }
        assert_eq!(svg.matches("class=\"ring\"").count(), 1);
        assert!(svg.contains("98 bytes, taken") && svg.contains("tolerance 0.5 %"));
        let table = sizes.table();
        assert!(table.contains("<tr class=\"taken\"><th scope=\"row\">4 supports in i8, taken</th>"));
        assert!(table.contains(">160 supports in f32, as trained<") && table.contains(">0.40 %<"));
    }
}
