//! The tangents of joints on curves and of general constraints, also where a force reads them.

use super::*;

impl Fixture {
    /// Feet of joints on curves where the random state has them.
    pub(super) fn with_feet(mut self) -> Self {
        let (system, ws) = (&self.system, &mut self.ws);
        displace(system, &self.state, ws, &self.stepper, &self.scheme);
        for (k, joint) in system.curve_joints.iter().enumerate() {
            let [i, j] = [joint.i, joint.j].map(|m| &ws.markers[m.index()]);
            let feet = joint.pair.first_feet(i, j);
            let at = system.layout.feet.first + feet.len() * k;
            self.state.reals[at..at + feet.len()].copy_from_slice(&feet);
        }
        self
    }
}

/// A wire in space and two ovals.
fn curves(m: &mut serde_json::Value) {
    m["curves"] = json!([
        {"name": "wire", "x": "1.2*s", "y": "0.4*SIN(s)", "z": "0.3*COS(1.3*s)", "from": -3, "to": 3},
        {"name": "small", "x": "0.4*COS(s)", "y": "0.3*SIN(s)", "from": -std::f64::consts::PI,
         "to": std::f64::consts::PI, "closed": true},
        {"name": "large", "x": "COS(s)", "y": "0.8*SIN(s)", "from": -std::f64::consts::PI,
         "to": std::f64::consts::PI, "closed": true}
    ]);
}

#[test]
fn points_on_curves() {
    check("point on curve", |m| {
        curves(m);
        m["joints"] = json!([{"name": "k", "type": "point_on_curve", "i": "ma", "j": "mb",
                              "curve": "wire"}]);
        m["forces"] = json!([{"name": "f", "type": "vector_force", "i": "mc", "j": "g",
                              "fx": "0.4*ARC(k)", "fy": "0.3*PTCV(k, 1, 7, mc)"}]);
    });
    check("point mass on a wire of ground", |m| {
        curves(m);
        m["joints"] = json!([{"name": "k", "type": "point_on_curve", "i": "mp", "j": "g",
                              "curve": "wire"}]);
    });
}

#[test]
fn curves_on_curves() {
    check("curve on curve", |m| {
        curves(m);
        m["joints"] = json!([{"name": "k", "type": "curve_on_curve", "i": "ma", "j": "mb",
                              "curve_i": "small", "curve_j": "large"}]);
        m["forces"] = json!([{"name": "f", "type": "vector_force", "i": "mc", "j": "g",
                              "fx": "0.4*ARC(k, 0) - 0.2*ARC(k, 1)", "fz": "0.3*CVCV(k, 0, 8, mc)"}]);
    });
}

#[test]
fn general_constraints() {
    for (name, expression) in [
        (
            "displacement in the axes of a third part",
            "DX(ma, mb, mc)*DY(mp, ma, mb) - 0.3",
        ),
        ("distances", "DM(ma, mb) + 0.3*DM(mc)**2 - SIN(DM(mp, g))"),
        (
            "angles",
            "AZ(ma, mb)*PITCH(mb, mc) - THETA(mc, g) + 0.2*ROLL(ma, mc)*TIME",
        ),
        ("inputs and variables", "bent*u - 0.1*DZ(mc, mp)*bent"),
        (
            "one part twice",
            "DX(ma, mb)*DY(ma, g, ma) + YAW(ma, mb)**2",
        ),
    ] {
        check(name, |m| {
            m["variables"] = json!([
                {"name": "bent", "expression": "near**2 + DY(ma, mb, g)"},
                {"name": "near", "expression": "DM(mb, mc)"}
            ]);
            m["general_constraints"] = json!([{"name": "k", "expression": expression}]);
        });
    }
}

#[test]
fn forces_that_read_general_constraints_and_couplers() {
    check("reactions", |m| {
        curves(m);
        m["joints"] = json!([
            {"name": "w", "type": "point_on_curve", "i": "ma", "j": "mb", "curve": "wire"},
            {"name": "r", "type": "revolute", "i": "mc", "j": "mb"},
            {"name": "c", "type": "cylindrical", "i": "ma", "j": "mc"}
        ]);
        m["couplers"] = json!([{"name": "cc", "joints": ["r", "c"], "scales": [1, -0.6],
                                "coordinates": ["rotation", "translation"]}]);
        m["general_constraints"] = json!([
            {"name": "k", "expression": "DX(ma, mb, mc)*DM(mp, ma) + ARC(w)**2 - 0.3"}
        ]);
        m["forces"] = json!([
            {"name": "f", "type": "vector_force", "i": "mc", "j": "g",
             "fx": "0.4*GCON(k, ma, 1)", "fy": "0.3*GCON(k, mc, 7, mb)", "fz": "0.2*GCON(k)"},
            {"name": "f2", "type": "vector_force", "i": "ma", "j": "g",
             "fx": "0.4*COUPLER(cc, c, 1, 1)", "fy": "0.3*COUPLER(cc, r, 0, 8, mb)"}
        ]);
    });
}
