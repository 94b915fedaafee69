//! Firmware that was built with a public key, on an emulated board: signed models run, others are refused and the old one goes
//! on scoring, and flash that others wrote is not run.

use pual_device::emulator::{Flash, Link, Updatable};
use pual_device::firmware::{Board, sources};
use pual_infer::Model;
use pual_protocol::update::{Client, ClientError, Refusal, SlotState, Unfit};
use pual_tests::OrPanic;
use pual_tests::bits::LIMIT;
use pual_tests::models::{Shape, seeded_model};
use pual_tests::power::SECRET;
use pual_trainer::signing::KeyPair;

const FEATURES: usize = 3;
const SIGNATURE: Refusal = Refusal::Slot(SlotState::Unfit(Unfit::Signature));

fn model(seed: u64) -> Vec<u8> {
    seeded_model(seed, Shape::Rbf, 10, FEATURES).to_vec()
}

fn push(client: &mut Client<Link>, bytes: &[u8], version: u32) -> Result<u32, Refusal> {
    match client.push(bytes, version, FEATURES as u16, |_| ()) {
        Ok(status) => Ok(status.version),
        Err(ClientError::Refused(why)) => Err(why),
        Err(other) => panic!("{other}"),
    }
}

/// Does the board score as this model?
#[track_caller]
fn runs(client: &mut Client<Link>, seed: u64) {
    let bytes = seeded_model(seed, Shape::Rbf, 10, FEATURES);
    let model: Model<'_> = bytes.decode().unwrap();
    let readings = [-0.5, 0.25, 1.0].map(|at| -> Vec<f32> {
        let tables = model.description().offsets().iter().zip(model.description().scales());
        tables.map(|(offset, scale)| offset + at / scale).collect()
    });
    let answers = client.transport().score(&readings).unwrap();
    let found: Vec<_> = answers.iter().map(|answer| answer.unwrap().score_bits).collect();
    let expected = readings.map(|reading| model.score(&reading).unwrap().to_bits());
    assert_eq!(found, expected);
}

#[test]
fn a_board_with_a_key_runs_what_is_signed_and_nothing_else() {
    let path = sources().unwrap().join("target").join(format!("signed-{}.flash", std::process::id()));
    let keys = KeyPair::new(&SECRET);
    let flash = Flash::create(&path, &model(1), Some(&keys.public())).unwrap();
    assert_eq!(Flash::open(&path).unwrap().public_key(), Some(&keys.public()));
    let board = Updatable::new(Board::CortexM4F, &flash, "signed").or_panic();
    let start = || Client::new(board.boot(&flash, LIMIT).or_panic());

    let mut client = start();
    runs(&mut client, 1);
    assert_eq!(push(&mut client, &keys.sign(&model(2), 3).unwrap(), 3), Ok(3));
    runs(&mut client, 2);
    let good = keys.sign(&model(3), 4).unwrap();
    let mut flipped = good.clone();
    flipped[60] ^= 1;
    let other = KeyPair::new(&[8; 32]).sign(&model(3), 4).unwrap();
    let older = keys.sign(&model(3), 2).unwrap();
    for (what, bytes, version) in [
        ("unsigned", &model(3), 4),
        ("wrong key", &other, 4),
        ("flipped bit", &flipped, 4),
        ("version that is not the signed one", &good, 9),
        ("older version", &older, 2),
    ] {
        assert_eq!(push(&mut client, bytes, version), Err(SIGNATURE), "{what}");
        runs(&mut client, 2);
    }
    drop(client);

    // Also after a restart, and after a rollback, which is refused.
    let mut client = start();
    runs(&mut client, 2);
    assert_eq!(push(&mut client, &older, 2), Err(SIGNATURE));
    assert_eq!(push(&mut client, &good, 4), Ok(4));
    let back = client.rollback();
    assert_eq!(back.unwrap_err().to_string(), ClientError::<String>::Refused(SIGNATURE).to_string());
    runs(&mut client, 3);
    assert_eq!(push(&mut client, &keys.sign(&model(2), 3).unwrap(), 3), Err(SIGNATURE));
    runs(&mut client, 3);
    drop(client);

    // Firmware without a key writes both slots, all checksums in order: the one with the key uses neither.
    let without = path.with_extension("open");
    let opened = Flash::create(&without, &model(1), None).unwrap();
    let open = Updatable::new(Board::CortexM4F, &opened, "unsigned").or_panic();
    let mut client = Client::new(open.boot(&flash, LIMIT).unwrap());
    for seed in [4, 5] {
        assert_eq!(push(&mut client, &model(seed), 9), Ok(9));
        runs(&mut client, seed);
    }
    drop(client);
    let mut client = start();
    let status = client.status().unwrap();
    assert_eq!(status.slot, 0, "{status:?}");
    runs(&mut client, 1);
    drop(client);
    for path in [path, without] {
        std::fs::remove_file(path).unwrap();
    }
}
