//! The Jacobian of implicit variables and implicit differential equations against differences.

use super::*;

#[test]
fn implicit_variables() {
    for read in [
        "DX(ma,mb,mc)",
        "WZ(ma,mb,mb)",
        "ACCY(ma,g)",
        "JOINT(j, 0, 3, mc)",
        "FORCE(t, 0, 8, mc)",
    ] {
        check(read, |m| {
            m["joints"] = json!([{"name": "j", "type": "revolute", "i": "ma", "j": "mb"}]);
            m["variables"] = json!([
                {"name": "v", "expression": format!("y*w - 0.3*{read}")},
                {"name": "y", "residual": format!("y + y**3 - SIN({read})*DIF(z) - 0.1*w")},
                {"name": "w", "residual": "w*2 - v*TIME*u + DIF1(z)"}
            ]);
            m["differential_equations"] =
                json!([{"name": "z", "derivative": "y - DIF(z) + DX(mc, mb)*w"}]);
            m["forces"] = json!([
                {"name": "f", "type": "vector_force", "i": "mb", "j": "mc", "fx": "y*DX(mb,mc)"},
                {"name": "t", "type": "torque", "i": "ma", "j": "mb", "expression": "w + DIF(z)"}
            ]);
        });
    }
}

#[test]
fn implicit_differential_equations() {
    check("implicit", |m| {
        m["differential_equations"] = json!([
            {"name": "a", "residual": "2*DIF1(a) + DIF1(b)**3 + DIF(a)*DX(ma, mb)"},
            {"name": "b", "residual": "DIF1(a)*SIN(DIF(b)) + 3*DIF1(b) + DIF1(c) - ACCX(mc)"},
            {"name": "c", "derivative": "DIF1(a)*DIF(c) - 2*DIF(c)"}
        ]);
        m["forces"] = json!([{"name": "t", "type": "torque", "i": "ma", "j": "mb",
                              "expression": "DIF1(b)*DIF(a) + DIF1(c)"}]);
    });
}
