//! Models that carry a signature: firmware with the public key runs only what the holder of the secret key signed.
//!
//! ```text
//!   model | "PUALSIGN" | version | signature
//!           8 bytes      4         64
//! ```
//!
//! The signature is Ed25519 (RFC 8032, section 5.1) over everything before it. The tag distinguishes signatures of models from
//! others made with the same key; the version counter lets firmware refuse a model that is genuine but older than one it
//! has run.
//!
//! ```
//! use pual_infer::{Aligned, SignatureError, SignedModel};
//!
//! const KEY: [u8; 32] = [ // from `pual keygen`
//! #     0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07, 0x3a,
//! #     0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07, 0x51, 0x1a,
//! ];
//! # let bytes = Aligned([0xFF; 200]);
//! # let bytes = &bytes.0;
//! match SignedModel::open(bytes, &KEY, 3) {
//!     Ok(signed) => drop(signed.decode()), // and score with it
//!     Err(SignatureError::Unsigned) => { /* not ours: run the built-in model */ }
//!     Err(_) => { /* forged, or older than version 3 */ }
//! }
//! ```

use crate::error::DecodeError;
use crate::keep_rolled;
use crate::model::Model;
use crate::wire::LENGTH_OFFSET;
use core::fmt;
use core::hint::black_box;

/// Bytes that a signature adds to a model.
pub const SIGNATURE_BYTES: usize = HEAD_BYTES + 64;

const TAG: [u8; 8] = *b"PUALSIGN";
const HEAD_BYTES: usize = TAG.len() + 4;

/// The order of the group, L, little-endian: a signature whose number S is not below it could be a changed copy of
/// a valid one (RFC 8032, section 5.1.7, step 1).
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Why a signature was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SignatureError {
    /// No model, or no signature after it.
    Unsigned,
    /// Something other than erased flash (0xFF) follows the signature.
    TrailingBytes,
    /// Not what the holder of the key signed: model, version or signature differ.
    Forged,
    /// Genuine, but below the minimum version.
    Version(u32),
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned => f.write_str("the model is not signed"),
            Self::TrailingBytes => f.write_str("something other than erased flash follows the signature"),
            Self::Forged => f.write_str("the signature does not match the model and the key"),
            Self::Version(version) => write!(f, "the model's version, {version}, is too old"),
        }
    }
}

impl core::error::Error for SignatureError {}

/// A model whose signature was verified.
#[derive(Clone, Copy, Debug)]
pub struct SignedModel<'a> {
    model: &'a [u8],
    version: u32,
}

impl<'a> SignedModel<'a> {
    /// Verifies a signature in place. The model itself is checked when it is decoded. Erased flash (0xFF) may follow.
    ///
    /// # Errors
    /// Anything but a model signed with the key, with at least this version.
    pub fn open(bytes: &'a [u8], public_key: &[u8; 32], minimum_version: u32) -> Result<Self, SignatureError> {
        let unsigned = SignatureError::Unsigned;
        // Whether it is a model at all is checked by decoding; nothing else gets signed.
        let length = bytes.get(LENGTH_OFFSET..).and_then(<[u8]>::first_chunk);
        let length = u32::from_le_bytes(*length.ok_or(unsigned)?) as usize;
        let signed = length.checked_add(HEAD_BYTES).ok_or(unsigned)?;
        let (message, rest) = bytes.split_at_checked(signed).ok_or(unsigned)?;
        let (signature, rest) = rest.split_first_chunk().ok_or(unsigned)?;
        let (tagged, version) = message.split_last_chunk().ok_or(unsigned)?;
        let (model, tag) = tagged.split_last_chunk().ok_or(unsigned)?;
        if *tag != TAG {
            return Err(unsigned);
        }
        for &byte in rest {
            if byte != 0xFF {
                return Err(SignatureError::TrailingBytes);
            }
            keep_rolled();
        }
        if !verify_signature(message, signature, public_key) {
            return Err(SignatureError::Forged);
        }
        let version = u32::from_le_bytes(*version);
        if version < minimum_version {
            return Err(SignatureError::Version(version));
        }
        Ok(Self { model, version })
    }

    /// The model's bytes, for a decoder.
    #[must_use]
    pub fn model(&self) -> &'a [u8] {
        self.model
    }

    /// The version counter.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Decodes the model in place.
    ///
    /// # Errors
    /// As [`Model::decode`].
    pub fn decode(&self) -> Result<Model<'a>, DecodeError> {
        Model::decode(self.model)
    }
}

/// The bytes between a model and its signature, which are signed too: for signing tools.
#[must_use]
pub fn signature_head(version: u32) -> [u8; 12] {
    let [a, b, c, d, e, f, g, h] = TAG;
    let [i, j, k, l] = version.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

/// Ed25519 of RFC 8032.
#[must_use]
#[inline(never)]
pub fn verify_signature(message: &[u8], signature: &[u8; 64], public_key: &[u8; 32]) -> bool {
    let Some((_, s)) = signature.split_last_chunk::<32>() else {
        return false;
    };
    if !is_below_order(s) {
        return false;
    }
    // Called through pointers, so that the curve's arithmetic is not inlined here: firmware that optimises this crate for
    // speed and salty for size would get 50 kB of it.
    let read_key = black_box(<salty::PublicKey as TryFrom<&[u8; 32]>>::try_from as fn(_) -> _);
    let read_signature = black_box(<salty::Signature as From<&[u8; 64]>>::from as fn(_) -> _);
    let verify = black_box(salty::PublicKey::verify as Verify);
    // By reference: the key is a point of the curve, too large to copy.
    match &read_key(public_key) {
        Ok(key) => verify(key, message, &read_signature(signature)).is_ok(),
        Err(_) => false,
    }
}

/// Does subtracting the order borrow?
fn is_below_order(number: &[u8; 32]) -> bool {
    let mut borrow = 0;
    let number: &[u8] = black_box(number); // an unknown length keeps the loop rolled
    for (&byte, &order) in number.iter().zip(&ORDER) {
        let difference = u32::from(byte).wrapping_sub(u32::from(order) + borrow);
        borrow = difference >> 31;
    }
    borrow == 1
}

type Verify = fn(&salty::PublicKey, &[u8], &salty::Signature) -> salty::Result<()>;
