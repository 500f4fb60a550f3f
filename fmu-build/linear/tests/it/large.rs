//! Tests of large symmetric problems, which a separate method solves, against closed forms.

use faer::{Mat, c64};
use linear_analysis::eigen::{Eigen, of_second_order};

/// Masses m in a row between springs k and dampers c, ground at one end.
struct Chain {
    count: usize,
    m: f64,
    k: f64,
    c: f64,
}

impl Chain {
    /// The matrix of second differences times a number.
    fn differences(&self, by: f64) -> Mat<f64> {
        let n = self.count;
        Mat::from_fn(n, n, |r, c| match r.abs_diff(c) {
            0 if r + 1 == n => by,
            0 => 2.0 * by,
            1 => -by,
            _ => 0.0,
        })
    }

    fn matrices(&self) -> [Mat<f64>; 3] {
        let n = self.count;
        let mass = Mat::from_fn(n, n, |r, c| if r == c { self.m } else { 0.0 });
        [mass, self.differences(self.c), self.differences(self.k)]
    }

    fn state(&self) -> Mat<f64> {
        let n = self.count;
        let [_, damping, stiffness] = self.matrices();
        Mat::from_fn(2 * n, 2 * n, |r, c| match (r < n, c < n) {
            (true, _) => f64::from(u8::from(c == n + r)),
            (false, true) => -stiffness[(r - n, c)] / self.m,
            (false, false) => -damping[(r - n, c - n)] / self.m,
        })
    }

    fn found(&self) -> Option<Eigen> {
        let [mass, damping, stiffness] = self.matrices();
        of_second_order(&self.state(), [&mass, &damping, &stiffness])
    }
}

#[test]
fn a_chain_has_the_roots_of_its_closed_form() {
    let chain = Chain {
        count: 160,
        m: 2.0,
        k: 5e4,
        c: 3.0,
    };
    let found = chain.found().unwrap();
    assert_eq!(found.roots.len(), 160);
    let a = chain.state();
    for (k, root) in found.roots.iter().enumerate() {
        // 2 sin((2 k + 1) pi / (4 n + 2)), squared: what second differences are.
        let angle = (2 * k + 1) as f64 * std::f64::consts::PI / 642.0;
        let square = 4.0 * fixstep_kernel::math::sin(angle).powi(2);
        let half = square * chain.c / chain.m / 2.0;
        let im = (square * chain.k / chain.m - half * half).sqrt();
        let off = (root.value - c64::new(-half, im)).norm();
        assert!(off < 1e-10 * im, "{k}: {off}");
        assert!(root.condition < 10.0, "{k}: {}", root.condition);
        // Both vectors are those of A, and yᴴ x = 1.
        let none = c64::new(0.0, 0.0);
        let (mut right, mut left, mut own) = (0.0_f64, 0.0_f64, none);
        for r in 0..320 {
            let (mut x, mut y) = (none, none);
            for c in 0..320 {
                x += found.right[(c, k)] * a[(r, c)];
                y += found.left[(c, k)].conj() * a[(c, r)];
            }
            right = right.max((x - root.value * found.right[(r, k)]).norm());
            left = left.max((y - root.value * found.left[(r, k)].conj()).norm());
            own += found.left[(r, k)].conj() * found.right[(r, k)];
        }
        let size = found.left.col(k).norm_l2();
        assert!(right < 1e-9 && left < 1e-9 * size, "{k}: {right} {left}");
        assert!((own - 1.0).norm() < 1e-10, "{k}: {own}");
    }
}

#[test]
fn what_is_not_so_goes_the_other_way() {
    let chain = |count, c| Chain {
        count,
        m: 2.0,
        k: 5e4,
        c,
    };
    assert!(chain(20, 3.0).found().is_none(), "small");
    // A damper at one end couples modes.
    let own = chain(160, 3.0);
    let [mass, mut damping, stiffness] = own.matrices();
    damping[(159, 159)] += 40.0;
    let mut a = own.state();
    a[(319, 319)] -= 20.0;
    assert!(of_second_order(&a, [&mass, &damping, &stiffness]).is_none());
    // A chain that nothing holds.
    let [mass, damping, mut stiffness] = own.matrices();
    stiffness[(0, 0)] -= own.k;
    let mut a = own.state();
    a[(160, 0)] += own.k / own.m;
    assert!(of_second_order(&a, [&mass, &damping, &stiffness]).is_none());
    // Strong damping makes real roots, undamped chains have none.
    let strong = chain(160, 3000.0).found().unwrap();
    assert_eq!(
        strong.roots.iter().filter(|root| !root.is_pair()).count() % 2,
        0
    );
    assert!(strong.roots.len() > 160 && strong.roots[0].value.re < 0.0);
    let free = chain(160, 0.0).found().unwrap();
    assert!(free.roots.iter().all(|root| root.value.re == 0.0));
}

/// Beams of masses, whose soft modes are many decades below the stiff ones. Reference: the frequencies of a free
/// chain that soft springs hold to ground, κ_j = 4 k sin²(jπ/2n) + k₀ of each mass.
#[test]
fn soft_modes_keep_their_digits() {
    let (n, m, k, soft) = (160, 2.0, 5e4, 1e-5);
    let mass = Mat::from_fn(n, n, |r, c| if r == c { m } else { 0.0 });
    let stiffness = Mat::from_fn(n, n, |r, c| match r.abs_diff(c) {
        0 if r == 0 || r + 1 == n => k + soft,
        0 => 2.0 * k + soft,
        1 => -k,
        _ => 0.0,
    });
    let none = Mat::zeros(n, n);
    let a = Mat::from_fn(2 * n, 2 * n, |r, c| match (r < n, c < n) {
        (true, _) => f64::from(u8::from(c == n + r)),
        (false, true) => -stiffness[(r - n, c)] / m,
        _ => 0.0,
    });
    let found = of_second_order(&a, [&mass, &none, &stiffness]).unwrap();
    for (j, root) in found.roots.iter().enumerate() {
        let sine = fixstep_kernel::math::sin(j as f64 * std::f64::consts::PI / 320.0);
        let wanted = ((4.0 * k * sine * sine + soft) / m).sqrt();
        // What rounding of the entries may do to the smallest.
        let known = 1e-12 * wanted + 2.0 * f64::EPSILON * k / m / wanted;
        assert!(
            (root.value.im - wanted).abs() < known,
            "{j}: {} {wanted}",
            root.value.im
        );
    }
}
