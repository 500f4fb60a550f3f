//! A Simulink model with a State-Space block between a vector of inputs and one of outputs.

use super::script::matrix;
use super::{Export, Improper, proper};
use faer::Mat;

impl Export<'_> {
    /// The text of the model. Its inputs and outputs are deviations from the operating point.
    pub(super) fn mdl(&self) -> Result<String, Improper> {
        let form = proper(self.form)?;
        let identifier: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let value = |of: &Mat<f64>| {
            let text = matrix(of, "\n");
            let lines: Vec<String> = text.lines().map(|line| format!("\"{line}\"")).collect();
            lines.join("\n                              ")
        };
        let (a, b, c, d) = (
            value(&form.a),
            value(&form.b),
            value(&form.c),
            value(&form.d),
        );
        let inputs = form.b.ncols();
        Ok(format!(
            r#"Model {{
  Name                    "lin_{identifier}"
  Version                 6.0
  System {{
    Name                    "lin_{identifier}"
    Location                [100, 100, 640, 280]
    Open                    on
    Block {{
      BlockType               Inport
      Name                    "u"
      Position                [40, 73, 70, 87]
      Port                    "1"
      PortDimensions          "{inputs}"
    }}
    Block {{
      BlockType               StateSpace
      Name                    "linear form"
      Position                [150, 55, 330, 105]
      A                       {a}
      B                       {b}
      C                       {c}
      D                       {d}
      X0                      "0"
    }}
    Block {{
      BlockType               Outport
      Name                    "y"
      Position                [410, 73, 440, 87]
      Port                    "1"
    }}
    Line {{
      SrcBlock                "u"
      SrcPort                 1
      DstBlock                "linear form"
      DstPort                 1
    }}
    Line {{
      SrcBlock                "linear form"
      SrcPort                 1
      DstBlock                "y"
      DstPort                 1
    }}
  }}
}}
"#
        ))
    }
}
