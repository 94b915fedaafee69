//! What size costs: bytes against F1 lost, one mark a rung of the ladder, and the ladder as it was printed.
//!
//! Losses lie between nothing and everything, most of them near nothing: the axis goes by their square root.

use crate::page::axis::{Axis, sizes};
use crate::page::svg::{Anchor, Figure, WIDTH, place};
use crate::page::table::table;
use crate::show::{grouped, percent};

/// A size on the ladder.
pub struct SizeMark {
    /// Support instances.
    pub supports: usize,
    /// f32, i16 or i8.
    pub encoding: &'static str,
    /// Of the file.
    pub bytes: usize,
    /// On the rows.
    pub puf: Option<f64>,
    /// Root mean square, in parts of what scores are clipped at.
    pub score_error: f64,
    /// Share of rows whose class changed.
    pub changed: f64,
    /// F1 lost, by estimate.
    pub loss: f64,
    /// Whether it is the model as trained.
    pub as_trained: bool,
    /// Whether it is the one written.
    pub taken: bool,
}

/// The ladder.
pub struct Sizes {
    /// In the order of their bytes.
    pub rungs: Vec<SizeMark>,
    /// The largest loss that counts as none.
    pub tolerance: f64,
    /// Bytes of the file: fewer than its rung's where a budget cost it its names or its envelope.
    pub written: usize,
}

const LEFT: f64 = 50.0;
const RIGHT: f64 = WIDTH - 14.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 216.0;

impl Sizes {
    /// The figure alone.
    pub fn draw(&self) -> String {
        let bytes = || self.rungs.iter().map(|rung| rung.bytes as f64);
        let least = bytes().fold(f64::INFINITY, f64::min);
        let most = bytes().fold(0.0, f64::max);
        let across = Axis::logarithmic((least / 1.25, most * 1.25), (LEFT, RIGHT));
        let worst = self
            .rungs
            .iter()
            .map(|rung| rung.loss)
            .fold(2.0 * self.tolerance, f64::max);
        let up = Axis::new((0.0, worst.max(0.001).sqrt()), (BOTTOM, TOP));
        let at = |rung: &SizeMark| {
            (
                across.at(rung.bytes as f64),
                up.at(rung.loss.max(0.0).sqrt()),
            )
        };
        let told: Vec<String> = self.rungs.iter().map(SizeMark::tell).collect();
        let mut figure = Figure::new(
            "sizes",
            BOTTOM + 38.0,
            "Bytes against F1 lost",
            &format!("{}.", told.join("; ")),
        );
        for loss in [0.0, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0] {
            if loss <= worst {
                let y = up.at(f64::sqrt(loss));
                figure.line((LEFT, y), (RIGHT, y), "rule");
                figure.text(
                    (LEFT - 5.0, y + 4.0),
                    Anchor::End,
                    "s",
                    &format!("{} %", 100.0 * loss),
                );
            }
        }
        for size in sizes(least / 1.25, most * 1.25) {
            figure.text(
                (across.at(size), BOTTOM + 16.0),
                Anchor::Middle,
                "s",
                &grouped(size as u64),
            );
        }
        figure.text((RIGHT, BOTTOM + 33.0), Anchor::End, "s", "bytes →");
        figure.text(
            (4.0, BOTTOM + 33.0),
            Anchor::Start,
            "s",
            "↑ F1 lost, by estimate",
        );
        let limit = up.at(self.tolerance.sqrt());
        figure.line((LEFT, limit), (RIGHT, limit), "cut");
        figure.text(
            (RIGHT, limit - 5.0),
            Anchor::End,
            "s",
            &format!("tolerance {} %", 100.0 * self.tolerance),
        );
        for rung in &self.rungs {
            let (x, y) = at(rung);
            figure.raw(&format!(
                "<path d=\"{}\" class=\"{}\"><title>{}</title></path>",
                mark(rung.encoding, x, y),
                rung.encoding,
                rung.tell()
            ));
        }
        if let Some(taken) = self.rungs.iter().find(|rung| rung.taken) {
            let (x, y) = at(taken);
            figure.raw(&format!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"10\" class=\"ring\"/>",
                place(x),
                place(y)
            ));
            let anchor = if x > 0.6 * WIDTH {
                Anchor::End
            } else {
                Anchor::Start
            };
            let side = if x > 0.6 * WIDTH { -14.0 } else { 14.0 };
            let text = format!("{} bytes, taken", grouped(taken.bytes));
            // Above the tolerance's line, on which it would be hard to read.
            figure.text((x + side, y.min(limit) - 16.0), anchor, "b", &text);
        }
        figure.svg()
            + "<p class=\"key\"><span><b class=\"t8\">●</b> i8</span> <span><b class=\"t16\">▲</b> i16</span> <span><b class=\"t32\">■</b> f32</span></p>\n"
    }

    /// What a budget cost beside quality, if anything.
    pub fn note(&self) -> Option<String> {
        let taken = self.rungs.iter().find(|rung| rung.taken)?;
        (taken.bytes != self.written).then(|| {
            format!(
                "Sizes are with names and training range; to meet the budget the file has {} bytes and carries less beside its score.",
                grouped(self.written)
            )
        })
    }

    /// The ladder as it was printed.
    pub fn table(&self) -> String {
        let with_puf = self.rungs.iter().any(|rung| rung.puf.is_some());
        let mut header = vec!["size", "bytes"];
        if with_puf {
            header.push("PUF");
        }
        header.extend(["score error", "classes changed", "F1 lost"]);
        let rows: Vec<Vec<String>> = (self.rungs.iter())
            .map(|rung| {
                let mark = match (rung.taken, rung.as_trained) {
                    (true, true) => ", taken, as trained",
                    (true, false) => ", taken",
                    (false, true) => ", as trained",
                    (false, false) => "",
                };
                let name = format!("{} supports in {}{mark}", rung.supports, rung.encoding);
                let mut row = vec![name, grouped(rung.bytes)];
                if with_puf {
                    row.push(rung.puf.map_or(String::new(), |puf| format!("{puf:.3}")));
                }
                row.push(percent(rung.score_error));
                row.extend(
                    [rung.changed, rung.loss].map(|share| format!("{:.2} %", 100.0 * share)),
                );
                row
            })
            .collect();
        let taken = self.rungs.iter().position(|rung| rung.taken);
        table(
            "Every size that was made, and its price",
            &header,
            &rows,
            taken,
        )
    }
}

impl SizeMark {
    fn tell(&self) -> String {
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
fn mark(encoding: &str, x: f64, y: f64) -> String {
    match encoding {
        "i8" => format!(
            "M{} {}a5 5 0 1 0 10 0a5 5 0 1 0-10 0",
            place(x - 5.0),
            place(y)
        ),
        "i16" => format!("M{} {}l5.5 9.5h-11z", place(x), place(y - 6.0)),
        _ => format!("M{} {}h9v9h-9z", place(x - 4.5), place(y - 4.5)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rung(
        supports: usize,
        encoding: &'static str,
        bytes: usize,
        loss: f64,
        taken: bool,
    ) -> SizeMark {
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
    fn every_rung_is_marked_and_the_taken_one_ringed() {
        let sizes = Sizes {
            rungs: vec![
                rung(4, "i8", 98, 0.004, true),
                rung(4, "i16", 106, 0.003, false),
                rung(160, "f32", 2000, 0.0, false),
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
        assert!(
            table.contains("<tr class=\"taken\"><th scope=\"row\">4 supports in i8, taken</th>")
        );
        assert!(table.contains(">160 supports in f32, as trained<") && table.contains(">0.40 %<"));
    }
}
