//! Control plane: variables for the values that elements with a memory hold between steps.

use super::catalog::local;
use fixstep_kernel::ids::{SampledId, SensorId};
use fixstep_kernel::mechanism::{Held, Memory, SensorOrigin};
use fixstep_variables::naming::structured_name;
use fixstep_variables::{Slot, Variability, Variable, VariableKind};

/// States and outputs of sampled systems, values and counts of sensors:
/// `sampled.pid.output[1]`, `sensors.limit.value`; whether a flexible body has deformed too much.
pub(super) fn variables(memory: &Memory) -> Vec<Variable> {
    let mut all = Vec::new();
    for (at, system) in memory.sampled.iter().enumerate() {
        let id = SampledId::from(at);
        let name = structured_name(&system.name);
        for k in 0..system.initial.len() as u32 {
            let name = format!("sampled.{name}.state[{}]", k + 1);
            all.push(held(name, &system.description, Held::State(id, k)));
        }
        for k in 0..system.outputs as u32 {
            let name = format!("sampled.{name}.output[{}]", k + 1);
            all.push(held(name, &system.description, Held::Output(id, k)));
        }
    }
    for (at, sensor) in memory.sensors.iter().enumerate() {
        let id = SensorId::from(at);
        let name = structured_name(&sensor.name);
        match sensor.origin {
            SensorOrigin::Mechanism => {
                let value = format!("sensors.{name}.value");
                all.push(held(value, &sensor.description, Held::Sensor(id)));
                let count = format!("sensors.{name}.count");
                all.push(counted(count, "How often the sensor has triggered", id));
            }
            SensorOrigin::Linearity => {
                let flag = format!("flexible_bodies.{name}.nonlinear");
                all.push(counted(flag, &sensor.description, id));
            }
        }
    }
    all
}

/// How often a sensor has triggered.
fn counted(name: String, description: &str, sensor: SensorId) -> Variable {
    Variable {
        kind: VariableKind::Integer {
            min: None,
            max: None,
            start: 0,
        },
        ..held(name, description, Held::Count(sensor))
    }
}

fn held(name: String, description: &str, held: Held) -> Variable {
    Variable {
        name,
        description: description.to_owned(),
        variability: Variability::Discrete,
        ..local(Slot::Held(held))
    }
}
