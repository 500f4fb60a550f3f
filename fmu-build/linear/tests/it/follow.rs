//! Tests of modes that are followed over a parameter, against closed forms and published values.

use super::eigen::truth;
use core::convert::Infallible;
use faer::Mat;
use faer::linalg::solvers::Solve as _;
use linear_analysis::follow::{Event, Follower, Kind, Range, Station};
use serde_json::Value;

type Square = Vec<Vec<f64>>;

/// A of M q" + C q' + K q = 0.
fn first_order(m: &Square, c: &Square, k: &Square) -> Mat<f64> {
    let f = m.len();
    let mass = Mat::from_fn(f, f, |r, s| m[r][s]);
    let by = |of: &Square| {
        mass.partial_piv_lu()
            .solve(Mat::from_fn(f, f, |r, s| -of[r][s]))
    };
    let (of_k, of_c) = (by(k), by(c));
    Mat::from_fn(2 * f, 2 * f, |r, s| match (r < f, s < f) {
        (true, _) => f64::from(u8::from(s == f + r)),
        (false, true) => of_k[(r - f, s)],
        (false, false) => of_c[(r - f, s - f)],
    })
}

struct Told {
    events: Vec<Event>,
    ranges: Vec<Range>,
    /// Im λ and Re λ of each mode at all stations, and the smallest MAC.
    lines: Vec<Vec<(f64, f64, f64)>>,
    least: Vec<f64>,
    stations: usize,
}

fn told(values: &[f64], a: &dyn Fn(f64) -> Mat<f64>) -> Told {
    let mut at =
        |p: f64| -> Result<Station, Infallible> { Ok(Station::of_matrix(p, &a(p)).unwrap()) };
    let mut follower = Follower::new(values, &mut at).unwrap();
    let (events, ranges) = follower.events().unwrap();
    let stations: Vec<&Station> = follower.stations().collect();
    let line = |track: &linear_analysis::follow::Track| {
        let all = track.points.iter();
        all.map(|point| {
            let station = stations[point.station];
            let root = station.roots[point.mode].value;
            (station.value, root.im, root.re)
        })
        .collect()
    };
    let tracks = follower.tracks();
    let macs = tracks.iter().map(|track| {
        let all = track.points.iter().filter_map(|point| point.mac);
        all.fold(1.0, f64::min)
    });
    Told {
        events,
        ranges,
        lines: tracks.iter().map(line).collect(),
        least: macs.collect(),
        stations: stations.len(),
    }
}

fn grid(from: f64, to: f64, count: usize) -> Vec<f64> {
    let share = |k: usize| k as f64 / (count - 1) as f64;
    (0..count).map(|k| from + (to - from) * share(k)).collect()
}

fn near(what: &str, got: f64, wanted: f64, part: f64) {
    assert!(
        (got - wanted).abs() <= part * wanted.abs(),
        "{what}: {got} for {wanted}"
    );
}

fn zeros(of: usize) -> Square {
    vec![vec![0.0; of]; of]
}

/// Two masses of 1 on springs 100 + p and 120 − p, and one of e between them: they meet at p = 10.
fn two(p: f64, e: f64) -> Mat<f64> {
    let unit = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let k = vec![vec![100.0 + p + e, -e], vec![-e, 120.0 - p + e]];
    first_order(&unit, &zeros(2), &k)
}

#[test]
fn frequencies_cross_where_nothing_couples() {
    // Also on a station, where any combination of both shapes is one.
    for count in [8, 5] {
        let all = told(&grid(0.0, 20.0, count), &|p| two(p, 0.0));
        assert_eq!(all.lines.len(), 2, "{count}");
        assert_eq!(all.events.len(), 1, "{:?}", all.events);
        let crossing = &all.events[0];
        assert_eq!(
            (crossing.kind, &crossing.tracks[..]),
            (Kind::Crossing, &[0, 1][..])
        );
        near("place", crossing.value, 10.0, 1e-6);
        for (track, sign) in [(0, 1.0), (1, -1.0)] {
            assert!(all.least[track] > 0.999, "{:?}", all.least);
            for (p, im, _) in &all.lines[track] {
                let k = if sign > 0.0 { 100.0 + p } else { 120.0 - p };
                near("line", *im, k.sqrt(), 1e-10);
            }
        }
    }
}

#[test]
fn frequencies_repel_each_other_where_something_couples() {
    // The second is narrower than a hundredth of the grid: only where lines seem to cross does it show.
    for e in [1.0, 0.02] {
        let all = told(&grid(0.0, 20.0, 8), &|p| two(p, e));
        assert_eq!(all.events.len(), 1, "{:?}", all.events);
        let veering = &all.events[0];
        assert_eq!(
            (veering.kind, &veering.tracks[..]),
            (Kind::Veering, &[0, 1][..])
        );
        near("place", veering.value, 10.0, 2e-3);
        let gap = (110.0 + 2.0 * e).sqrt() - 110.0_f64.sqrt();
        near("gap", veering.gap.unwrap(), gap, 0.05);
        assert!(veering.mac.unwrap() > 0.6);
        // The lower stays the lower.
        for (p, im, _) in &all.lines[0] {
            let half = (10.0 - p).hypot(e);
            near("lower", *im, (110.0 + e - half).sqrt(), 1e-9);
        }
        assert!(all.stations < 400, "{}", all.stations);
    }
}

#[test]
fn a_pair_becomes_two_real_roots_and_back() {
    let a = |c: f64| first_order(&vec![vec![1.0]], &vec![vec![c]], &vec![vec![25.0]]);
    let all = told(&grid(6.0, 14.5, 6), &a);
    assert_eq!(all.events.len(), 1, "{:?}", all.events);
    let event = &all.events[0];
    assert_eq!(event.kind, Kind::Unpairs);
    near("critical", event.value, 10.0, 1e-3);
    assert_eq!((all.lines.len(), &event.tracks[..]), (2, &[0, 1][..]));
    let all = told(&grid(6.0, 14.5, 6), &|p| a(20.5 - p));
    assert_eq!(all.events[0].kind, Kind::Pairs);
    near("critical", all.events[0].value, 10.5, 1e-3);
    assert_eq!(all.events[0].tracks, [0, 1]);
    // The one that came first goes on.
    assert_eq!(all.lines[0].last().unwrap().0, 14.5);
    assert!(all.lines[1].last().unwrap().0 < 10.6);
}

/// Ziegler (1952): two rods, 2 m and m, with springs k, and a force that turns with the second rod: flutter from P
/// l/k = 7/2 − √2 on.
#[test]
fn a_force_that_follows_brings_flutter() {
    let mass = vec![vec![3.0, 1.0], vec![1.0, 1.0]];
    let stiffness = |p: f64| vec![vec![2.0 - p, p - 1.0], vec![-1.0, 1.0]];
    let onset = 3.5 - 2.0_f64.sqrt();
    let all = told(&grid(0.0, 4.0, 9), &|p| {
        first_order(&mass, &zeros(2), &stiffness(p))
    });
    let kinds: Vec<Kind> = all.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [Kind::Meeting, Kind::Flutter], "{:?}", all.events);
    for event in &all.events {
        let part = if event.kind == Kind::Flutter {
            1e-6
        } else {
            2e-3
        };
        near("onset", event.value, onset, part);
    }
    assert_eq!(all.ranges.len(), 1);
    near("from", all.ranges[0].from, onset, 1e-6);
    assert_eq!(all.ranges[0].to, 4.0);
    // Little damping brings it earlier: P l/k = 41/28 + b²/2, b = c/√(k m) l², in both joints alike.
    let b: f64 = 0.1;
    let damping = vec![vec![2.0 * b, -b], vec![-b, b]];
    let all = told(&grid(0.0, 4.0, 9), &|p| {
        first_order(&mass, &damping, &stiffness(p))
    });
    let range = &all.ranges[0];
    near("damped", range.from, 41.0 / 28.0 + b * b / 2.0, 1e-8);
    assert_eq!(
        all.events
            .iter()
            .filter(|e| e.kind == Kind::Flutter)
            .count(),
        1
    );
}

/// Meijaard, Papadopoulos, Ruina, Schwab (2007): a bicycle weaves below 4.2924 m/s and capsizes above 6.0243 m/s.
#[test]
fn a_bicycle_is_stable_between_weave_and_capsize() {
    let truth = truth(include_str!(
        "../../../../tests/truth/F12_bicycle_whipple/reference.json"
    ));
    let square = |name: &str| -> Square {
        let rows = truth["matrices"][name].as_array().unwrap();
        let row = |row: &Value| {
            let all = row.as_array().unwrap().iter();
            all.map(|x| x.as_f64().unwrap()).collect()
        };
        rows.iter().map(row).collect()
    };
    let (mass, damping) = (square("M"), square("C1"));
    let (still, driven) = (square("K0"), square("K2"));
    let a = |v: f64| {
        let sum = |r: usize, c: usize| 9.81 * still[r][c] + v * v * driven[r][c];
        let stiffness = vec![vec![sum(0, 0), sum(0, 1)], vec![sum(1, 0), sum(1, 1)]];
        let own = damping
            .iter()
            .map(|row| row.iter().map(|x| v * x).collect());
        first_order(&mass, &own.collect(), &stiffness)
    };
    let all = told(&grid(0.0, 10.0, 21), &a);
    let ends = |kind: Kind| -> Vec<f64> {
        let own = all.events.iter().filter(|event| event.kind == kind);
        own.map(|event| event.value).collect()
    };
    let (stable, capsize) = (ends(Kind::Stable), ends(Kind::Divergence));
    near("weave", *stable.last().unwrap(), 4.292_382_536_341_11, 1e-9);
    near(
        "capsize",
        *capsize.last().unwrap(),
        6.024_262_015_388_37,
        1e-9,
    );
    // Two real roots become the weave; the lowest speed of it is 0.684283 m/s.
    let pairs = ends(Kind::Pairs);
    near("pairs", pairs[0], 0.684_283_078_892_46, 1e-3);
    // Between 4.2924 and 6.0243 nothing grows.
    let open = |v: f64| {
        all.ranges
            .iter()
            .any(|range| range.from < v && v < range.to)
    };
    assert!(open(4.2) && !open(4.4) && !open(5.9) && open(6.1));
}

#[test]
fn a_budget_bounds_the_values_that_are_looked_at() {
    // Two oscillators whose frequencies veer between the two values that are asked for.
    let veering = |p: f64| {
        let (mass, none) = (vec![vec![1.0, 0.0], vec![0.0, 1.0]], vec![vec![0.0; 2]; 2]);
        let stiffness = vec![vec![1.0 + 3.0 * p, 0.05], vec![0.05, 2.0]];
        first_order(&mass, &none, &stiffness)
    };
    for (budget, spent) in [(3, true), (400, false)] {
        let mut looked = 0;
        let mut at = |p: f64| -> Result<Station, Infallible> {
            looked += 1;
            Ok(Station::of_matrix(p, &veering(p)).unwrap())
        };
        let mut follower = Follower::within(budget, &[0.0, 1.0], &mut at).unwrap();
        let (events, _) = follower.events().unwrap();
        let is_spent = follower.is_spent();
        let tracks = follower.tracks().len();
        assert_eq!((is_spent, tracks), (spent, 2), "{budget}");
        if !spent {
            assert_eq!(events.len(), 1);
            assert_eq!(events[0].kind, Kind::Veering);
        }
        assert!(looked <= 2 + budget, "{looked} of {budget}");
    }
}

/// A mass of 1 on a spring of k, damped by c.
fn one(c: f64, k: f64) -> Mat<f64> {
    first_order(&vec![vec![1.0]], &vec![vec![c]], &vec![vec![k]])
}

#[test]
fn events_have_the_frequency_of_their_place() {
    // A crossing at a value that was asked for: 110 there.
    let all = told(&[0.0, 10.0, 20.0], &|p| two(p, 0.0));
    assert_eq!((all.events.len(), all.stations), (1, 3), "{:?}", all.events);
    assert_eq!(all.events[0].value, 10.0);
    near("crossing", all.events[0].frequency, 110.0_f64.sqrt(), 1e-9);
    // Damping of 1 − p turns its sign at p = 1 where k = 50 + 7 p.
    let all = told(&grid(0.0, 3.3, 3), &|p| one(1.0 - p, 50.0 + 7.0 * p));
    assert_eq!(all.events[0].kind, Kind::Flutter);
    near("value", all.events[0].value, 1.0, 1e-9);
    near("flutter", all.events[0].frequency, 57.0_f64.sqrt(), 1e-8);
    // Flutter of an undamped pair: λ² = −(3 ∓ √(1 − p)): one frequency √3 from p = 1 on.
    let unit = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let follower =
        |p: f64| first_order(&unit, &zeros(2), &vec![vec![3.0, 1.0], vec![1.0 - p, 3.0]]);
    let all = told(&grid(0.0, 2.7, 4), &follower);
    for kind in [Kind::Meeting, Kind::Flutter] {
        let event = all.events.iter().find(|event| event.kind == kind).unwrap();
        near("place", event.value, 1.0, 1e-8);
        near("frequency", event.frequency, 3.0_f64.sqrt(), 1e-4);
    }
}

#[test]
fn pairs_become_real_where_their_roots_are_one() {
    // λ² + λ + k: at k = 1/4; the larger root is zero at k = 0.
    let all = told(&grid(-5.0, 5.0, 8), &|k| one(1.0, k));
    let of = |kind: Kind| all.events.iter().find(|event| event.kind == kind).unwrap();
    near("pairs", of(Kind::Pairs).value, 0.25, 1e-8);
    assert!(of(Kind::Stable).value.abs() < 1e-8);
    // A bead on a hoop that turns: k = 100 − Ω², also where Ω = 10 is a value that was asked for.
    for count in [6, 7] {
        let all = told(&grid(0.0, 12.0, count), &|w| one(0.0, 100.0 - w * w));
        for kind in [Kind::Unpairs, Kind::Divergence] {
            let event = all.events.iter().find(|event| event.kind == kind).unwrap();
            near("bead", event.value, 10.0, 1e-8);
        }
        near("from", all.ranges[0].from, 10.0, 1e-8);
    }
}

/// A shaft of 81 and 121 (mass 1) in axes that turn with Ω is unstable from 9 to 11.
#[test]
fn a_shaft_that_is_not_round_is_unstable_between_its_frequencies() {
    let unit = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let a = |w: f64| {
        let stiffness = vec![vec![81.0 - w * w, 0.0], vec![0.0, 121.0 - w * w]];
        first_order(
            &unit,
            &vec![vec![0.0, -2.0 * w], vec![2.0 * w, 0.0]],
            &stiffness,
        )
    };
    for values in [grid(0.0, 20.0, 11), grid(0.3, 20.0, 50)] {
        let all = told(&values, &a);
        let wanted = [
            (Kind::Unpairs, 9.0),
            (Kind::Divergence, 9.0),
            (Kind::Stable, 11.0),
            (Kind::Pairs, 11.0),
        ];
        for (kind, value) in wanted {
            let own: Vec<&Event> = all
                .events
                .iter()
                .filter(|event| event.kind == kind)
                .collect();
            assert_eq!(own.len(), 1, "{kind:?}: {:?}", all.events);
            near("place", own[0].value, value, 1e-7);
        }
        assert_eq!(all.ranges.len(), 1, "{:?}", all.ranges);
        near("from", all.ranges[0].from, 9.0, 1e-7);
        near("to", all.ranges[0].to, 11.0, 1e-7);
    }
}

#[test]
fn critical_speeds_need_few_values_and_are_interpolated_without() {
    // Im λ = √(100 + s²) meets n s at 10/√(n² − 1).
    let mut looked = 0;
    let orders = [2.0, 3.0, 4.0, 5.0];
    for budget in [0, 80] {
        let mut at = |s: f64| -> Result<Station, Infallible> {
            looked += 1;
            Ok(Station::of_matrix(s, &one(0.0, 100.0 + s * s)).unwrap())
        };
        let mut follower = Follower::within(budget, &[0.0, 8.0], &mut at).unwrap();
        let all = follower.critical(&orders, 1.0).unwrap();
        assert_eq!(all.len(), orders.len());
        assert_eq!(follower.is_spent(), budget == 0);
        for own in &all {
            let wanted = 10.0 / (own.order * own.order - 1.0).sqrt();
            let (low, high) = own.at.between;
            if budget == 0 {
                assert_eq!(own.at.between, (0.0, 8.0));
                near("line", own.at.value, wanted, 0.1);
            } else {
                near("speed", own.at.value, wanted, 1e-9);
                near("frequency", own.at.frequency, own.order * wanted, 1e-9);
                assert!(high - low < 1e-8);
            }
        }
    }
    assert!(looked < 50, "{looked}");
}
