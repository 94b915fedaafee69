//! K folds of a positive-unlabeled training set, stratified: each holds its share of the labeled and of the unlabeled rows.

use crate::base::random::Random;

/// Keeps the folds' draws apart from every other draw of the same seed.
const STREAM_OF_FOLDS: u64 = 0xF01D;

/// The fold of every row, in `0..folds`: labeled and unlabeled rows are assigned in turn, each group in random order. Every `repeat`
/// reshuffles.
pub(crate) fn stratified(labeled: &[bool], folds: usize, seed: u64, repeat: u64) -> Vec<usize> {
    let mut random = Random::new(seed, STREAM_OF_FOLDS + repeat);
    let mut fold_of = vec![0; labeled.len()];
    for group in [true, false] {
        let mut rows: Vec<usize> = (0..labeled.len()).filter(|&row| labeled[row] == group).collect();
        random.shuffle(&mut rows);
        for (turn, row) in rows.into_iter().enumerate() {
            fold_of[row] = turn % folds.max(1);
        }
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fold_has_its_share_of_both_groups() {
        let labeled: Vec<bool> = (0..103).map(|row| row % 5 == 0).collect();
        let folds = stratified(&labeled, 4, 7, 0);
        for group in [true, false] {
            let sizes = [0, 1, 2, 3].map(|fold| {
                let of_fold = |row: &usize| folds[*row] == fold && labeled[*row] == group;
                (0..103).filter(of_fold).count()
            });
            let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
            assert!(most - least <= 1 && *least > 0, "{sizes:?}");
        }
        assert_eq!(folds, stratified(&labeled, 4, 7, 0));
        assert_ne!(folds, stratified(&labeled, 4, 8, 0));
        assert_ne!(folds, stratified(&labeled, 4, 7, 1));
    }

    #[test]
    fn labels_alone_decide_who_is_drawn_and_the_order_of_rows_is_no_pattern() {
        // Rows in the file's order must not end up in turns: neighbours in a log are alike.
        let folds = stratified(&[false; 400], 4, 1, 0);
        let in_turn = folds.windows(2).filter(|w| (w[0] + 1) % 4 == w[1]).count();
        assert!(in_turn < 150, "{in_turn}");
    }
}
