//! Signed models: only what the holder of the key signed is opened.

mod common;

use common::{GOLDEN, GOLDEN_FIXED, all};
use ed25519_dalek::{Signer, SigningKey};
use pual_infer::{ModelBytes, SIGNATURE_BYTES, SignatureError, SignedModel, signature_head, verify_signature};

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn public() -> [u8; 32] {
    key().verifying_key().to_bytes()
}

fn sign(model: &[u8], version: u32) -> Vec<u8> {
    let mut bytes = [model, &signature_head(version)].concat();
    let signature = key().sign(&bytes);
    bytes.extend(signature.to_bytes());
    bytes
}

fn open(bytes: &[u8], minimum: u32) -> Result<u32, SignatureError> {
    SignedModel::open(bytes, &public(), minimum).map(|signed| signed.version())
}

#[test]
fn a_signed_model_is_opened_and_scores_as_ever() {
    for golden in all() {
        let mut bytes = sign(golden.bytes, 3);
        assert_eq!(bytes.len(), golden.bytes.len() + SIGNATURE_BYTES);
        for padding in [0, 1, 100] {
            bytes.resize(golden.bytes.len() + SIGNATURE_BYTES + padding, 0xFF);
            let aligned = ModelBytes::new(&bytes);
            let signed = SignedModel::open(&aligned, &public(), 3).unwrap();
            assert_eq!((signed.version(), signed.model()), (3, golden.bytes));
            let model = signed.decode().unwrap();
            for (reading, bits) in golden.scores() {
                assert_eq!(model.score(&reading).unwrap().to_bits(), bits);
            }
        }
        bytes.push(0xFE);
        assert_eq!(open(&bytes, 3), Err(SignatureError::TrailingBytes));
    }
}

#[test]
fn every_flipped_bit_of_model_version_and_signature_is_refused() {
    // The shortest golden model: each bit costs a verification.
    let bytes = sign(GOLDEN_FIXED[1].bytes, 9);
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(open(&flipped, 0).is_err(), "bit {bit}");
    }
    println!("{} bits, all refused", 8 * bytes.len());
    let mut other = public();
    other[0] ^= 1;
    assert!(SignedModel::open(&bytes, &other, 0).is_err());
}

#[test]
fn unsigned_cut_and_older_models_are_refused() {
    let model = GOLDEN[0].bytes;
    assert_eq!(open(model, 0), Err(SignatureError::Unsigned));
    assert_eq!(open(&[model, &[0xFF; 500]].concat(), 0), Err(SignatureError::Unsigned));
    assert_eq!(open(&[0xFF; 1024], 0), Err(SignatureError::Unsigned));
    let bytes = sign(model, 5);
    for length in 0..bytes.len() {
        assert_eq!(open(&bytes[..length], 0), Err(SignatureError::Unsigned));
    }
    for minimum in 0..=5 {
        assert_eq!(open(&bytes, minimum), Ok(5));
    }
    for minimum in [6, u32::MAX] {
        assert_eq!(open(&bytes, minimum), Err(SignatureError::Version(5)));
    }
    // A version that was raised by hand.
    let mut raised = bytes.clone();
    raised[model.len() + 8] = 6;
    assert_eq!(open(&raised, 6), Err(SignatureError::Forged));
    // A signature of another model, and one over the same bytes without the tag, as another use of the key might make it.
    let (_, signature) = bytes.split_last_chunk::<64>().unwrap();
    for (mut signed, signature) in
        [(sign(GOLDEN[1].bytes, 5), *signature), (bytes.clone(), key().sign(model).to_bytes())]
    {
        *signed.last_chunk_mut().unwrap() = signature;
        assert_eq!(open(&signed, 0), Err(SignatureError::Forged));
    }
}

#[test]
fn a_changed_copy_of_a_signature_is_refused() {
    // A verifier that does not check S accepts S + L as well: RFC 8032, section 8.4.
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut bytes = sign(GOLDEN[0].bytes, 1);
    let mut carry = 0;
    for (byte, add) in bytes.last_chunk_mut::<32>().unwrap().iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        *byte = sum as u8;
        carry = sum >> 8;
    }
    assert_eq!(carry, 0);
    assert_eq!(open(&bytes, 0), Err(SignatureError::Forged));
}

#[test]
fn agrees_with_the_vectors_of_rfc_8032() {
    // Section 7.1, tests 1, 2, 3 and SHA(abc): public key, message, signature.
    let vectors = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
        (
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
        ),
    ];
    let hex = |text: &str| -> Vec<u8> {
        let digits = text.as_bytes().chunks(2);
        digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    };
    for (public, message, signature) in vectors {
        let (public, signature) = (hex(public).try_into().unwrap(), hex(signature).try_into().unwrap());
        let mut message = hex(message);
        assert!(verify_signature(&message, &signature, &public));
        message.push(0);
        assert!(!verify_signature(&message, &signature, &public));
    }
}
