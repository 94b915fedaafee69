//! One classification tree on weighted rows.
//!
//! A node of weight w with class weights w_0, w_1 has Gini impurity 1 - (w_0^2 + w_1^2) / w^2. It is split by x_j <= t so that
//!
//!   (w_0^2 + w_1^2) / w  of the left child  +  the same of the right child
//!
//! is largest, which lowers the weighted impurity most. Leaves keep a least number of rows; a leaf answers w_1 / w.
//!
//! | kind | features tried at a node | thresholds of a feature |
//! |---|---|---|
//! | extra tree | all | one, uniform between the least and the largest value |
//! | random tree (of a random forest) | the root of their number, drawn | all that separate two rows |
//!
//! The importance of a feature is the share of the tree's impurity decrease that its splits made.

use crate::base::random::Random;
use crate::choose::metrics::quotient;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreeKind {
    Extra,
    Random,
}

/// What a tree grows on. Rows of weight 0 are ignored.
pub(super) struct TreeData<'a> {
    /// Feature-major values.
    pub columns: &'a [Vec<f64>],
    pub class: &'a [bool],
    pub weight: &'a [f64],
}

#[derive(Debug, Clone)]
enum Node {
    Leaf {
        share: f64,
    },
    /// The left child follows; the right one is elsewhere.
    Split {
        feature: usize,
        threshold: f64,
        right: usize,
    },
}

#[derive(Debug, Clone)]
pub(super) struct DecisionTree {
    nodes: Vec<Node>,
    /// One per feature; they sum to 1, or are all 0 where no split was made.
    pub importances: Vec<f64>,
}

/// The weights of the two classes.
#[derive(Debug, Clone, Copy, Default)]
struct ClassWeights([f64; 2]);

impl ClassWeights {
    fn add(&mut self, class: bool, weight: f64) {
        self.0[usize::from(class)] += weight;
    }

    fn without(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }

    fn total(self) -> f64 {
        self.0[0] + self.0[1]
    }

    /// (w_0^2 + w_1^2) / w: weight minus weighted impurity.
    fn purity(self) -> f64 {
        quotient(self.0[0] * self.0[0] + self.0[1] * self.0[1], self.total())
    }
}

struct NodeSplit {
    feature: usize,
    threshold: f64,
    purity: f64,
}

impl DecisionTree {
    /// Grows a tree whose leaves have at least `leaf` rows each.
    pub(super) fn grow(sample: &TreeData<'_>, kind: TreeKind, leaf: usize, random: &mut Random) -> Self {
        let mut rows: Vec<usize> = (0..sample.class.len()).filter(|&row| sample.weight[row] > 0.0).collect();
        let mut tree = Self { nodes: Vec::new(), importances: vec![0.0; sample.columns.len()] };
        let mut waiting = vec![(0..rows.len(), None)];
        let mut sorted = Vec::with_capacity(rows.len());
        while let Some((range, parent)) = waiting.pop() {
            let here = tree.nodes.len();
            if let Some(parent) = parent
                && let Node::Split { right, .. } = &mut tree.nodes[parent]
            {
                *right = here;
            }
            let node = &mut rows[range.clone()];
            let mut weights = ClassWeights::default();
            node.iter().for_each(|&row| weights.add(sample.class[row], sample.weight[row]));
            let pure = weights.0[0] <= 0.0 || weights.0[1] <= 0.0;
            let best = (!pure && node.len() >= 2 * leaf)
                .then(|| best_split(sample, kind, leaf, node, weights, random, &mut sorted))
                .flatten();
            let Some(best) = best else {
                let share = quotient(weights.0[1], weights.total());
                tree.nodes.push(Node::Leaf { share });
                continue;
            };
            tree.importances[best.feature] += best.purity - weights.purity();
            let column = &sample.columns[best.feature];
            let count = partition(node, |row| column[row] <= best.threshold);
            let middle = range.start + count;
            tree.nodes.push(Node::Split { feature: best.feature, threshold: best.threshold, right: 0 });
            waiting.push((middle..range.end, Some(here)));
            waiting.push((range.start..middle, None));
        }
        let total: f64 = tree.importances.iter().sum();
        if total > 0.0 {
            tree.importances.iter_mut().for_each(|i| *i /= total);
        }
        tree
    }

    /// The share of positive weight in the leaf that a row falls into; `value(j)` is its feature j.
    pub(super) fn share(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Leaf { share } => return share,
                Node::Split { feature, threshold, right } => {
                    at = if value(feature) <= threshold { at + 1 } else { right }
                }
            }
        }
    }
}

/// The rows that `goes_left` first, each group in its order; their number.
fn partition(rows: &mut [usize], goes_left: impl Fn(usize) -> bool) -> usize {
    let (left, right): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&row| goes_left(row));
    rows.copy_from_slice(&[&left[..], &right].concat());
    left.len()
}

fn best_split(
    sample: &TreeData<'_>,
    kind: TreeKind,
    leaf: usize,
    rows: &[usize],
    weights: ClassWeights,
    random: &mut Random,
    sorted: &mut Vec<(f64, bool, f64)>,
) -> Option<NodeSplit> {
    let features = sample.columns.len();
    let most = match kind {
        TreeKind::Extra => features,
        TreeKind::Random => ((features as f64).sqrt() as usize).max(1),
    };
    let mut order: Vec<usize> = (0..features).collect();
    let mut best: Option<NodeSplit> = None;
    let mut varying = 0;
    for tried in 0..features {
        // Constant features count as tried, but one that varies is looked at in any case.
        if tried >= most && varying > 0 {
            break;
        }
        order.swap(tried, tried + random.below(features - tried));
        let feature = order[tried];
        let column = &sample.columns[feature];
        let (least, largest) = rows
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &row| (l.min(column[row]), h.max(column[row])));
        if least >= largest {
            continue;
        }
        varying += 1;
        let found = match kind {
            TreeKind::Extra => {
                let threshold = random.between(least, largest);
                at_threshold(sample, rows, feature, threshold, weights, leaf)
            }
            TreeKind::Random => {
                sorted.clear();
                sorted.extend(rows.iter().map(|&row| (column[row], sample.class[row], sample.weight[row])));
                sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
                best_threshold(sorted, feature, weights, leaf)
            }
        };
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.purity > best.purity)
        {
            best = Some(found);
        }
    }
    best
}

fn at_threshold(
    sample: &TreeData<'_>,
    rows: &[usize],
    feature: usize,
    threshold: f64,
    weights: ClassWeights,
    leaf: usize,
) -> Option<NodeSplit> {
    let column = &sample.columns[feature];
    let (mut left, mut count) = (ClassWeights::default(), 0);
    for &row in rows {
        if column[row] <= threshold {
            left.add(sample.class[row], sample.weight[row]);
            count += 1;
        }
    }
    (count >= leaf && rows.len() - count >= leaf).then(|| NodeSplit {
        feature,
        threshold,
        purity: left.purity() + weights.without(left).purity(),
    })
}

/// The best threshold of one feature, from its rows in order of value.
fn best_threshold(
    sorted: &[(f64, bool, f64)],
    feature: usize,
    weights: ClassWeights,
    leaf: usize,
) -> Option<NodeSplit> {
    let mut left = ClassWeights::default();
    let mut best: Option<NodeSplit> = None;
    for count in 1..sorted.len() {
        let (here, class, weight) = sorted[count - 1];
        left.add(class, weight);
        let next = sorted[count].0;
        if next <= here || count < leaf || sorted.len() - count < leaf {
            continue;
        }
        let purity = left.purity() + weights.without(left).purity();
        if best.as_ref().is_none_or(|best| purity > best.purity) {
            let middle = 0.5 * here + 0.5 * next;
            // Neighbouring floats have no middle.
            let threshold = if middle < next { middle } else { here };
            best = Some(NodeSplit { feature, threshold, purity });
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow(columns: &[Vec<f64>], class: &[bool], weight: &[f64], kind: TreeKind, leaf: usize) -> DecisionTree {
        let sample = TreeData { columns, class, weight };
        DecisionTree::grow(&sample, kind, leaf, &mut Random::new(1, 0))
    }

    #[test]
    fn the_split_is_where_the_classes_part() {
        let x: Vec<f64> = (0..10).map(f64::from).collect();
        let class: Vec<bool> = (0..10).map(|i| i >= 6).collect();
        let tree = grow(std::slice::from_ref(&x), &class, &[1.0; 10], TreeKind::Random, 1);
        assert_eq!(tree.nodes.len(), 3);
        assert!(matches!(tree.nodes[0], Node::Split { threshold, .. } if threshold == 5.5));
        assert_eq!((tree.share(|_| 5.5), tree.share(|_| 5.6)), (0.0, 1.0));
        assert_eq!(tree.importances, [1.0]);
    }

    #[test]
    fn leaves_keep_their_least_rows_and_answer_with_weights() {
        // The only pure split would leave one row alone.
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        let class = [false, false, false, false, false, true];
        let weight = [1.0, 1.0, 1.0, 1.0, 1.0, 6.0];
        let tree = grow(std::slice::from_ref(&x), &class, &weight, TreeKind::Random, 2);
        assert_eq!(tree.share(|_| 5.0), 6.0 / 7.0);
        assert_eq!(tree.share(|_| 0.0), 0.0);
        // The same from the other side.
        let mirrored: Vec<f64> = x.iter().map(|x| -x).collect();
        let tree = grow(&[mirrored], &class, &weight, TreeKind::Random, 2);
        assert_eq!((tree.share(|_| -5.0), tree.share(|_| 0.0)), (6.0 / 7.0, 0.0));
        let stump = grow(std::slice::from_ref(&x), &class, &weight, TreeKind::Random, 4);
        assert_eq!((stump.nodes.len(), stump.share(|_| 5.0)), (1, 6.0 / 11.0));
    }

    #[test]
    fn the_feature_that_tells_is_the_important_one() {
        let mut random = Random::new(3, 0);
        let class: Vec<bool> = (0..300).map(|i| i % 2 == 0).collect();
        let told = class.iter().map(|&c| f64::from(u8::from(c)) + 0.3 * random.normal());
        let told: Vec<f64> = told.collect();
        let noise: Vec<f64> = (0..300).map(|_| random.normal()).collect();
        let constant = vec![5.0; 300];
        let columns = [noise, told, constant];
        let tree = grow(&columns, &class, &[1.0; 300], TreeKind::Extra, 5);
        assert!(tree.importances[1] > 0.6, "{:?}", tree.importances);
        assert_eq!(tree.importances[2], 0.0);
        assert!((tree.importances.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // A random tree may draw the constant first; it then moves on to one that varies.
        let tree = grow(&columns, &class, &[1.0; 300], TreeKind::Random, 1);
        let right = (0..300).filter(|&row| (tree.share(|j| columns[j][row]) > 0.5) == class[row]);
        assert_eq!(right.count(), 300);
    }

    #[test]
    fn rows_without_weight_are_not_there() {
        let x = vec![0.0, 1.0, 2.0, 3.0];
        let class = [false, true, false, true];
        let tree = grow(&[x], &class, &[1.0, 0.0, 0.0, 1.0], TreeKind::Random, 1);
        assert!(matches!(tree.nodes[0], Node::Split { threshold, .. } if threshold == 1.5));
    }

    #[test]
    fn no_rows_or_no_features_make_a_leaf() {
        let tree = grow(&[], &[true, false], &[1.0, 1.0], TreeKind::Extra, 1);
        assert_eq!(tree.share(|_| 0.0), 0.5);
        assert_eq!(grow(&[vec![]], &[], &[], TreeKind::Extra, 1).share(|_| 0.0), 0.0);
    }
}
