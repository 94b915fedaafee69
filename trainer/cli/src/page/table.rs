//! Tables that work on a phone: there each row becomes a card, and each cell shows its column's name.

use super::svg::escape;

/// A table; the first column names the row, the others are numbers.
pub fn table(caption: &str, header: &[&str], rows: &[Vec<String>], marked: Option<usize>) -> String {
    let mut html = format!("<table class=\"cards\"><caption>{}</caption><thead><tr>", escape(caption));
    for name in header {
        html += &format!("<th scope=\"col\">{}</th>", escape(name));
    }
    html += "</tr></thead><tbody>\n";
    for (at, row) in rows.iter().enumerate() {
        html += if marked == Some(at) { "<tr class=\"taken\">" } else { "<tr>" };
        for (column, (cell, name)) in row.iter().zip(header).enumerate() {
            html += &match column {
                0 => format!("<th scope=\"row\">{}</th>", escape(cell)),
                _ => format!("<td data-name=\"{}\">{}</td>", escape(name), escape(cell)),
            };
        }
        html += "</tr>\n";
    }
    html += "</tbody></table>\n";
    html
}

/// A list of names and values.
pub fn facts(facts: &[(String, String)]) -> String {
    let mut html = "<dl>\n".to_owned();
    for (name, value) in facts {
        html += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    }
    html + "</dl>\n"
}

/// Details that unfold.
pub fn more(summary: &str, html: &str) -> String {
    format!("<details><summary>{}</summary>\n{html}</details>\n", escape(summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_knows_its_column() {
        let rows = [vec!["a<b".to_owned(), "1".to_owned()], vec!["c".to_owned(), "2".to_owned()]];
        let html = table("sizes", &["name", "bytes"], &rows, Some(1));
        assert!(html.contains("<th scope=\"row\">a&lt;b</th><td data-name=\"bytes\">1</td>"));
        assert_eq!(html.matches("<tr class=\"taken\">").count(), 1);
        assert!(html.contains("<tr class=\"taken\"><th scope=\"row\">c</th>"));
    }
}
