//! The score over a plane as colours, and the line where its sign changes.

use super::plane::CELLS;
use crate::page::svg::{Figure, place};

/// Where the map lies in its figure.
pub const LEFT: f64 = 48.0;
pub const TOP: f64 = 6.0;
pub const RIGHT: f64 = LEFT + SIDE * CELLS.0 as f64;
pub const BOTTOM: f64 = TOP + SIDE * CELLS.1 as f64;
/// Width and height of a cell.
const SIDE: f64 = 6.0;
/// Shades on either side of the border.
const SHADES: f64 = 3.0;

/// The field in seven shades, one path each.
pub fn shade(figure: &mut Figure, field: &[f64]) {
    let level = |at: usize| (SHADES + SHADES * field[at]).round() as usize;
    for wanted in 0..=2 * SHADES as usize {
        let mut path = String::new();
        for up in 0..CELLS.1 {
            let mut across = 0;
            while across < CELLS.0 {
                let start = across;
                while across < CELLS.0 && level(up * CELLS.0 + across) == wanted {
                    across += 1;
                }
                if across == start {
                    across += 1;
                    continue;
                }
                let top = BOTTOM - SIDE * (up + 1) as f64;
                let width = SIDE * (across - start) as f64;
                path += &format!("M{} {}h{width}v{SIDE}h-{width}z", LEFT + SIDE * start as f64, top);
            }
        }
        if !path.is_empty() {
            figure.raw(&format!("<path d=\"{path}\" class=\"f{wanted} crisp\"/>"));
        }
    }
}

/// The line where the field changes its sign, by marching squares between the centres of cells.
pub fn border(field: &[f64]) -> String {
    let mut path = String::new();
    let middle = |across: f64, up: f64| (LEFT + SIDE * (across + 0.5), BOTTOM - SIDE * (up + 0.5));
    for up in 0..CELLS.1 - 1 {
        for across in 0..CELLS.0 - 1 {
            let corner = |dx: usize, dy: usize| field[(up + dy) * CELLS.0 + across + dx];
            let corners = [(0, 0), (1, 0), (1, 1), (0, 1)];
            let mut crossings = Vec::new();
            for (at, &(x, y)) in corners.iter().enumerate() {
                let (nx, ny) = corners[(at + 1) % 4];
                let (a, b) = (corner(x, y), corner(nx, ny));
                if (a > 0.0) != (b > 0.0) {
                    let t = a / (a - b);
                    let mix = |from: usize, to: usize| from as f64 + t * (to as f64 - from as f64);
                    crossings.push(middle(across as f64 + mix(x, nx), up as f64 + mix(y, ny)));
                }
            }
            for pair in crossings.chunks_exact(2) {
                let [x1, y1, x2, y2] = [pair[0].0, pair[0].1, pair[1].0, pair[1].1].map(place);
                path += &format!("M{x1} {y1}L{x2} {y2}");
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_is_where_the_sign_changes() {
        let mut field = vec![-1.0; CELLS.0 * CELLS.1];
        assert_eq!(border(&field), "");
        // One cell that differs from its neighbours: four short strokes around it.
        field[5 * CELLS.0 + 7] = 1.0;
        assert_eq!(border(&field).matches('M').count(), 4);
    }
}
