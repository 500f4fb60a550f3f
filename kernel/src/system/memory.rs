//! Control plane: elements with a memory (sampled systems, sensors, delays): where their numbers are stored, and what
//! they evaluate.

use crate::ids::{ExprId, ValueId};
use crate::mechanism::{Comparison, Held, Leaf, Mechanism, SampledLaw};
use crate::system::schedule::{List, Node};
use alloc::vec;
use alloc::vec::Vec;

/// Elements with a memory in the compiled system. Indices count within the span of the layout.
#[derive(Clone, Debug, Default)]
pub struct MemoryEntries {
    /// Sampled systems.
    pub sampled: Vec<SampledEntry>,
    /// Sensors.
    pub sensors: Vec<SensorEntry>,
    /// Delays.
    pub delays: Vec<DelayEntry>,
    /// Leaves that read a held number, each with its index.
    pub leaves: Vec<(usize, usize)>,
    /// Count of all numbers.
    pub len: usize,
}

/// A sampled system. Its numbers: the number of the next sample, then inputs, states, next states, outputs.
#[derive(Clone, Debug)]
pub struct SampledEntry {
    /// Sample period \[s\].
    pub period: f64,
    /// First sample after the start \[s\].
    pub offset: f64,
    /// Index of its first number.
    pub first: usize,
    /// Counts of inputs, states and outputs.
    pub sizes: [usize; 3],
    /// Inputs.
    pub inputs: Vec<ExprId>,
    /// Index of its initial states in the table of numbers.
    pub initial: usize,
    /// The equations of a sample.
    pub law: LawEntry,
    /// Leaves that read its inputs and states, each with its index among its own numbers.
    pub own: Vec<(usize, usize)>,
    /// Nodes that the inputs need, in order of evaluation, including the inputs.
    pub before: Vec<Node>,
    /// Nodes that next states and outputs need.
    pub after: Vec<Node>,
}

/// The equations of a sample.
#[derive(Clone, Debug)]
pub enum LawEntry {
    /// A, B, C, D in the table of numbers.
    Linear([usize; 4]),
    /// Next states and outputs.
    Expressions(Vec<ExprId>, Vec<ExprId>),
}

/// A sensor. Its numbers: armed, the value of SENVAL, how often it has triggered, and by how much the threshold was
/// exceeded at the last step.
#[derive(Clone, Debug)]
pub struct SensorEntry {
    /// The monitored expression.
    pub expression: ExprId,
    /// When it triggers.
    pub comparison: Comparison,
    /// Threshold and tolerance in the table of numbers.
    pub numbers: usize,
    /// The expression that SENVAL gives after it has triggered.
    pub evaluate: Option<ExprId>,
    /// Hysteresis in the table of numbers, and whether SENVAL returns to zero.
    pub rearm: Option<(usize, bool)>,
    /// Does triggering end the run?
    pub stop: bool,
    /// Index of its first number.
    pub first: usize,
    /// Nodes that it needs, in order of evaluation.
    pub nodes: Vec<Node>,
}

/// A delay. Its numbers, within the span of delays: the longest delay \[s\], the number of points, the index of the
/// newest, then the points as time \[s\] and value.
#[derive(Clone, Debug)]
pub struct DelayEntry {
    /// The expression to be delayed.
    pub value: ExprId,
    /// The length of the delay.
    pub delay: ExprId,
    /// The value before the start.
    pub history: ExprId,
    /// The longest delay.
    pub longest: ExprId,
    /// Seconds per user time unit.
    pub time_unit: f64,
    /// The time leaf that the history reads, and its index among the leaves of the history.
    pub time_leaf: Option<(usize, usize)>,
    /// Index of its first number.
    pub first: usize,
    /// Number of points that it has room for.
    pub capacity: usize,
    /// Nodes that the value needs, in order of evaluation, including itself.
    pub nodes: Vec<Node>,
    /// Does it remember jumps, as two points at one instant? With a variable step, whose steps end there.
    pub has_jumps: bool,
}

/// Numbers of a delay before its points.
pub const DELAY_HEAD: usize = 3;

/// Points of a delay beyond those that its longest delay spans, for the interpolation.
pub const DELAY_MARGIN: usize = 6;

impl DelayEntry {
    /// Count of its numbers.
    pub fn numbers(&self) -> usize {
        DELAY_HEAD + 2 * self.capacity
    }
}

/// Numbers of a sensor.
pub const SENSOR: usize = 4;

impl MemoryEntries {
    /// Does anything read a held or delayed value?
    pub fn is_read(&self) -> bool {
        !self.leaves.is_empty() || !self.delays.is_empty()
    }
}

impl SampledEntry {
    /// Indices of the first input, state, next state and output.
    pub fn places(&self) -> [usize; 4] {
        let [inputs, states, _] = self.sizes;
        let first = self.first + 1;
        let next = first + inputs + states;
        [first, first + inputs, next, next + states]
    }

    /// Count of its numbers.
    pub fn numbers(&self) -> usize {
        let [inputs, states, outputs] = self.sizes;
        1 + inputs + 2 * states + outputs
    }
}

impl MemoryEntries {
    /// The entries of a mechanism. `push` adds numbers of elements to their table and returns the index of the first.
    pub fn new(mechanism: &Mechanism, mut push: impl FnMut(&[ValueId]) -> usize) -> Self {
        let mut entries = Self::default();
        for system in &mechanism.memory.sampled {
            let entry = SampledEntry {
                period: system.period,
                offset: system.offset,
                first: entries.len,
                sizes: [system.inputs.len(), system.initial.len(), system.outputs],
                inputs: system.inputs.clone(),
                initial: push(&system.initial),
                law: match &system.law {
                    SampledLaw::Linear { a, b, c, d } => {
                        LawEntry::Linear([a, b, c, d].map(|matrix| push(matrix)))
                    }
                    SampledLaw::Expressions { next, outputs } => {
                        LawEntry::Expressions(next.clone(), outputs.clone())
                    }
                },
                own: Vec::new(),
                before: Vec::new(),
                after: Vec::new(),
            };
            entries.len += entry.numbers();
            entries.sampled.push(entry);
        }
        for sensor in &mechanism.memory.sensors {
            entries.sensors.push(SensorEntry {
                expression: sensor.expression,
                comparison: sensor.comparison,
                numbers: push(&[sensor.value, sensor.tolerance]),
                evaluate: sensor.evaluate,
                rearm: sensor.rearm.map(|r| (push(&[r.hysteresis]), r.reset)),
                stop: sensor.stop,
                first: entries.len,
                nodes: Vec::new(),
            });
            entries.len += SENSOR;
        }
        entries.delays = delays(mechanism);
        for (k, leaf) in mechanism.leaves.iter().enumerate() {
            let Leaf::Held(held) = *leaf else { continue };
            let place = entries.place(held);
            entries.leaves.push((k, place));
            if let Held::Input(system, _) | Held::State(system, _) = held {
                let entry = &mut entries.sampled[system.index()];
                entry.own.push((k, place - entry.first));
            }
        }
        entries
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0 && self.delays.is_empty()
    }

    /// Gives each delay room for this many points; returns the count of numbers that takes.
    pub fn resize_delays(&mut self, capacities: &[usize]) -> usize {
        let mut next = 0;
        for (delay, capacity) in self.delays.iter_mut().zip(capacities) {
            delay.first = next;
            delay.capacity = *capacity;
            next += delay.numbers();
        }
        next
    }

    /// Index of a held number.
    pub fn place(&self, held: Held) -> usize {
        let sampled =
            |system: usize, part: usize, k: u32| self.sampled[system].places()[part] + k as usize;
        match held {
            Held::Input(system, k) => sampled(system.index(), 0, k),
            Held::State(system, k) => sampled(system.index(), 1, k),
            Held::Output(system, k) => sampled(system.index(), 3, k),
            Held::Sensor(sensor) => self.sensors[sensor.index()].first + 1,
            Held::Count(sensor) => self.sensors[sensor.index()].first + 2,
        }
    }

    /// The expressions that are evaluated at accepted steps, list by list; the schedule fills the lists of nodes.
    pub fn lists(&mut self) -> Vec<List<'_>> {
        let mut lists = Vec::new();
        for entry in &mut self.sampled {
            lists.push((entry.inputs.clone(), &mut entry.before));
            if let LawEntry::Expressions(next, outputs) = &entry.law {
                let both = next.iter().chain(outputs).copied().collect();
                lists.push((both, &mut entry.after));
            }
        }
        for entry in &mut self.sensors {
            let both = [Some(entry.expression), entry.evaluate];
            lists.push((both.into_iter().flatten().collect(), &mut entry.nodes));
        }
        for entry in &mut self.delays {
            lists.push((vec![entry.value], &mut entry.nodes));
        }
        lists
    }
}

fn delays(mechanism: &Mechanism) -> Vec<DelayEntry> {
    let time = |expr: ExprId| {
        let mut leaves = mechanism.expressions[expr.index()].leaves().iter().zip(0..);
        let found = leaves.find(|(l, _)| matches!(mechanism.leaves[l.index()], Leaf::Time { .. }));
        found.map(|(leaf, place)| (leaf.index(), place))
    };
    let entry = |(k, delay): (usize, &crate::mechanism::Delay)| DelayEntry {
        value: delay.value,
        delay: delay.delay,
        history: delay.history,
        longest: delay.longest,
        time_unit: mechanism.units.time.factor,
        time_leaf: time(delay.history),
        first: k * (DELAY_HEAD + 2 * DELAY_MARGIN),
        capacity: DELAY_MARGIN,
        nodes: Vec::new(),
        has_jumps: false,
    };
    mechanism
        .memory
        .delays
        .iter()
        .enumerate()
        .map(entry)
        .collect()
}
