//! PUF over the settings that were tried: one square per setting.
//!
//! The two settings with the most values are the axes. The others become panels if these are few; otherwise each square shows the
//! best of the settings it stands for, and the title says so.

use super::trials::{GridSearch, Setting, Trial};
use crate::page::axis::short;
use crate::page::svg::{Anchor, Figure, WIDTH};
use crate::page::table::{more, table};
use crate::show::grouped;

/// With more panels than this, one panel shows the best over them.
const MOST_PANELS: usize = 6;
/// With more squares in a row than this there is no room for numbers.
const MOST_WITH_NUMBERS: usize = 8;
const SHADES: f64 = 8.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 26.0;

impl GridSearch {
    /// One figure per panel; nothing if nothing was searched.
    pub fn draw(&self) -> String {
        let mut order: Vec<usize> = (0..self.settings.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.settings[at].values.len()), at));
        let (Some(&x), y) = (order.first(), order.get(1).copied()) else {
            return String::new();
        };
        let rest = order.get(2..).unwrap_or_default();
        let panels: usize = rest.iter().map(|&at| self.settings[at].values.len()).product();
        let folded = panels > MOST_PANELS;
        let mut html = "<div class=\"panels\">\n".to_owned();
        for panel in 0..if folded { 1 } else { panels } {
            let fixed = self.fixed(rest, panel);
            let title = match (folded, rest) {
                (_, []) => self.number.to_owned(),
                (true, _) => format!("{}, the best over {}", self.number, self.names(rest)),
                (false, _) => (fixed.iter())
                    .map(|&(at, value)| {
                        let setting = &self.settings[at];
                        format!("{} {}", setting.name, short(setting.values[value]))
                    })
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            let of_panel = |trial: &&Trial| folded || fixed.iter().all(|&(at, value)| trial.at[at] == value);
            let trials: Vec<&Trial> = self.trials.iter().filter(of_panel).collect();
            html += &self.panel(panel, &title, (x, y), &trials);
        }
        html + "</div>\n" + &self.key() + &self.numbers()
    }

    /// The values in a panel of the settings that are not axes.
    fn fixed(&self, rest: &[usize], mut panel: usize) -> Vec<(usize, usize)> {
        (rest.iter())
            .map(|&at| {
                let count = self.settings[at].values.len();
                let value = panel % count;
                panel /= count;
                (at, value)
            })
            .collect()
    }

    fn names(&self, of: &[usize]) -> String {
        let names: Vec<&str> = of.iter().map(|&at| self.settings[at].name).collect();
        names.join(" and ")
    }

    /// Smallest and largest score, for the shades.
    fn range(&self) -> (f64, f64) {
        let scores = || self.trials.iter().filter_map(|trial| trial.outcome.score);
        (scores().fold(f64::INFINITY, f64::min), scores().fold(f64::NEG_INFINITY, f64::max))
    }

    fn shade(&self, score: f64) -> usize {
        let (low, high) = self.range();
        if high > low { (SHADES * (score - low) / (high - low)).round() as usize } else { SHADES as usize / 2 }
    }

    fn panel(&self, panel: usize, title: &str, (x, y): (usize, Option<usize>), trials: &[&Trial]) -> String {
        let columns = self.settings[x].values.len();
        let rows = y.map_or(1, |y| self.settings[y].values.len());
        let width = (WIDTH - LEFT - 4.0) / columns as f64;
        let height = (260.0 / rows as f64).clamp(6.0, 34.0);
        let bottom = TOP + height * rows as f64;
        let description = match best_of(trials) {
            Some((best, score)) => {
                format!("{} settings; the best is {} at {}.", trials.len(), short(score), self.describe(best))
            }
            None => "No setting could be fitted on every fold.".to_owned(),
        };
        let mut figure =
            Figure::new(&format!("grid-{panel}"), bottom + 34.0, &format!("{}: {title}", self.number), &description);
        figure.text((LEFT, 15.0), Anchor::Start, "b", title);
        let mut taken = None;
        for row in 0..rows {
            for column in 0..columns {
                let here: Vec<&Trial> = (trials.iter())
                    .filter(|trial| trial.at[x] == column && y.is_none_or(|y| trial.at[y] == row))
                    .copied()
                    .collect();
                let corner = (LEFT + width * column as f64, TOP + height * (rows - 1 - row) as f64);
                self.square(&mut figure, corner, (width, height), &here, columns);
                if here.iter().any(|trial| trial.outcome.taken) {
                    taken = Some(corner);
                }
            }
        }
        // Last, so that no square covers it.
        if let Some((left, top)) = taken {
            figure.rect((left, top), (width, height), "behind", "");
            figure.rect((left, top), (width, height), "ring", "taken");
        }
        let setting = &self.settings[x];
        let step = columns.div_ceil(9);
        for (at, value) in setting.values.iter().enumerate().step_by(step) {
            let middle = LEFT + width * (at as f64 + 0.5);
            figure.text((middle, bottom + 14.0), Anchor::Middle, "s", &short(*value));
        }
        let up = y.map(|y| &self.settings[y]);
        let up_name = up.map_or("", |setting| setting.name);
        figure.axis_names((WIDTH - 4.0, bottom + 29.0), setting.name, up_name);
        if let Some(setting) = up {
            let step = rows.div_ceil(12);
            for (at, value) in setting.values.iter().enumerate().step_by(step) {
                let middle = bottom - height * (at as f64 + 0.5) + 4.0;
                figure.text((LEFT - 6.0, middle), Anchor::End, "s", &short(*value));
            }
        }
        figure.svg()
    }

    fn square(
        &self,
        figure: &mut Figure,
        (left, top): (f64, f64),
        (width, height): (f64, f64),
        here: &[&Trial],
        columns: usize,
    ) {
        let gap = if width > 12.0 { 1.0 } else { 0.0 };
        let (corner, size) = ((left + gap, top + gap), (width - 2.0 * gap, height - 2.0 * gap));
        let Some((trial, score)) = best_of(here) else {
            let why = match here {
                [] => "not tried",
                _ => "could not be fitted on every fold",
            };
            return figure.rect(corner, size, "hx", why);
        };
        let shade = self.shade(score);
        let tooltip = format!("{}: {}{}", self.describe(trial), short(score), error(trial));
        figure.rect(corner, size, &format!("h{shade}"), &tooltip);
        if columns <= MOST_WITH_NUMBERS {
            let middle = (left + 0.5 * width, top + 0.5 * height + 4.0);
            let (class, number) = (format!("s n{shade}"), format!("{score:.2}"));
            figure.text(middle, Anchor::Middle, &class, &number);
        }
    }

    fn describe(&self, trial: &Trial) -> String {
        let part = |(setting, &at): (&Setting, &usize)| format!("{} {}", setting.name, short(setting.values[at]));
        let parts: Vec<String> = self.settings.iter().zip(&trial.at).map(part).collect();
        parts.join(", ")
    }

    /// What the shades mean.
    fn key(&self) -> String {
        let (low, high) = self.range();
        let shades: String = (0..=SHADES as usize).map(|shade| format!("<i class=\"h{shade}\"></i>")).collect();
        let ring = if self.trials.iter().any(|trial| trial.outcome.taken) {
            " <span><i class=\"ring\"></i> taken</span>"
        } else {
            ""
        };
        let has_failed = |trial: &Trial| trial.outcome.score.is_none();
        let failed = if self.trials.iter().any(has_failed) {
            " <span><i class=\"hx\"></i> not fitted on every fold</span>"
        } else {
            ""
        };
        format!(
            "<p class=\"key\"><span>{} <span class=\"shades\">{shades}</span> {}</span>{ring}{failed}</p>\n",
            short(low),
            short(high)
        )
    }

    /// The best settings as a table.
    fn numbers(&self) -> String {
        let mut best: Vec<(&Trial, f64)> =
            (self.trials.iter()).filter_map(|trial| Some((trial, trial.outcome.score?))).collect();
        best.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        best.truncate(10);
        let rows: Vec<Vec<String>> = (best.iter().enumerate())
            .map(|(place, (trial, score))| {
                let mark = if trial.outcome.taken { ", taken" } else { "" };
                let settings = self.settings.iter().zip(&trial.at);
                let mut row = vec![format!("{}{mark}", place + 1)];
                row.extend(settings.map(|(setting, &at)| short(setting.values[at])));
                row.push(format!("{score:.3}{}", error(trial)));
                row
            })
            .collect();
        let names = self.settings.iter().map(|setting| setting.name);
        let header: Vec<&str> = std::iter::once("place").chain(names).chain([self.number]).collect();
        let marked = best.iter().position(|(trial, _)| trial.outcome.taken);
        let caption = format!("The best of {} settings", grouped(self.trials.len()));
        more("The ten best in numbers", &table(&caption, &header, &rows, marked))
    }
}

fn error(trial: &Trial) -> String {
    trial.outcome.error.map_or(String::new(), |error| format!(" ± {error:.3}"))
}

/// The best trial and its score.
fn best_of<'a>(trials: &[&'a Trial]) -> Option<(&'a Trial, f64)> {
    (trials.iter())
        .filter_map(|trial| Some((*trial, trial.outcome.score?)))
        .reduce(|best, other| if other.1 > best.1 { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::TrialOutcome;

    fn search(values: &[(f64, f64, f64)], taken: usize) -> GridSearch {
        let trials = (values.iter().enumerate())
            .map(|(at, &(l, lambda, c_u))| {
                let outcome =
                    TrialOutcome { score: (at != 1).then_some(l + lambda + c_u), error: Some(0.1), taken: at == taken };
                (vec![l, lambda, c_u, 7.0], outcome)
            })
            .collect::<Vec<_>>();
        GridSearch::new("PUF", &["bandwidth", "lambda", "C_u", "sigma"], &trials)
    }

    fn cube(sides: (usize, usize, usize)) -> Vec<(f64, f64, f64)> {
        let place = |at: usize| 1.0 + at as f64;
        let at = |at: usize| {
            let (rest, c_u) = (at / sides.2, at % sides.2);
            (place(rest / sides.1), place(rest % sides.1), place(c_u))
        };
        (0..sides.0 * sides.1 * sides.2).map(at).collect()
    }

    #[test]
    fn a_square_for_every_setting_and_one_ring() {
        let html = search(&cube((4, 3, 5)), 17).draw();
        assert_eq!(html.matches("<svg").count(), 3);
        // The setting without a fit is hatched; two more squares belong to the key.
        assert_eq!(html.matches("<rect").count(), 60 + 2);
        assert_eq!(html.matches("class=\"hx\"").count(), 1 + 1);
        assert_eq!(html.matches("class=\"ring\"").count(), 1 + 1);
        assert!(!html.contains("sigma"), "a setting with one value was not searched");
        assert!(html.contains("lambda 3: ") || html.contains(">lambda 3<"));
    }

    #[test]
    fn too_many_panels_are_one_of_the_best() {
        let html = search(&cube((8, 7, 9)), 0).draw();
        assert_eq!(html.matches("<svg").count(), 1);
        assert!(html.contains("the best over lambda"));
        // The best square is the best of its seven.
        assert!(html.contains("bandwidth 8, lambda 7, C_u 9: 24"));
    }

    #[test]
    fn nothing_searched_is_nothing_drawn() {
        assert_eq!(search(&[(1.0, 1.0, 1.0)], 0).draw(), "");
        assert_eq!(search(&cube((1, 4, 1)), 0).draw().matches("<svg").count(), 1);
    }
}
