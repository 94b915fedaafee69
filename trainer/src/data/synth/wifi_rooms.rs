//! Wi-Fi in a hospital's corridor: is a pump in a *room*, on either side, or out in the corridor?
//!
//! ```text
//!   y =  6.5  +-----A0----------------A1-----+
//!             |            rooms             |
//!   y =  1.5  +==============================+
//!             A4          corridor          A5     x = 0 .. 24 metres
//!   y = -1.5  +==============================+
//!             |            rooms             |
//!   y = -6.5  +-----A2----------------A3-----+
//! ```
//!
//! An access point at distance d behind w walls is received with
//!
//! ```text
//! strength = -38 - 20 log10 max(d, 1) - 6 w + 5 N(0, 1)   dBm, rounded
//! ```
//!
//! and not at all below -80. A row is **positive in a room**. From room to room across the corridor the strengths of one side fall and those
//! of the other rise, with the corridor in the middle: the positives lie on both sides of it, and no straight line has both.

use super::{STREAM_OF_ROWS, table};
use crate::base::random::Random;
use crate::data::table::Table;
use pual_protocol::{Heard, Scan};

const NAMES: [&str; 6] = ["ap0", "ap1", "ap2", "ap3", "ap4", "ap5"];
/// Where the access points are, x and y in metres.
const ACCESS_POINTS: [[f64; 2]; 6] = [[6.0, 6.5], [18.0, 6.5], [6.0, -6.5], [18.0, -6.5], [0.0, 0.0], [24.0, 0.0]];
const LENGTH: f64 = 24.0;
/// The walls between corridor and rooms, and how deep the rooms are.
const WALLS: [f64; 2] = [-1.5, 1.5];
const DEPTH: f64 = 5.0;
const SHARE_IN_ROOMS: f64 = 0.4;

const AT_ONE_METRE: f64 = -38.0;
const A_WALL: f64 = 6.0;
const SHADOWING: f64 = 5.0;
const FAINTEST: f64 = -80.0;

/// `rows` places in random order, with their truth and no labels.
pub fn wifi_rooms(rows: usize, seed: u64) -> Table {
    let (scans, truth) = wifi_scans(rows, seed);
    let values = scans.iter().filter_map(|scan| scan.reading(NAMES.len())).flatten().map(f64::from).collect();
    table(&NAMES, values, truth)
}

/// The same rows as they come over the wire, and whether each is in a room.
pub fn wifi_scans(rows: usize, seed: u64) -> (Vec<Scan>, Vec<bool>) {
    let mut random = Random::new(seed, STREAM_OF_ROWS);
    (0..rows).map(|_| look_around(&mut random)).unzip()
}

fn look_around(random: &mut Random) -> (Scan, bool) {
    let in_room = random.uniform() < SHARE_IN_ROOMS;
    let side = if random.uniform() < 0.5 { -1.0 } else { 1.0 };
    let x = random.between(0.0, LENGTH);
    let y = match in_room {
        true => side * random.between(WALLS[1], WALLS[1] + DEPTH),
        false => random.between(WALLS[0], WALLS[1]),
    };
    let strengths = ACCESS_POINTS.map(|point| strength([x, y], point) + SHADOWING * random.normal());
    let heard = strengths.into_iter().enumerate();
    let heard = heard.filter(|(_, strength)| *strength >= FAINTEST);
    let scan = heard.map(|(at, strength)| Heard { access_point: at as u8, dbm: strength.round() as i8 });
    (Scan(scan.collect()), in_room)
}

/// Without shadowing.
fn strength(place: [f64; 2], point: [f64; 2]) -> f64 {
    let distance = libm::hypot(place[0] - point[0], place[1] - point[1]).max(1.0);
    let between = |wall: &&f64| (place[1] < **wall) != (point[1] < **wall);
    let walls = WALLS.iter().filter(between).count() as f64;
    AT_ONE_METRE - 20.0 * libm::log10(distance) - A_WALL * walls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_and_walls_weaken() {
        // Ten metres along the corridor; from a room's far end to the other side's access point straight across.
        assert_eq!(strength([10.0, 0.0], [0.0, 0.0]), -58.0);
        let across = strength([6.0, -3.5], [6.0, 6.5]);
        assert_eq!(across, -38.0 - 20.0 - 12.0);
        assert_eq!(strength([6.0, 6.0], [6.0, 6.5]), -38.0, "near is near");
    }
}
