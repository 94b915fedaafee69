//! Inputs to begin with: the golden models, and what the product itself writes. `cargo run -p pual-tests --bin fuzz_corpus`
//! writes them to `tests/fuzz/corpus`.

use super::flash::{ERASED, Flash, SLOTS, update_to};
use crate::models::{Shape, seeded_model};
use flate2::{Compression, write::GzEncoder};
use pual_infer::ModelBytes;
use pual_infer::store::Store;
use pual_protocol::update::{Begin, Command, Sealed};
use pual_protocol::{Counts, MAX_FRAME, Reading, Request, encode};
use pual_trainer::distributed::{Part, Plan};
use pual_trainer::internals::{Method, PualSolver, TrainOptions, fit_by_rules};
use pual_trainer::{Dataset, Silent, synth};
use std::cell::RefCell;
use std::io::Write;

/// An input, and what its file is called.
pub type Seed = (String, Vec<u8>);

macro_rules! golden {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../../pual-infer/tests/golden/v1-", $name, ".pual")))
    };
}

const GOLDEN: [(&str, &[u8]); 6] = [
    golden!("rbf-named"),
    golden!("rbf-plain"),
    golden!("linear"),
    golden!("i16-named"),
    golden!("i8-enveloped"),
    golden!("i8-plain"),
];

pub fn score() -> Vec<Seed> {
    let reading: Vec<u8> = [0.5_f32, -1.25, 3.0, 1e6].iter().flat_map(|x| x.to_le_bytes()).collect();
    let input = |how: u8, model: &[u8]| {
        let head = [(reading.len() as u8) << 2 | how];
        [&head[..], model, &reading].concat()
    };
    let golden =
        GOLDEN.iter().flat_map(|(name, model)| (0..4).map(move |how| (format!("{name}-{how}"), how, model.to_vec())));
    let shapes = [Shape::Rbf, Shape::Linear, Shape::RbfI16, Shape::RbfI8];
    let random = shapes.into_iter().zip(0..).map(|(shape, seed)| {
        let model = seeded_model(seed, shape, 5, 3);
        (format!("random-{seed}"), 1, model.to_vec())
    });
    golden.chain(random).map(|(name, how, model)| (name, input(how, &model))).collect()
}

pub fn recipe() -> Vec<Seed> {
    let golden: [(&str, &[u8]); 2] = [
        ("counts", include_bytes!("../../../pual-infer/tests/golden/v2-i16-counts.pual")),
        ("bands", include_bytes!("../../../pual-infer/tests/golden/v2-rbf-bands.pual")),
    ];
    let input = |how: u8, model: &[u8]| {
        let bytes = ModelBytes::new(model);
        let decoded = bytes.decode().expect("a golden model");
        let section = decoded.description().sections().find(|section| section.name == "recipe").expect("it has one");
        let recipe = &model[section.offset..section.offset + section.length];
        let samples = [1.5_f32, -300.0, 1e-3, 40.0].map(f32::to_le_bytes).concat();
        [&[how][..], &(recipe.len() as u16).to_le_bytes(), recipe, &samples].concat()
    };
    let inputs =
        golden.iter().flat_map(|(name, model)| (0..2).map(move |how| (format!("{name}-{how}"), input(how, model))));
    inputs.collect()
}

pub fn frames() -> Vec<Seed> {
    let frame = |request: &Request| {
        let mut buffer = [0; MAX_FRAME];
        encode(request, &mut buffer).expect("it fits").to_vec()
    };
    let longest = Reading::from_slice(&[1.5; 64]).expect("64 fit");
    let command = |command| Request::Update(Sealed::new(300, command).expect("it fits"));
    let begin = Command::Begin(Begin { sequence: 1, length: 182, version: 0, features: 2, checksum: 7 });
    let chunk = Command::Chunk { update: 7, offset: 30, bytes: &[9; 20] };
    let requests = [
        ("hello", Request::Hello),
        ("score", Request::Score(Reading::from_slice(&[4.5, -0.25]).expect("two fit"))),
        ("longest", Request::Score(longest)),
        ("counts", Request::ScoreCounts(Counts::from_slice(&[1, -300, 17]).expect("three fit"))),
        ("stop", Request::Stop),
        ("begin", command(&begin)),
        ("chunk", command(&chunk)),
        ("commit", command(&Command::Commit { update: 7 })),
    ];
    let mut seeds: Vec<Seed> =
        { requests.iter() }.map(|(name, request)| ((*name).to_owned(), frame(request))).collect();
    let all = seeds.iter().flat_map(|seed| seed.1.clone()).collect();
    seeds.push(("all".to_owned(), all));
    seeds.push(("too-long".to_owned(), vec![7; MAX_FRAME + 9]));
    seeds
}

pub fn csv() -> Vec<Seed> {
    let quoted = "time;\"a \"\"b\"\"\",\"c\nd\",label\r\n1,2,1\r\n3e-3,-4.5,\r\n";
    let table = synth::label(synth::cold_chain(12, 1), 0.5, 1);
    let mut text = Vec::new();
    table.write(&mut text, "label", "truth").expect("memory takes all");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&text[..200]).expect("memory takes all");
    let packed = packed.finish().expect("memory takes all");
    let plain = "\u{feff}x,y\n1,2\n\n 3 ,4\n";
    let groups = "group,x,label\n pump 1 ,2,-1\npump 2,3,1\n\"pump, 3\",4,normal\npump 1,5,\n";
    let input = |how: u8, file: &[u8]| [&[how], file].concat();
    vec![
        ("plain".to_owned(), input(0, plain.as_bytes())),
        ("two-byte-order-marks".to_owned(), input(0, "\u{feff}\u{feff}x,y\n1,2\n".as_bytes())),
        ("marks".to_owned(), input(3 | 20 << 2, &text)),
        ("quoted".to_owned(), input(1, quoted.as_bytes())),
        ("groups".to_owned(), input(5 | 2 << 3, groups.as_bytes())),
        ("packed".to_owned(), input(40 << 2, &packed)),
        ("npy-f4".to_owned(), input(1, &npy("<f4", "(2, 2)", &[0; 16]))),
        ("npy-u1".to_owned(), input(8, &npy("|u1", "(3, 2)", &[0, 1, 2, 3, 4, 255]))),
        ("npy-f8".to_owned(), input(2, &npy(">f8", "(1, 2)", &[64; 16]))),
        ("npy-nan-then-cut".to_owned(), input(0, &npy("<f8", "(2, 1)", &[255; 12]))),
    ]
}

fn npy(kind: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), values].concat()
}

/// A log as a search writes it, and one that a crash has torn.
pub fn tuning_log() -> Vec<Seed> {
    let log = "{\"tuning_log\":1,\"rows\":\"00c0ffee00c0ffee\",\"folds\":4,\"seed\":1,\"supports\":64}\n\
        {\"method\":\"pual\",\"fold\":0,\"bandwidth\":1.5,\"lambda\":0.01,\"c_p\":1.0,\"c_u\":0.25,\"prior\":null,\
        \"sigma\":0.5,\"neighbours\":5,\"counts\":[9,10,20,50]}\n\
        {\"method\":\"upu\",\"fold\":3,\"bandwidth\":null,\"lambda\":1e-300,\"c_p\":1.0,\"c_u\":0.1,\"prior\":0.3,\
        \"sigma\":null,\"neighbours\":null,\"counts\":null}\n";
    let input = |cut: u16, log: &str| [&cut.to_le_bytes(), log.as_bytes()].concat();
    let header = log.find('\n').map_or(0, |end| end + 1);
    vec![
        ("whole".to_owned(), input(120, log)),
        ("torn".to_owned(), input(300, &log[..log.len() - 40])),
        ("header".to_owned(), input(20, &log[..header])),
        ("crlf".to_owned(), input(120, &log.replace('\n', "\r\n"))),
    ]
}

/// Flash after updates: one slot, both, a rollback.
pub fn store() -> Vec<Seed> {
    let flash = RefCell::new(ERASED);
    let mut store = Store::new(Flash::<1>(&flash), SLOTS).expect("the slots are good ones");
    let mut seeds = vec![("erased".to_owned(), vec![0x14])];
    for at in 0..4 {
        store.boot(|_| Ok(()));
        match GOLDEN[..3].get(at) {
            Some((_, model)) => update_to(&mut store, model),
            None => store.rollback(|_| Ok(())).map(drop).expect("there is another"),
        }
        let after = |how: u8| (format!("after-{at}-{how:02x}"), [&[how], &flash.borrow().0[..]].concat());
        seeds.extend([0x14, 0x17, 0x2F].map(after));
    }
    seeds
}

/// Steps as [`super::update`] has them: updates, and what may come in between.
pub fn update() -> Vec<Seed> {
    let whole = [1, 1, 2, 40, 2, 99, 4, 0, 5, 0];
    let raw_status = [11, 2, 7, 0];
    let seeds: [(&str, &[u8]); 11] = [
        ("status", &[0, 0]),
        ("restart", &[1, 0, 2, 30, 7, 0, 2, 30, 1, 0, 2, 130, 5, 0]),
        ("resume", &[1, 0, 2, 30, 1, 0, 3, 30, 2, 100, 5, 0]),
        ("rollback", &[6, 0, 6, 0, 6, 1, 7, 0, 6, 0]),
        ("marks", &[6, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0]),
        ("noise", &[8, 3, 1, 0, 1, 0, 9, 9, 2, 130, 2, 130, 5, 0]),
        ("changed", &[10, 40, 1, 3, 2, 130, 5, 0]),
        ("changed-later", &[1, 0, 10, 40, 2, 130, 5, 0]),
        ("features", &[1, 2, 2, 116, 5, 0]),
        ("whole", &whole),
        ("raw", &raw_status),
    ];
    let input = |(name, steps): (&str, &[u8])| [0, 1].map(|how| (format!("{name}-{how}"), [&[how], steps].concat()));
    let mut inputs: Vec<Seed> = seeds.into_iter().flat_map(input).collect();
    let again = [&[1], &whole[..], &whole, &[6, 0], &raw_status, &whole].concat();
    inputs.push(("three".to_owned(), again));
    inputs
}

pub fn bulk() -> Vec<Seed> {
    let data = Dataset::new(synth::label(synth::cold_chain(30, 1), 0.5, 1)).expect("rows to train on");
    let mut seeds = Vec::new();
    for (name, method) in [
        ("exact", Method::Pual(PualSolver::Exact)),
        ("admm", Method::Pual(PualSolver::Admm { mu_1: 1.0 })),
        ("gllc", Method::Gllc),
    ] {
        let options = TrainOptions { method, supports: 3, ..TrainOptions::default() };
        let settings = fit_by_rules(&data, &options).expect("it trains").settings;
        let counts = (data.positives(), data.len() - data.positives());
        let plan = Plan::new(&data, counts, method, &settings, true, &options, "label").expect("a plan");
        let plan = match settings.local {
            Some(local) => plan.with_local_of_sample(local, &Silent).expect("a plan"),
            None => plan,
        };
        let mut part = Part::new(plan.clone());
        part.add(data.rows(), data.labeled(), &Silent);
        seeds.push((format!("plan-{name}"), [&[2], &plan.to_bytes()[..]].concat()));
        seeds.push((format!("part-{name}"), [&[3], &part.to_bytes()[..]].concat()));
        seeds.push((format!("fit-{name}"), [&[7], &part.to_bytes()[..]].concat()));
    }
    seeds
}
