//! FNV-1a, 64 bits: recognises rows and accidental damage, protects from no attacker.

/// The hash of nothing.
pub(crate) const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues `hash` with `bytes`.
pub(crate) fn fnv_1a(hash: u64, bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
