//! What every figure is drawn with: escaped text, short numbers, and a frame that a screen reader can name.
//!
//! Figures are 400 units wide, so that their text is as large as the page's on a phone of 390 pixels, and not much larger on a desk.

use std::fmt::Write as _;

/// Width of every figure.
pub const WIDTH: f64 = 400.0;

/// Text as it may stand in HTML, attributes included.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Nothing a reader could see, and half of it is not allowed.
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A coordinate: a tenth of a unit is less than can be seen.
pub fn place(value: f64) -> String {
    let tenths = (10.0 * value).round() / 10.0;
    // Adding zero turns -0 into 0.
    format!("{}", tenths + 0.0)
}

/// A name that must fit into so many characters.
pub fn shortened(name: &str, characters: usize) -> String {
    if name.chars().count() <= characters {
        return name.to_owned();
    }
    let kept: String = name.chars().take(characters.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Where a text is tied to its place.
#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A figure while it is drawn.
pub struct Figure {
    name: String,
    height: f64,
    title: String,
    description: String,
    body: String,
}

impl Figure {
    /// `name` is unique on the page; `title` and `description` are what those hear who do not see it.
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
        let _ = writeln!(
            self.body,
            "<text x=\"{}\" y=\"{}\" class=\"{class}{anchor}\">{}</text>",
            place(x),
            place(y),
            escape(text)
        );
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ = writeln!(
            self.body,
            "<path d=\"M{} {}L{} {}\" class=\"{class}\"/>",
            place(x1),
            place(y1),
            place(x2),
            place(y2)
        );
    }

    /// A rectangle by its corner and its size. What a pointer that rests on it is told may be empty.
    pub fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        told: &str,
    ) {
        let told = match told {
            "" => String::new(),
            told => format!("<title>{}</title>", escape(told)),
        };
        let _ = writeln!(
            self.body,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{class}\">{told}</rect>",
            place(x),
            place(y),
            place(width.max(0.0)),
            place(height.max(0.0))
        );
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
        let figure = {
            let mut figure = Figure::new("f", 10.0, "<b>", "\"quoted\" & 'so'");
            figure.text(
                (0.0, 0.0),
                Anchor::Start,
                "",
                "</svg><script>alert(1)</script>\u{1}",
            );
            figure.svg()
        };
        assert!(!figure.contains("<script>") && !figure.contains('\u{1}'));
        assert!(figure.contains("&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt; "));
        assert!(figure.contains("&quot;quoted&quot; &amp; &#39;so&#39;"));
    }

    #[test]
    fn places_are_short_and_names_are_cut() {
        assert_eq!(
            [1.0, -0.01, 2.349, -7.25].map(place),
            ["1", "0", "2.3", "-7.3"]
        );
        assert_eq!(shortened("temperature", 11), "temperature");
        assert_eq!(shortened("temperature", 5), "temp…");
        assert_eq!(shortened("äöüäöü", 3), "äö…");
    }
}
