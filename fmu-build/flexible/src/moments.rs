//! Control plane: moments and products of inertia with the signs of a model's part: products are positive integrals,
//! xy = ∫xy dm, the negatives of the tensor's elements.

use fixstep_kernel::math::Mat3;
use serde::Serialize;
use std::fmt;

/// As the field `inertia` of a part [kg m²].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "named as the fields are")]
pub struct Moments {
    pub xx: f64,
    pub yy: f64,
    pub zz: f64,
    pub xy: f64,
    pub xz: f64,
    pub yz: f64,
}

impl Moments {
    /// From a tensor.
    pub fn of(tensor: &Mat3) -> Self {
        // No zero with a sign.
        let product = |at: (usize, usize)| 0.0 - tensor[at];
        Self {
            xx: tensor[(0, 0)],
            yy: tensor[(1, 1)],
            zz: tensor[(2, 2)],
            xy: product((0, 1)),
            xz: product((0, 2)),
            yz: product((1, 2)),
        }
    }
}

impl fmt::Display for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        } = self;
        write!(
            f,
            "xx {xx:.6e}  yy {yy:.6e}  zz {zz:.6e}  xy {xy:.6e}  xz {xz:.6e}  yz {yz:.6e} kg m² about the centre; products \
             as in a model, xy = ∫xy dm"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;
    use fixstep_kernel::math::{Mat3, Vec3};

    #[test]
    fn products_have_the_sign_of_a_models() {
        // Two masses of 3 kg at ±(1, 2, -1) m: ∫xy dm = 12, ∫xz dm = -6, ∫yz dm = -12.
        let at = Vec3::new(1.0, 2.0, -1.0);
        let tensor = (Mat3::identity() * at.norm_squared() - at * at.transpose()) * 6.0;
        let moments = Moments::of(&tensor);
        assert_eq!([moments.xx, moments.yy, moments.zz], [30.0, 12.0, 30.0]);
        assert_eq!([moments.xy, moments.xz, moments.yz], [12.0, -6.0, -12.0]);
        let text = moments.to_string();
        assert!(
            text.contains("xy 1.200000e1  xz -6.000000e0  yz -1.200000e1 kg m² about the centre; products as in a model"),
            "{text}"
        );
        assert!(!Moments::of(&Mat3::identity()).to_string().contains("-0"));
    }
}
