//! The paper's own numbers: F1 in percent and its standard deviation.

use crate::data::synth::PAPER_MEANS;

/// Mean and standard deviation.
pub type Published = (f64, f64);

/// Table 2: PUAL and GLLC for each mean_p2.
const TABLE2: [[Published; 2]; 5] = [
    [(95.07, 0.78), (91.17, 1.52)],
    [(94.89, 0.61), (86.27, 1.83)],
    [(93.56, 0.75), (81.04, 2.93)],
    [(92.83, 3.22), (73.58, 2.58)],
    [(93.47, 2.08), (71.28, 2.37)],
];

/// A data set of Table 4, with PUAL, GLLC, uPU and nnPU at label frequencies 0.5 and 0.25.
type PublishedRow = (&'static str, [Published; 4], [Published; 4]);

/// Table 4, in the paper's order.
#[rustfmt::skip]
#[allow(clippy::approx_constant)] // 6.28 is a standard deviation.
const TABLE4: [PublishedRow; 16] = [
    ("ENB", [(42.82, 4.76), (42.69, 4.62), (29.58, 22.14), (30.20, 23.67)], [(45.82, 7.50), (44.16, 6.56), (26.12, 30.53), (26.88, 31.28)]),
    ("HD", [(82.72, 2.35), (81.97, 5.45), (71.38, 4.23), (74.38, 2.19)], [(81.92, 4.03), (84.46, 4.11), (71.01, 3.97), (75.06, 2.40)]),
    ("Pen", [(92.47, 8.13), (88.92, 10.15), (77.76, 31.00), (87.50, 14.94)], [(91.73, 9.04), (87.02, 11.38), (72.55, 31.03), (84.06, 16.85)]),
    ("LD", [(44.24, 5.72), (50.79, 6.86), (11.88, 25.75), (31.54, 27.79)], [(36.85, 9.97), (40.05, 8.85), (10.15, 22.39), (20.09, 26.27)]),
    ("OR1", [(90.05, 2.25), (85.62, 3.77), (16.64, 33.33), (84.08, 6.88)], [(83.88, 5.78), (72.95, 5.50), (20.90, 33.12), (72.06, 6.99)]),
    ("RD", [(82.45, 2.18), (83.01, 2.38), (70.61, 12.89), (71.29, 13.63)], [(77.63, 3.77), (81.99, 2.84), (72.92, 14.53), (73.12, 12.83)]),
    ("Seeds", [(92.31, 4.86), (94.63, 2.81), (92.37, 1.51), (97.25, 3.65)], [(89.05, 5.53), (91.18, 4.48), (86.85, 3.12), (93.08, 3.89)]),
    ("wifi", [(95.10, 1.96), (90.43, 4.65), (91.16, 4.29), (92.17, 3.17)], [(96.69, 1.83), (89.09, 4.77), (87.69, 2.88), (89.27, 2.61)]),
    ("Avila", [(55.82, 2.90), (59.56, 4.10), (62.74, 8.82), (63.75, 9.07)], [(50.05, 4.22), (54.99, 6.17), (61.30, 9.23), (61.00, 9.04)]),
    ("OD", [(89.00, 8.44), (100.00, 0.00), (80.00, 42.16), (100.00, 0.00)], [(95.69, 6.74), (100.00, 0.00), (80.00, 42.16), (100.00, 0.00)]),
    ("OR2", [(88.93, 1.22), (86.49, 1.38), (76.92, 4.90), (81.60, 4.23)], [(85.50, 3.42), (77.10, 5.65), (74.41, 5.45), (77.28, 3.76)]),
    ("PB", [(95.90, 1.12), (100.00, 0.00), (69.77, 2.62), (67.19, 3.17)], [(97.86, 0.67), (100.00, 0.00), (68.75, 2.63), (66.63, 4.09)]),
    ("Acc", [(65.02, 4.79), (68.10, 2.18), (20.05, 27.57), (20.46, 28.56)], [(66.36, 4.42), (64.08, 6.31), (21.95, 29.61), (23.43, 31.40)]),
    ("Ecoli", [(90.80, 2.59), (90.15, 6.28), (84.41, 6.13), (85.92, 6.69)], [(88.04, 4.44), (88.03, 3.96), (84.92, 6.82), (86.05, 6.55)]),
    ("SSMCR", [(87.63, 1.29), (87.35, 2.14), (85.71, 1.98), (87.42, 1.37)], [(87.63, 1.29), (87.35, 2.14), (84.97, 2.03), (86.79, 1.50)]),
    ("UMD", [(100.00, 0.00), (99.80, 0.62), (100.00, 0.00), (100.00, 0.00)], [(99.58, 0.88), (98.41, 1.80), (100.00, 0.00), (100.00, 0.00)]),
];

/// The data sets of Table 4, in the paper's order.
pub fn data_sets() -> impl Iterator<Item = &'static str> {
    TABLE4.iter().map(|(name, ..)| *name)
}

/// Table 2's number for a method called as in the paper.
pub fn table2(mean_p2: f64, method: &str) -> Option<Published> {
    let row = PAPER_MEANS.iter().position(|&mean| mean == mean_p2)?;
    let column = ["PUAL", "GLLC"].iter().position(|&name| name == method)?;
    Some(TABLE2[row][column])
}

/// Table 4's number for a method called as in the paper.
pub fn table4(data_set: &str, label_frequency: f64, method: &str) -> Option<Published> {
    let (_, half, quarter) = TABLE4.iter().find(|(name, ..)| name.eq_ignore_ascii_case(data_set))?;
    let column = ["PUAL", "GLLC", "uPU", "nnPU"].iter().position(|&name| name == method)?;
    match label_frequency {
        0.5 => Some(half[column]),
        0.25 => Some(quarter[column]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_means_of_the_columns_are_those_of_the_printed_table() {
        let mean = |method: &str| {
            let cells = data_sets().flat_map(|set| [0.5, 0.25].map(|f| table4(set, f, method)));
            let values: Vec<f64> = cells.map(|cell| cell.unwrap().0).collect();
            assert_eq!(values.len(), 32);
            values.iter().sum::<f64>() / 32.0
        };
        assert!((mean("PUAL") - 80.3).abs() < 0.05, "{}", mean("PUAL"));
        assert!((mean("GLLC") - 80.3).abs() < 0.05, "{}", mean("GLLC"));
        assert_eq!(table4("wifi", 0.25, "GLLC"), Some((89.09, 4.77)));
        assert_eq!(table4("or1", 0.5, "uPU"), Some((16.64, 33.33)));
        assert_eq!(table2(200.0, "GLLC"), Some((81.04, 2.93)));
        assert_eq!(table2(300.0, "GLLC"), None);
        assert_eq!(table4("iris", 0.5, "PUAL"), None);
    }
}
