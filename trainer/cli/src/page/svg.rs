//! What every figure is drawn with: escaped text, short coordinates, and a title and description for screen readers.
//!
//! Figures are 400 units wide: their text is as large as the page's on a phone of 390 pixels, and not much larger on a desktop.

use super::axis::{Axis, short};

/// Width of every figure.
pub const WIDTH: f64 = 400.0;

/// Text escaped for HTML, including attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Invisible, and partly not allowed in HTML.
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A coordinate, rounded to a tenth of a unit, which is too small to see.
pub fn place(value: f64) -> String {
    let tenths = (10.0 * value).round() / 10.0;
    // Adding zero turns -0 into 0.
    format!("{}", tenths + 0.0)
}

/// A name cut to this many characters.
pub fn shortened(name: &str, characters: usize) -> String {
    if name.chars().count() <= characters {
        return name.to_owned();
    }
    let kept: String = name.chars().take(characters.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Which end of a text is at its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A figure being drawn.
pub struct Figure {
    name: String,
    height: f64,
    title: String,
    description: String,
    body: String,
}

impl Figure {
    /// `name` is unique on the page; `title` and `description` are for screen readers.
    pub fn new(name: &str, height: f64, title: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            height,
            title: title.to_owned(),
            description: description.to_owned(),
            body: String::new(),
        }
    }

    /// Anything, already written as SVG.
    pub fn raw(&mut self, svg: &str) {
        self.body.push_str(svg);
        self.body.push('\n');
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " m",
            Anchor::End => " e",
        };
        let (x, y, text) = (place(x), place(y), escape(text));
        self.raw(&format!("<text x=\"{x}\" y=\"{y}\" class=\"{class}{anchor}\">{text}</text>"));
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(place);
        self.raw(&format!("<path d=\"M{x1} {y1}L{x2} {y2}\" class=\"{class}\"/>"));
    }

    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let (x, y, radius) = (place(x), place(y), place(radius));
        self.raw(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" class=\"{class}\"/>"));
    }

    /// A name, cut to this many characters; the whole name is its tooltip.
    pub fn name(&mut self, (x, y): (f64, f64), class: &str, name: &str, characters: usize) {
        let (x, y) = (place(x), place(y));
        let (cut, whole) = (escape(&shortened(name, characters)), escape(name));
        self.raw(&format!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{cut}<title>{whole}</title></text>"));
    }

    /// About this many round numbers below the figure, none of them beyond the ends.
    pub fn ticks_across(&mut self, axis: &Axis, about: usize, y: f64, (from, to): (f64, f64)) {
        for tick in axis.ticks(about) {
            let x = axis.at(tick).clamp(from, to);
            self.text((x, y), Anchor::Middle, "s", &short(tick));
        }
    }

    /// About this many round numbers on the left, which end at `x`.
    pub fn ticks_up(&mut self, axis: &Axis, about: usize, x: f64) {
        for tick in axis.ticks(about) {
            let y = axis.at(tick) + 4.0;
            self.text((x, y), Anchor::End, "s", &short(tick));
        }
    }

    /// The names of the two axes, below the figure.
    pub fn axis_names(&mut self, (right, y): (f64, f64), across: &str, up: &str) {
        self.text((right, y), Anchor::End, "s", &format!("{across} →"));
        if !up.is_empty() {
            self.text((4.0, y), Anchor::Start, "s", &format!("↑ {up}"));
        }
    }

    /// A rectangle by its corner and its size, with a tooltip unless that is empty.
    pub fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, tooltip: &str) {
        let tooltip = match tooltip {
            "" => String::new(),
            text => format!("<title>{}</title>", escape(text)),
        };
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(place);
        let place = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.raw(&format!("<rect {place} class=\"{class}\">{tooltip}</rect>"));
    }

    /// The finished figure.
    pub fn svg(&self) -> String {
        let Self { name, height, .. } = self;
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-labelledby=\"{name}-t {name}-d\" id=\"{name}\">\n\
             <title id=\"{name}-t\">{}</title>\n<desc id=\"{name}-d\">{}</desc>\n{}</svg>\n",
            place(*height),
            escape(&self.title),
            escape(&self.description),
            self.body
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_stays_text() {
        let mut figure = Figure::new("f", 10.0, "<b>", "\"quoted\" & 'so'");
        figure.text((0.0, 0.0), Anchor::Start, "", "</svg><script>alert(1)</script>\u{1}");
        let figure = figure.svg();
        assert!(!figure.contains("<script>") && !figure.contains('\u{1}'));
        assert!(figure.contains("&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt; "));
        assert!(figure.contains("&quot;quoted&quot; &amp; &#39;so&#39;"));
    }

    #[test]
    fn places_are_short_and_names_are_cut() {
        assert_eq!([1.0, -0.01, 2.349, -7.25].map(place), ["1", "0", "2.3", "-7.3"]);
        assert_eq!(shortened("temperature", 11), "temperature");
        assert_eq!(shortened("temperature", 5), "temp…");
        assert_eq!(shortened("äöüäöü", 3), "äö…");
    }
}
