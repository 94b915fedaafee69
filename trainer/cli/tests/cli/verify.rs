//! `pual verify`: against emulated boards, and over a pseudo-terminal against a device with one fault or another.

use super::device::write_model;
use super::{Scratch, port};
use pual_infer::{Class, Encoding, Envelope, ModelBytes};
use pual_protocol::{Assembler, CostUnit, Hello, MAX_FRAME, Request, Response, Scored, StreamSupport};
use pual_trainer::experiments::random_model;

const ROWS: usize = 300;

fn reading(row: usize) -> [f32; 3] {
    let value = |feature: usize| ((row * 37 + feature * 11) % 101) as f32 / 25.0 - 2.0;
    [value(0), value(1), value(2)]
}

/// A directory with rows and a model.
fn scratch(test: &str, encoding: Encoding) -> (Scratch, ModelBytes) {
    let scratch = Scratch::new(&format!("verify-{test}"));
    let mut rows = String::from("a,b,c\n");
    for [a, b, c] in (0..ROWS).map(reading) {
        rows += &format!("{a},{b},{c}\n");
    }
    scratch.write("rows.csv", &rows);
    let model = write_model(&scratch, "m.pual", 20, 3, encoding);
    (scratch, model)
}

/// What is wrong with a device.
#[derive(Clone, Copy)]
enum Fault {
    None,
    /// One bit of a row's score, every time: the row and the bit.
    Bit(usize, u32),
    /// The lowest bit of a row's score, the first time only.
    Once(usize),
    /// A row's class.
    Class(usize),
    /// It refuses a row.
    Refuses(usize),
    /// It stops answering after this many answers.
    DeadAfter(usize),
    /// Its model does not decode.
    NoModel,
    /// It understands nothing, as with a wrong speed.
    Deaf,
    /// The line loses one byte in this many.
    Loses(usize),
    /// An answer to someone who asked before us comes first.
    Stale,
}

/// The firmware's side of the protocol.
struct Firmware {
    model: ModelBytes,
    fault: Fault,
    answered: usize,
}

impl Firmware {
    fn answer(&mut self, request: Option<Request>) -> Option<Response> {
        if matches!(self.fault, Fault::DeadAfter(answers) if answers == self.answered) {
            return None;
        }
        self.answered += 1;
        let model = self.model.decode().unwrap();
        Some(match (request, self.fault) {
            (None, _) | (_, Fault::Deaf) => Response::BadFrame,
            (Some(_), Fault::NoModel) => Response::ModelRefused,
            (Some(Request::Hello), _) => Response::Hello(Hello {
                features: model.features() as u16,
                supports: model.supports() as u16,
                model_length: model.length() as u32,
                model_checksum: model.checksum(),
                cost_unit: CostUnit::Cycles,
                stream: StreamSupport::NoRecipe,
            }),
            (Some(Request::Score(values)), Fault::Refuses(row)) if values == reading(row) => Response::ReadingRefused,
            (Some(Request::Score(values)), fault) => match model.score(&values) {
                Err(_) => Response::ReadingRefused,
                Ok(score) => {
                    let is = |row: usize| values == reading(row);
                    let wrong = match fault {
                        Fault::Bit(row, bit) if is(row) => 1 << bit,
                        Fault::Once(row) if is(row) => 1,
                        _ => 0,
                    };
                    if matches!(fault, Fault::Once(_)) && wrong != 0 {
                        self.fault = Fault::None;
                    }
                    let positive = model.description().class_of(score) == Class::Positive;
                    let outside = matches!(model.envelope(&values), Ok(Envelope::Outside { .. }));
                    Response::Score(Scored {
                        score_bits: score.to_bits() ^ wrong,
                        positive: positive ^ matches!(fault, Fault::Class(row) if is(row)),
                        outside_envelope: outside,
                        cost: 1234,
                    })
                }
            },
            (Some(_), _) => Response::ReadingRefused,
        })
    }
}

/// The port of a device with this model and this fault.
fn device(model: &ModelBytes, fault: Fault) -> String {
    let model = model.clone();
    port::played_by(move || {
        let mut firmware = Firmware { model, fault, answered: 0 };
        let mut line = port::losing(match fault {
            Fault::Loses(one_in) => one_in,
            _ => 0,
        });
        let mut assembler = Assembler::new();
        let mut stale = matches!(fault, Fault::Stale);
        move |bytes: &[u8]| {
            let mut answers = Vec::new();
            if std::mem::take(&mut stale) {
                let mut buffer = [0; MAX_FRAME];
                let refused = pual_protocol::encode(&Response::ReadingRefused, &mut buffer);
                answers.push(refused.unwrap().to_vec());
            }
            for byte in line(bytes) {
                let Some(mut frame) = assembler.push(byte) else {
                    continue;
                };
                let request = pual_protocol::decode(&mut frame);
                if let Some(response) = firmware.answer(request) {
                    let mut buffer = [0; MAX_FRAME];
                    let answer = pual_protocol::encode(&response, &mut buffer).unwrap();
                    answers.push(answer.to_vec());
                }
            }
            answers
        }
    })
}

fn verify(scratch: &Scratch, port: &str, flags: &str) -> super::Run {
    scratch.pual(&format!("verify m.pual rows.csv --device serial:{port} {flags}"))
}

/// The report of a run that finds differences.
#[track_caller]
fn differs(run: &super::Run, message: &str) -> serde_json::Value {
    run.fails(3, &[message]);
    serde_json::from_str(&run.stdout()).unwrap()
}

#[test]
fn all_rows_are_identical_over_a_serial_port() {
    for encoding in [Encoding::F32, Encoding::I16, Encoding::I8] {
        let (scratch, model) = scratch("same", encoding);
        let port = device(&model, Fault::None);
        let report = verify(&scratch, &port, "--json").json();
        assert_eq!(report["rows"], ROWS);
        assert_eq!(report["identical"], ROWS);
        assert_eq!(report["repeated"], 0);
        assert!(report["first_difference"].is_null());
        assert_eq!(report["cost_unit"], "cycles");
        assert_eq!(report["cost_of_a_score"]["most"], 1234.0);
        assert!(report["latency_ms"]["median"].as_f64().unwrap() > 0.0);
        verify(&scratch, &port, "").says(&["300 of 300 rows, to the bit", "1,234 cycles", "latency"]);
    }
}

#[test]
fn emulated_boards_are_booted_with_the_model() {
    for board in ["qemu", "qemu:microbit"] {
        let (scratch, _) = scratch("qemu", Encoding::I16);
        let run = scratch.pual(&format!("verify m.pual rows.csv --device {board} --json"));
        let report = run.json();
        assert_eq!(report["identical"], ROWS, "{board}");
        assert_eq!(report["cost_unit"], "instructions");
        assert!(report["cost_of_a_score"]["least"].as_f64().unwrap() > 100.0);
        assert!(report["latency_ms"].is_null());
    }
}

#[test]
fn a_wrong_bit_is_found_and_named() {
    for (row, bit) in [(0, 0), (17, 5), (ROWS - 1, 31)] {
        let (scratch, model) = scratch("bit", Encoding::F32);
        let port = device(&model, Fault::Bit(row, bit));
        let run = verify(&scratch, &port, "--json");
        let report = differs(&run, "differ from the workstation's in");
        // The same readings come again every 101 rows.
        let times = (0..ROWS).filter(|&other| reading(other) == reading(row)).count();
        assert_eq!(report["identical"], ROWS - times);
        let first = row % 101;
        let found = &report["first_difference"];
        assert_eq!((&found["row"], &found["line"]), (&(first + 1).into(), &(first + 2).into()));
        assert_eq!(found["wrong_bits"], serde_json::json!([bit]));
        let bits = |side: &str| {
            let text = found[side]["bits"].as_str().unwrap();
            u32::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
        };
        let right = model.decode().unwrap().score(&reading(row)).unwrap();
        assert_eq!(bits("workstation"), right.to_bits());
        assert_eq!(bits("device"), right.to_bits() ^ 1 << bit);
        assert_eq!(bits("device_again"), bits("device"));
        let told = verify(&scratch, &port, "").stdout();
        let (row, line) = (first + 1, first + 2);
        let named = format!("row {row} (rows.csv:{line}), bit {bit} of the score");
        let wrong = format!("{:#010x}", bits("device"));
        assert!(told.contains(&named) && told.contains(&wrong), "{told}");
    }
}

#[test]
fn an_answer_that_changes_and_a_wrong_class_are_differences_too() {
    let (scratch, model) = scratch("once", Encoding::F32);
    let run = verify(&scratch, &device(&model, Fault::Once(40)), "--json");
    let report = differs(&run, "in 1 of 300 rows");
    let found = &report["first_difference"];
    assert_eq!(found["row"], 41);
    assert_ne!(found["device"], found["workstation"]);
    assert_eq!(found["device_again"], found["workstation"]);

    let port = device(&model, Fault::Class(99));
    let report = differs(&verify(&scratch, &port, "--json"), "in 2 of 300 rows");
    let found = &report["first_difference"];
    assert_eq!(found["wrong_bits"], serde_json::json!([]));
    assert_eq!(found["workstation"]["bits"], found["device"]["bits"]);
    let positive = |side: &str| found[side]["positive"].as_bool();
    assert_ne!(positive("workstation"), positive("device"));
}

#[test]
fn a_reading_that_the_device_refuses_is_a_difference() {
    let (scratch, model) = scratch("refuses", Encoding::I16);
    let port = device(&model, Fault::Refuses(100));
    let run = verify(&scratch, &port, "");
    run.fails(3, &["in 2 of 300 rows"]);
    let told = run.stdout();
    assert!(told.contains("row 101 (rows.csv:102)"), "{told}");
    assert!(told.contains("on the device        refused"), "{told}");
}

#[test]
fn a_device_that_does_not_answer_is_told_from_one_that_does_not_understand() {
    let (scratch, model) = scratch("dead", Encoding::F32);
    let cases = [
        (Fault::DeadAfter(0), "no answer from the device"),
        (Fault::DeadAfter(11), "after 10 of 300 rows"),
        (Fault::Deaf, "was damaged each time"),
    ];
    // Each waits most of the time, so all of them at once.
    std::thread::scope(|scope| {
        for (fault, message) in cases {
            let (scratch, model) = (&scratch, &model);
            scope.spawn(move || {
                let port = device(model, fault);
                let run = verify(scratch, &port, "--timeout 0.5");
                run.fails(1, &[message]);
                assert!(run.stdout().is_empty());
                if !matches!(fault, Fault::DeadAfter(11)) {
                    run.fails(1, &[&port, "--baud 115200"]);
                }
            });
        }
    });
}

#[test]
fn lost_bytes_and_late_answers_are_made_good() {
    let (scratch, model) = scratch("loses", Encoding::F32);
    for fault in [Fault::Loses(2311), Fault::Stale] {
        let run = verify(&scratch, &device(&model, fault), "--json --timeout 0.5");
        let report = run.json();
        assert_eq!(report["identical"], ROWS);
        assert!(report["repeated"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_device_with_another_model_or_none_is_named() {
    let (scratch, model) = scratch("other", Encoding::F32);
    let other = random_model(21, 3, Encoding::F32).unwrap();
    let checksum = |bytes: &ModelBytes| format!("{:08x}", bytes.decode().unwrap().checksum());
    verify(&scratch, &device(&other, Fault::None), "")
        .fails(1, &["runs another model", &checksum(&other), &checksum(&model), "pual flash m.pual"]);
    let run = verify(&scratch, &device(&model, Fault::NoModel), "");
    run.fails(1, &["no valid model", "pual push m.pual"]);
}

#[test]
fn what_cannot_be_verified_is_said() {
    let (scratch, _) = scratch("errors", Encoding::F32);
    scratch.write("empty.csv", "a,b,c\n");
    scratch.write("bad.csv", "a,b,c\n1,2,3\n1,x,3\n");
    write_model(&scratch, "wide.pual", 2, 65, Encoding::F32);
    #[rustfmt::skip]
    let cases: [(i32, &str, &[&str]); 10] = [
        (2, "m.pual rows.csv", &["--device"]),
        (2, "m.pual rows.csv --device usb", &["qemu"]),
        (2, "m.pual rows.csv --device serial:", &["qemu"]),
        (2, "m.pual rows.csv --device qemu:", &["qemu"]),
        (2, "m.pual rows.csv --device qemu:an999", &["choose one of an386, an385, an500, an505, microbit"]),
        (1, "m.pual rows.csv --device serial:rows.csv", &["rows.csv is not a serial port"]),
        (1, "rows.csv rows.csv --device qemu", &["rows.csv is not a usable model"]),
        (1, "m.pual empty.csv --device qemu", &["empty.csv has a header but no rows"]),
        (1, "m.pual bad.csv --device qemu", &["bad.csv:3"]),
        (1, "wide.pual rows.csv --device qemu", &["65 features", "room for 64"]),
    ];
    for (code, arguments, message) in cases {
        scratch.pual(&format!("verify {arguments}")).fails(code, message);
    }
}
