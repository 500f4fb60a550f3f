//! Control plane: tests of the numbers that are taken of courses.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn wanted(take: Take) -> Wanted {
    Wanted {
        name: "r".to_owned(),
        of: "x".to_owned(),
        take,
        span: (None, None),
        least: None,
        most: None,
        unit: String::new(),
    }
}

fn taken(take: Take, time: &[f64], values: &[f64]) -> f64 {
    wanted(take).of_course(time, values).unwrap()
}

#[test]
fn each_take_is_its_number() {
    let time = [0.0, 1.0, 2.0, 4.0];
    let values = [1.0, -3.0, 1.0, 2.0];
    for (take, known) in [
        (Take::First, 1.0),
        (Take::Last, 2.0),
        (Take::Min, -3.0),
        (Take::Max, 2.0),
        (Take::AbsoluteMax, 3.0),
        (Take::Range, 5.0),
        // Trapezia: −1 − 1 + 3.
        (Take::Integral, 1.0),
        (Take::Mean, 0.25),
        // Squares 1, 9, 1, 4: 5 + 5 + 5.
        (Take::Rms, (15.0_f64 / 4.0).sqrt()),
        (Take::TimeOfMax, 4.0),
        (Take::TimeOfMin, 1.0),
        (Take::At(3.0), 1.5),
        (Take::Crossing(0.0, Crossing::Rising), 1.75),
        (Take::Crossing(0.0, Crossing::Falling), 0.25),
        (Take::Crossing(0.0, Crossing::Either), 0.25),
    ] {
        assert_eq!(taken(take, &time, &values), known, "{take:?}");
    }
    assert!(taken(Take::Crossing(5.0, Crossing::Either), &time, &values).is_nan());
    // About the mean of 1/4.
    let about = |x: f64| (x - 0.25) * (x - 0.25);
    let squares = 0.5 * (about(1.0) + about(-3.0))
        + 0.5 * (about(-3.0) + about(1.0))
        + about(1.0)
        + about(2.0);
    assert!((taken(Take::Deviation, &time, &values) - (squares / 4.0).sqrt()).abs() < 1e-15);
}

#[test]
fn only_the_span_counts_and_a_time_beyond_it_is_an_error() {
    let (time, values) = ([0.0, 1.0, 2.0, 3.0], [9.0, 1.0, 2.0, 9.0]);
    let within = Wanted {
        span: (Some(0.5), Some(2.0)),
        ..wanted(Take::Max)
    };
    assert_eq!(within.of_course(&time, &values), Ok(2.0));
    let after = Wanted {
        span: (Some(5.0), None),
        ..wanted(Take::Max)
    };
    assert!(
        after
            .of_course(&time, &values)
            .unwrap_err()
            .contains("no row")
    );
    assert!(
        wanted(Take::At(4.0))
            .of_course(&time, &values)
            .unwrap_err()
            .contains("is not at 4 s")
    );
    assert!(taken(Take::Max, &time, &[1.0, f64::NAN, 2.0, 3.0]).is_nan());
}

#[test]
fn a_band_has_the_power_of_a_sine_within_it() {
    let time: Vec<f64> = (0..4096).map(|k| f64::from(k) * 0.01).collect();
    let sine = |t: &f64| 3.0 * math::sin(2.0 * std::f64::consts::PI * 10.0 * t);
    let values: Vec<f64> = time.iter().map(sine).collect();
    let power = taken(Take::BandPower(8.0, 12.0), &time, &values);
    assert!((power - 4.5).abs() < 0.01, "{power}");
    let rms = taken(Take::BandRms(8.0, 12.0), &time, &values);
    assert!((rms * rms - power).abs() < 1e-12);
    assert!(taken(Take::BandPower(20.0, 40.0), &time, &values) < 1e-3);
    let few = wanted(Take::BandPower(1.0, 2.0)).of_course(&time[..4], &values[..4]);
    assert!(few.unwrap_err().contains("8 or more"));
}
