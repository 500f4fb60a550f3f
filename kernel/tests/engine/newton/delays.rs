//! Delayed values in the Newton matrix: the part of the present value, and that of the delay.

use super::*;
use fixstep_kernel::system::memory::{DELAY_HEAD, DELAY_MARGIN};

/// Fills the rings with accepted points up to 0.35 s; the residual is that of 0.4 s.
fn remember(fixture: &mut Fixture) {
    for entry in &fixture.system.memory.delays {
        let at = fixture.system.layout.delays.first + entry.first;
        assert_eq!(entry.capacity, DELAY_MARGIN);
        let numbers = &mut fixture.state.reals[at..at + entry.numbers()];
        // As if the ring had gone round: the oldest point is the third.
        numbers[..DELAY_HEAD].copy_from_slice(&[0.5, 6.0, 1.0]);
        for k in 0..6_u32 {
            let place = DELAY_HEAD + 2 * ((k as usize + 2) % 6);
            numbers[place] = 0.1 + 0.05 * f64::from(k);
            numbers[place + 1] = 0.3 * f64::from(k * k) - f64::from(k);
        }
    }
}

fn check_delays(name: &str, terms: [&str; 3]) {
    let mut model = base();
    model["differential_equations"] = json!([{"name": "y", "derivative": terms[2]}]);
    model["forces"] = json!([
        {"name": "f", "type": "general_force", "i": "ma", "j": "mb", "fx": terms[0], "ty": terms[1]}
    ]);
    for (scheme, slopes) in schemes() {
        for seed in [1, 2, 3] {
            let mut fixture = Fixture::new(&model, seed, slopes);
            remember(&mut fixture);
            fixture.check(&format!("{name}, {scheme}"));
        }
    }
}

#[test]
fn shorter_than_the_step() {
    // Behind 0.35 s the present value takes part.
    check_delays(
        "short",
        [
            "DELAY(DX(ma, mb)*DIF(y), 0.02, 0)",
            "3*DELAY(VM(ma, mc), 0, 0)**2",
            "DELAY(DIF(y) + DZ(mc), 0.0313, 0)",
        ],
    );
}

#[test]
fn varying_with_the_mechanism() {
    check_delays(
        "varying",
        [
            "DELAY(DX(ma, mb), 0.02 + 0.004*SIN(DX(ma, mb)), 0, 1)",
            "DELAY(WM(ma, mc), 0.175 + 0.004*SIN(DY(ma, mb)), 0, 1)",
            // Before the start the history counts.
            "DELAY(DIF(y), 0.41 + 0.001*COS(DIF(y)), SIN(3*TIME), 1)",
        ],
    );
}
