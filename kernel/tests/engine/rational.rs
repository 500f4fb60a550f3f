//! A flexible body of published cases.

use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, STIFFENINGS};
use fixstep_kernel::math::{Mat3, Vec3};
use serde_json::Value;

include!("../rational_body.rs");
