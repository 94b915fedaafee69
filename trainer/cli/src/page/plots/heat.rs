//! PUF over the settings that were tried: one square a setting, one panel for each value of what two axes cannot show.
//!
//! The two settings with most values are the axes. The others make panels if those are few; if not, each square shows the best of
//! what it stands for, and says so.

use super::trials::{GridSearch, Setting, Trial};
use crate::page::axis::short;
use crate::page::svg::{Anchor, Figure, WIDTH};
use crate::page::table::{more, table};
use crate::show::grouped;

/// More panels than this are no panels but the best of them.
const MOST_PANELS: usize = 6;
/// More squares in a row than this have no room for their numbers.
const MOST_WITH_NUMBERS: usize = 8;
/// Shades.
const SHADES: f64 = 8.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 26.0;

impl GridSearch {
    /// The figures, one a panel; nothing where nothing was searched.
    pub fn draw(&self) -> String {
        let mut order: Vec<usize> = (0..self.settings.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.settings[at].values.len()), at));
        let (Some(&x), y) = (order.first(), order.get(1).copied()) else {
            return String::new();
        };
        let rest = order.get(2..).unwrap_or_default();
        let panels: usize = rest
            .iter()
            .map(|&at| self.settings[at].values.len())
            .product();
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
            let of_panel =
                |trial: &&Trial| folded || fixed.iter().all(|&(at, value)| trial.at[at] == value);
            let trials: Vec<&Trial> = self.trials.iter().filter(of_panel).collect();
            html += &self.panel(panel, &title, (x, y), &trials);
        }
        html + "</div>\n" + &self.key() + &self.numbers()
    }

    /// Which value each setting that is no axis has in a panel.
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

    /// Least and greatest number; shades lie between them.
    fn range(&self) -> (f64, f64) {
        let scores = || self.trials.iter().filter_map(|trial| trial.outcome.score);
        (
            scores().fold(f64::INFINITY, f64::min),
            scores().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    fn shade(&self, score: f64) -> usize {
        let (low, high) = self.range();
        match high > low {
            true => (SHADES * (score - low) / (high - low)).round() as usize,
            false => SHADES as usize / 2,
        }
    }

    fn panel(
        &self,
        panel: usize,
        title: &str,
        (x, y): (usize, Option<usize>),
        trials: &[&Trial],
    ) -> String {
        let columns = self.settings[x].values.len();
        let rows = y.map_or(1, |y| self.settings[y].values.len());
        let width = (WIDTH - LEFT - 4.0) / columns as f64;
        let height = (260.0 / rows as f64).clamp(6.0, 34.0);
        let bottom = TOP + height * rows as f64;
        let told = match best_of(trials) {
            Some((best, score)) => format!(
                "{} settings; the best here has {} at {}.",
                trials.len(),
                short(score),
                self.describe(best)
            ),
            None => "No setting could be fitted on every fold.".to_owned(),
        };
        let mut figure = Figure::new(
            &format!("grid-{panel}"),
            bottom + 34.0,
            &format!("{}: {title}", self.number),
            &told,
        );
        figure.text((LEFT, 15.0), Anchor::Start, "b", title);
        let mut taken = None;
        for row in 0..rows {
            for column in 0..columns {
                let here: Vec<&Trial> = (trials.iter())
                    .filter(|trial| trial.at[x] == column && y.is_none_or(|y| trial.at[y] == row))
                    .copied()
                    .collect();
                let corner = (
                    LEFT + width * column as f64,
                    TOP + height * (rows - 1 - row) as f64,
                );
                self.square(&mut figure, corner, (width, height), &here, columns);
                if here.iter().any(|trial| trial.outcome.taken) {
                    taken = Some(corner);
                }
            }
        }
        // Last, so that no square lies on it.
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
        figure.text(
            (WIDTH - 4.0, bottom + 29.0),
            Anchor::End,
            "s",
            &format!("{} →", setting.name),
        );
        if let Some(setting) = y.map(|y| &self.settings[y]) {
            let step = rows.div_ceil(12);
            for (at, value) in setting.values.iter().enumerate().step_by(step) {
                let middle = bottom - height * (at as f64 + 0.5) + 4.0;
                figure.text((LEFT - 6.0, middle), Anchor::End, "s", &short(*value));
            }
            figure.text(
                (4.0, bottom + 29.0),
                Anchor::Start,
                "s",
                &format!("↑ {}", setting.name),
            );
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
        let (corner, size) = (
            (left + gap, top + gap),
            (width - 2.0 * gap, height - 2.0 * gap),
        );
        let Some((trial, score)) = best_of(here) else {
            let told = if here.is_empty() {
                "not tried"
            } else {
                "could not be fitted on every fold"
            };
            figure.rect(corner, size, "hx", told);
            return;
        };
        let shade = self.shade(score);
        let told = format!("{}: {}{}", self.describe(trial), short(score), error(trial));
        figure.rect(corner, size, &format!("h{shade}"), &told);
        if columns <= MOST_WITH_NUMBERS {
            let middle = (left + 0.5 * width, top + 0.5 * height + 4.0);
            figure.text(
                middle,
                Anchor::Middle,
                &format!("s n{shade}"),
                &format!("{score:.2}"),
            );
        }
    }

    fn describe(&self, trial: &Trial) -> String {
        let part = |(setting, &at): (&Setting, &usize)| {
            format!("{} {}", setting.name, short(setting.values[at]))
        };
        let parts: Vec<String> = self.settings.iter().zip(&trial.at).map(part).collect();
        parts.join(", ")
    }

    /// What the shades mean.
    fn key(&self) -> String {
        let (low, high) = self.range();
        let shades: String = (0..=SHADES as usize)
            .map(|shade| format!("<i class=\"h{shade}\"></i>"))
            .collect();
        let ring = match self.trials.iter().any(|trial| trial.outcome.taken) {
            true => " <span><i class=\"ring\"></i> taken</span>",
            false => "",
        };
        let failed = match self
            .trials
            .iter()
            .any(|trial| trial.outcome.score.is_none())
        {
            true => " <span><i class=\"hx\"></i> not fitted on every fold</span>",
            false => "",
        };
        format!(
            "<p class=\"key\"><span>{} <span class=\"shades\">{shades}</span> {}</span>{ring}{failed}</p>\n",
            short(low),
            short(high)
        )
    }

    /// The best settings as a table.
    fn numbers(&self) -> String {
        let mut best: Vec<&Trial> = self
            .trials
            .iter()
            .filter(|trial| trial.outcome.score.is_some())
            .collect();
        best.sort_by(|a, b| {
            b.outcome
                .score
                .unwrap_or(0.0)
                .total_cmp(&a.outcome.score.unwrap_or(0.0))
        });
        best.truncate(10);
        let rows: Vec<Vec<String>> = (best.iter().enumerate())
            .map(|(place, trial)| {
                let mut row = vec![format!(
                    "{}{}",
                    place + 1,
                    if trial.outcome.taken { ", taken" } else { "" }
                )];
                row.extend(
                    self.settings
                        .iter()
                        .zip(&trial.at)
                        .map(|(setting, &at)| short(setting.values[at])),
                );
                row.push(format!(
                    "{:.3}{}",
                    trial.outcome.score.unwrap_or(0.0),
                    error(trial)
                ));
                row
            })
            .collect();
        let names = self.settings.iter().map(|setting| setting.name);
        let header: Vec<&str> = std::iter::once("place")
            .chain(names)
            .chain([self.number])
            .collect();
        let marked = best.iter().position(|trial| trial.outcome.taken);
        let caption = format!("The best of {} settings", grouped(self.trials.len()));
        more(
            "The best ten in numbers",
            &table(&caption, &header, &rows, marked),
        )
    }
}

fn error(trial: &Trial) -> String {
    trial
        .outcome
        .error
        .map_or(String::new(), |error| format!(" ± {error:.3}"))
}

/// The best trial and its number.
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
                let outcome = TrialOutcome {
                    score: (at != 1).then_some(l + lambda + c_u),
                    error: Some(0.1),
                    taken: at == taken,
                };
                (vec![l, lambda, c_u, 7.0], outcome)
            })
            .collect::<Vec<_>>();
        GridSearch::new("PUF", &["bandwidth", "lambda", "C_u", "sigma"], &trials)
    }

    fn cube(sides: (usize, usize, usize)) -> Vec<(f64, f64, f64)> {
        let mut all = Vec::new();
        for l in 0..sides.0 {
            for lambda in 0..sides.1 {
                for c_u in 0..sides.2 {
                    all.push((1.0 + l as f64, 1.0 + lambda as f64, 1.0 + c_u as f64));
                }
            }
        }
        all
    }

    #[test]
    fn a_square_for_every_setting_and_one_ring() {
        let html = search(&cube((4, 3, 5)), 17).draw();
        assert_eq!(html.matches("<svg").count(), 3);
        // The setting without a fit is hatched; the two extra ones are the key's.
        assert_eq!(html.matches("<rect").count(), 60 + 2);
        assert_eq!(html.matches("class=\"hx\"").count(), 1 + 1);
        assert_eq!(html.matches("class=\"ring\"").count(), 1 + 1);
        assert!(
            !html.contains("sigma"),
            "what has one value was not searched"
        );
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
        assert_eq!(
            search(&cube((1, 4, 1)), 0).draw().matches("<svg").count(),
            1
        );
    }
}
