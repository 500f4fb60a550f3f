//! Data plane: the Magic Formula, MF 5.2 as PAC2002 (Pacejka, Tire and Vehicle Dynamics, 2nd ed., section 4.3.2), for
//! combined slip.
//!
//! Coefficients have the names of a property file; df_z = (F_z − F_z0')/F_z0'.
//!
//! ```text
//! m(x; B, C, D, E) = D sin(C arctan(B x − E (B x − arctan B x)))              (MAG-1)
//! F_x0 = m(κ + S_Hx) + S_Vx,     K_x = F_z (p_Kx1 + p_Kx2 df_z) e^(p_Kx3 df_z)
//! F_y0 = m(α + S_Hy) + S_Vy,     K_y = p_Ky1 F_z0' sin(2 arctan(F_z/(p_Ky2 F_z0'))) (1 − p_Ky3 |γ|)
//! D = μ F_z,   B = K/(C D)                                                     (MAG-2)
//! F_x = G_xα F_x0,   F_y = G_yκ F_y0 + S_Vyκ                                   (MAG-3)
//! M_z = −t (F_y − S_Vyκ) + M_zr + s F_x                                        (MAG-4)
//! M_x = R₀ F_z (q_Sx1 − q_Sx2 γ + q_Sx3 F_y/F_z0)                              (MAG-5)
//! M_y = −R₀ F_z (q_Sy1 + q_Sy2 F_x/F_z0 + q_Sy3 |V/V₀| + q_Sy4 (V/V₀)⁴)         (MAG-6)
//! σ_x = F_z (p_Tx1 + p_Tx2 df_z) e^(−p_Tx3 df_z) R₀/F_z0
//! σ_y = p_Ty1 sin(2 arctan(F_z/(p_Ty2 F_z0))) (1 − p_Ky3 |γ|) R₀               (MAG-7)
//! R_e = R₀ − F_z0/k (D_reff arctan(B_reff ρ_d) + F_reff ρ_d),   ρ_d = ρ k/F_z0   (MAG-8)
//! ```

use super::contact::Contact;
use super::{INPUTS, TyreForces, Vertical};
use crate::math::dual::Dual;
use crate::mechanism::MagicFormula;

/// The formulas are evaluated at no less than this fraction of the nominal load; below it, forces decrease in
/// proportion to the load.
const LEAST_LOAD: f64 = 1e-3;
/// Smallest friction used as a divisor.
const LEAST_FRICTION: f64 = 1e-6;

type Input = Dual<INPUTS>;

/// A law, and the parts of it that `USE_MODE` selects: longitudinal, lateral, combined.
#[derive(Clone, Debug, PartialEq)]
pub struct Magic {
    /// The coefficients.
    pub formula: MagicFormula,
    /// Are there longitudinal forces, are there lateral forces, and does one slip reduce the other force?
    pub parts: [bool; 3],
}

/// (MAG-1) without D.
fn magic<const N: usize>(b: Dual<N>, c: Dual<N>, e: Dual<N>, x: Dual<N>) -> Dual<N> {
    (c * bent(b, e, x).atan()).sin()
}

/// The argument of its arc tangent.
fn bent<const N: usize>(b: Dual<N>, e: Dual<N>, x: Dual<N>) -> Dual<N> {
    let bx = b * x;
    bx - e * (bx - bx.atan())
}

/// cos(C arctan(…)), the weight of combined slip.
fn weight(b: Input, c: Input, e: Input, x: Input) -> Input {
    (c * bent(b, e, x).atan()).cos()
}

fn number(value: f64) -> Input {
    Dual::constant(value)
}

fn most(x: Input, limit: f64) -> Input {
    x.clamp(f64::NEG_INFINITY, limit)
}

impl Magic {
    /// F_z0'.
    fn nominal(&self) -> f64 {
        self.formula.fnomin * self.formula.lfzo
    }

    /// The load at which the formulas are evaluated, and df_z.
    fn load<const N: usize>(&self, load: Dual<N>) -> (Dual<N>, Dual<N>) {
        let nominal = self.nominal();
        let least = (LEAST_LOAD * nominal).max(self.formula.fzmin);
        let load = load.clamp(least, self.formula.fzmax);
        (load, (load - nominal) / nominal)
    }

    /// K_x.
    fn stiffness_x<const N: usize>(&self, load: Dual<N>, df: Dual<N>) -> Dual<N> {
        let m = &self.formula;
        load * (df * m.pkx2 + m.pkx1) * (df * m.pkx3).exp() * m.lkx
    }

    /// K_y.
    fn stiffness_y<const N: usize>(&self, load: Dual<N>, camber: Dual<N>) -> Dual<N> {
        let m = &self.formula;
        let rise = ((load / (m.pky2 * self.nominal())).atan() * 2.0).sin();
        let lean = -camber.abs() * m.pky3 + 1.0;
        rise * lean * (m.pky1 * self.nominal() * m.lky)
    }

    /// (MAG-7), (MAG-8), and the slips of sliding, 3 D/K.
    pub(super) fn vertical<const N: usize>(
        &self,
        friction: f64,
        contact: &Contact<N>,
    ) -> Vertical<N> {
        let m = &self.formula;
        let spring = contact.deflection * m.vertical_stiffness;
        let load = contact.load(spring, m.vertical_damping);
        let (fz, df) = self.load(load);
        let camber = contact.camber.clamp(m.cammin, m.cammax);
        let nominal = self.nominal();
        let sigma_x = fz
            * (df * m.ptx2 + m.ptx1)
            * (df * -m.ptx3).exp()
            * (m.unloaded_radius * m.lsgkp / m.fnomin);
        let rise = ((fz / (m.pty2 * nominal)).atan() * 2.0).sin();
        let lean = -camber.abs() * m.pky3 + 1.0;
        let sigma_y = rise * lean * (m.pty1 * m.unloaded_radius * m.lfzo * m.lsgal);
        let share = (contact.deflection.at_least(0.0)) * (m.vertical_stiffness / m.fnomin);
        let sunk = (share * m.breff).atan() * m.dreff + share * m.freff;
        let grip = |d: f64, d2: f64, scale: f64| (df * d2 + d) * (3.0 * friction * scale);
        let stiff_y = self.stiffness_y(fz, Dual::constant(0.0)).abs();
        Vertical {
            load,
            rolling_radius: -sunk * (m.fnomin / m.vertical_stiffness) + m.unloaded_radius,
            relaxation: [sigma_x, sigma_y],
            sliding: [
                load * grip(m.pdx1, m.pdx2, m.lmux) / self.stiffness_x(fz, df),
                load * grip(m.pdy1, m.pdy2, m.lmuy) / stiff_y,
            ],
        }
    }

    /// (MAG-1) to (MAG-6).
    pub fn forces(
        &self,
        friction: f64,
        [kappa, alpha, gamma, load, sense, speed]: &[Input; INPUTS],
    ) -> TyreForces<INPUTS> {
        let m = &self.formula;
        let (fz, df) = self.load(*load);
        let slip = Slip {
            kappa: kappa.clamp(m.kpumin, m.kpumax),
            alpha: alpha.clamp(m.alpmin, m.alpmax),
            gamma: gamma.clamp(m.cammin, m.cammax),
            fz,
            df,
            friction,
        };
        let [along, across, together] = self.parts.map(|part| f64::from(u8::from(part)));
        let x = self.longitudinal(&slip);
        let y = self.lateral(&slip);
        let combine = |whole: Input| whole * together + (1.0 - together);
        let fx = x.force * combine(self.weight_x(&slip)) * along;
        let aside = self.aside(&slip, y.mu) * (together * along);
        let fy = (y.force * combine(self.weight_y(&slip)) + aside) * across;
        let mz = self.aligning(&slip, (&x, &y), (fx, fy, aside), *sense) * across;
        let r = m.unloaded_radius;
        let mx = (fy * (m.qsx3 * m.lmx / self.nominal()) - slip.gamma * (m.qsx2 * m.lmx)
            + m.qsx1 * m.lvmx)
            * fz
            * (r * across);
        let relative_speed = (*speed / m.longvl).abs();
        let roll = fx * (m.qsy2 / self.nominal())
            + relative_speed * m.qsy3
            + relative_speed.square().square() * m.qsy4
            + m.qsy1;
        let my = roll * fz * *sense * (-r * m.lmy * along);
        // Outside the range of loads all forces scale with the load.
        let share = *load / fz;
        TyreForces {
            fx: fx * share,
            fy: fy * share,
            mx: mx * share,
            my: my * share,
            mz: mz * share,
        }
    }

    /// F_x0.
    #[inline(never)]
    fn longitudinal(&self, s: &Slip) -> Pure {
        let m = &self.formula;
        let lean = -(s.gamma * m.lgax).square() * m.pdx3 + 1.0;
        let mu = ((s.df * m.pdx2 + m.pdx1) * lean * (m.lmux * s.friction)).at_least(LEAST_FRICTION);
        let c = number(m.pcx1 * m.lcx);
        let d = mu * s.fz;
        let k = self.stiffness_x(s.fz, s.df);
        let x = s.kappa + (s.df * m.phx2 + m.phx1) * m.lhx;
        let side = 1.0 - m.pex4 * 1.0_f64.copysign(x.value);
        let e = (s.df.square() * m.pex3 + s.df * m.pex2 + m.pex1) * (side * m.lex);
        let v = s.fz * (s.df * m.pvx2 + m.pvx1) * (m.lvx * m.lmux * s.friction);
        Pure {
            force: d * magic(k / (c * d), c, most(e, 1.0), x) + v,
            stiffness: k,
            mu,
            shift: number(0.0),
            slope: number(0.0),
        }
    }

    /// F_y0.
    #[inline(never)]
    fn lateral(&self, s: &Slip) -> Pure {
        let m = &self.formula;
        let camber = s.gamma * m.lgay;
        let lean = -camber.square() * m.pdy3 + 1.0;
        let mu = ((s.df * m.pdy2 + m.pdy1) * lean * (m.lmuy * s.friction)).at_least(LEAST_FRICTION);
        let c = number(m.pcy1 * m.lcy);
        let d = mu * s.fz;
        let k = self.stiffness_y(s.fz, camber);
        let h = (s.df * m.phy2 + m.phy1) * m.lhy + camber * m.phy3;
        let a = s.alpha + h;
        let sign = 1.0_f64.copysign(a.value);
        let side = -(camber * m.pey4 + m.pey3) * sign + 1.0;
        let e = (s.df * m.pey2 + m.pey1) * side * m.ley;
        let v = ((s.df * m.pvy2 + m.pvy1) + (s.df * m.pvy4 + m.pvy3) * camber)
            * s.fz
            * (m.lvy * m.lmuy * s.friction);
        let b = k / (c * d);
        Pure {
            force: d * magic(b, c, most(e, 1.0), a) + v,
            stiffness: k,
            mu,
            shift: h + v / k,
            slope: b * c,
        }
    }

    /// G_xα.
    #[inline(never)]
    fn weight_x(&self, s: &Slip) -> Input {
        let m = &self.formula;
        let b = (s.kappa * m.rbx2).cos_atan() * (m.rbx1 * m.lxal);
        let (c, h) = (number(m.rcx1), number(m.rhx1));
        let e = most(s.df * m.rex2 + m.rex1, 1.0);
        weight(b, c, e, s.alpha + h) / weight(b, c, e, h)
    }

    /// G_yκ.
    #[inline(never)]
    fn weight_y(&self, s: &Slip) -> Input {
        let m = &self.formula;
        let b = ((s.alpha - m.rby3) * m.rby2).cos_atan() * (m.rby1 * m.lyka);
        let (c, h) = (number(m.rcy1), s.df * m.rhy2 + m.rhy1);
        let e = most(s.df * m.rey2 + m.rey1, 1.0);
        weight(b, c, e, s.kappa + h) / weight(b, c, e, h)
    }

    /// S_Vyκ.
    #[inline(never)]
    fn aside(&self, s: &Slip, mu: Input) -> Input {
        let m = &self.formula;
        let d =
            mu * s.fz * (s.df * m.rvy2 + s.gamma * m.rvy3 + m.rvy1) * (s.alpha * m.rvy4).cos_atan();
        d * ((s.kappa * m.rvy6).atan() * m.rvy5).sin() * m.lvyka
    }

    /// (MAG-4).
    #[inline(never)]
    fn aligning(
        &self,
        s: &Slip,
        (x, y): (&Pure, &Pure),
        (fx, fy, aside): (Input, Input, Input),
        sense: Input,
    ) -> Input {
        let m = &self.formula;
        let (r, camber, df) = (m.unloaded_radius, s.gamma * m.lgaz, s.df);
        let grip = (m.lmuy * s.friction).max(LEAST_FRICTION);
        let h = df * m.qhz2 + (df * m.qhz4 + m.qhz3) * camber + m.qhz1;
        let (at, ar) = (s.alpha + h, s.alpha + y.shift);
        let [at_eq, ar_eq] = [at, ar].map(|a| {
            let t = a.sin() / a.cos();
            let ratio = x.stiffness / y.stiffness * s.kappa;
            let both = (t.square() + ratio.square()).sqrt().atan();
            both * 1.0_f64.copysign(a.value)
        });
        let b = (df.square() * m.qbz3 + df * m.qbz2 + m.qbz1)
            * (camber * m.qbz4 + camber.abs() * m.qbz5 + 1.0)
            * (m.lky / grip);
        let c = number(m.qcz1);
        let d = s.fz
            * (df * m.qdz2 + m.qdz1)
            * (camber * m.qdz3 + camber.square() * m.qdz4 + 1.0)
            * (r * m.ltr / self.nominal());
        let e = (df.square() * m.qez3 + df * m.qez2 + m.qez1)
            * ((camber * m.qez5 + m.qez4) * (b * c * at).atan() * core::f64::consts::FRAC_2_PI
                + 1.0);
        let forward = s.alpha.cos() * sense;
        let trail = d * weight(b, c, most(e, 1.0), at_eq) * forward;
        let b_r = y.slope * m.qbz10 + m.qbz9 * m.lky / grip;
        let d_r = s.fz
            * ((df * m.qdz7 + m.qdz6) * m.lres + (df * m.qdz9 + m.qdz8) * camber)
            * (r * m.lmuy * s.friction);
        let residual = d_r * (b_r * ar_eq).cos_atan() * forward;
        let arm = (fy * (m.ssz2 / self.nominal()) + (df * m.ssz4 + m.ssz3) * s.gamma + m.ssz1)
            * (r * m.ls);
        -trail * (fy - aside) + residual + arm * fx
    }
}

/// The arguments of the formulas.
struct Slip {
    kappa: Input,
    alpha: Input,
    gamma: Input,
    fz: Input,
    df: Input,
    friction: f64,
}

/// A force in pure slip.
struct Pure {
    force: Input,
    /// K.
    stiffness: Input,
    mu: Input,
    /// S_H + S_V/K.
    shift: Input,
    /// B C.
    slope: Input,
}
