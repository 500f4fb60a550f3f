//! The Magic Formula against values of a plain transcription of the published equations in Python, and
//! the properties of its curves.

use fixstep_kernel::elements::forces::tyre::magic::*;
use fixstep_kernel::math::dual::Dual;
use fixstep_kernel::math::{atan, sin};
use fixstep_kernel::mechanism::{ForceKind, TyreLaw};
use fixstep_model::Model;
use fixstep_model::resources::folder;
use std::path::Path;

/// The sample tyre, by `USE_MODE`.
fn tyre(mode: i32) -> Magic {
    let text = format!(
        r#"{{"fixstep": 1, "name": "t",
        "parts": [{{"name": "w", "mass": 1, "inertia": {{"xx": 1, "yy": 1, "zz": 1}}}}],
        "markers": [{{"name": "hub", "part": "w"}}],
        "forces": [{{"name": "t", "type": "tyre", "i": "hub",
                     "law": {{"type": "pac2002", "file": "tyres/touring.tir", "use_mode": {mode}}}}}]}}"#
    );
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let model = Model::read(&text, &folder(&place)).unwrap_or_else(|e| unreachable!("{e}"));
    let ForceKind::Tyre(tyre) = &model.mechanism.forces[0].kind else {
        unreachable!("a tyre")
    };
    let TyreLaw::Magic(formula, parts) = &tyre.law else {
        unreachable!("a Magic Formula")
    };
    assert_eq!(tyre.states.is_some(), mode >= 10);
    Magic {
        formula: (**formula).clone(),
        parts: *parts,
    }
}

/// Fx, Fy, Mx, My, Mz at κ, α, γ, load, speed.
fn at(tyre: &Magic, [kappa, alpha, gamma, load, speed]: [f64; 5]) -> [f64; 5] {
    let seen = [kappa, alpha, gamma, load, 1.0, speed];
    let inputs = std::array::from_fn(|k| Dual::variable(seen[k], k));
    let a = tyre.forces(1.0, &inputs);
    [a.fx, a.fy, a.mx, a.my, a.mz].map(|x| x.value)
}

/// κ, α, γ, load, speed and Fx, Fy, Mx, My, Mz by the transcription.
const REFERENCE: [([f64; 5], [f64; 5]); 7] = [
    (
        [0.05, 0.0, 0.0, 4000.0, 20.0],
        [
            3.296_182_099e3,
            -1.772_679_278e2,
            1.380_938_847,
            -3.358_242_865e1,
            2.858_023_281e1,
        ],
    ),
    (
        [-0.12, 0.0, 0.0, 2500.0, 30.0],
        [
            -2.735_646_275e3,
            3.912_724_159e1,
            1.701_618_061,
            1.309_300_313,
            -2.709_051_567e1,
        ],
    ),
    (
        [0.0, 0.06, 0.0, 4000.0, 20.0],
        [
            -4.077_884_733e1,
            -3.060_706_947e3,
            -1.649_638_307e1,
            -1.289_327_078e1,
            7.465_564_45e1,
        ],
    ),
    (
        [0.0, -0.1, 0.05, 6000.0, 10.0],
        [
            -3.640_344_562e1,
            4.816_893_175e3,
            -3.518_289_347e1,
            -1.775_710_587e1,
            -1.739_253_055e2,
        ],
    ),
    (
        [0.04, 0.05, 0.02, 4500.0, 25.0],
        [
            2.745_074_56e3,
            -2.893_055_694e3,
            -4.249_906_346e1,
            -3.476_836_079e1,
            9.357_443_262e1,
        ],
    ),
    (
        [-0.3, -0.2, -0.06, 3000.0, 15.0],
        [
            -2.224_389_66e3,
            1.445_759_035e3,
            5.880_277_951e1,
            9.225_914_359e-1,
            3.665_099_093,
        ],
    ),
    (
        [0.9, 0.4, 0.1, 7000.0, 5.0],
        [
            4.380_289_439e3,
            -1.750_799_155e3,
            -2.099_561_708e2,
            -6.783_717_61e1,
            6.756_989_436e1,
        ],
    ),
];

#[test]
fn values_are_those_of_the_published_equations() {
    let tyre = tyre(14);
    for (point, expected) in REFERENCE {
        let found = at(&tyre, point);
        for (k, (f, e)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (f - e).abs() < 1e-8 * (1.0 + e.abs()),
                "{point:?} {k}: {f} {e}"
            );
        }
    }
}

#[test]
fn a_curve_of_pure_slip_has_its_peak_and_its_slope() {
    // Without shifts the curve goes through zero with slope B C D, its peak is D, and far out it is
    // D sin(C π/2).
    let mut tyre = tyre(3);
    let m = &mut tyre.formula;
    (m.phx1, m.phx2, m.pvx1, m.pvx2, m.pex4) = (0.0, 0.0, 0.0, 0.0, 0.0);
    (m.phy1, m.phy2, m.pvy1, m.pvy2, m.pey3) = (0.0, 0.0, 0.0, 0.0, 0.0);
    (m.kpumin, m.kpumax) = (-1e6, 1e6);
    let load = 4000.0;
    let (d_x, d_y) = (1.08 * load, 0.98 * load);
    let fx = |kappa: f64| at(&tyre, [kappa, 0.0, 0.0, load, 10.0])[0];
    let fy = |alpha: f64| at(&tyre, [0.0, alpha, 0.0, load, 10.0])[1];
    let slope = fx(1e-7) / 1e-7;
    assert!((slope / (21.5 * load) - 1.0).abs() < 1e-6, "{slope}");
    let slope = fy(1e-7) / 1e-7;
    let expected = -18.0 * load * sin(2.0 * atan(1.0 / 1.7));
    assert!((slope / expected - 1.0).abs() < 1e-6, "{slope}");
    let peak = |f: &dyn Fn(f64) -> f64| {
        (1..4000)
            .map(|k| f(f64::from(k) * 1e-4).abs())
            .fold(0.0, f64::max)
    };
    assert!((peak(&fx) / d_x - 1.0).abs() < 1e-5);
    assert!((peak(&fy) / d_y - 1.0).abs() < 1e-5);
    let far = d_x * sin(1.62 * std::f64::consts::FRAC_PI_2);
    assert!((fx(1e6) / far - 1.0).abs() < 1e-4);
    assert_eq!(fx(0.03), -fx(-0.03));
}

#[test]
fn one_slip_takes_from_the_other_and_modes_choose() {
    let whole = tyre(14);
    let [fx, fy, ..] = at(&whole, [0.08, 0.0, 0.0, 4000.0, 20.0]);
    let both = at(&whole, [0.08, 0.08, 0.0, 4000.0, 20.0]);
    let side = at(&whole, [0.0, 0.08, 0.0, 4000.0, 20.0]);
    assert!(
        both[0] < 0.9 * fx && both[1].abs() < 0.9 * side[1].abs(),
        "{both:?} {fy}"
    );
    let total = (both[0] * both[0] + both[1] * both[1]).sqrt();
    assert!(total < 1.1 * 4000.0 && total > 0.8 * 4000.0, "{total}");
    let point = [0.08, 0.08, 0.02, 4000.0, 20.0];
    let zeros = |mode: i32| at(&tyre(mode), point).map(|x| x == 0.0);
    assert_eq!(zeros(0), [true; 5]);
    assert_eq!(zeros(1), [false, true, true, false, true]);
    assert_eq!(zeros(2), [true, false, false, true, false]);
    assert_eq!(zeros(13), [false; 5]);
    let apart = at(&tyre(3), point);
    let alone = at(&whole, [0.08, 0.0, 0.02, 4000.0, 20.0])[0];
    assert!((apart[0] / alone - 1.0).abs() < 1e-12);
}

#[test]
fn without_load_there_is_nothing_and_little_load_does_little() {
    let tyre = tyre(14);
    let none = at(&tyre, [0.5, 0.3, 0.1, 0.0, 20.0]);
    assert!(none.iter().all(|f| *f == 0.0), "{none:?}");
    let small = at(&tyre, [0.5, 0.3, 0.1, 1.0, 20.0]);
    assert!(small[..2].iter().all(|f| f.abs() < 2.0), "{small:?}");
}
