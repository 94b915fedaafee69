//! Commands that use a trained model.

pub mod calibrate;
pub mod evaluate;
pub mod export;
pub mod inspect;
pub mod keygen;
pub mod score;
pub mod sign;
pub mod verify_signature;
