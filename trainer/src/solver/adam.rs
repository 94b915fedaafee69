//! Adam (Kingma and Ba, 2015): steps along a gradient's running mean, each coordinate in units of its running size,
//!
//!   m := b_1 m + (1 - b_1) g,   v := b_2 v + (1 - b_2) g^2,   z := z - step (m / (1 - b_1^t)) / (sqrt(v / (1 - b_2^t)) + e).

const B_1: f64 = 0.9;
const B_2: f64 = 0.999;
const E: f64 = 1e-8;

/// The running moments of one vector of parameters.
#[derive(Debug, Clone)]
pub(crate) struct Adam {
    m: Vec<f64>,
    v: Vec<f64>,
    /// b_1^t and b_2^t.
    decayed: (f64, f64),
}

impl Adam {
    /// For `parameters` parameters.
    pub(crate) fn new(parameters: usize) -> Self {
        Self { m: vec![0.0; parameters], v: vec![0.0; parameters], decayed: (1.0, 1.0) }
    }

    /// Moves `z` by one step of size `step` against `gradient`.
    pub(crate) fn step(&mut self, z: &mut [f64], gradient: &[f64], step: f64) {
        self.decayed.0 *= B_1;
        self.decayed.1 *= B_2;
        let (m_scale, v_scale) = (1.0 / (1.0 - self.decayed.0), 1.0 / (1.0 - self.decayed.1));
        let moments = self.m.iter_mut().zip(&mut self.v);
        for (((m, v), z), g) in moments.zip(z).zip(gradient) {
            *m = B_1 * *m + (1.0 - B_1) * g;
            *v = B_2 * *v + (1.0 - B_2) * g * g;
            *z -= step * (*m * m_scale) / ((*v * v_scale).sqrt() + E);
        }
    }
}
