//! The overhead crane of `models`: small motions against the loop discretised exactly, and its sensors.

use crate::controls::propagate;
use crate::harness::{advance, example, output, start};
use fixstep_kernel::ids::{InputId, ParameterId};
use fixstep_kernel::simulation::Simulation;

/// Trolley, load, rope, travel resistance, gravity.
const CRANE: [f64; 5] = [1500.0, 4000.0, 8.0, 300.0, 9.81];
/// Sample period and dead time.
const TIMES: [f64; 2] = [0.1, 0.06];

/// Place, speed, sway, its rate, the command in force; last place, last sway, smoothed target.
type Loop = [f64; 8];

/// The map of place, speed, sway, rate and force over a time: the columns of the exponential of
/// M x'' = f - d x' + m g s, M L s'' = -f + d x' - (M + m) g s.
fn transition(time: f64) -> Vec<Vec<f64>> {
    let [trolley, load, rope, resistance, gravity] = CRANE;
    let inertia = trolley * rope;
    let rows = [
        [0.0, 1.0, 0.0, 0.0, 0.0],
        [
            0.0,
            -resistance / trolley,
            load * gravity / trolley,
            0.0,
            1.0 / trolley,
        ],
        [0.0, 0.0, 0.0, 1.0, 0.0],
        [
            0.0,
            resistance / inertia,
            -(trolley + load) * gravity / inertia,
            0.0,
            -1.0 / inertia,
        ],
        [0.0; 5],
    ];
    let rows = rows.map(|row| row.to_vec());
    let unit = |k: usize| {
        (0..5)
            .map(|i| f64::from(u8::from(i == k)))
            .collect::<Vec<_>>()
    };
    (0..5).map(|k| propagate(&rows, &unit(k), time)).collect()
}

/// From one sample to the next.
struct Sampled {
    early: Vec<Vec<f64>>,
    late: Vec<Vec<f64>>,
}

impl Sampled {
    fn new() -> Self {
        let [period, dead] = TIMES;
        Self {
            early: transition(dead),
            late: transition(period - dead),
        }
    }

    fn next(&self, x: &Loop, target: f64) -> Loop {
        let through = |columns: &[Vec<f64>], v: [f64; 5]| -> [f64; 5] {
            std::array::from_fn(|i| (0..5).map(|k| columns[k][i] * v[k]).sum())
        };
        let [
            place,
            speed,
            sway,
            rate,
            force,
            last_place,
            last_sway,
            smooth,
        ] = *x;
        let command = 1500.0 * (smooth - place) - 48000.0 * (place - last_place) + 6000.0 * sway
            - 40000.0 * (sway - last_sway)
            - 0.2 * force;
        let early = through(&self.early, [place, speed, sway, rate, force]);
        let late = through(
            &self.late,
            [early[0], early[1], early[2], early[3], command],
        );
        let smooth = smooth + 0.05 * (target - smooth);
        [
            late[0], late[1], late[2], late[3], command, place, sway, smooth,
        ]
    }

    /// The coefficients of the characteristic polynomial, highest first (Faddeev and Le Verrier).
    fn characteristic(&self) -> Vec<f64> {
        let column =
            |k: usize| self.next(&std::array::from_fn(|i| f64::from(u8::from(i == k))), 0.0);
        let columns: [Loop; 8] = std::array::from_fn(column);
        let mut product = [[0.0; 8]; 8];
        let mut coefficients = vec![1.0];
        for n in 1..=8_u32 {
            let last = coefficients[coefficients.len() - 1];
            let sum: [Loop; 8] = std::array::from_fn(|i| {
                std::array::from_fn(|k| product[i][k] + if i == k { last } else { 0.0 })
            });
            product = std::array::from_fn(|i| {
                std::array::from_fn(|k| (0..8).map(|l| columns[l][i] * sum[l][k]).sum())
            });
            let trace: f64 = (0..8).map(|i| product[i][i]).sum();
            coefficients.push(-trace / f64::from(n));
        }
        coefficients
    }
}

/// Places and sways at the samples of ten seconds, for a target one centimetre away.
fn samples(h: f64) -> Vec<[f64; 2]> {
    let mut simulation = example("overhead_crane");
    simulation.set_input(InputId(0), 0.01);
    start(&mut simulation, h);
    let read =
        |simulation: &Simulation| ["trolley_position", "sway"].map(|name| output(simulation, name));
    let each = (1..=100).map(|k| {
        advance(&mut simulation, TIMES[0] * f64::from(k));
        read(&simulation)
    });
    each.collect()
}

/// The largest difference of places, and of sways, from those of the loop.
fn difference(found: impl Fn(usize) -> [f64; 2]) -> [f64; 2] {
    let sampled = Sampled::new();
    let (mut x, mut worst) = ([0.0; 8], [0.0_f64; 2]);
    for k in 0..100 {
        x = sampled.next(&x, 0.01);
        let [place, sway] = found(k);
        worst = [
            worst[0].max((place - x[0]).abs()),
            worst[1].max((sway - x[2]).abs()),
        ];
    }
    worst
}

#[test]
fn small_motions_are_those_of_the_loop_discretised_exactly() {
    let [coarse, fine] = [0.0025, 0.00125].map(samples);
    let [off, half] = [&coarse, &fine].map(|run| difference(|k| run[k]));
    let rest = difference(|k| std::array::from_fn(|i| 2.0 * fine[k][i] - coarse[k][i]));
    // A jump is met within a step, so the error is of first order; a hundredth of the way remains.
    for (i, scale) in [(0, 0.01), (1, 8e-5)] {
        let order = (off[i] / half[i]).log2();
        assert!((order - 1.0).abs() < 0.1, "{i}: {off:?} {half:?}");
        assert!(
            half[i] < 1e-3 * scale && rest[i] < 1e-5 * scale,
            "{i}: {half:?} {rest:?}"
        );
    }
}

#[test]
fn the_poles_of_the_loop_are_those_of_its_page() {
    let coefficients = Sampled::new().characteristic();
    let poles = [
        (0.95943, 0.03423),
        (0.83490, 0.16230),
        (0.34412, 0.0),
        (-0.22112, 0.0),
        (0.95, 0.0),
    ];
    for (re, im) in poles {
        // The polynomial and its slope, by Horner's rule: how far off is the root?
        let (mut value, mut slope) = ((0.0, 0.0), (0.0, 0.0));
        let times = |(a, b): (f64, f64)| (a * re - b * im, a * im + b * re);
        for c in &coefficients {
            let (a, b) = times(slope);
            slope = (a + value.0, b + value.1);
            let (a, b) = times(value);
            value = (a + c, b);
        }
        let off = value.0.hypot(value.1) / slope.0.hypot(slope.1);
        assert!(off < 1e-5, "{re} {im}: {off:e}");
    }
}

#[test]
fn sensors_report_the_arrival_and_stop_the_trolley() {
    let mut simulation = example("overhead_crane");
    start(&mut simulation, 0.005);
    while output(&simulation, "arrival") == 0.0 {
        assert!(simulation.time() < 16.0);
        simulation.step().unwrap();
    }
    let off = 10.0 - output(&simulation, "load_position");
    assert!(off.abs() <= 0.1 && (output(&simulation, "arrival") - simulation.time()).abs() < 1e-9);
    // The target is beyond the limit switch: the trolley stops there.
    simulation.set_input(InputId(0), 17.0);
    advance(&mut simulation, 30.0);
    let stopped = output(&simulation, "trolley_position");
    assert!((12.0..12.3).contains(&stopped), "{stopped}");
    assert!(output(&simulation, "command") > 5000.0);
}

#[test]
fn a_longer_dead_time_swings_up() {
    let swing = |dead: f64| {
        let mut simulation = example("overhead_crane");
        simulation.set_parameter(ParameterId(0), dead).unwrap();
        start(&mut simulation, 0.005);
        advance(&mut simulation, 12.0);
        let mut worst = 0.0_f64;
        while simulation.time() < 16.0 {
            simulation.step().unwrap();
            worst = worst.max(output(&simulation, "sway").abs());
        }
        worst
    };
    assert!(swing(0.06) < 0.01, "{}", swing(0.06));
    assert!(swing(0.45) > 0.05, "{}", swing(0.45));
}
