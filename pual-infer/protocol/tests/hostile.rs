//! Whatever comes over the line: no panic, both sides resynchronise at the next zero byte, and a good model runs.
//!
//! 200,000 frames; `PUAL_FRAMES=10000000 cargo test --release -p pual-protocol --features update --test hostile -- --nocapture`
//! sends that many. Its log is LOG-hostile.md.

mod device;

use device::{Device, FEATURES, READINGS, Random, begin, frame, model, scores};
use pual_infer::store::crc32;
use pual_protocol::update::{Answer, Begin, Command, MAX_CHUNK, Sealed};
use pual_protocol::{Request, Response, decode};

const MODELS: usize = 6;

/// Kinds of frames, in their order in [`Hostile::counts`].
const KINDS: [&str; 5] = [
    "random bytes",
    "requests, mutated",
    "commands with a right checksum and wrong contents",
    "recorded frames, again",
    "the next frame of a good update",
];

struct Hostile {
    random: Random,
    device: Device,
    /// Frames that were sent.
    recorded: Vec<Vec<u8>>,
    /// The update that is being sent in between: model, and what of it is next.
    good: (usize, u32),
    sequence: u32,
    counts: [u64; KINDS.len()],
    /// Answers: bad frames, refusals, other answers to commands, updates and rollbacks that took effect.
    bad: u64,
    refused: u64,
    answered: u64,
    taken: u64,
}

impl Hostile {
    fn command(&mut self) -> Sealed {
        let random = &mut self.random;
        let bytes = model(random.below(MODELS));
        let junk: Vec<u8> = (0..random.below(MAX_CHUNK + 1)).map(|_| random.next() as u8).collect();
        let near = |random: &mut Random, value: u32| match random.below(4) {
            0 => random.next() as u32,
            1 => value.wrapping_sub(random.below(3) as u32),
            _ => value,
        };
        let update = near(random, crc32(&bytes));
        let sequence = near(random, self.sequence);
        let command = match random.below(12) {
            0 => Command::Status,
            1 => Command::Begin(Begin {
                sequence,
                length: near(random, bytes.len() as u32),
                version: random.next() as u32,
                features: near(random, FEATURES as u32) as u16,
                checksum: update,
            }),
            2 => Command::Verify { update },
            3 => Command::Commit { update },
            4 if random.chance(50) => Command::Rollback { sequence },
            _ => Command::Chunk { update, offset: near(random, self.good.1), bytes: &junk },
        };
        Sealed::new(random.next() as u16, &command).unwrap()
    }

    /// The next command of an update, which succeeds unless something disturbs it.
    fn good_command(&mut self) -> Sealed {
        let (index, offset) = self.good;
        let bytes = model(index);
        let update = crc32(&bytes);
        let rest = &bytes[(offset as usize).min(bytes.len())..];
        let command = if self.random.chance(20) || offset == u32::MAX {
            Command::Begin(begin(&bytes, self.sequence))
        } else if rest.is_empty() {
            Command::Commit { update }
        } else {
            let length = rest.len().min(1 + self.random.below(MAX_CHUNK));
            Command::Chunk { update, offset, bytes: &rest[..length] }
        };
        Sealed::new(self.random.next() as u16, &command).unwrap()
    }

    fn request(&mut self) -> Request {
        let random = &mut self.random;
        let length = random.below(65);
        match random.below(4) {
            0 => Request::Score((0..length).map(|_| f32::from_bits(random.next() as u32)).collect()),
            1 => Request::ScoreCounts((0..length).map(|_| random.next() as i16).collect()),
            2 => Request::Hello,
            _ => Request::Update(self.command()),
        }
    }

    fn mutated(&mut self) -> Vec<u8> {
        let mut bytes = match self.recorded.len() {
            count @ 1.. if self.random.chance(2) => self.recorded[self.random.below(count)].clone(),
            _ => frame(&self.request()),
        };
        for _ in 0..1 + self.random.below(4) {
            let at = self.random.below(bytes.len().max(1));
            let value = self.random.next() as u8;
            match self.random.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at.min(bytes.len()), value),
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 => {
                    let other = frame(&self.request());
                    bytes.truncate(at);
                    bytes.extend(&other[self.random.below(other.len())..]);
                }
                _ if at < bytes.len() => bytes[at] ^= 1 << (value & 7),
                _ => {}
            }
        }
        bytes
    }

    /// Sends one frame, and returns whether it may make another model run.
    fn send(&mut self) -> bool {
        let kind = match self.random.below(10) {
            0..=2 => 0,
            3..=5 => 1,
            6 => 2,
            7 => 3,
            _ => 4,
        };
        self.counts[kind] += 1;
        let bytes = match kind {
            0 => (0..self.random.below(300)).map(|_| self.random.next() as u8).collect(),
            1 => self.mutated(),
            2 => frame(&Request::Update(self.command())),
            3 if !self.recorded.is_empty() => self.recorded[self.random.below(self.recorded.len())].clone(),
            _ => frame(&Request::Update(self.good_command())),
        };
        let whole = kind != 1 || still_whole(&bytes);
        // The device resynchronises at the next zero byte.
        let mut answers = self.device.hear(&bytes);
        answers.extend(self.device.hear(&[0]));
        for mut answer in answers {
            self.look_at(decode(&mut answer).expect("the device's own frames are whole"));
        }
        if matches!(kind, 2 | 4) {
            // Some of them are kept, from every phase.
            if self.recorded.len() < 2000 {
                self.recorded.push(bytes);
            } else if self.random.chance(100) {
                self.recorded[self.random.below(2000)] = bytes;
            }
        }
        kind != 0 && whole
    }

    fn look_at(&mut self, response: Response) {
        match response {
            Response::BadFrame => self.bad += 1,
            Response::Update(sealed) => match sealed.open::<Answer>().unwrap().1 {
                Answer::Refused(_) => {
                    self.refused += 1;
                    self.good.1 = u32::MAX;
                }
                Answer::Next(offset) => {
                    self.answered += 1;
                    self.good.1 = offset;
                }
                Answer::Committed(sequence) => {
                    self.taken += u64::from(sequence != self.sequence);
                    self.sequence = sequence;
                    self.good = (self.random.below(MODELS), u32::MAX);
                }
                _ => self.answered += 1,
            },
            _ => {}
        }
    }
}

/// Does it contain a command that the mutations have left intact?
fn still_whole(bytes: &[u8]) -> bool {
    bytes.split(|&byte| byte == 0).any(|part| match decode::<Request>(&mut part.to_vec()) {
        Some(Request::Update(sealed)) => sealed.open::<Command<'_>>().is_some(),
        _ => false,
    })
}

#[test]
fn no_frame_brings_the_device_out_of_step_or_its_store_out_of_order() {
    let frames =
        std::env::var("PUAL_FRAMES").map_or(200_000, |frames| frames.parse().expect("PUAL_FRAMES is a number"));
    let known: Vec<_> = (0..MODELS).map(|index| scores(&model(index))).collect();
    let mut hostile = Hostile {
        random: Random(7),
        device: Device::new(),
        recorded: Vec::new(),
        good: (1, u32::MAX),
        sequence: 0,
        counts: [0; KINDS.len()],
        bad: 0,
        refused: 0,
        answered: 0,
        taken: 0,
    };
    let (mut running, mut restarts) = (0, 0);
    for number in 0..frames {
        let before = hostile.taken;
        let may_change = hostile.send();
        let changed = hostile.taken > before;
        assert!(may_change || !changed, "frame {number}: noise is obeyed");
        let at = number as usize % READINGS.len();
        let score = hostile.device.score(&READINGS[at]);
        if changed {
            let now = hostile.device.scores();
            running = known.iter().position(|scores| *scores == now).unwrap();
        }
        assert_eq!(score, known[running][at], "frame {number}");
        if number % 1000 == 999 {
            hostile.device.restart();
            hostile.good.1 = u32::MAX;
            assert_eq!(hostile.device.scores(), known[running], "frame {number}");
            assert!(running == 0 || *hostile.device.running == *model(running));
            restarts += 1;
        }
    }
    println!("{frames} frames:");
    for (kind, count) in KINDS.iter().zip(hostile.counts) {
        println!("{count:>10} {kind}");
    }
    println!(
        "answers: {} bad frames, {} refused commands, {} commands carried out, {} changes of the model",
        hostile.bad, hostile.refused, hostile.answered, hostile.taken
    );
    println!("{frames} scores in between and {restarts} restarts: all bits as on the host");
    assert!(hostile.taken > 10 && hostile.refused > 100 && hostile.bad > 1000);
}
