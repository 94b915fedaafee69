//! The network the paper compared with, for its tables: **host-only**, it cannot be exported to a device.
//!
//! Dense layers with rectifiers, one score out:   h_0 = x,   h_l = [h_{l-1} W_l + b_l]_+,   f = h_L W + b,
//!
//! trained on the uPU or nnPU risk of `risk.rs` under the sigmoid loss. The settings are the defaults of the program that Kiryo et
//! al. published: one hidden layer of 100 units, Adam with step 1e-3, 100 epochs, weight decay 0.005, beta = 0, gamma = 1, weights
//! normal with variance 1/inputs and biases 0 to begin with. What differs:
//!
//! - every step sees all rows (theirs: 10,000 rows per step, which is all rows of a smaller set);
//! - its larger network, `hidden = [300; 4]`, has no batch normalisation here;
//! - double precision; our random numbers.
//!
//! Why not a crate: candle-core brings 150 crates and burn 175, more than all this package needs; these are five products
//! of matrices. A fit is a fixed number of steps, so its status is never "converged".

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

use super::{RowWeights, SigmoidRisk};
use crate::base::random::Random;
use crate::base::scenario::Scenario;
use crate::geometry::instances::Instances;
use crate::learner::{Certificate, FitError, FitReport, check_positive};
use crate::solver::Status;
use crate::solver::adam::Adam;

const STREAM_OF_WEIGHTS: u64 = 0x6d_6c70;

/// A network before training.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mlp {
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// pi = P(y = 1) in the population.
    pub prior: f64,
    /// What the training rows are a sample of.
    pub scenario: Scenario,
    /// nnPU's bound and step back; none for uPU.
    pub bound: Option<RiskBound>,
    /// Steps, each over all rows.
    pub epochs: usize,
    /// Adam's step size.
    pub step: f64,
    /// Added to the gradient, times the parameter.
    pub weight_decay: f64,
    /// Seed of the first weights.
    pub seed: u64,
}

/// nnPU's correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RiskBound {
    /// How far below 0 the bracket may fall.
    pub beta: f64,
    /// Length of the steps back.
    pub gamma: f64,
}

impl Mlp {
    /// uPU with the published settings.
    pub(crate) fn upu(prior: f64, scenario: Scenario, seed: u64) -> Self {
        Self { hidden: vec![100], prior, scenario, bound: None, epochs: 100, step: 1e-3, weight_decay: 0.005, seed }
    }

    /// nnPU with the published settings.
    pub(crate) fn nnpu(prior: f64, scenario: Scenario, seed: u64) -> Self {
        let bound = RiskBound { beta: 0.0, gamma: 1.0 };
        Self { bound: Some(bound), ..Self::upu(prior, scenario, seed) }
    }

    /// Trains on scaled instances.
    pub(crate) fn fit(&self, instances: &Instances) -> Result<MlpFit, FitError> {
        check_positive(&[("step", self.step)])?;
        if self.hidden.contains(&0) {
            return Err(FitError::Setting { name: "units of a hidden layer", value: 0.0, expected: "at least 1" });
        }
        let (n_p, n_u) = (instances.positives(), instances.unlabeled());
        let weights = RowWeights::new(self.prior, self.scenario, n_p, n_u)?;
        let (n, m) = (instances.len(), instances.features());
        let x = Mat::from_fn(n, m, |i, j| instances.column(j, i..i + 1)[0]);
        let layers = layers(m, &self.hidden);
        let mut parameters = first_weights(&layers, self.seed);
        let mut adam = Adam::new(parameters.len());
        let mut values = forward(&layers, &parameters, x.as_ref());
        let (mut objective, mut moved) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..self.epochs {
            let before = scores(&values).to_vec();
            let (_, slopes) = self.risk(&weights, &before);
            let mut gradient = backward(&layers, &parameters, &values, slopes);
            for (gradient, parameter) in gradient.iter_mut().zip(&parameters) {
                *gradient += self.weight_decay * parameter;
            }
            adam.step(&mut parameters, &gradient, self.step);
            values = forward(&layers, &parameters, x.as_ref());
            let after = scores(&values);
            objective = self.risk(&weights, after).0;
            let moves = before.iter().zip(after).map(|(a, b)| (a - b).abs());
            moved = moves.fold(0.0, f64::max);
        }
        Ok(MlpFit {
            layers,
            parameters,
            report: FitReport {
                status: Status::IterationLimit,
                iterations: self.epochs,
                objective,
                certificate: Certificate::StepResidual(moved),
            },
        })
    }

    /// The risk, and what a step goes against in each score.
    fn risk(&self, weights: &RowWeights, f: &[f64]) -> (f64, Vec<f64>) {
        let risk = SigmoidRisk::new(weights, f);
        let beta = self.bound.map_or(f64::INFINITY, |bound| bound.beta);
        let slopes = match self.bound {
            Some(RiskBound { beta, gamma }) if risk.bracket < -beta => {
                risk.bracket_slopes.iter().map(|b| -gamma * b).collect()
            }
            _ => {
                let parts = risk.positive_slopes.iter().zip(&risk.bracket_slopes);
                parts.map(|(p, b)| p + b).collect()
            }
        };
        (risk.positive + risk.bracket.max(-beta), slopes)
    }
}

/// A trained network.
#[derive(Debug, Clone)]
pub(crate) struct MlpFit {
    layers: Vec<Layer>,
    parameters: Vec<f64>,
    /// How the training went.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests look at it"))]
    pub report: FitReport,
}

impl MlpFit {
    /// The scores of row-major scaled readings.
    pub(crate) fn scores(&self, rows: &[f64]) -> Vec<f64> {
        let m = self.layers[0].inputs;
        let x = Mat::from_fn(rows.len() / m, m, |i, j| rows[i * m + j]);
        scores(&forward(&self.layers, &self.parameters, x.as_ref())).to_vec()
    }
}

/// Where a layer's W (inputs x outputs, column-major) and b stand among the parameters.
#[derive(Debug, Clone, Copy)]
struct Layer {
    inputs: usize,
    outputs: usize,
    at: usize,
}

impl Layer {
    fn size(&self) -> usize {
        (self.inputs + 1) * self.outputs
    }

    fn weights<'a>(&self, parameters: &'a [f64]) -> MatRef<'a, f64> {
        let w = &parameters[self.at..self.at + self.inputs * self.outputs];
        MatRef::from_column_major_slice(w, self.inputs, self.outputs)
    }

    fn biases<'a>(&self, parameters: &'a [f64]) -> &'a [f64] {
        &parameters[self.at + self.inputs * self.outputs..self.at + self.size()]
    }
}

fn layers(inputs: usize, hidden: &[usize]) -> Vec<Layer> {
    let (mut inputs, mut at) = (inputs, 0);
    let outputs = hidden.iter().copied().chain([1]);
    outputs
        .map(|outputs| {
            let layer = Layer { inputs, outputs, at };
            (inputs, at) = (outputs, at + layer.size());
            layer
        })
        .collect()
}

fn first_weights(layers: &[Layer], seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed, STREAM_OF_WEIGHTS);
    let mut parameters = Vec::new();
    for layer in layers {
        let deviation = 1.0 / (layer.inputs as f64).sqrt();
        parameters.extend((0..layer.inputs * layer.outputs).map(|_| deviation * random.normal()));
        parameters.extend(vec![0.0; layer.outputs]);
    }
    parameters
}

/// C := A B, on one thread: many networks are trained side by side.
fn multiply(c: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(c, Accum::Replace, a, b, 1.0, Par::Seq);
}

/// h_0, ..., h_L, f.
fn forward(layers: &[Layer], parameters: &[f64], x: MatRef<'_, f64>) -> Vec<Mat<f64>> {
    let mut values = vec![x.to_owned()];
    for (depth, layer) in layers.iter().enumerate() {
        let mut h = Mat::zeros(x.nrows(), layer.outputs);
        multiply(h.as_mut(), values[depth].as_ref(), layer.weights(parameters));
        let is_hidden = depth + 1 < layers.len();
        for (j, bias) in layer.biases(parameters).iter().enumerate() {
            for h in h.col_as_slice_mut(j) {
                *h += bias;
                if is_hidden {
                    *h = h.max(0.0);
                }
            }
        }
        values.push(h);
    }
    values
}

fn scores(values: &[Mat<f64>]) -> &[f64] {
    values.last().map_or(&[], |f| f.col_as_slice(0))
}

/// The gradient in all parameters, from the slopes in the scores.
fn backward(layers: &[Layer], parameters: &[f64], values: &[Mat<f64>], slopes: Vec<f64>) -> Vec<f64> {
    let mut gradient = vec![0.0; parameters.len()];
    let mut d = Mat::from_fn(slopes.len(), 1, |i, _| slopes[i]);
    for (depth, layer) in layers.iter().enumerate().rev() {
        let part = &mut gradient[layer.at..layer.at + layer.size()];
        let (weights, biases) = part.split_at_mut(layer.inputs * layer.outputs);
        let h = &values[depth];
        let weights = MatMut::from_column_major_slice_mut(weights, layer.inputs, layer.outputs);
        multiply(weights, h.transpose(), d.as_ref());
        for (j, bias) in biases.iter_mut().enumerate() {
            *bias = d.col_as_slice(j).iter().sum();
        }
        if depth == 0 {
            break;
        }
        let mut below = Mat::zeros(h.nrows(), h.ncols());
        multiply(below.as_mut(), d.as_ref(), layer.weights(parameters).transpose());
        for j in 0..h.ncols() {
            for (below, h) in below.col_as_slice_mut(j).iter_mut().zip(h.col_as_slice(j)) {
                *below = if *h > 0.0 { *below } else { 0.0 };
            }
        }
        d = below;
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_a_difference_of_risks() {
        let layers = layers(3, &[5, 4]);
        let mut parameters = first_weights(&layers, 1);
        // Biases away from 0, so that they are tested too.
        parameters.iter_mut().for_each(|p| *p += 0.1);
        let x = Mat::from_fn(9, 3, |i, j| libm::sin((i * 3 + j) as f64));
        let weights = RowWeights::new(0.4, Scenario::CaseControl, 3, 6).unwrap();
        let mlp = Mlp::upu(0.4, Scenario::CaseControl, 1);
        let risk = |parameters: &[f64]| {
            let values = forward(&layers, parameters, x.as_ref());
            mlp.risk(&weights, scores(&values)).0
        };
        let values = forward(&layers, &parameters, x.as_ref());
        let slopes = mlp.risk(&weights, scores(&values)).1;
        let gradient = backward(&layers, &parameters, &values, slopes);
        for at in 0..parameters.len() {
            let shifted = |by: f64| {
                let mut parameters = parameters.clone();
                parameters[at] += by;
                risk(&parameters)
            };
            let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!((difference - gradient[at]).abs() < 1e-9, "{at}: {difference} {}", gradient[at]);
        }
        assert!(gradient.iter().any(|g| g.abs() > 1e-3));
    }

    #[test]
    fn a_bracket_below_its_bound_turns_the_step_around() {
        // The labeled rows score high, the unlabeled low: E[l(-f)] - pi E_p[l(-f)] < 0.
        let f = [3.0, 3.0, -3.0, -3.0];
        let weights = RowWeights::new(0.5, Scenario::CaseControl, 2, 2).unwrap();
        let bracket = SigmoidRisk::new(&weights, &f);
        assert!(bracket.bracket < -0.1);
        let mut mlp = Mlp::nnpu(0.5, Scenario::CaseControl, 1);
        mlp.bound = Some(RiskBound { beta: 0.1, gamma: 0.5 });
        let (risk, slopes) = mlp.risk(&weights, &f);
        assert_eq!(risk, bracket.positive - 0.1);
        assert!(slopes.iter().zip(&bracket.bracket_slopes).all(|(s, b)| *s == -0.5 * b));
        mlp.bound = Some(RiskBound { beta: 1.0, gamma: 0.5 });
        assert_eq!(mlp.risk(&weights, &f).0, bracket.positive + bracket.bracket);
    }
}
