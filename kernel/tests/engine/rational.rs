//! A flexible body of published cases.

use fixstep_kernel as kernel;
use serde_json::Value;

include!("../rational_body.rs");
