//! Updates over good lines and bad ones: the model arrives as it was sent, or the old one stays.

mod device;
mod line;

use device::flash::{Chip, Tear};
use device::{Device, FEATURES, SLOT, begin, frame, model, scores};
use line::Line;
use pual_infer::store::crc32;
use pual_protocol::update::{
    Answer, Begin, Client, ClientError, Command, Refusal, Sealed, SlotState, Transport, Unfit,
};
use pual_protocol::{Frame, Request, Response, decode};
use std::convert::Infallible;

fn good_line() -> Client<Line> {
    Line::good(Device::new())
}

fn push(client: &mut Client<Line>, index: usize) {
    let status = client.push(&model(index), index as u32, FEATURES as u16, |_| ()).unwrap();
    assert_eq!(status.version, index as u32);
}

fn running(client: &mut Client<Line>) -> [u32; 3] {
    client.transport().device.scores()
}

#[test]
fn a_model_that_was_pushed_runs_at_once_and_after_a_restart() {
    let mut client = good_line();
    let status = client.status().unwrap();
    assert_eq!((status.slot, status.sequence, status.length), (0, 0, 0));
    assert_eq!((status.first, status.second), (SlotState::Empty, SlotState::Empty));
    for index in 1..8 {
        let mut heard = Vec::new();
        let bytes = model(index);
        let status = client.push(&bytes, 7, FEATURES as u16, |arrived| heard.push(arrived)).unwrap();
        assert_eq!(status.slot, if index % 2 == 1 { 1 } else { 2 });
        assert_eq!(status.sequence, index as u32);
        assert_eq!((status.length, status.version), (bytes.len() as u32, 7));
        assert!(heard.is_sorted() && *heard.last().unwrap() == status.length);
        assert_eq!(running(&mut client), scores(&bytes));
        client.transport().device.restart();
        assert_eq!(running(&mut client), scores(&bytes));
    }
    assert_eq!(client.repeated, 0);
}

#[test]
fn the_old_model_scores_during_an_update_and_comes_back_by_a_rollback() {
    let mut client = good_line();
    push(&mut client, 3);
    let line = client.transport();
    let bytes = model(4);
    // The same frames as a client sends, with scores asked for in between.
    let mut other = good_line();
    push(&mut other, 3);
    let before = other.transport().sent.len();
    push(&mut other, 4);
    let frames = other.into_transport().sent;
    let (last, update) = frames[before..frames.len() - 1].split_last().unwrap();
    for frame in update {
        line.device.hear(frame);
        assert_eq!(line.device.scores(), scores(&model(3)));
    }
    assert!(update.len() > 4, "{}", update.len());
    line.device.hear(last);
    assert_eq!(line.device.scores(), scores(&bytes));
    let status = client.rollback().unwrap();
    assert_eq!((status.slot, status.sequence, status.version), (1, 3, 3));
    assert_eq!(running(&mut client), scores(&model(3)));
    assert_eq!(client.rollback().unwrap().version, 4);
}

#[test]
fn what_is_lost_damaged_repeated_or_reordered_is_made_good() {
    let (mut harmed, mut repeated, mut updates) = (0, 0, 0);
    for seed in 0..60 {
        let harm = [3, 5, 20][seed % 3];
        let restarts = [0, 40][seed / 3 % 2];
        let mut client = Client::new(Line::new(Device::new(), seed as u64, harm, restarts));
        for index in 1..6 {
            let bytes = model(index + seed % 2);
            let status = client
                .push(&bytes, 9, FEATURES as u16, |_| ())
                .unwrap_or_else(|error| panic!("seed {seed}, model {index}: {error}"));
            assert_eq!((status.sequence, status.version), (index as u32, 9));
            let device = &mut client.transport().device;
            device.hear(&[0]); // ends what a harmed frame may have left
            assert_eq!(device.scores(), scores(&bytes));
            updates += 1;
        }
        if restarts == 0 {
            // (Each restart before an update takes a mark, and a rollback needs one.)
            let status = client.rollback().unwrap();
            assert_eq!((status.sequence, status.slot), (6, 2));
            client.transport().device.hear(&[0]);
            assert_eq!(running(&mut client), scores(&model(4 + seed % 2)));
        }
        repeated += client.repeated;
        harmed += client.transport().harmed;
    }
    println!("{updates} updates, {harmed} frames harmed, {repeated} commands repeated");
    assert!(harmed > 500 && repeated > 200, "{harmed} {repeated}");
}

#[test]
fn an_update_that_broke_off_goes_on_where_it_was() {
    let mut client = good_line();
    let bytes = model(4);
    let begin = begin(&bytes, 0);
    assert_eq!(client.ask(&Command::Begin(begin)).unwrap(), Answer::Next(0));
    let chunk = Command::Chunk { update: begin.checksum, offset: 0, bytes: &bytes[..200] };
    assert_eq!(client.ask(&chunk).unwrap(), Answer::Next(200));
    let mut client = Client::new(client.into_transport()); // another program
    assert_eq!(client.status().unwrap().received, Some(200));
    let mut heard = Vec::new();
    client.push(&bytes, 0, FEATURES as u16, |arrived| heard.push(arrived)).unwrap();
    assert_eq!(heard[0], 200);
    assert_eq!(running(&mut client), scores(&bytes));
}

/// Sends all bytes and commits; the checksum is the one that is announced.
fn send(client: &mut Client<Line>, bytes: &[u8], announced: u32) -> Answer {
    let sequence = client.status().unwrap().sequence;
    let begin = Begin { checksum: announced, ..begin(bytes, sequence) };
    let answer = client.ask(&Command::Begin(begin)).unwrap();
    if let Answer::Refused(_) = answer {
        return answer;
    }
    for (index, bytes) in bytes.chunks(100).enumerate() {
        let chunk = Command::Chunk { update: announced, offset: 100 * index as u32, bytes };
        client.ask(&chunk).unwrap();
    }
    client.ask(&Command::Commit { update: announced }).unwrap()
}

#[test]
fn models_that_cannot_run_never_replace_a_good_one() {
    let mut client = good_line();
    push(&mut client, 3);
    let good = scores(&model(3));
    let mut unharmed = |name: &str, bytes: &[u8], announced: u32, expected: Refusal| {
        let answer = send(&mut client, bytes, announced);
        assert_eq!(answer, Answer::Refused(expected), "{name}");
        assert_eq!(running(&mut client), good, "{name}");
        client.transport().device.restart();
        assert_eq!(running(&mut client), good, "{name}, restarted");
    };
    let bytes = model(4);
    let does_not_decode = Refusal::Slot(SlotState::Unfit(Unfit::Model));
    let mut flipped = bytes.to_vec();
    flipped[70] ^= 4;
    let crc = crc32(&flipped);
    unharmed("flipped on its way", &flipped, crc32(&bytes), Refusal::Checksum);
    unharmed("flipped before", &flipped, crc, does_not_decode);
    let cut = &bytes[..bytes.len() - 1];
    unharmed("truncated", cut, crc32(cut), does_not_decode);
    let noise: Vec<u8> = (0..300).map(|i| (i * i) as u8).collect();
    unharmed("no model", &noise, crc32(&noise), does_not_decode);
    unharmed("nothing", &[], crc32(&[]), Refusal::Length);
    let long = vec![0; SLOT as usize];
    unharmed("too long", &long, crc32(&long), Refusal::Length);

    // Announced with the right number of features, and made for another.
    let wide = include_bytes!("../../../pual-infer/tests/golden/v1-rbf-plain.pual");
    let features = Refusal::Slot(SlotState::Unfit(Unfit::Features));
    unharmed("three features", wide, crc32(wide), features);
    let refusal = Refusal::Features(FEATURES as u16);
    assert_eq!(client.push(wide, 0, 3, |_| ()), Err(ClientError::Refused(refusal)));
    // Not all of it.
    client.ask(&Command::Begin(begin(&bytes, 1))).unwrap();
    let update = crc32(&bytes);
    let missing = Answer::Refused(Refusal::Incomplete(0));
    assert_eq!(client.ask(&Command::Verify { update }).unwrap(), missing);
    assert_eq!(client.ask(&Command::Commit { update }).unwrap(), missing);
    assert_eq!(running(&mut client), good);
}

#[test]
fn a_recorded_update_or_rollback_has_no_effect_when_it_is_played_again() {
    let mut client = good_line();
    push(&mut client, 1);
    let start = client.transport().sent.len();
    push(&mut client, 2);
    let updated = client.transport().sent.len();
    push(&mut client, 3);
    let rolled = client.transport().sent.len();
    client.rollback().unwrap();
    let line = client.transport();
    let frames = line.sent.clone();
    let before = line.device.scores();
    for frame in frames[rolled..].iter().chain(&frames[start..updated]) {
        line.device.hear(frame);
        assert_eq!(line.device.scores(), before);
    }
    line.device.restart();
    for frame in &frames {
        line.device.hear(frame);
        assert_eq!(line.device.scores(), before);
    }
    assert_eq!(client.status().unwrap().sequence, 4);
}

#[test]
fn chunks_of_another_update_or_at_another_offset_change_nothing() {
    let mut client = good_line();
    let bytes = model(4);
    client.ask(&Command::Begin(begin(&bytes, 0))).unwrap();
    let update = crc32(&bytes);
    let mut send = |update, offset, bytes| client.ask(&Command::Chunk { update, offset, bytes }).unwrap();
    for (offset, bytes) in [(0, &bytes[..64]), (0, &[1; 64]), (128, &[1; 64]), (u32::MAX, &[1; 64]), (64, &[])] {
        assert_eq!(send(update, offset, bytes), Answer::Next(64));
    }
    assert_eq!(send(update ^ 1, 64, &[1; 64]), Answer::Refused(Refusal::NoUpdate));
    push(&mut client, 4);
    assert_eq!(running(&mut client), scores(&bytes));
}

#[test]
fn a_power_cut_anywhere_in_a_pushed_update_leaves_the_old_model_or_the_new_one() {
    let mut client = good_line();
    push(&mut client, 3);
    push(&mut client, 1);
    let chip = client.transport().device.flash.0.borrow().clone();
    let (old, new) = (scores(&model(1)), scores(&model(2)));
    let cuts = {
        let mut client = on(chip.clone(), None);
        push(&mut client, 2);
        client.transport().device.flash.0.borrow().steps
    };
    let (mut olds, mut news) = (0, 0);
    for cut in (0..cuts).step_by(7) {
        let tear = Tear::ALL[cut % 6];
        let mut client = on(chip.clone(), Some((cut, tear)));
        let pushed = client.push(&model(2), 2, FEATURES as u16, |_| ());
        assert!(pushed.is_err() || tear != Tear::Old, "cut {cut}");
        let line = client.transport();
        line.device.flash.0.borrow_mut().power_up(None);
        line.device.restart();
        let found = line.device.scores();
        assert!(found == old || found == new, "cut {cut}, {tear:?}");
        (olds, news) = (olds + i32::from(found == old), news + i32::from(found == new));
        push(&mut client, 4);
        assert_eq!(running(&mut client), scores(&model(4)));
    }
    println!("{} cuts: old model {olds} times, new model {news} times", olds + news);
    assert!(olds > 100, "{olds}");
}

fn on(mut chip: Chip, cut: Option<(usize, Tear)>) -> Client<Line> {
    chip.power_up(cut);
    Line::good(Device::on(device::SimFlash::new(chip)))
}

#[test]
fn firmware_without_updates_is_told_from_a_dead_line() {
    struct Answering(bool);
    impl Transport for Answering {
        type Error = Infallible;
        fn send(&mut self, _: &[u8]) -> Result<(), Infallible> {
            Ok(())
        }
        fn receive(&mut self) -> Result<Option<Frame>, Infallible> {
            Ok(self.0.then(|| Frame::from_slice(&frame(&Response::BadFrame)).unwrap()))
        }
    }
    assert_eq!(Client::new(Answering(true)).status(), Err(ClientError::NoUpdates));
    assert_eq!(Client::new(Answering(false)).status(), Err(ClientError::NoAnswer));
}

#[test]
fn a_message_with_something_behind_it_is_none() {
    let mut device = Device::new();
    let sealed = Sealed::new(1, &(Command::Status, 0_u8)).unwrap();
    let answers = device.hear(&frame(&Request::Update(sealed)));
    assert_eq!(decode(&mut answers[0].clone()), Some(Response::BadFrame));
}
