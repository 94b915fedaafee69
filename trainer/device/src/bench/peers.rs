//! What other libraries need for the same scores: random RBF models of the same sizes, counted once in QEMU, compiled by
//! gcc 12.2 (-O3 for CMSIS-DSP).

use serde::Serialize;

/// Another library on a core; `None` where it was not measured.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peer {
    /// The core.
    pub core: &'static str,
    /// The library and function.
    pub name: &'static str,
    /// Instructions per score, for each of [`SIZES`](super::SIZES).
    pub instructions: [Option<u32>; 4],
    /// Bytes of code, with the model where the model is code.
    pub code_bytes: Option<u32>,
    /// Bytes of stack.
    pub stack_bytes: Option<u32>,
}

const fn peer(
    core: &'static str,
    name: &'static str,
    instructions: [u32; 4],
    code_bytes: u32,
    stack_bytes: u32,
) -> Peer {
    /// 0 stands for a figure that was not measured.
    const fn known(number: u32) -> Option<u32> {
        if number == 0 { None } else { Some(number) }
    }
    let [a, b, c, d] = instructions;
    Peer {
        core,
        name,
        instructions: [known(a), known(b), known(c), known(d)],
        code_bytes: known(code_bytes),
        stack_bytes: known(stack_bytes),
    }
}

/// The recorded figures.
#[rustfmt::skip]
pub const PEERS: [Peer; 7] = [
    peer("Cortex-M4F", "CMSIS-DSP arm_svm_rbf_predict_f32", [6_854, 32_161, 88_045, 46_238], 932, 88),
    peer("Cortex-M4F", "CMSIS-DSP, a fast exp in place of libm's", [4_064, 20_768, 56_732, 34_592], 396, 48),
    peer("Cortex-M4F", "m2cgen (double)", [182_000, 892_000, 2_450_000, 1_340_000], 120_000, 2_304),
    peer("Cortex-M4F", "micromlgen", [197_000, 983_000, 2_690_000, 1_540_000], 52_000, 1_248),
    peer("Cortex-M4F", "libsvm's own predict", [189_000, 920_000, 0, 1_380_000], 9_500, 496),
    peer("Cortex-M3", "CMSIS-DSP arm_svm_rbf_predict_f32", [0, 590_000, 0, 0], 0, 0),
    peer("Cortex-M0", "CMSIS-DSP arm_svm_rbf_predict_f32", [0, 1_208_000, 0, 0], 0, 0),
];
