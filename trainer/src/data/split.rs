//! From rows whose truth is known to a positive-unlabeled training set and a test set, by the paper's two protocols.
//!
//! | scenario | steps |
//! |---|---|
//! | single training set (Section 4.1.2) | a share of all rows is for training; a share of its positives gets a label |
//! | case-control (Section 4.2.3) | a share of all positives gets a label; these and a share of the *other* rows are for training |
//!
//! In both the labels fall on positives completely at random. Counts are rounded to the nearest row.

use crate::base::random::Random;

/// A positive-unlabeled training set and its test set, as row numbers of the data they were drawn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Training rows, in random order.
    pub train: Vec<usize>,
    /// For each training row: labeled positive, or unlabeled.
    pub labeled: Vec<bool>,
    /// Test rows, in random order.
    pub test: Vec<usize>,
}

/// Marks a share `label_frequency` of the positives in `truth`, drawn at random.
pub(crate) fn label_positives(truth: &[bool], label_frequency: f64, random: &mut Random) -> Vec<bool> {
    let mut positives: Vec<usize> = (0..truth.len()).filter(|&row| truth[row]).collect();
    random.shuffle(&mut positives);
    positives.truncate(share(label_frequency, positives.len()));
    let mut labeled = vec![false; truth.len()];
    positives.iter().for_each(|&row| labeled[row] = true);
    labeled
}

/// Section 4.1.2: `train_share` of the rows to train on, `label_frequency` of their positives labeled (paper: 0.7, 0.25).
pub(crate) fn single_training_set(
    truth: &[bool],
    train_share: f64,
    label_frequency: f64,
    random: &mut Random,
) -> Split {
    let mut train: Vec<usize> = (0..truth.len()).collect();
    random.shuffle(&mut train);
    let test = train.split_off(share(train_share, train.len()));
    let truth_of_train: Vec<bool> = train.iter().map(|&row| truth[row]).collect();
    Split { labeled: label_positives(&truth_of_train, label_frequency, random), train, test }
}

/// Section 4.2.3: `labeled_share` of all positives labeled, then `train_share` of the rest added unlabeled, the test set being
/// what remains. The label frequency of the training set is g / (g + s (1 - g)) for shares g and s: 1/2 and 1/4 at
/// s = 0.7 and g = 7/17 and 7/37, the paper's.
pub fn case_control(truth: &[bool], train_share: f64, labeled_share: f64, random: &mut Random) -> Split {
    let chosen = label_positives(truth, labeled_share, random);
    let (with_label, mut rest): (Vec<usize>, Vec<usize>) = (0..truth.len()).partition(|&row| chosen[row]);
    random.shuffle(&mut rest);
    let test = rest.split_off(share(train_share, rest.len()));
    let mut train = [with_label, rest].concat();
    random.shuffle(&mut train);
    Split { labeled: train.iter().map(|&row| chosen[row]).collect(), train, test }
}

/// `part` (clamped to [0, 1]) of `whole`, to the nearest row.
fn share(part: f64, whole: usize) -> usize {
    (part.clamp(0.0, 1.0) * whole as f64).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Vec<bool> {
        (0..800).map(|row| row < 400).collect()
    }

    fn check_partition(split: &Split, truth: &[bool]) {
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..truth.len()).collect::<Vec<_>>());
        assert_eq!(split.labeled.len(), split.train.len());
        let negatives_labeled = split.train.iter().zip(&split.labeled).any(|(&row, &l)| l && !truth[row]);
        assert!(!negatives_labeled);
    }

    #[test]
    fn single_training_set_follows_section_4_1() {
        let split = single_training_set(&truth(), 0.7, 0.25, &mut Random::new(1, 0));
        check_partition(&split, &truth());
        assert_eq!((split.train.len(), split.test.len()), (560, 240));
        let positives = split.train.iter().filter(|&&row| truth()[row]).count();
        let labeled = split.labeled.iter().filter(|&&l| l).count();
        assert_eq!(labeled, (0.25 * positives as f64).round() as usize);
        // The rows themselves are drawn without regard to class: 280 positives, standard deviation 6.
        assert!(positives.abs_diff(280) < 36, "{positives}");
        let again = single_training_set(&truth(), 0.7, 0.25, &mut Random::new(1, 1));
        assert_ne!(split, again);
    }

    #[test]
    fn case_control_reaches_the_papers_label_frequencies() {
        for (labeled_share, frequency) in [(7.0 / 17.0, 0.5), (7.0 / 37.0, 0.25)] {
            let split = case_control(&truth(), 0.7, labeled_share, &mut Random::new(2, 0));
            check_partition(&split, &truth());
            let labeled = split.labeled.iter().filter(|&&l| l).count();
            let positives = split.train.iter().filter(|&&row| truth()[row]).count();
            assert_eq!(labeled, (labeled_share * 400.0).round() as usize);
            let got = labeled as f64 / positives as f64;
            assert!((got - frequency).abs() < 0.04, "{got} {frequency}");
        }
    }

    #[test]
    fn labels_fall_on_all_positives_alike() {
        let mut times = vec![0; 800];
        for stream in 0..400 {
            for (row, labeled) in label_positives(&truth(), 0.25, &mut Random::new(5, stream)).iter().enumerate() {
                times[row] += usize::from(*labeled);
            }
        }
        // 100 expected for each positive, standard deviation 9; never for a negative.
        assert!(times[..400].iter().all(|t: &usize| t.abs_diff(100) < 45));
        assert!(times[400..].iter().all(|&t| t == 0));
    }

    #[test]
    fn shares_outside_0_to_1_and_empty_data_are_defined() {
        let random = &mut Random::new(0, 0);
        assert!(single_training_set(&[], 0.7, 0.25, random).train.is_empty());
        let everything = single_training_set(&[true, false], 7.0, 9.0, random);
        assert_eq!((everything.train.len(), everything.test.len()), (2, 0));
        assert_eq!(everything.labeled.iter().filter(|&&l| l).count(), 1);
        assert!(case_control(&[true, true], f64::NAN, -1.0, random).train.is_empty());
    }
}
